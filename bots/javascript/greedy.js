/**
 * greedy at Draftosaurus: takes what promises the most points, looking a little ahead.
 *
 * Theory of operation. `Table.worth` estimates the final points of a zoo: what its pens score now, and what those that
 * can still grow will probably score, given the dinosaurs still to come. An action is worth what the zoo is worth after
 * it, and a pick what its best placement is worth. A discard is worth what it takes from the neighbour who gets the
 * hand next. Views hold everything, so nothing is remembered. Equal actions are decided by the order of `legal`.
 */

import { run } from "./dinobot.js";

/** @typedef {import("./views.js").Zoo} Zoo */
/** @typedef {import("./views.js").DraftosaurusView} DraftosaurusView */

const TURNS = 12;
const SPECIES = [..."TDCSGP"];
const PENS = new Map([
  ["summer", ["FS", "WT", "KJ", "PL", "MD", "SI", "RV"]],
  ["winter", ["WO", "BL", "LO", "QZ", "BR", "PY", "RV"]],
]);
/** @type {Record<string, number>} */
const ROOM = { FS: 6, WT: 3, KJ: 1, PL: 6, MD: 6, SI: 1, WO: 6, LO: 1, QZ: 1 };
/** @type {Record<string, string[]>} */
const OPENED = {
  W: ["FS", "WT", "KJ", "WO", "BL", "LO"],
  G: ["PL", "MD", "SI", "QZ", "BR", "PY"],
  L: ["FS", "WT", "PL", "WO", "BL", "QZ"],
  R: ["KJ", "MD", "SI", "LO", "BR", "PY"],
};
const BLANK = "......";
const ROWS = [[0, 1, 2], [3, 4], [5]];
const TOUCHING = [
  [1, 3],
  [0, 2, 3, 4],
  [1, 4],
  [0, 1, 4, 5],
  [1, 2, 3, 5],
  [3, 4],
];

const SAMENESS = [0, 2, 4, 8, 12, 18, 24];
const DIFFERENCES = [0, 1, 3, 6, 10, 15, 21];
const PYRAMID = [0, 2, 4, 6, 10, 14, 21];

// Guesses, found by playing against itself.

/** Dinosaurs that each turn to come will add to a pen whose points rise with every dinosaur. */
const PACE = 0.33;
/** Points of a dinosaur that may still find its partner. */
const SINGLE = 1.5;
/** Points of a pen for one dinosaur that is kept empty for a good one. */
const SAVED = 4;
/** How much a point that the neighbour does not get is worth. */
const DENIAL = 0.3;

const ACTION =
  /^(?<dino>[TDCSGPQ]?)(?:[@>](?<slot>FS|WT|KJ|PL|MD|SI|RV|WO|BL|LO|QZ|BR|PY[0-5]))?=?(?:x(?<drop>[TDCSGP]))?$/;

/**
 * The zoo with one dinosaur more.
 * @param {Zoo} zoo
 * @param {string} dino
 * @param {string} slot
 * @returns {Zoo}
 */
function put(zoo, dino, slot) {
  if (!slot.startsWith("PY")) return { ...zoo, [slot]: (zoo[slot] ?? "") + dino };
  const cells = zoo.PY || BLANK;
  const cell = Number(slot[2]);
  return { ...zoo, PY: cells.slice(0, cell) + dino + cells.slice(cell + 1) };
}

/**
 * The points of a pen that goes on growing at its PACE for so many turns.
 * @param {number[]} points
 * @param {number} filled
 * @param {number} turns
 */
function grown(points, filled, turns) {
  const reach = Math.min(filled + turns * PACE, points.length - 1);
  const below = Math.min(Math.trunc(reach), points.length - 2);
  return points[below] + (reach - below) * (points[below + 1] - points[below]);
}

/**
 * @param {string} dino
 * @param {string} [contents]
 */
function occurrences(dino, contents = "") {
  return contents.split(dino).length - 1;
}

