/** What many sentences need. */

/** How sentences call the bot. */
export const THE_BOT = "the bot";

/** A player's name where a sentence begins: people's names are as they write them. @param {string} name */
export function beginning(name) {
  return name === THE_BOT ? capitalized(name) : name;
}

/** @param {string} text */
export function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
