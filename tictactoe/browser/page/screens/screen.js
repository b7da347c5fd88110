/**
 * What a screen of the page is, and what it gets from the page.
 *
 * @typedef {object} App
 * @property {import("../loading/solution_loader.js").Catalogue} catalogue
 * @property {(address: string) => void} go  Show an address, such as "review" or "4-3/wl/51", as a new step that the
 *   browser's back button takes back.
 * @property {(address: string) => void} replace  The same without a new step.
 * @property {(text: string) => void} announce  Say something to those who hear the page.
 * @typedef {object} Screen
 * @property {string} title  Of the browser's window.
 * @property {HTMLElement} element
 * @property {(address: string) => void} show  Called whenever the page's address becomes one of this screen's, also
 *   while it is shown already.
 * @property {(() => void)} [hide]  Called when another screen takes its place.
 * @property {((event: KeyboardEvent) => void)} [onKey]  A key pressed anywhere while it is shown, not into a field.
 *
 * A finished round reviewed for one of its players, who is "you"; given to the screen that shows rounds by the page, as
 * no screen knows another one.
 *
 * @typedef {object} Game  Where a round was played. given: so many moves of it were there before the players came.
 * @property {import("../loading/solution_loader.js").SolvedMatch} solution
 * @property {import("../play/referee.js").MatchRecord} match
 * @property {number} given
 * @typedef {(
 *   app: App,
 *   game: Game,
 *   judge: import("../play/round_bot.js").RoundBot,
 *   round: import("../play/referee.js").RoundRecord,
 *   player: import("../play/referee.js").Player,
 *   opponent: string,
 * ) => { advice: string, element: HTMLElement }} RoundReview  judge: as `loadAdviser` gives it. opponent: "the bot", or
 *   a name. advice: the worst mistake in a sentence.
 *
 * What is said of the first move of a round from a position on.
 *
 * @typedef {(
 *   judge: import("../play/round_bot.js").RoundBot,
 *   round: import("../play/referee.js").RoundRecord,
 *   player: import("../play/referee.js").Player,
 *   opponent: string,
 *   given: number,
 * ) => string} Verdict
 *
 * A first round that teaches the game, and what may follow it; given to the screen that shows it by the page, too.
 *
 * @typedef {object} ShownLesson
 * @property {HTMLElement} element
 * @property {() => void} begin
 * @property {() => void} focus  Put the keyboard's focus where the next step is.
 * @property {() => void} end  Called when something else takes its place.
 * @property {(event: KeyboardEvent) => void} onKey
 * @typedef {(app: App, then: { title: string, begin: () => void, choose: () => void }) => ShownLesson} Lesson
 *
 * Where a match with a friend on another device is played; given to the screen that connects the two by the page.
 *
 * @typedef {object} FriendTable
 * @property {HTMLElement} element
 * @property {() => Promise<boolean>} update  Show how the match stands, and whether a round has begun. Rejects with
 *   DataError.
 * @property {() => void} handToBot  Go on against a bot, in the screen "Play".
 * @property {(event: KeyboardEvent) => void} onKey
 * @typedef {(
 *   app: App,
 *   session: import("../play/friend_session.js").FriendSession,
 *   onLeave: () => void,
 * ) => FriendTable} MakeFriendTable
 */

export {};
