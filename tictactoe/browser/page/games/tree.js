/** The public tree of a round: a node is a history, of which symmetric ones are merged and decided ones cut. */

/** Arrays with one entry per node; node 0 is the root, children are consecutive and stand after their parent. */
export class GameTree {
  /**
   * Throws RangeError for arrays that are no such tree.
   *
   * @param {Int8Array} square  Of the move into a node, 0 at the root.
   * @param {Uint8Array} numChildren
   * @param {Int8Array} leafClass  The outcome of a leaf, -1 at a decision node.
   * @param {import("./rules.js").Rules} rules
   */
  constructor(square, numChildren, leafClass, rules) {
    this.square = square;
    this.numChildren = numChildren;
    this.leafClass = leafClass;
    this.rules = rules;
    this.numNodes = square.length;
    this.firstChild = new Int32Array(this.numNodes).fill(-1);
    this.parent = new Int32Array(this.numNodes).fill(-1);
    this.depth = new Int8Array(this.numNodes);
    this.#join();
  }

  /** The blocks of children stand in the preorder of their parents. */
  #join() {
    const stack = [0];
    let next = 1;
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      const count = this.numChildren[node];
      const depth = this.depth[node];
      const leaf = this.leafClass[node];
      if (
        next + count > this.numNodes ||
        count > 0 !== leaf < 0 ||
        leaf >= this.rules.data.outcomes.length ||
        depth > 9
      ) {
        throw new RangeError("the arrays of the tree do not match");
      }
      if (count === 0) continue;
      this.firstChild[node] = next;
      for (let child = next; child < next + count; child += 1) {
        const square = this.square[child];
        if (square < 1 || square > 9) throw new RangeError("a move of the tree is not a square");
        this.parent[child] = node;
        this.depth[child] = depth + 1;
      }
      for (let child = next + count - 1; child >= next; child -= 1) stack.push(child);
      next += count;
    }
    if (next !== this.numNodes) throw new RangeError("the tree has nodes that no move leads to");
  }

  /** @param {number} node @returns {number[]} */
  children(node) {
    const first = this.firstChild[node];
    return Array.from({ length: this.numChildren[node] }, (_, index) => first + index);
  }

  /** The outcome that is certain at a node, null while it is open. @param {number} node */
  outcome(node) {
    const found = this.leafClass[node];
    return found < 0 ? null : found;
  }

  /** Who moves at a decision node. @param {number} node @returns {import("./rules.js").Seat} */
  owner(node) {
    return this.depth[node] % 2 === 0 ? 0 : 1;
  }
}
