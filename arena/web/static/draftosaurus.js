// @ts-check
// The table of Draftosaurus: zoos as they are printed, with woods, grass and pens on both banks of the River.
//
// Keys of pieces: "0/FS/2" is the third place of seat 0's forest. In a pen without order a newcomer may push others
// aside, so there a key has species and number: "0/PL/D1" is the second D, and only the newcomer's key is new.
// Keys of choices: "0/FS" a pen, "0/PY3" a cell, "0/hand/1" a piece in hand, "0/out/1" the same piece as a discard.

import { el, svg } from "./dom.js";
import { has, t } from "./draftosaurus_words.js";

// Where the letter stands, and the silhouette, in a box of 48 x 40.
const DINOS = {
  T: [25.5, 27.5, "M1 17c5 5 10 5 14 1 3-4 5-8 9-12 3-3.5 8-4.5 13-4.5 6 0 10 2.5 10 7C47 10 46 11 44.5 11l-7.5.5 7 2c-.5 3-4 4.5-8 4-1 1.5-1.5 3-2 4.5l4.5-.5L39 25l-5.5 1C33 27.5 32 29 31 30l.5 4 4 1.5v3H26l-1.5-7-3 .5L21 34.5 24 36v2.5H15.5L15 29C9 28 4 24 1 17ZM36.3 5.3h1.4v1.4h-1.4Z"],
  D: [24.5, 31.5, "M1 21c4 4 8 3.5 12 1 5-3.5 13-3.5 18-2 2-1 3.5-6 4.5-11 1-5 3.5-7.5 7-7.5 3 0 5 1.5 5 4 0 2-1.5 3-4 3-1.5 0-2 1-2.5 3.5-1 7-2.5 12-5 15l0 11.5H30.5l-1-6.5h-9l-1 6.5H14l-1-9C7 30 3 27 1 21ZM41.8 4.3h1.4v1.4h-1.4Z"],
  C: [20, 29.5, "M1 25c3 1.5 5.5-2 8-5.5 3.5-4.5 9-6.5 14.5-6C22 8 24.5 3 29 1.5c1.5 1.7 3.5 1.5 5 .7C36.5 4 37.5 6.5 38 9l9.5-6.5L42.5 13l1.8 2 3.2-2.5-1 6c1 2 1 4.5 0 7.5-2-1-3.5.5-6.5 1.2-2.5.5-4 .3-5.5-.4-.5 1.7-1 2.7-2 3.7v8h-6l-1-5.5H17l-1 5.5H10V31c-5 0-8-2-9-6ZM38.8 14.8h1.4v1.4h-1.4Z"],
  S: [21, 27.5, "M1 26.5c4 1 7-.5 8.5-4q-.2-7 1.8-12.5Q14 9 16 4.5q3.5.5 6.5-3 2.5 3.3 6 3 .5 5 3.3 7.5l-.3 5.5c1.5-4 3.5-6 6.5-6.5 2-1.5 4-1 4.7 1l4.8 3.5c.5 3-.7 4-2.5 4l-6 .3c-1 2.2-2 4.2-3 5.7l3.5 2L38 30l-4.5-1c-1 1.5-2 2.5-3 3l.5 3.5 3 1v2H25.5L24 33l-4 0-.5 2.5 2.5 1v2H14l-1-7c-5 .5-10-1-12-5ZM38.8 13.6h1.4v1.4h-1.4Z"],
  G: [23.5, 30, "M1 19l5 1.5-1-4 4 3L11 12l4 2.5L17 6l4.5 4L25 2l4 7.5L33.5 6l1 7 4-.5-.5 5c2 2.5 3 4.5 5.5 5 2.5.5 4 2 4 4 0 2-1.5 3-4 3-3.5 0-6.5-.5-8.5-1l-.5 10H29l-1-6H19l-1 6H12.5l-1-9.5C7 27.5 3.5 24 1 19ZM41.8 24.6h1.4v1.4h-1.4Z"],
  P: [23, 29.5, "M1 22c5 3.5 10 2.5 14-1 4-3.5 8.5-3.5 12-6.5 1.5-1.5 3-3 3.8-4.7-4.8 0-9.8-1.5-12-5-1.3-2.5.5-4 2.7-3.3C27 3.2 32 2.8 36.5 4c3 1 4.5 3.5 6.5 5l3.8 1.5c1.7 2.5.7 5-2.3 5l-7-.5c-.7 3-1.5 5.5-3 7.5L38 26l-2 2.5-4.5-2c-.5 1.5-1 3-2 4.5l1 4 3 1v2.5H25l-1.5-7-3.5 0-.5 3L22 36v2.5H13.5L13 29c-5 0-9.5-2-12-7ZM36.8 8.1h1.4v1.4h-1.4Z"],
};
const BODY = 0.77; // a piece of size 1 is as wide as a place, 37 units
const LETTER = 12.4; // units of the board, which is 300 wide: 11 px when it is 267 px wide

