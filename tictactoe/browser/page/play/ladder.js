/** Climbing from one opponent to the next, as in tictactoe/play/opponents.py. */

/** After so many wins in a row the next rung is offered, after so many losses the one before. */
const IN_A_ROW = 2;

/**
 * Whom to offer next, and whether that is a step up; null for nobody.
 *
 * @param {readonly { opponent: string | null, winner: 0 | 1 | null }[]} matches  Those that are over, the newest first.
 * @param {readonly string[]} ladder  Names of opponents, the easiest first.
 */
export function offeredNext(matches, ladder) {
  const [newest, ...before] = matches.slice(0, IN_A_ROW);
  const alike = before.filter(({ opponent, winner }) => opponent === newest.opponent && winner === newest.winner);
  const at = ladder.indexOf(newest?.opponent ?? "");
  if (at < 0 || alike.length < IN_A_ROW - 1) return null;
  const up = newest.winner === 0;
  const name = ladder.at(up ? at + 1 : Math.max(0, at - 1));
  return name === undefined || name === newest.opponent ? null : { name, up };
}
