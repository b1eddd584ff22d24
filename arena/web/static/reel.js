// @ts-check
// A reel, read: moments expanded from their patches, views, and the steps that things come from.

/** @typedef {null | "all" | number} Viewer   null is a spectator */

const BIG_MARKS = 5;
const BIG_LEAST = 3;

/** The value after a patch, as arena/replay/patches.py makes them. What did not change is shared, not copied.
 * @param {any} before
 * @param {any} change
 * @returns {any} */
export function patched(before, change) {
  if (change === undefined) return before;
  if (Array.isArray(change)) return change[0];
  if (Array.isArray(before)) {
    const items = before.map((item, at) => patched(item, change[at]));
    return change["+"] ? items.concat(change["+"]) : items;
  }
  const after = { ...before };
  for (const key of change["-"] ?? []) delete after[key];
  for (const key of Object.keys(change)) if (key !== "-") after[key] = patched(after[key], change[key]);
  return after;
}

/** What the seats know together: from every list by seat, what each seat knows about itself.
 * @param {any[]} views */
export function together(views) {
  const whole = { ...views[0], seat: null };
  for (const [key, value] of Object.entries(whole)) {
    if (Array.isArray(value) && value.length === views.length) whole[key] = views.map((view, seat) => view[key][seat]);
  }
  return whole;
}

/** A match for a page. Moments are expanded when they are asked for. */
export class Reel {
  /** @param {any} data the JSON of arena/replay/reel.py */
  constructor(data) {
    this.data = data;
    this.seats = data.seats;
    this.names = data.players.map((player) => player.name);
    /** @type {any[]} */
    this.facts = [];
    this.seen = new Map();
    this.found = new Map();
    this.lists = new Map();
    /** @type {any[] | null} */
    this.marked = null;
  }

  /** The number of the last step. */
  get last() {
    return this.data.moments.length - 1;
  }

  /** Add moments of a match that goes on.
   * @param {any[]} moments */
  extend(moments) {
    this.data.moments.push(...moments);
    this.marked = null;
  }

  /** Whose views there are: spectator, all hands, each seat; or the one seat of a file that holds no more.
   * @returns {Viewer[]} */
  get viewers() {
    if (this.data.only !== null && this.data.only !== undefined) return [this.data.only];
    return [null, "all", ...this.names.keys()];
  }

  /** All of one moment: what happened in its step, and what is true after it.
   * @param {number} step */
  moment(step) {
    for (let at = this.facts.length; at <= step; at++) {
      this.facts.push(patched(at ? this.facts[at - 1] : {}, this.data.moments[at].patch));
    }
    const { said = [], chance = null, decisions = [], faults = [] } = this.data.moments[step];
    return { step, said, chance, decisions, faults, ...this.facts[step] };
  }

  /** What somebody could see after a step, as the game's own view.
   * @param {number} step
   * @param {Viewer} viewer */
  view(step, viewer) {
    const key = `${step} ${viewer}`;
    if (!this.seen.has(key)) this.seen.set(key, this.look(step, viewer));
    return this.seen.get(key);
  }

  look(step, viewer) {
    const { public: shared, private: own } = this.moment(step);
    if (viewer === "all") return together(own.slice(1).map((part) => ({ ...shared, ...part })));
    return { ...shared, ...own[viewer === null ? 0 : viewer + 1] };
  }

  /** The terminal drawing, for games without a board of their own.
   * @param {number} step
   * @param {Viewer} viewer */
  drawing(step, viewer) {
    const { drawing } = this.moment(step);
    const lines = drawing?.[viewer === null ? 0 : viewer === "all" ? this.seats + 1 : viewer + 1];
    return lines ? lines.join("\n") : "";
  }

  // Where things come from

  pieces(board, step, viewer) {
    const key = `${step} ${viewer}`;
    if (!this.found.has(key)) this.found.set(key, board.pieces(this.view(step, viewer)));
    return this.found.get(key);
  }