const TREE = "M0-9L6 1H3L8 8H1.5V11H-1.5V8H-8L-3 1H-6Z";
const TUFT = "M-7 8C-6 2-8-2-10-4C-6-3-3 1-2 4C-2-1-1-5 0-8C1-5 2-1 2 4C3 1 6-3 10-4C8-2 6 2 7 8Z";
const CROWN = "M-10 6L-12-6L-5-1L0-9L5-1L12-6L10 6Z";
const PALM = "M-1 12C-2 4-1-2 1-5C-4-7-8-5-10-1C-9-8-4-11 1-7C4-11 10-10 11-4C8-7 5-7 3-5C2-1 1 4 2 12Z";
const TOWER = "M-10-4H10V-10H6V-7H2V-10H-2V-7H-6V-10H-10ZM-7-2H7L9 12H3V5H-3V12H-9Z";
const CROSS = "M-3-10H3V-3H10V3H3V10H-3V3H-10V-3H-3Z";
const HEART = "M0 8C-12-1-9-8-5-8C-2-8 0-6 0-4C0-6 2-8 5-8C9-8 12-1 0 8Z";
const LOCK = "M-7 0A7 7 0 0 1 7 0A7 7 0 0 1-7 0ZM-3-1V-2A3 3 0 0 1 3-2V-1H4V4H-4V-1ZM-2-1H2V-2A2 2 0 0 0-2-2Z";
const BAG = "M-5-14C-8-18-4-19 0-16C4-19 8-18 5-14L5-11C14-5 19 6 16 13C14 17-14 17-16 13C-19 6-14-5-5-11Z";

const SAMENESS = [2, 4, 8, 12, 18, 24];
const made = (area, round, room, y, height, hints, more) => {
  const [region, bank] = area;
  return { region, bank, round, room, box: [bank === "L" ? 7 : 175, y, 118, height], hints, ...more };
};
// Region and bank, round corners, room (null: no limit), top and height, what the places promise; `joint`: no points.
const BOARDS = {
  summer: {
    FS: made("WL", 10, 6, 14, 102, SAMENESS),
    WT: made("WL", 18, 3, 125, 68, ["", "", 7]),
    KJ: made("WR", 10, 1, 14, 86, [7], { emblem: CROWN }),
    PL: made("GL", 22, 6, 202, 107, ["", 5, "", 5, "", 5]),
    MD: made("GR", 4, 6, 109, 104, [1, 3, 6, 10, 15, 21]),
    SI: made("GR", 42, 1, 222, 87, [7], { emblem: PALM }),
  },
  winter: {
    WO: made("WL", 10, 6, 14, 96, SAMENESS),
    BL: made("WL", 6, null, 119, 76, [], { joint: true }),
    LO: made("WR", 10, 1, 14, 96, ["2×"], { emblem: TOWER }),
    QZ: made("GL", 4, 1, 204, 105, ["→"], { emblem: CROSS, joint: true }),
    BR: made("GR", 6, null, 119, 76, [], { joint: true }),
    PY: made("GR", 10, 6, 204, 105, [2, 2, 2, 4, 4, 7]),
  },
};
const WATER = { summer: [[131, 42, 38, 226]], winter: [[131, 42, 38, 86], [131, 184, 38, 84]] };
const BY_PLACE = new Set(["FS", "WO", "PY", "KJ", "SI", "LO", "QZ"]);

