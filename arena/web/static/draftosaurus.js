// @ts-check
// The table of Draftosaurus: zoos as they are printed, with woods, grass and pens on both banks of the River.
//
// Keys of pieces: "0/FS/2" is the third place of seat 0's forest. Most pens have no order, and a newcomer may push the
// others aside; there the key has species and number, so that only the newcomer's is new: "0/PL/D1", the second D.
// Keys of choices: "0/FS" a pen, "0/PY3" a cell, "0/hand/1" a piece in hand, "0/out/1" the same piece as a discard.

import { el, svg } from "./dom.js";
import { has, t } from "./draftosaurus_words.js";

// Where the letter stands, and the silhouette, in a box of 48 x 40.
const DINOS = {
  T: [25.5, 27.5, "M1 17C6 22 11 22 15 18C18 14 20 10 24 6C27 2.5 32 1.5 37 1.5C43 1.5 47 4 47 8.5C47 10 46 11 44.5 11L37 11.5L44 13.5C43.5 16.5 40 18 36 17.5C35 19 34.5 20.5 34 22L38.5 21.5L39 25L33.5 26C33 27.5 32 29 31 30L31.5 34L35.5 35.5V38.5H26L24.5 31.5L21.5 32L21 34.5L24 36V38.5H15.5L15 29C9 28 4 24 1 17ZM35.7 6a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0Z"],
  D: [24.5, 31.5, "M1 21C5 25 9 24.5 13 22C18 18.5 26 18.5 31 20C33 19 34.5 14 35.5 9C36.5 4 39 1.5 42.5 1.5C45.5 1.5 47.5 3 47.5 5.5C47.5 7.5 46 8.5 43.5 8.5C42 8.5 41.5 9.5 41 12C40 19 38.5 24 36 27L36 38.5H30.5L29.5 32H20.5L19.5 38.5H14L13 29.5C7 30 3 27 1 21ZM41.2 5a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0Z"],
  C: [20, 29.5, "M1 25C4 26.5 6.5 23 9 19.5C12.5 15 18 13 23.5 13.5C22 8 24.5 3 29 1.5C30.5 3.2 32.5 3 34 2.2C36.5 4 37.5 6.5 38 9L47.5 2.5L42.5 13L44.3 15L47.5 12.5L46.5 18.5C47.5 20.5 47.5 23 46.5 26C44.5 25 43 26.5 40 27.2C37.5 27.7 36 27.5 34.5 26.8C34 28.5 33.5 29.5 32.5 30.5V38.5H26.5L25.5 33H17L16 38.5H10V31C5 31 2 29 1 25ZM38.2 15.5a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0Z"],
  S: [21, 27.5, "M1 26.5C5 27.5 8 26 9.5 22.5Q9.3 15.5 11.3 10Q14 9 16 4.5Q19.5 5 22.5 1.5Q25 4.8 28.5 4.5Q29 9.5 31.8 12L31.5 17.5C33 13.5 35 11.5 38 11C40 9.5 42 10 42.7 12L47.5 15.5C48 18.5 46.8 19.5 45 19.5L39 19.8C38 22 37 24 36 25.5L39.5 27.5L38 30L33.5 29C32.5 30.5 31.5 31.5 30.5 32L31 35.5L34 36.5V38.5H25.5L24 33L20 33L19.5 35.5L22 36.5V38.5H14L13 31.5C8 32 3 30.5 1 26.5ZM38.2 14.3a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0Z"],
  G: [23.5, 30, "M1 19L6 20.5L5 16.5L9 19.5L11 12L15 14.5L17 6L21.5 10L25 2L29 9.5L33.5 6L34.5 13L38.5 12.5L38 17.5C40 20 41 22 43.5 22.5C46 23 47.5 24.5 47.5 26.5C47.5 28.5 46 29.5 43.5 29.5C40 29.5 37 29 35 28.5L34.5 38.5H29L28 32.5H19L18 38.5H12.5L11.5 29C7 27.5 3.5 24 1 19ZM41.2 25.3a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0Z"],
  P: [23, 29.5, "M1 22C6 25.5 11 24.5 15 21C19 17.5 23.5 17.5 27 14.5C28.5 13 30 11.5 30.8 9.8C26 9.8 21 8.3 18.8 4.8C17.5 2.3 19.3 .8 21.5 1.5C27 3.2 32 2.8 36.5 4C39.5 5 41 7.5 43 9L46.8 10.5C48.5 13 47.5 15.5 44.5 15.5L37.5 15C36.8 18 36 20.5 34.5 22.5L38 26L36 28.5L31.5 26.5C31 28 30.5 29.5 29.5 31L30.5 35L33.5 36V38.5H25L23.5 31.5L20 31.5L19.5 34.5L22 36V38.5H13.5L13 29C8 29 3.5 27 1 22ZM36.2 8.8a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0Z"],
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
const LOCK = "M-4-1V-3A4 4 0 0 1 4-3V-1H5V5H-5V-1ZM-2-1H2V-3A2 2 0 0 0-2-3Z";
const DISC = "M-7 0A7 7 0 0 1 7 0A7 7 0 0 1-7 0Z";
const BAG = "M-5-14C-8-18-4-19 0-16C4-19 8-18 5-14L5-11C14-5 19 6 16 13C14 17-14 17-16 13C-19 6-14-5-5-11Z";
const FOOT = "M-2 12C-6 8-5 3-10-3L-8-6L-4-1L-2-11H2L4-1L8-6L10-3C5 3 6 8 2 12Z";

const SAMENESS = [2, 4, 8, 12, 18, 24];
const made = (area, round, room, box, hints, more) => ({ region: area[0], bank: area[1], round, room, box, hints, ...more });
// Region and bank, round corners, room (null: no limit), box, what the places promise; `joint`: points are elsewhere.
const BOARDS = {
  summer: {
    FS: made("WL", 10, 6, [7, 14, 118, 102], SAMENESS),
    WT: made("WL", 18, 3, [7, 125, 118, 68], ["", "", 7]),
    KJ: made("WR", 10, 1, [175, 14, 118, 86], [7], { emblem: CROWN }),
    PL: made("GL", 22, 6, [7, 202, 118, 107], ["", 5, "", 5, "", 5]),
    MD: made("GR", 4, 6, [175, 109, 118, 104], [1, 3, 6, 10, 15, 21]),
    SI: made("GR", 42, 1, [175, 222, 118, 87], [7], { emblem: PALM }),
  },
  winter: {
    WO: made("WL", 10, 6, [7, 14, 118, 96], SAMENESS),
    BL: made("WL", 6, null, [7, 119, 118, 76], [], { joint: true }),
    LO: made("WR", 10, 1, [175, 14, 118, 96], ["2×"], { emblem: TOWER }),
    QZ: made("GL", 4, 1, [7, 204, 118, 105], ["→"], { emblem: CROSS, joint: true }),
    BR: made("GR", 6, null, [175, 119, 118, 76], [], { joint: true }),
    PY: made("GR", 10, 6, [175, 204, 118, 105], [2, 2, 2, 4, 4, 7]),
  },
};
const WATER = { summer: [[131, 42, 38, 226]], winter: [[131, 42, 38, 86], [131, 184, 38, 84]] };
const BY_PLACE = new Set(["FS", "WO", "PY", "KJ", "SI", "LO", "QZ"]);

/** The middle of the table, and each seat's zoo with what it holds. */
export function draw(view, context) {
  return { middle: middle(view, context), seats: view.zoos.map((_, seat) => drawSeat(view, context, seat)) };
}

/** Every piece that can be clicked, by key. */
export function pieces(view) {
  const found = new Map();
  view.zoos.forEach((zoo, seat) => {
    for (const [pen, contents] of Object.entries(zoo)) {
      for (const [key, dino] of keyed(seat, pen, contents)) found.set(key, dino);
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
  const add = (key, action) => found.set(key, [...(found.get(key) ?? []), action]);
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

/** Key, species and place of each dinosaur in a pen. */
function keyed(seat, pen, contents) {
  const counts = {};
  return [...contents].flatMap((dino, i) => {
    const number = (counts[dino] = (counts[dino] ?? -1) + 1);
    return dino === "." ? [] : [[`${seat}/${pen}/${BY_PLACE.has(pen) ? i : dino + number}`, dino, i]];
  });
}

/** How many dinosaurs a pen takes; null if there is no limit (X-11, X-12). */
function capacity(view, pen) {
  const option = { PL: "prairie_capacity", BL: "bridge_capacity", BR: "bridge_capacity" }[pen];
  return option in view.options ? view.options[option] : BOARDS[view.season][pen].room;
}

function regions(view, pen) {
  const bridge = { woods_only: "W", both: "WG" }[view.options.bridge_region];
  return (pen[0] === "B" && bridge) || BOARDS[view.season][pen].region;
}

/** Whether the die leaves a pen open to a seat (D-20 to D-25, X-09). */
function isOpen(view, seat, pen) {
  if (!view.die || !view.bound[seat]) return true;
  if ("WG".includes(view.die)) return regions(view, pen).includes(view.die);
  if ("LR".includes(view.die)) return BOARDS[view.season][pen].bank === view.die;
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

function zoneOf(view, zone) {
  return view.options.season === "summer_winter" ? `${view.season}.${zone}` : zone;
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

// What can be clicked

/** The attributes of an element with these keys; `label` is what a screen reader says. */
function handle(context, { piece, zone, choice }, label, name) {
  if (context.still) return { class: name };
  const open = context.choices?.has(choice);
  const fresh = context.fresh?.has(piece);
  const chosen = open && context.chosen?.has(choice);
  const said = fresh ? t("new", { what: label }) : label;
  const active = open || piece || zone;
  return {
    class: [name, fresh && "fresh", open && "open", chosen && "chosen"].filter(Boolean).join(" "),
    "data-piece": piece,
    "data-zone": zone,
    "data-choice": open ? choice : null,
    tabindex: active ? 0 : null,
    role: active ? "button" : null,
    "aria-label": active ? (open ? t("choose", { what: said }) : said) : null,
    "aria-pressed": open ? String(chosen) : null,
  };
}

// Pieces

/** A silhouette with its letter around a point; the letter keeps its size when the piece is smaller. */
function figure(dino, x, y, size) {
  const known = DINOS[dino];
  const [left, base, outline] = known ?? [24, 26, "M14 3H34Q43 3 43 12V28Q43 37 34 37H14Q5 37 5 28V12Q5 3 14 3Z"];
  const height = Math.min(LETTER / BODY / size, 26);
  const letter = svg("text", { class: "letter", x: left - 24, y: fine(base - 20 + (height - LETTER / BODY) / 3) }, dino);
  letter.style.fontSize = `${fine(height)}px`; // a style, because a page may have a rule for all texts
  return svg(
    "g",
    { transform: `translate(${fine(x)} ${fine(y)}) scale(${fine(BODY * size)})` },
    svg("path", { class: "body", d: outline, transform: "translate(-24 -20)" }),
    dino === "." ? svg("path", { class: "on", d: FOOT }) : letter,
  );
}

function fine(number) {
  return Math.round(number * 100) / 100;
}

/** A piece on the board. */
function piece(context, key, dino, where, [x, y, size]) {
  const label = t("at", { dino: t(`dino.${dino}`), where });
  return svg("g", handle(context, { piece: key }, label, `piece ${dino}`), figure(dino, x, y, size));
}

/** A piece beside the board, in a picture of its own. */
function token(context, keys, dino, where, size = 1) {
  const label = t("at", { dino: t(`dino.${dino}`), where });
  const box = `${-20 * size} ${-17.5 * size} ${40 * size} ${35 * size}`;
  const picture = svg("svg", { viewBox: box, "aria-hidden": "true" }, figure(dino, 0, 0, size));
  return el("span", { ...handle(context, keys, label, `piece ${dino === "?" ? "" : dino}`), title: label }, picture);
}

function sign(path, x, y, size, name) {
  return svg("path", { class: name, d: path, transform: `translate(${fine(x)} ${fine(y)}) scale(${fine(size)})` });
}

/** The sign of a region: a diamond with a tree, or a square with grass. */
function regionSign(region, x, y, size) {
  const [plate, plant] = region === "W" ? ["M0-7L7 0L0 7L-7 0Z", TREE] : ["M-5.5-5.5H5.5V5.5H-5.5Z", TUFT];
  return [sign(plate, x, y, size, `plate ${region}`), sign(plant, x, y, 0.42 * size, "on")];
}

// A zoo

function drawZoo(view, context, seat, name = "zoo") {
  const zoo = view.zoos[seat];
  return svg(
    "svg",
    { class: name, viewBox: "0 0 300 316", role: "group", "aria-label": t("seat", { seat }) },
    landscape(view.season),
    view.season === "winter" ? bridge(view, context, seat) : null,
    Object.keys(BOARDS[view.season]).map((pen) => drawPen(view, context, seat, pen, zoo[pen] ?? "")),
    river(view, context, seat, zoo.RV ?? ""),
    svg("g", { class: "piece T plain", "aria-hidden": "true" }, figure("T", 150, 281, 0.6)),
    points(view, context, seat, "rex", 150, 300),
  );
}

/** Woods, grass and River; trees and tufts look out from behind the pens. */
function landscape(season) {
  const woods = "M0 0H300V100C270 106 240 100 200 105C150 110 140 190 100 198C60 194 30 202 0 197Z";
  const water = "M130 0C124 50 134 90 129 150C126 210 134 250 127 316H173C168 260 175 220 171 160C167 100 176 60 170 0Z";
  const waves = [62, 108, 204, 250].map((y, i) => `M${138 + (i % 3) * 2} ${y}q5-4 10 0t10 0`).join("");
  const [lower, border] = season === "summer" ? [121, 199] : [115, 201];
  const trees = [13, 30, 45, 66, 84, 103, 119].flatMap((x, i) => [[x, 9 + (i % 2) * 3], [x + 172, 9], [x - 4, lower]]);
  const tufts = [22, 47, 78, 110].flatMap((x, i) => [[x, border], [x + 168, i % 2 ? 106 : 220]]);
  return [
    svg("path", { class: "grass", d: "M0 0H300V316H0Z" }),
    svg("path", { class: "woods", d: woods }),
    trees.map(([x, y], i) => sign(TREE, x, y, i % 4 ? 0.75 : 0.95, "tree")),
    tufts.map(([x, y]) => sign(TUFT, x, y, 0.6, "tuft")),
    svg("path", { class: "water", d: water }),
    svg("path", { class: "waves", d: waves }),
  ];
}

function bridge(view, context, seat) {
  const planks = [...Array(8)].map((_, i) => `M${123 + i * 7.5} 136V172`).join("");
  return [
    svg("path", { class: "deck", d: "M119 137Q150 129 181 137V173Q150 165 119 173Z" }),
    svg("path", { class: "planks", d: planks }),
    sign(HEART, 150, 143, 0.55, "heart full"),
    points(view, context, seat, "bridge", 150, 157),
  ];
}

/** The points of a zone on a plate. */
function points(view, context, seat, zone, x, y) {
  const value = context.breakdown?.[seat]?.[zoneOf(view, zone)];
  if (value === undefined) return null;
  const label = t("of", { where: title(zone), what: worth(value) });
  const text = zone === "rex" && value ? `+${value}` : String(value);
  const width = text.length * 7.2 + 10;
  return svg(
    "g",
    handle(context, { zone: `${seat}/${zoneOf(view, zone)}` }, label, value ? "points" : "points none"),
    svg("rect", { x: x - width / 2, y: y - 8, width, height: 16, rx: 8 }),
    svg("text", { x, y: y + 4.3 }, text),
    svg("title", {}, label),
  );
}

function drawPen(view, context, seat, pen, contents) {
  const { box, emblem, joint } = BOARDS[view.season][pen];
  const [x, y, w, h] = box;
  const isShut = !isOpen(view, seat, pen);
  const said = isShut ? t("shut", { what: title(pen) }) : title(pen);
  return svg(
    "g",
    { class: `pen ${pen} ${regions(view, pen)}${isShut ? " shut" : ""}`, role: "group", "aria-label": said },
    fence(view, context, seat, pen),
    heading(view, pen),
    emblem ? sign(emblem, x + 21, y + h - 24, 1, "emblem") : null,
    places(view, context, seat, pen, contents),
    joint ? null : points(view, context, seat, pen, x + w - 17, y + 10),
    isShut ? [sign(DISC, x + w / 2, y + h, 1, "lock"), sign(LOCK, x + w / 2, y + h, 0.8, "on")] : null,
    svg("title", {}, `${pen} ${said}. ${t(`rule.${pen}`, { trio: view.options.trio_points ?? 7 })}`),
  );
}

/** The enclosure, which is what one clicks to put a dinosaur into the pen. */
function fence(view, context, seat, pen) {
  const { box, round } = BOARDS[view.season][pen];
  const [x, y, width, height] = box;
  const rect = (name, by = 0) =>
    svg("rect", { class: name, x: x + by, y: y + by, width: width - 2 * by, height: height - 2 * by, rx: round });
  const attributes = handle(context, { choice: `${seat}/${pen}` }, title(pen), "fence");
  return svg("g", attributes, rect("soil"), pen === "SI" ? rect("shore", 5) : null, rect("rail"), rect("posts"));
}

function heading(view, pen) {
  const { box, round, joint } = BOARDS[view.season][pen];
  const [left, top] = round > 30 ? [box[0] + 16, box[1] + 20] : [box[0] + 9, box[1] + 14];
  const [right, level] = [box[0] + box[2] - 14, box[1] + (joint ? 10 : 25)];
  const kinds = [...regions(view, pen)];
  return svg(
    "g",
    { class: "heading" },
    t(`pen.${pen}`).split("\n").map((line, i) => svg("text", { class: "title", x: left, y: top + i * 12.5 }, line)),
    svg("text", { class: "code", x: right + 4 - 12 * kinds.length, y: level + 4 }, pen),
    kinds.map((region, i) => regionSign(region, right - i * 12, level, 1)),
  );
}

/** The places of a pen, with the dinosaurs on them. */
function places(view, context, seat, name, contents) {
  const { hints } = BOARDS[view.season][name];
  const next = context.choices?.has(`${seat}/${name}`) ? contents.length : -1;
  const spots = spotsOf(view, name, contents);
  const where = (i) => (name === "PY" ? t("cell", { cell: i }) : title(name));
  const hint = (i) => (name === "WT" && i === 2 ? (view.options.trio_points ?? 7) : hints[i]);
  const choice = (i) => (name === "PY" ? { choice: `${seat}/PY${i}` } : {});
  const isEmpty = (i) => !contents[i] || contents[i] === ".";
  return [
    spots.map((spot, i) => {
      const attributes = handle(context, choice(i), where(i), i === next ? "place target" : "place");
      return isEmpty(i) ? svg("g", attributes, hole(spot, hint(i), name)) : null;
    }),
    keyed(seat, name, contents).map(([key, dino, i]) => piece(context, key, dino, where(i), spots[i])),
  ];
}

function spotsOf(view, name, contents) {
  const { box, emblem, joint } = BOARDS[view.season][name];
  const [x, y, w, h] = box;
  const top = joint ? 20 : 31;
  if (name === "PY") {
    const bricks = [[-1, 0], [0, 0], [1, 0], [-0.5, 1], [0.5, 1], [0, 2]];
    return bricks.map(([column, row]) => [x + w / 2 + column * 36.5, y + h - 17.5 - row * 27, 0.84]);
  }
  if (emblem) return grid(1, [x + 36, y + 30, w - 44, h - 36], 1.3);
  return grid(capacity(view, name) ?? Math.max(6, contents.length + 1), [x + 2, y + top, w - 4, h - top - 4], 1);
}

function hole([x, y, size], hint, name) {
  const [width, height, rx] = name === "PY" ? [35.3, 25.8, 3] : [33 * size, 29 * size, 8 * size].map(fine);
  return [
    svg("rect", { class: "hole", x: fine(x - width / 2), y: fine(y - height / 2), width, height, rx }),
    name[0] === "B" || (name === "PL" && hint) ? sign(HEART, x, y + 1, 1.1 * size, "heart") : null,
    hint ? svg("text", { class: "hint", x: fine(x), y: fine(y + 4.2) }, String(hint)) : null,
  ];
}

/** Centres and the common size of `count` places that fill an area row by row. */
function grid(count, [x, y, w, h], most) {
  const sizeWith = (columns) => Math.min(w / columns / 37.5, h / Math.ceil(count / columns) / 33, most);
  let columns = 1;
  for (let more = 2; more <= count; more++) if (sizeWith(more) > sizeWith(columns)) columns = more;
  const [stepX, stepY, size] = [w / columns, h / Math.ceil(count / columns), sizeWith(columns)];
  const spot = (_, i) => [x + stepX * ((i % columns) + 0.5), y + stepY * (Math.floor(i / columns) + 0.5), size];
  return Array.from(Array(count), spot);
}

function river(view, context, seat, contents) {
  const areas = WATER[view.season];
  const each = Math.max(6 / areas.length, Math.ceil((contents.length + 1) / areas.length));
  const spots = areas.flatMap((area) => grid(each, area, 1));
  const where = title("RV");
  const open = context.choices?.has(`${seat}/RV`);
  const bed = ([x, y, width, height]) => svg("rect", { class: "rail", x, y, width, height, rx: 12 });
  return svg(
    "g",
    { class: "pen RV", role: "group", "aria-label": where },
    svg("g", handle(context, { choice: `${seat}/RV` }, where, "fence"), areas.map(bed)),
    svg("text", { class: "title mid", x: 150, y: 14 }, t("pen.RV")),
    points(view, context, seat, "RV", 150, 28),
    svg("g", { class: open ? "place target" : "place" }, hole(spots[contents.length], 1, "RV")),
    keyed(seat, "RV", contents).map(([key, dino, i]) => piece(context, key, dino, where, spots[i])),
    svg("title", {}, `RV ${where}. ${t("rule.RV")}`),
  );
}

// A seat

function drawSeat(view, context, seat) {
  return el(
    "div",
    { class: `draftosaurus seat ${view.season}` },
    el("p", { class: "tags" }, tags(view, seat).map(([name, word]) => el("span", { class: `tag ${name}` }, word))),
    drawZoo(view, context, seat),
    holdings(view, context, seat),
    view.summer ? memory(view, context, seat) : null,
  );
}

/** Hand, pick and discards. */
function holdings(view, context, seat) {
  const groups = held(view, seat);
  const tokens = (group, size) =>
    [...(groups[group] ?? "")].map((dino, i) => {
      const key = `${seat}/${group}/${i}`;
      return token(context, { piece: key, choice: key }, dino, t(group), size);
    });
  const spare = [...(groups.hand ?? "")].flatMap((dino, i) => {
    const choice = `${seat}/out/${i}`;
    return context.choices?.has(choice) ? [token(context, { choice }, dino, t("out"), 0.8)] : [];
  });
  return el(
    "div",
    { class: "held" },
    row("hand", view.hands[seat] === null ? backs(view.hand_size) : tokens("hand")),
    groups.pick ? row("pick", tokens("pick")) : null,
    groups.drop ? row("drop", tokens("drop")) : null,
    spare.length ? row("out", spare) : null,
    view.discards ? row("discard", tokens("discard", 0.8)) : null,
  );
}

function row(group, tokens) {
  return el("div", { class: `row ${group}` }, el("span", { class: "label" }, t(group)), el("span", { class: "tokens" }, tokens));
}

function backs(count) {
  const back = () => svg("svg", { viewBox: "-20 -17.5 40 35", "aria-hidden": "true" }, figure(".", 0, 0, 1));
  return [el("span", { class: "backs" }, Array.from(Array(count), back)), el("span", { class: "label" }, t("hidden", { n: count }))];
}

/** The finished summer zoo in small, with its points. */
function memory(view, context, seat) {
  const parts = context.breakdown?.[seat] ?? {};
  const zones = [...Object.keys(BOARDS.summer), "RV", "rex"].filter((zone) => `summer.${zone}` in parts);
  const total = zones.reduce((sum, zone) => sum + parts[`summer.${zone}`], 0);
  const past = { ...view, season: "summer", die: null, zoos: view.summer };
  const plate = (zone) => {
    const value = parts[`summer.${zone}`];
    const label = t("of", { where: title(zone), what: worth(value) });
    const attributes = handle(context, { zone: `${seat}/summer.${zone}` }, label, "tag");
    return el("span", { ...attributes, title: label }, zone === "rex" ? "T-Rex" : zone, " ", el("b", {}, String(value)));
  };
  const sum = el("span", { class: "label" }, t("summer", { points: worth(total) }));
  return el(
    "div",
    { class: "memory" },
    drawZoo(past, { still: true }, seat, "zoo mini"),
    el("div", {}, sum, el("p", { class: "tags" }, zones.map(plate))),
  );
}

// The middle

function middle(view, context) {
  const [rounds, turns] = view.seats === 2 ? [4, 3] : [2, 6];
  const nameOf = (seat) => context.names?.[seat] || t("seat", { seat });
  const name = view.roller === null ? "" : nameOf(view.roller);
  const game = view.options.season === "summer_winter" ? t("game", { game: view.game }) : "";
  const clock = t("clock", { round: view.round, rounds, turn: view.turn, turns });
  const bound = view.bound.flatMap((one, seat) => (one ? [nameOf(seat)] : [])).join(", ");
  const due = t(`phase.${view.phase}`, { name });
  return el(
    "div",
    { class: `draftosaurus middle ${view.season}` },
    die(view),
    el("p", { class: "said" }, view.die ? t("roll", { name, face: t(`die.${view.die}`) }) : due),
    el(
      "div",
      { class: "more" },
      view.die ? el("p", {}, t("must", { must: t(`must.${view.die}`), names: bound })) : null,
      view.die ? el("p", {}, due) : null,
      el("p", { class: "label" }, `${t(`season.${view.season}`)}${game}. ${clock}`),
    ),
    el(
      "div",
      { class: "bag label" },
      svg("svg", { viewBox: "-20 -20 40 40", "aria-hidden": "true" }, svg("path", { d: BAG }), svg("text", { y: 9 }, String(view.bag_size))),
      t("bag", { n: view.bag_size }),
    ),
  );
}

function die(view) {
  const side = (name, y) => svg("rect", { class: name, x: 5, y, width: 62, height: 60, rx: 13 });
  return svg(
    "svg",
    { class: "die", viewBox: "0 0 72 72", role: "img", "aria-label": view.die ? t(`die.${view.die}`) : t("blank") },
    side("under", 9),
    side("top", 3),
    svg("g", { transform: "translate(36 33)" }, view.die ? face(view.die) : null),
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