  /** The keys of the pieces that came or changed in this step.
   * @param {any} board
   * @param {number} step
   * @param {Viewer} viewer
   * @returns {Set<string>} */
  fresh(board, step, viewer) {
    if (step === 0) return new Set();
    const [now, before] = [this.pieces(board, step, viewer), this.pieces(board, step - 1, viewer)];
    return new Set([...now.keys()].filter((key) => now.get(key) !== before.get(key)));
  }

  /** The step that placed the piece that is here after `step`.
   * @param {any} board
   * @param {number} step
   * @param {Viewer} viewer
   * @param {string} key */
  origin(board, step, viewer, key) {
    const value = this.pieces(board, step, viewer).get(key);
    let at = step;
    while (at > 0 && this.pieces(board, at - 1, viewer).get(key) === value) at--;
    return at;
  }

  /** The last step up to this one in which the points of a zone changed.
   * @param {number} step
   * @param {number} seat
   * @param {string} zone */
  zoneOrigin(step, seat, zone) {
    return this.since(step, (moment) => moment.breakdown[seat]?.[zone] ?? 0);
  }

  /** The last step up to this one in which a player's points changed.
   * @param {number} step
   * @param {number} seat */
  scoreOrigin(step, seat) {
    return this.since(step, (moment) => moment.scores[seat]);
  }

  since(step, value) {
    const now = value(this.moment(step));
    let at = step;
    while (at > 0 && value(this.moment(at - 1)) === now) at--;
    return at;
  }

  // The match as a whole

  /** All decisions of a seat with their steps.
   * @param {number} seat
   * @returns {{step: number, decision: any}[]} */
  decisionsOf(seat) {
    return this.gathered("decisions", "decision")[seat];
  }

  /** All faults of a seat with their steps.
   * @param {number} seat
   * @returns {{step: number, fault: any}[]} */
  faultsOf(seat) {
    return this.gathered("faults", "fault")[seat];
  }

  gathered(many, one) {
    const key = `${many} ${this.last}`;
    if (!this.lists.has(key)) {
      const lists = this.names.map(() => []);
      for (const [step, moment] of this.data.moments.entries()) {
        for (const item of moment[many] ?? []) if (item.seat !== null) lists[item.seat].push({ step, [one]: item });
      }
      this.lists.set(key, lists);
    }
    return this.lists.get(key);
  }

  /** Points by seat, then by step; null where they are not known.
   * @returns {(number | null)[][]} */
  get series() {
    const steps = this.data.moments.map((_, step) => this.moment(step).scores);
    return this.names.map((_, seat) => steps.map((scores) => scores[seat]));
  }

  /** What is worth a look, in order: faults, changes of the lead, and the biggest scores.
   * @returns {{step: number, kind: "fault" | "lead" | "big", seats: number[], count?: number, what?: string}[]} */
  get marks() {
    this.marked ??= [...this.faultMarks(), ...this.leadMarks(), ...this.bigMarks()].sort((a, b) => a.step - b.step);
    return this.marked;
  }

  faultMarks() {
    return this.data.moments.flatMap((moment, step) =>
      (moment.faults ?? []).map((fault) => ({
        step,
        kind: "fault",
        seats: fault.seat === null ? [] : [fault.seat],
        what: fault.kind,
      })),
    );
  }

  leadMarks() {
    const found = [];
    for (let step = 1; step <= this.last; step++) {
      const [before, now] = [this.moment(step - 1).leaders, this.moment(step).leaders];
      if (now.length && String(before) !== String(now)) found.push({ step, kind: "lead", seats: now });
    }
    return found;
  }

  bigMarks() {
    const found = [];
    for (const [seat, points] of this.series.entries()) {
      for (let step = 1; step <= this.last; step++) {
        const gain = (points[step] ?? 0) - (points[step - 1] ?? points[step] ?? 0);
        if (gain >= BIG_LEAST) found.push({ step, kind: "big", seats: [seat], count: gain });
      }
    }
    return found.sort((a, b) => b.count - a.count || a.step - b.step).slice(0, BIG_MARKS);
  }
}