/** The middle of the table, and each seat's zoo with what it holds. */
export function draw(view, context) {
  const seats = view.zoos.map((_, seat) => drawSeat({ ...context, view, seat }));
  return { middle: middle(view, context.names), seats };
}

/** Every piece that can be clicked, by key. */
export function pieces(view) {
  const found = new Map();
  view.zoos.forEach((zoo, seat) => {
    for (const [pen, contents] of Object.entries(zoo)) {
      for (const [key, dino] of keyed(pen, contents)) found.set(`${seat}/${key}`, dino);
    }
    for (const [group, dinos] of Object.entries(held(view, seat))) {
      [...dinos].forEach((dino, i) => found.set(`${seat}/${group}/${i}`, dino));
    }
  });
  return found;
}

/** What a click on an element may mean: the actions by key. */
export function choices(view, legal, seat) {
  const found = new Map();
  const add = (key, action) => found.get(key)?.push(action) ?? found.set(key, [action]);
  const addHand = (group, dino, action) =>
    [...(view.hands[seat] ?? "")].forEach((one, i) => one === dino && add(`${seat}/${group}/${i}`, action));
  for (const action of legal) {
    const [, stays, dino, pen, drop] = /^(?:(Q=)|Q>|([TDCSGP]?)@?)([A-Z]{2}\d?)?(?:x(.))?$/.exec(action) ?? [];
    if (stays || pen) add(`${seat}/${pen ?? "QZ"}`, action);
    if (dino && view.phase !== "place") addHand("hand", dino, action);
    if (drop) addHand(dino ? "out" : "hand", drop, action);
  }
  return found;
}

/** Each seat's zoo and what it holds, in sentences. */
export function describe(view) {
  return view.zoos.map((zoo, seat) => {
    const pens = [...Object.keys(BOARDS[view.season]), "RV"].filter((pen) => zoo[pen]);
    const said = pens.map((pen) => t("of", { where: title(pen), what: listed(zoo[pen]) }));
    if (!pens.length) said.push(t("nothing"));
    for (const [group, dinos] of Object.entries(held(view, seat))) {
      said.push(t("of", { where: t(group), what: listed(dinos) }));
    }
    if (view.hands[seat] === null) said.push(t("of", { where: t("hand"), what: t("hidden", { n: view.hand_size }) }));
    return [t("seat", { seat }), ...said, ...tags(view, seat).map(([, word]) => word)].join(". ") + ".";
  });
}

// What a view says

/** The dinosaurs beside a zoo, by group; groups that are empty or hidden are left out. */
function held(view, seat) {
  const [drop, discard] = [view.drops?.[seat], view.discards?.[seat]];
  const groups = { hand: view.hands[seat], pick: view.picks?.[seat], drop, discard };
  return Object.fromEntries(Object.entries(groups).filter(([, dinos]) => dinos));
}

/** Key (without the seat), species and place of each dinosaur in a pen. */
function keyed(pen, contents) {
  const counts = {};
  return [...contents].flatMap((dino, i) => {
    const number = (counts[dino] = (counts[dino] ?? -1) + 1);
    return dino === "." ? [] : [[`${pen}/${BY_PLACE.has(pen) ? i : dino + number}`, dino, i]];
  });
}

function factsOf(view, pen) {
  return BOARDS[view.season][pen];
}

/** How many dinosaurs a pen takes; null if there is no limit (X-11, X-12). */
function capacity(view, pen) {
  const option = { PL: "prairie_capacity", BL: "bridge_capacity", BR: "bridge_capacity" }[pen];
  return option in view.options ? view.options[option] : factsOf(view, pen).room;
}

