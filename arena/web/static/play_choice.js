// @ts-check
// A choice in the making: which actions are left after some clicks, which one is chosen, and what a click means.

export class Choice {
  /** @param {string[]} legal
   * @param {string[]} attempts actions that are not legal, but that somebody may try
   * @param {Map<string, string[]>} open legal actions by the key of what is clicked
   * @param {Map<string, string[]>} tried the same for the attempts */
  constructor(legal, attempts, open, tried) {
    this.legal = legal;
    this.attempts = attempts;
    this.open = open;
    this.tried = tried;
    /** @type {string[]} what was clicked, in order */
    this.keys = [];
    /** @type {string | null} chosen from the list */
    this.picked = null;
  }

  /** The legal actions that all clicks agree with. */
  get left() {
    return this.legal.filter((action) => this.keys.every((key) => this.open.get(key)?.includes(action)));
  }

  /** The action that would be sent. */
  get action() {
    if (this.picked !== null) return this.picked;
    return this.keys.length && this.left.length === 1 ? this.left[0] : null;
  }

  get isEmpty() {
    return !this.keys.length && this.picked === null;
  }

  /** Everything that can be clicked: what is possible now, and what will be explained. */
  get clickable() {
    return new Map([...this.tried, ...this.open]);
  }

  /** Whether a click on this key leads on. @param {string} key */
  leadsOn(key) {
    return this.keys.includes(key) || (this.open.get(key) ?? []).some((action) => this.left.includes(action));
  }

  /** The keys to show as chosen. */
  get chosen() {
    if (this.keys.length) return new Set(this.keys);
    const { action } = this;
    return new Set(action === null ? [] : [...this.open].filter(([, actions]) => actions.includes(action)).map(([key]) => key));
  }

  /** Choose from the list. @param {string} action */
  pick(action) {
    this.picked = action;
    this.keys = [];
  }

  undo() {
    if (this.picked !== null) this.picked = null;
    else this.keys.pop();
  }

  /**
   * A click. The action to explain, if it is one that is refused; else null, and the choice has changed.
   * @param {string} key
   * @returns {string | null}
   */
  click(key) {
    if (this.picked !== null) {
      this.picked = null;
      this.keys = [];
    }
    if (this.keys.includes(key)) {
      this.keys = this.keys.filter((one) => one !== key);
      return null;
    }
    const isPossible = (this.open.get(key) ?? []).some((action) => this.left.includes(action));
    if (isPossible) {
      this.keys.push(key);
      return null;
    }
    const refused = this.refusedBy([...this.keys, key]);
    if (refused === null && this.open.has(key)) this.keys = [key];
    return refused ?? (this.open.has(key) ? null : this.refusedBy([key]));
  }

  /** The attempt that these clicks describe. */
  refusedBy(keys) {
    return this.attempts.find((action) => keys.every((key) => this.tried.get(key)?.includes(action))) ?? null;
  }
}