/** @param {string} [contents] */
function size(contents = "") {
  return contents.replaceAll(".", "").length;
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/** What lies on the table, for all to see. */
class Table {
  /** @param {DraftosaurusView} view */
  constructor({ season, options, zoos }) {
    this.season = season;
    this.options = options;
    this.zoos = zoos;
  }

  /**
   * What a seat's zoo is worth once this dinosaur stands in its best place.
   * @param {number} seat
   * @param {string} dino
   * @param {string | null} die
   */
  best(seat, dino, die) {
    const zoo = this.zoos[seat];
    return Math.max(...this.slots(zoo, dino, die).map((slot) => this.worth(seat, put(zoo, dino, slot))));
  }

  /**
   * The points that a zoo will probably have in the end, if it is this seat's.
   * @param {number} seat
   * @param {Zoo} zoo
   * @returns {number}
   */
  worth(seat, zoo) {
    if (zoo.QZ) return this.released(seat, zoo, zoo.QZ);
    const turns = Math.max(0, TURNS - size(Object.values(zoo).join("")));
    const pens = this.season === "summer" ? this.summer(seat, zoo, turns) : this.winter(seat, zoo, turns);
    const rex = Object.entries(zoo).filter(([pen, contents]) => pen !== "RV" && contents.includes("T")).length;
    return pens + rex + size(zoo.RV);
  }

  /**
   * What the zoo is worth once the guest of the quarantine stands in its best place.
   * @param {number} seat
   * @param {Zoo} zoo
   * @param {string} guest
   * @returns {number}
   */
  released(seat, zoo, guest) {
    const rest = { ...zoo, QZ: "" };
    const slots = this.slots(rest, guest).filter((slot) => slot !== "QZ");
    return Math.max(...slots.map((slot) => this.worth(seat, put(rest, guest, slot))));
  }

  /**
   * @param {number} seat
   * @param {Zoo} zoo
   * @param {number} turns
   */
  summer(seat, zoo, turns) {
    const trio = size(zoo.WT);
    const pairs = sum(SPECIES.map((dino) => Math.floor(occurrences(dino, zoo.PL) / 2)));
    return (
      grown(SAMENESS, size(zoo.FS), turns) +
      grown(DIFFERENCES, size(zoo.MD), turns) +
      (trio + turns >= 3 ? ((this.options.trio_points ?? 7) * trio) / 3 : 0) +
      5 * pairs +
      Math.min(SINGLE * (size(zoo.PL) - 2 * pairs), turns) +
      this.king(seat, zoo, turns) +
      this.island(zoo, turns)
    );
  }

  /**
   * @param {number} seat
   * @param {Zoo} zoo
   * @param {number} turns
   */
  winter(seat, zoo, turns) {
    const couples = sum(SPECIES.map((dino) => Math.min(occurrences(dino, zoo.BL), occurrences(dino, zoo.BR))));
    return (
      grown(SAMENESS, size(zoo.WO), turns) +
      grown(PYRAMID, size(zoo.PY), turns) +
      6 * couples +
      Math.min(SINGLE * (size(zoo.BL) + size(zoo.BR) - 2 * couples), turns) +
      this.lookout(seat, zoo, turns)
    );
  }

  /**
   * @param {number} seat
   * @param {Zoo} zoo
   * @param {number} turns
   */
  king(seat, zoo, turns) {
    const dino = zoo.KJ;
    if (!dino) return Math.min(SAVED, turns);
    const others = this.zoos.filter((_, other) => other !== seat);
    const lead = this.count(zoo, dino) - Math.max(...others.map((other) => this.count(other, dino)));
    return 7 * Math.min(1, Math.max(0, 0.5 + (lead + 0.5) / (turns + 1))); // certain once no turn is left
  }

  /**
   * @param {Zoo} zoo
   * @param {number} turns
   */
  island(zoo, turns) {
    if (!zoo.SI) return Math.min(SAVED, turns);
    return this.count(zoo, zoo.SI) === 1 ? 7 : 0;
  }

  /**
   * @param {number} seat
   * @param {Zoo} zoo
   * @param {number} turns
   */
  lookout(seat, zoo, turns) {
    if (!zoo.LO) return Math.min(SAVED, turns);
    return 2 * (this.count(/** @type {Zoo} */ (this.zoos.at(seat - 1)), zoo.LO) + turns / SPECIES.length);
  }

  /**
   * How many of a species are in a zoo; option `zoo_scope` says whether the River is part of it.
   * @param {Zoo} zoo
   * @param {string} dino
   */
  count(zoo, dino) {
    const river = (this.options.zoo_scope ?? "all") === "all";
    const counted = Object.entries(zoo).filter(([pen]) => river || pen !== "RV");
    return sum(counted.map(([, contents]) => occurrences(dino, contents)));
  }

  /**
   * Where a dinosaur may go, under a face of the die or under none.
   *
   * The bridge is taken to be split: its other variants only blur the look ahead, as placements come with `legal`.
   * @param {Zoo} zoo
   * @param {string} dino
   * @param {string | null} [die]
   */
  slots(zoo, dino, die = null) {
    const open = (PENS.get(this.season) ?? []).filter((pen) => !die || pen === "RV" || opens(die, pen, zoo[pen] ?? ""));
    return open.flatMap((pen) => {
      if (pen === "PY") return this.cells(zoo.PY || BLANK, dino);
      return this.admits(pen, zoo[pen] ?? "", dino) ? [pen] : [];
    });
  }

  /**
   * @param {string} pen
   * @param {string} contents
   * @param {string} dino
   */
  admits(pen, contents, dino) {
    const room = this.room(pen);
    if (room !== null && contents.length >= room) return false;
    if (pen === "WO") return contents.length > 1 ? dino === contents.at(-2) : dino !== contents;
    if (pen === "MD") return !contents.includes(dino);
    return pen !== "FS" || !contents || contents.includes(dino);
  }

  /**
   * How many dinosaurs fit into a pen; null is no limit, also where an option says so.
   * @param {string} pen
   * @returns {number | null}
   */
  room(pen) {
    const { prairie_capacity = ROOM.PL, bridge_capacity = null } = this.options;
    if (pen === "PL") return prairie_capacity;
    return pen === "BL" || pen === "BR" ? bridge_capacity : (ROOM[pen] ?? null);
  }

  /**
   * @param {string} cells
   * @param {string} dino
   */
  cells(cells, dino) {
    const rows = ROWS.map((row) => row.filter((cell) => cells[cell] === "."));
    const free = rows.find((row) => row.length > 0) ?? [];
    const next = this.options.pyramid_fill === "left_to_right" ? free.slice(0, 1) : free;
    return next.filter((cell) => TOUCHING[cell].every((other) => cells[other] !== dino)).map((cell) => `PY${cell}`);
  }
}

/**
 * Whether a face of the die opens a pen.
 * @param {string} die
 * @param {string} pen
 * @param {string} contents
 */
function opens(die, pen, contents) {
  if (die === "E") return !contents;
  return die === "X" ? !contents.includes("T") : OPENED[die].includes(pen);
}

/** Weighs every legal action on its own. */
class GreedyPlayer {
  /** @param {import("./dinobot.js").Start} start */
  constructor(start) {
    this.seat = start.seat;
    this.neighbour = (start.seat + 1) % start.seats;
  }

  /** @param {import("./dinobot.js").Question<DraftosaurusView>} question */
  decide({ view, legal }) {
    if (!PENS.has(view.season)) return legal[0];
    const table = new Table(view);
    const die = view.bound[this.seat] ? view.die : null;
    const values = legal.map((action) => this.value(table, die, action));
    return legal[values.indexOf(Math.max(...values))];
  }

  /**
   * What an action is worth; all are alike if they are of a kind that came after this bot.
   * @param {Table} table
   * @param {string | null} die
   * @param {string} action
   */
  value(table, die, action) {
    const read = ACTION.exec(action)?.groups;
    if (!read) return 0;
    const { dino, slot, drop } = read;
    const denied = drop ? DENIAL * table.best(this.neighbour, drop, null) : 0;
    if (dino === "Q") return this.moved(table, slot);
    if (slot) return denied + table.worth(this.seat, put(table.zoos[this.seat], dino, slot));
    return dino ? denied + table.best(this.seat, dino, die) : denied;
  }

  /**
   * What the zoo is worth after the quarantine; no slot is to stay there.
   * @param {Table} table
   * @param {string | undefined} slot
   */
  moved(table, slot) {
    const zoo = table.zoos[this.seat];
    const rest = { ...zoo, QZ: "" };
    return table.worth(this.seat, slot ? put(rest, zoo.QZ, slot) : rest);
  }
}

run({ name: "greedy-javascript", version: "1.0", games: ["draftosaurus"], player: GreedyPlayer });