function regions(view, pen) {
  const bridge = { woods_only: "W", both: "WG" }[view.options.bridge_region];
  return (pen[0] === "B" && bridge) || factsOf(view, pen).region;
}

/** Whether the die leaves a pen open to a seat (D-20 to D-25, X-09). */
function isOpen(view, seat, pen) {
  if (!view.die || !view.bound[seat]) return true;
  if ("WG".includes(view.die)) return regions(view, pen).includes(view.die);
  if ("LR".includes(view.die)) return factsOf(view, pen).bank === view.die;
  const whole = view.options.bridge_die_unit === "whole" && pen[0] === "B";
  const seen = (whole ? ["BL", "BR"] : [pen]).map((name) => view.zoos[seat][name] ?? "").join("");
  return view.die === "E" ? !seen : !seen.includes("T");
}

/** What there is to say about a seat: a name and the words of each. */
function tags(view, seat) {
  const rolls = view.roller === seat && ["roll", "pick", "place", "draft", "discard"].includes(view.phase);
  const free = view.die && !view.bound[seat];
  const said = [];
  if (rolls) said.push(["roller", t(view.phase === "roll" ? "rolls" : free ? "free" : "rolled")]);
  if (view.die && !free) said.push(["bound", t("bound", { face: t(`die.${view.die}`) })]);
  if (view.first === seat) said.push(["first", t("first")]);
  return said;
}

function title(pen) {
  return has(`full.${pen}`) ? t(`full.${pen}`) : t(`pen.${pen}`).replace("\n", " ");
}

function worth(n) {
  return t(n === 1 ? "point" : "points", { n });
}

function listed(dinos) {
  const kinds = [..."TDCSGP?"].filter((dino) => dinos.includes(dino));
  return kinds.map((dino) => `${dinos.split(dino).length - 1} ${t(`dino.${dino}`)}`).join(", ");
}

// Drawing. `at` is the context of one seat, with view and seat.

/** The attributes of an element with these keys, each without its seat; `label` is what a screen reader says. */
function handle(at, keys, label, name) {
  if (at.isStill) return { class: name };
  const [piece, zone, choice] = [keys.piece, keys.zone, keys.choice].map((key) => key && `${at.seat}/${key}`);
  const open = at.choices?.has(choice);
  const chosen = open && at.chosen?.has(choice);
  const fresh = at.fresh?.has(piece);
  const said = t(open ? "choose" : fresh ? "new" : "plain", { what: label });
  return {
    class: [name, fresh && "fresh", open && "open", chosen && "chosen"].filter(Boolean).join(" "),
    "data-piece": piece,
    "data-zone": zone,
    "data-choice": open ? choice : null,
    ...(open || piece || zone ? { tabindex: 0, role: "button", "aria-label": said } : {}),
  };
}

function isChoice(at, key) {
  return at.choices?.has(`${at.seat}/${key}`);
}

function fine(number) {
  return Math.round(number * 100) / 100;
}

function sign(d, x, y, size, name) {
  return svg("path", { class: name, d, transform: `translate(${fine(x)} ${fine(y)}) scale(${fine(size)})` });
}

/** The sign of a region: a diamond with a tree, or a square with grass. */
function regionSign(region, x, y, size) {
  const [plate, plant] = region === "W" ? ["M0-7L7 0L0 7L-7 0Z", TREE] : ["M-5.5-5.5H5.5V5.5H-5.5Z", TUFT];
  return [sign(plate, x, y, size, `plate ${region}`), sign(plant, x, y, 0.42 * size, "on")];
}

// Pieces

