/** Everything that is drawn: by the browser's own source of randomness that cannot be predicted. */

/** A number from 0 up to, but not including, 1. */
function randomNumber() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}

/**
 * A whole number from 0 up to, but not including, another one, each exactly as likely.
 *
 * @param {number} below  At most 2 ** 32.
 */
export function drawWhole(below) {
  const end = 2 ** 32 - (2 ** 32 % below);
  for (;;) {
    const [drawn] = crypto.getRandomValues(new Uint32Array(1));
    if (drawn < end) return drawn % below;
  }
}

/**
 * One of the items, each as likely as its weight says.
 *
 * @template Item
 * @param {readonly Item[]} items  Not empty.
 * @param {readonly number[]} weights  Not negative, not all 0.
 * @returns {Item}
 */
export function drawWeighted(items, weights) {
  let left = randomNumber() * weights.reduce((sum, weight) => sum + weight, 0);
  let last = 0;
  for (let index = 0; index < items.length; index += 1) {
    const weight = weights[index];
    if (weight > 0) last = index;
    if (weight > 0 && left < weight) break;
    left -= weight;
  }
  return items[last];
}

/**
 * One of the items, each as likely.
 *
 * @template Item
 * @param {readonly Item[]} items  Not empty.
 * @returns {Item}
 */
export function drawOne(items) {
  return drawWeighted(
    items,
    items.map(() => 1),
  );
}
