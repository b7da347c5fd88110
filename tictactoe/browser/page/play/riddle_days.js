/**
 * The days of the riddle: its number, what was tried, how many days in a row were solved.
 *
 * The number counts the days of the local calendar. What was tried is kept by number, and the streak is counted from
 * that: so a clock that goes back, or was wrong for a while, loses nothing, and no second tap or tab counts twice.
 *
 * @typedef {object} RiddleDays
 * @property {Record<string, string>} days  By number what was tried: squares in their order, behind them + when it was
 *   solved, - when it was not, nothing while it goes on; = for a day that a flight has left out.
 * @property {{ number: number, offset: number } | null} last  Which one was solved last, and by which time zone.
 */

export const TRIES = 3;
/** The day of number 1, 1 November 2026, in days since 1970. */
const FIRST_DAY = Date.UTC(2026, 10, 1) / 864e5;

/**
 * The number of a day.
 *
 * @param {number} time  In milliseconds since 1970.
 * @param {number} offset  Minutes by which the local clock is behind UTC, as `getTimezoneOffset` tells them.
 */
export function numberAt(time, offset) {
  return Math.max(1, Math.floor((time - 6e4 * offset) / 864e5) - FIRST_DAY + 1);
}

/** What can be read of what a browser has kept. @param {unknown} kept @returns {RiddleDays} */
export function daysOf(kept) {
  const { days, last } = /** @type {any} */ (kept ?? {});
  const good = Object.entries(Object(days)).filter(
    ([number, tried]) =>
      /^[1-9]\d{0,6}$/.test(number) && typeof tried === "string" && /^(=|[1-9]{1,2}|[1-9]{1,3}[+-])$/.test(tried),
  );
  const isLast = Number.isInteger(last?.number) && Math.abs(last?.offset) <= 1440;
  return {
    days: Object.fromEntries(good.map(([number, tried]) => [number, String(tried)])),
    last: isLast ? { number: last.number, offset: last.offset } : null,
  };
}

/**
 * With what has been tried at a number. Where by the calendar of the last solved one no day is missed in between, one
 * that travel has left out does not end the streak.
 *
 * @param {RiddleDays} kept
 * @param {number} number
 * @param {string} tried
 * @param {number} time
 * @param {number} offset
 * @returns {RiddleDays}
 */
export function withTried({ days, last }, number, tried, time, offset) {
  /** @type {RiddleDays} */
  const result = { days: { ...days, [number]: tried }, last };
  if (!tried.endsWith("+")) return result;
  const skipped = last !== null && number === last.number + 2 && numberAt(time, last.offset) === last.number + 1;
  if (skipped) result.days[number - 1] ??= "=";
  return { ...result, last: { number, offset } };
}

/**
 * How many days in a row were solved: up to a number, which itself may be open yet, and at most.
 *
 * @param {RiddleDays} kept
 * @param {number} number
 */
export function streakOf({ days }, number) {
  const solved = (/** @type {number} */ day) => days[day]?.endsWith("+") === true;
  const until = (/** @type {number} */ end) => {
    let length = 0;
    for (let day = end; solved(day) || days[day] === "="; day -= 1) length += Number(solved(day));
    return length;
  };
  const isOpen = !/[+-]$/.test(days[number] ?? "");
  return {
    now: until(isOpen ? number - 1 : number),
    best: Math.max(0, ...Object.keys(days).map((day) => until(Number(day)))),
  };
}

/** The signs of a result, one for each try: a green square, a yellow one, a black one. @param {number[]} costs */
export function signsOf(costs) {
  return costs.map((cost) => (cost === 0 ? "\u{1F7E9}" : cost < 0.1 ? "\u{1F7E8}" : "\u2B1B")).join("");
}