/** A silhouette with its letter around a point; the letter keeps its size when the piece is smaller. */
function figure(dino, x, y, size) {
  const [left, base, d] = DINOS[dino] ?? [24, 26, "M14 3H34Q43 3 43 12V28Q43 37 34 37H14Q5 37 5 28V12Q5 3 14 3Z"];
  const height = Math.min(LETTER / BODY / size, 32);
  const y0 = fine(base - 20 + (height - LETTER / BODY) / 3);
  const letter = svg("text", { class: "letter", x: left - 24, y: y0 }, dino);
  letter.style.fontSize = `${fine(height)}px`; // a style, because a page may have a rule for all texts
  return svg(
    "g",
    { transform: `translate(${fine(x)} ${fine(y)}) scale(${fine(BODY * size)})` },
    svg("path", { class: "body", d, transform: "translate(-24 -20)" }),
    letter,
  );
}

/** The attributes of a piece. */
function attributesOf(at, keys, dino, where) {
  return handle(at, keys, t("at", { dino: t(`dino.${dino}`), where }), `piece ${dino}`);
}

function where(pen, i) {
  return pen === "PY" ? t("cell", { cell: i }) : title(pen);
}

/** The dinosaurs of a pen, each on its spot. */
function standing(at, pen, contents, spots) {
  return keyed(pen, contents).map(([piece, dino, i]) =>
    svg("g", attributesOf(at, { piece }, dino, where(pen, i)), figure(dino, ...spots[i])));
}

/** A piece beside the board. */
function picture(dino, size = 1) {
  const viewBox = [-20, -17.5, 40, 35].map((side) => side * size).join(" ");
  return svg("svg", { viewBox }, figure(dino, 0, 0, size));
}

// A zoo

function drawZoo(at, name) {
  const { view, seat } = at;
  const pens = Object.keys(BOARDS[view.season]);
  return svg(
    "svg",
    { class: name, viewBox: "0 0 300 316", role: "group", "aria-label": t("seat", { seat }) },
    landscape(view.season),
    view.season === "winter" ? bridge(at) : null,
    pens.map((pen) => drawPen(at, pen, view.zoos[seat][pen] ?? "")),
    river(at, view.zoos[seat].RV ?? ""),
    svg("g", { class: "piece T plain" }, figure("T", 150, 281, 0.6)),
    points(at, "rex", 150, 300),
  );
}

/** Woods, grass and River; trees and tufts look out from behind the pens. */
function landscape(season) {
  const woods = "M0 0H300V100C270 106 240 100 200 105C150 110 140 190 100 198C60 194 30 202 0 197Z";
  const water = "M130 0C124 50 134 90 129 150S134 250 127 316H173C168 260 175 220 171 160S176 60 170 0Z";
  const [lower, border] = season === "summer" ? [121, 199] : [115, 201];
  const trees = [13, 30, 45, 66, 84, 103, 119].flatMap((x, i) => [[x, 9 + (i % 2) * 3], [x + 172, 9], [x - 4, lower]]);
  const tufts = [22, 47, 78, 110].flatMap((x, i) => [[x, border], [x + 168, i % 2 ? 106 : 220]]);
  return [
    svg("path", { class: "grass", d: "M0 0H300V316H0Z" }),
    svg("path", { class: "woods", d: woods }),
    trees.map(([x, y], i) => sign(TREE, x, y, i % 4 ? 0.75 : 0.95, "tree")),
    tufts.map(([x, y]) => sign(TUFT, x, y, 0.6, "tuft")),
    svg("path", { class: "water", d: water }),
    [82, 118, 210, 256].map((y) => sign("M-11 0q5-4 10 0t10 0", 150 + (y % 5), y, 1, "wave")),
  ];
}

function bridge(at) {
  const planks = [...Array(8)].map((_, i) => `M${123 + i * 7.5} 136V172`).join("");
  return [
    svg("path", { class: "deck", d: "M119 137Q150 129 181 137V173Q150 165 119 173Z" }),
    svg("path", { class: "deck", d: planks }),
    sign(HEART, 150, 143, 0.55, "plate"),
    points(at, "bridge", 150, 157),
  ];
}

/** The points of a zone on a plate. */
function points(at, pen, x, y) {
  const zone = at.view.options.season === "summer_winter" ? `${at.view.season}.${pen}` : pen;
  const value = at.breakdown?.[at.seat]?.[zone];
  if (value === undefined) return null;
  const text = pen === "rex" && value ? `+${value}` : String(value);
  const width = text.length * 7.2 + 10;
  return svg(
    "g",
    handle(at, { zone }, t("of", { where: title(pen), what: worth(value) }), value ? "points" : "points none"),
    svg("rect", { x: x - width / 2, y: y - 8, width, height: 16, rx: 8 }),
    svg("text", { x, y: y + 4.3 }, text),
  );
}

function drawPen(at, pen, contents) {
  const { view } = at;
  const { box, round, emblem, joint } = factsOf(view, pen);
  const [x, y, w, h] = box;
  const inset = round > 30 ? 8 : 0;
  const isShut = !isOpen(view, at.seat, pen);
  const said = isShut ? t("shut", { what: title(pen) }) : title(pen);
  return svg(
    "g",
    { class: `pen ${pen} ${[...regions(view, pen)].join(" ")}${isShut ? " shut" : ""}`, role: "group", "aria-label": said },
    fence(at, pen, box, round),
    heading(pen, regions(view, pen), x + inset, y + inset, x + w - inset, joint),
    emblem ? sign(emblem, x + 21, y + h - 24, 1, "emblem") : null,
    places(at, pen, contents),
    joint ? null : points(at, pen, x + w - 17 - inset, y + 10 + inset),
    isShut ? sign(LOCK, x + w / 2, y + h, 1, "lock") : null,
    svg("title", {}, `${pen} ${said}. ${t(`rule.${pen}`, { trio: view.options.trio_points ?? 7 })}`),
  );
}

/** The enclosure, which is what one clicks to put a dinosaur into the pen. */
function fence(at, choice, [x, y, width, height], rx) {
  const rect = (name, by = 0) =>
    svg("rect", { class: name, x: x + by, y: y + by, width: width - 2 * by, height: height - 2 * by, rx });
  const shore = choice === "SI" ? rect("shore", 5) : null;
  return svg("g", handle(at, { choice }, title(choice), "fence"), rect("soil"), shore, rect("rail"), rect("posts"));
}

function heading(pen, kinds, left, top, right, joint) {
  const level = top + (joint ? 10 : 25);
  const line = (text, i) => svg("text", { class: "title", x: left + 9, y: top + 14 + i * 12.5 }, text);
  return svg(
    "g",
    { class: "heading" },
    t(`pen.${pen}`).split("\n").map(line),
    svg("text", { class: "code", x: right - 10 - 12 * kinds.length, y: level + 4 }, pen),
    [...kinds].map((region, i) => regionSign(region, right - 14 - i * 12, level, 1)),
  );
}

/** The places of a pen, with the dinosaurs on them. In the Pyramid one chooses a cell. */
function places(at, pen, contents) {
  const { view } = at;
  const isPyramid = pen === "PY";
  const spots = spotsOf(view, pen, contents);
  const next = isChoice(at, pen) ? contents.length : -1;
  const hint = (i) => (pen === "WT" && i === 2 ? (view.options.trio_points ?? 7) : factsOf(view, pen).hints[i]);
  const place = (spot, i) => {
    const isEmpty = (contents[i] ?? ".") === ".";
    const name = i === next ? "place target" : "place";
    const attributes = handle(at, { choice: isPyramid && `PY${i}` }, where(pen, i), name);
    return isEmpty || isPyramid ? svg("g", attributes, hole(spot, isEmpty && hint(i), pen)) : null;
  };
  return [spots.map(place), standing(at, pen, contents, spots)];
}

function spotsOf(view, pen, contents) {
  const { box, emblem, joint } = factsOf(view, pen);
  const [x, y, w, h] = box;
  const top = joint ? 20 : 31;
  if (pen === "PY") {
    const bricks = [[-1, 0], [0, 0], [1, 0], [-0.5, 1], [0.5, 1], [0, 2]];
    return bricks.map(([column, row]) => [x + w / 2 + column * 36.5, y + h - 17.5 - row * 27, 0.84]);
  }
  if (emblem) return grid(1, [x + 36, y + 38, w - 44, h - 42], 1.3);
  return grid(capacity(view, pen) ?? Math.max(6, contents.length + 1), [x + 2, y + top, w - 4, h - top - 4]);
}

function hole([x, y, size], hint, pen) {
  const [width, height, rx] = pen === "PY" ? [35.3, 25.8, 3] : [33 * size, 29 * size, 8 * size].map(fine);
  return [
    svg("rect", { class: "hole", x: fine(x - width / 2), y: fine(y - height / 2), width, height, rx }),
    pen[0] === "B" || (pen === "PL" && hint) ? sign(HEART, x, y + 1, 1.1 * size, "heart") : null,
    hint ? svg("text", { class: "hint", x: fine(x), y: fine(y + 4.2) }, String(hint)) : null,
  ];
}

/** Centres and the common size of `count` places that fill an area row by row. */
function grid(count, [x, y, w, h], most = 1) {
  const sizeWith = (columns) => Math.min(w / columns / 37.5, h / Math.ceil(count / columns) / 33, most);
  let columns = 1;
  for (let more = 2; more <= count; more++) if (sizeWith(more) > sizeWith(columns)) columns = more;
  const [stepX, stepY, size] = [w / columns, h / Math.ceil(count / columns), sizeWith(columns)];
  const spot = (_, i) => [x + stepX * ((i % columns) + 0.5), y + stepY * (Math.floor(i / columns) + 0.5), size];
  return Array.from(Array(count), spot);
}

function river(at, contents) {
  const areas = WATER[at.view.season];
  const each = Math.ceil(Math.max(6, contents.length + 1) / areas.length);
  const spots = areas.flatMap((area) => grid(each, area));
  const name = title("RV");
  const bed = ([x, y, width, height]) => svg("rect", { class: "rail", x, y, width, height, rx: 12 });
  return svg(
    "g",
    { class: "pen RV", role: "group", "aria-label": name },
    svg("g", handle(at, { choice: "RV" }, name, "fence"), areas.map(bed)),
    svg("text", { class: "title mid", x: 150, y: 14 }, name),
    points(at, "RV", 150, 28),
    svg("g", { class: isChoice(at, "RV") ? "place target" : "place" }, hole(spots[contents.length], 1, "RV")),
    standing(at, "RV", contents, spots),
    svg("title", {}, `RV ${name}. ${t("rule.RV")}`),
  );
}

// A seat

function drawSeat(at) {
  const { view, seat } = at;
  return el(
    "div",
    { class: `draftosaurus seat ${view.season}` },
    el("p", { class: "tags" }, tags(view, seat).map(([name, word]) => el("span", { class: `tag ${name}` }, word))),
    drawZoo(at, "zoo"),
    holdings(at),
    view.summer ? memory(at) : null,
  );
}

/** Hand, pick and discards. */
function holdings(at) {
  const { view, seat } = at;
  const groups = held(view, seat);
  const span = (name, ...children) => el("span", { class: name }, children);
  const row = (group, tokens) => el("div", { class: `row ${group}` }, span("label", t(group)), span("tokens", tokens));
  const tokens = (group, size) =>
    [...(groups[group] ?? "")].map((dino, i) => {
      const key = `${group}/${i}`;
      return el("span", attributesOf(at, { piece: key, choice: key }, dino, t(group)), picture(dino, size));
    });
  const spare = [...(groups.hand ?? "")].flatMap((dino, i) => {
    const choice = `out/${i}`;
    return isChoice(at, choice) ? [el("span", attributesOf(at, { choice }, dino, t("out")), picture(dino, 0.8))] : [];
  });
  const backs = Array.from(Array(view.hand_size), () => picture("?"));
  const hidden = [span("backs", backs), span("label", t("hidden", { n: view.hand_size }))];
  return el(
    "div",
    { class: "held" },
    row("hand", view.hands[seat] === null ? hidden : tokens("hand")),
    groups.pick ? row("pick", tokens("pick")) : null,
    groups.drop ? row("drop", tokens("drop")) : null,
    spare.length ? row("out", spare) : null,
    view.discards ? row("discard", tokens("discard", 0.8)) : null,
  );
}

/** The finished summer zoo in small, with its points. */
function memory(at) {
  const { view, seat } = at;
  const past = { ...view, season: "summer", die: null, zoos: view.summer };
  const parts = Object.entries(at.breakdown[seat]).filter(([zone]) => zone.startsWith("summer."));
  const total = parts.reduce((sum, [, value]) => sum + value, 0);
  const plate = ([zone, value]) => {
    const pen = zone.slice(7);
    const attributes = handle(at, { zone }, t("of", { where: title(pen), what: worth(value) }), "tag");
    return el("span", attributes, pen === "rex" ? t("dino.T") : pen, " ", el("b", {}, String(value)));
  };
  return el(
    "div",
    { class: "memory" },
    drawZoo({ view: past, seat, isStill: true }, "zoo mini"),
    el("div", { class: "label" }, t("memory", { points: worth(total) }), el("p", { class: "tags" }, parts.map(plate))),
  );
}

// The middle

function middle(view, names) {
  const [rounds, turns] = view.seats === 2 ? [4, 3] : [2, 6];
  const name = names[view.roller] ?? "";
  const due = t(`phase.${view.phase}`, { name });
  const rolled = view.die && t("roll", { name, face: t(`die.${view.die}`) });
  const bound = names.filter((_, seat) => view.bound[seat]).join(", ");
  const game = view.options.season === "summer_winter" ? t("game", { game: view.game }) : "";
  const clock = t("clock", { season: t(view.season), game, round: view.round, rounds, turn: view.turn, turns });
  const content = [svg("path", { d: BAG }), svg("text", { y: 9 }, String(view.bag_size))];
  return el(
    "div",
    { class: `draftosaurus middle ${view.season}` },
    die(view.die),
    el("p", { class: "said" }, rolled || due),
    el(
      "div",
      { class: "more" },
      rolled ? [el("p", {}, t("must", { names: bound })), el("p", {}, due)] : null,
      el("p", { class: "label" }, clock),
    ),
    el("div", { class: "bag label" }, svg("svg", { viewBox: "-20 -20 40 40" }, content), t("bag")),
  );
}

function die(value) {
  const side = (name, y) => svg("rect", { class: name, x: 5, y, width: 62, height: 60, rx: 13 });
  return svg(
    "svg",
    { class: "die", viewBox: "0 0 72 72", role: "img", "aria-label": value ? t(`die.${value}`) : t("blank") },
    side("under", 9),
    side("top", 3),
    value ? svg("g", { transform: "translate(36 33)" }, face(value)) : null,
  );
}

function face(value) {
  const line = (name, d) => svg("path", { class: name, d });
  if ("WG".includes(value)) return regionSign(value, 0, 0, 3.7);
  if (value === "E") return line("vacant", "M-12-16H12Q19-16 19-9V9Q19 16 12 16H-12Q-19 16-19 9V-9Q-19-16-12-16Z");
  if (value === "X") {
    const rex = svg("g", { class: "piece T plain" }, figure("T", 0, 0, 1.25));
    return [rex, line("ban edge", "M-21 21L21-21"), line("ban", "M-21 21L21-21")];
  }
  const arrow = value === "L" ? "M-22 0L-8-12V-5H7V5H-8V12Z" : "M22 0L8-12V-5H-7V5H8V12Z";
  return [line("stream", "M0-24C-5-12 5-4 0 6C-4 14 3 18 0 24"), line("arrow", arrow)];
}
