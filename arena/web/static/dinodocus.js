// @ts-check
// The board of Dinodocus: the middle of the table, and each seat's dinosaurs, timeline and hand.
//
// An animal faces left, so its parts stand in the order of the cards. Their outlines meet at seams of fixed height, so
// any four cards make one animal. The number of a card selects shape, colour and pattern; attack grows teeth, claws and
// spikes, and defence grows plates.
//
// Keys: "d4" a dinosaur, "d4/H" its head, "d4/fern" a mark, "d4/periods" its age; "1/hand/H07" a card that is known,
// "1/back/H" those that are not; "1/line/d3" an extinct dinosaur, "1/hidden"; "pool", "periods", "deck/H",
// "discard/H07", "offer/H07". Buttons have keys like "do/end".

import { el, svg } from "./dom.js";
import { t } from "./dinodocus_words.js";

const PARTS = ["H", "A", "P", "T"];
const MARKS = ["fern", "fed", "starving", "closed", "bonus"];
const VERBS = ["hatch", "starve", "yes", "bonus", "ok", "stop", "end", "no", "pass", "done"];
const FERNS = 4;
const LAST_STEP = 5;
/** The syllables of the deck house-60, which views do not carry. */
const HOUSE = {
  H: "Ty Al Di Dei Aus U Di I Pro Para Gal Hyp Pre An Ken",
  A: "ran lo ber no no tro tah plo ablo gua to sau li si ky",
  P: "no noti sau tosau phosau ny rap do cera naco ro mi lopho ce lo",
  T: "saurus tan rus rus chus tor cus tops don lossus lophus mus phale saurus rus",
};

// What the page calls

/** The middle of the table, and each seat's own board. */
export function draw(view, context) {
  const look = { view, context, names: syllables(view) };
  return { middle: drawMiddle(look), seats: seatsOf(view).map((seat) => drawSeat(look, seat)) };
}

/** Every piece by its key, with a value that changes when the piece does. */
export function pieces(view) {
  const found = new Map([["pool", `${view.pool}`], ["periods", `${view.periods}`]]);
  for (const part of PARTS) {
    found.set(`deck/${part}`, `${view.decks[part]}`);
    for (const card of view.discards[part]) found.set(`discard/${card}`, card);
  }
  for (const { seat, card } of view.offers) found.set(`offer/${card}`, `${seat}>${view.receiver}`);
  for (const dino of view.dinos) {
    found.set(dino.id, `${dino.owner}`);
    dino.cards.forEach((card, i) => found.set(`${dino.id}/${PARTS[i]}`, card));
    for (const mark of marksOf(dino)) found.set(`${dino.id}/${mark}`, mark);
    if (dino.periods) found.set(`${dino.id}/periods`, `${dino.periods}`);
  }
  for (const seat of seatsOf(view)) {
    for (const [id, periods] of Object.entries(view.timelines[seat])) found.set(`${seat}/line/${id}`, `${periods}`);
    if (hasHidden(view, seat)) found.set(`${seat}/hidden`, `${view.hidden[seat] ?? "?"}`);
    for (const card of known(view, seat)) found.set(`${seat}/hand/${card}`, card);
    for (const [part, count] of backs(view, seat)) found.set(`${seat}/back/${part}`, `${count}`);
  }
  return found;
}

/** What a click on each piece or button may mean for the seat that decides. */
export function choices(view, legal, seat) {
  const found = new Map();
  for (const action of legal) {
    for (const key of keys(view, action, seat)) found.set(key, [...(found.get(key) ?? []), action]);
  }
  return found;
}

/** The board in sentences, one for each seat. */
export function describe(view) {
  const names = syllables(view);
  return seatsOf(view).map((seat) => {
    const lengths = Object.values(view.timelines[seat]).map(worth);
    const facts = [
      ...roles(view, seat).map((role) => t(`role.${role}`)),
      owned(view, seat).map((dino) => told(view, dino)).join("; ") || t("no-dinos"),
      t("told.line", { n: lengths.reduce((sum, one) => sum + one, 0) }),
      hasHidden(view, seat) && hiddenLabel(view.hidden[seat]),
      t("told.hand", { n: view.hand_sizes[seat] }),
      ...known(view, seat).map((card) => cardLabel(view, card, names)),
    ];
    return t("told", { seat, facts: facts.filter(Boolean).join("; ") });
  });
}

function keys(view, action, seat) {
  const [verb, ...rest] = action.split(":");
  const named = rest.flatMap((word) => word.split(","));
  const dinos = named.filter((name) => name[0] === "d");
  const held = new Set(view.hands[seat]);
  const cards = named.filter((name) => held.has(name)).map((card) => `${seat}/hand/${card}`);
  const more = {
    w: [`deck/${rest[0]}`],
    mod: [`${rest[0]}/${rest[1]?.[0]}`],
    r: [view.focus, `${view.focus}/${rest[0]?.[0]}`],
    take: ["pool"],
    yes: ["do/yes", `offer/${rest[0]}`],
    bonus: ["do/bonus", view.focus],
  };
  const buttons = VERBS.includes(verb) ? [`do/${verb}`] : [];
  return [...dinos, ...cards, ...(more[verb] ?? buttons)];
}

// What a view shows

function syllables(view) {
  const { deck } = view.options;
  if (deck) return Object.fromEntries(JSON.parse(deck).cards.map((card) => [card.id, card.syllable]));
  const named = (part) => HOUSE[part].split(" ").map((name, i) => [part + `${i + 1}`.padStart(2, "0"), name]);
  return Object.fromEntries(PARTS.flatMap(named));
}

function seatsOf(view) {
  return [...Array(view.seats).keys()];
}

function owned(view, seat) {
  return view.dinos.filter((dino) => dino.owner === seat);
}

function marksOf(dino) {
  return MARKS.filter((mark) => dino[mark]);
}

/** What period cards are worth (N-52). */
function worth(periods) {
  return periods > 4 ? 10 + LAST_STEP * (periods - 4) : (periods * (periods + 1)) / 2;
}

function hasHidden(view, seat) {
  return Boolean(view.options.advanced || view.hidden[seat]);
}

function known(view, seat) {
  return view.hands[seat] ?? view.shown[seat];
}

/** How many cards of a hand are not known, by part where that is public. */
function backs(view, seat) {
  const seen = known(view, seat);
  const counts = view.hand_parts
    ? PARTS.map((part) => [part, view.hand_parts[seat][part] - seen.filter((id) => id[0] === part).length])
    : [["?", view.hand_sizes[seat] - seen.length]];
  return counts.filter(([, count]) => count > 0);
}

/** Whether the four cards share a number (N-26). */
function isReal(view, dino) {
  const refs = dino.cards.map((card) => view.cards[card][3]);
  return refs[0].some((ref) => refs.every((others) => others.includes(ref)));
}

function roles(view, seat) {
  const focus = view.dinos.find((dino) => dino.id === view.focus);
  return [
    view.phase !== "over" && view.current === seat && "turn",
    view.receiver === seat && "receiver",
    view.phase === "react" && focus?.owner === seat && "owner",
    view.maker === seat && "maker",
  ].filter(Boolean);
}

// Labels

function cardLabel(view, id, names) {
  const [attack, defence, diet] = view.cards[id];
  const kind = (diet ? `${t(`diet.${diet}`)} ` : "") + t(`part.${id[0]}`);
  return t("card", { kind, id, attack, defence, syllable: names[id] });
}

function dinoLabel(view, dino) {
  const label = t("dino", { ...dino, diet: t(`diet.${dino.diet}`) });
  return isReal(view, dino) ? `${label}, ${t("real")}` : label;
}

function told(view, dino) {
  const age = dino.periods ? [t("age.label", { n: dino.periods })] : [];
  return [dinoLabel(view, dino), ...age, ...marksOf(dino).map((mark) => t(`mark.${mark}`))].join(", ");
}

function hiddenLabel(count) {
  return count === null ? t("hidden.unknown") : t("hidden.label", { n: count });
}

// Elements

function div(name, ...children) {
  return el("div", { class: name }, ...children);
}

function span(name, ...children) {
  return el("span", { class: name }, ...children);
}

function piece(look, key, label, name) {
  return { ...button(look, key, label, name), "data-piece": key };
}

function button({ context }, key, label, name) {
  const isOpen = context.choices?.has(key) ?? false;
  const isChosen = context.chosen.has(key);
  return {
    class: [name, context.fresh.has(key) && "fresh", isOpen && "open", isChosen && "chosen"].filter(Boolean).join(" "),
    "data-choice": isOpen && key,
    "aria-pressed": isOpen && `${isChosen}`,
    "aria-label": label,
    title: label,
    role: "button",
    tabindex: 0,
  };
}

function points(look, seat, zone, count) {
  const attributes = button(look, "", t("points.label", { n: count }), "points");
  return el("span", { ...attributes, "data-zone": `${seat}/${zone}` }, `+${count}`);
}

function icon(name) {
  return svg("svg", { class: `icon ${name}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, path(ICONS[name]));
}

function path(d, name) {
  return d ? svg("path", { d, class: name }) : null;
}

function player({ context }, seat) {
  const name = context.names[seat];
  return el("bdi", { class: `player seat${seat}`, title: name }, name);
}

function ratio([attack, defence]) {
  return [`${attack}/`, el("wbr"), `${defence}`];
}

// The middle

function drawMiddle(look) {
  return div("dinodocus table", headline(look), buttons(look), focus(look), offers(look), supply(look));
}

function headline(look) {
  const { view } = look;
  if (view.phase === "over") return div("headline", el("b", {}, t("over")), t("over.turns", { n: view.turn }));
  const when = view.turn ? t("turn", view) : t("set-up");
  return div("headline", el("b", {}, when), player(look, view.current), span("", t(`phase.${view.phase}`, view)));
}

function buttons(look) {
  const made = VERBS.filter((verb) => look.context.choices?.has(`do/${verb}`)).map((verb) => {
    const label = t(`do.${verb}`, { n: Math.min(2, look.view.periods) });
    return el("span", button(look, `do/${verb}`, label, "do"), label);
  });
  return div("buttons", made);
}

function focus({ view }) {
  const dino = view.dinos.find((one) => one.id === view.focus);
  return dino && div("focus", t("focus"), el("bdi", { title: dino.name }, dino.name), dino.id);
}

function offers(look) {
  const { view, context } = look;
  const made = view.offers.map(({ seat, card }) => {
    const who = { from: context.names[seat], to: context.names[view.receiver] };
    const label = t("offer.label", { ...who, card: cardLabel(view, card, look.names) });
    const way = div("way", player(look, seat), span("label", "→"), player(look, view.receiver));
    return div("offer", face(look, card, piece(look, `offer/${card}`, label, "card")), way);
  });
  return made.length > 0 && div("offers", span("label", t("offers")), made);
}

function supply(look) {
  const { pool, periods } = look.view;
  const ferns = Array.from({ length: FERNS }, (_, i) => icon(i < pool ? "fern" : "gap"));
  return div(
    "supply",
    pile(look, "pool", t("pool.label", { n: pool }), t("pool"), pool, ferns),
    pile(look, "periods", t("periods.label", { n: periods }), t("periods"), periods, icon("age")),
    PARTS.map((part) => deck(look, part)),
  );
}

function pile(look, key, label, title, count, sign) {
  return el("div", piece(look, key, label, count ? "pile" : "pile none"), span("label", title), bold(count), sign);
}

function bold(text) {
  return el("b", {}, `${text}`);
}

function deck(look, part) {
  const n = look.view.decks[part];
  const discards = look.view.discards[part];
  const kind = t(`part.${part}`);
  const label = t("deck.label", { n, part: kind });
  return div(
    "deck",
    pile(look, `deck/${part}`, label, kind, n, emblem(part)),
    div("label", t("discards", { count: discards.length })),
    div("discards", discards.map((card) => chip(look, card))),
  );
}

function chip(look, card) {
  const label = t("discard.label", { card: cardLabel(look.view, card, look.names) });
  return el("span", piece(look, `discard/${card}`, label, `chip diet${look.view.cards[card][2]}`), look.names[card]);
}

// A seat

function drawSeat(look, seat) {
  const dinos = owned(look.view, seat);
  return div(
    `dinodocus board seat${seat}`,
    div("roles", roles(look.view, seat).map((role) => span(role, t(`role.${role}`)))),
    dinos.length
      ? div(`dinos n${dinos.length}`, dinos.map((dino) => drawDino(look, dino)))
      : div("nobody", t("no-dinos")),
    timeline(look, seat),
    hand(look, seat),
  );
}

function drawDino(look, dino) {
  const { view } = look;
  const { id, diet, cards } = dino;
  const star = isReal(view, dino) && icon("star");
  return div(
    view.focus === id ? "dino touched" : "dino",
    el("div", piece(look, id, dinoLabel(view, dino), "name"), el("bdi", {}, dino.name), star, span("label", id)),
    div(`diet diet${diet}`, icon(`diet${diet}`), t(`diet.${diet}`)),
    animal(look, dino),
    el("div", { class: "parts", "aria-hidden": "true" }, cards.map((card) => span("", ratio(view.cards[card])))),
    div("values", stat(dino, "attack"), stat(dino, "defence"), age(look, dino)),
    div("marks", marksOf(dino).map((mark) => drawMark(look, id, mark))),
  );
}

/** Attack or defence; the greater one is the strength. */
function stat(dino, name) {
  const isStrength = dino[name] === Math.max(dino.attack, dino.defence);
  const label = t(name, { value: dino[name] }) + (isStrength ? `, ${t("strength")}` : "");
  return el("span", { class: isStrength ? "stat best" : "stat", title: label }, icon(name), `${dino[name]}`);
}

function age(look, { id, owner, periods }) {
  if (!periods) return null;
  const attributes = piece(look, `${id}/periods`, t("age.label", { n: periods }), "stat");
  return span("aged", el("span", attributes, icon("age"), `${periods}`), points(look, owner, id, worth(periods)));
}

function drawMark(look, id, mark) {
  const label = t(`mark.${mark}`);
  return el("span", piece(look, `${id}/${mark}`, label, "mark"), icon(mark), label);
}

function timeline(look, seat) {
  const { view } = look;
  const made = Object.entries(view.timelines[seat]).map(([id, periods]) => {
    const label = t("line.label", { id, age: t("age.label", { n: periods }) });
    const attributes = piece(look, `${seat}/line/${id}`, label, "bones");
    return stretch(attributes, id, periods, points(look, seat, id, worth(periods)));
  });
  if (hasHidden(view, seat)) made.push(hiddenCards(look, seat));
  return div("row", span("label", t(made.length ? "timeline" : "timeline.none")), div("line", made));
}

/** Period cards end to end, each as long as the step that it adds. */
function stretch(attributes, title, periods, gain) {
  const cards = Array.from({ length: periods }, (_, i) => el("i", { class: `w${Math.min(i + 1, LAST_STEP)}` }));
  return div("stretch", el("span", attributes, span("label", title), cards), gain);
}

function hiddenCards(look, seat) {
  const count = look.view.hidden[seat];
  const attributes = piece(look, `${seat}/hidden`, hiddenLabel(count), "bones veiled");
  const gain = count > 0 && points(look, seat, "hidden", worth(count));
  return stretch(attributes, t("hidden", { count: count ?? "?" }), count ?? 0, gain);
}

function hand(look, seat) {
  const { view } = look;
  const cards = known(view, seat).map((id) => handCard(look, seat, id));
  const unknown = backs(view, seat).map(([part, count]) => back(look, seat, part, count));
  const count = view.hand_sizes[seat];
  return div("row", span("label", t(count ? "hand" : "hand.none", { count })), div("hand", cards, unknown));
}

function handCard(look, seat, id) {
  const { view } = look;
  const state = view.offers.some(({ card }) => card === id) ? "offered" : view.shown[seat].includes(id) ? "shown" : "";
  const label = cardLabel(view, id, look.names) + (state && `, ${t(state)}`);
  const card = face(look, id, piece(look, `${seat}/hand/${id}`, label, "card"));
  if (state) card.append(icon(state));
  return card;
}

function face({ view, names }, id, attributes) {
  const diet = view.cards[id][2];
  const value = span("ratio", diet && icon(`diet${diet}`), ratio(view.cards[id]));
  return el("div", attributes, slice(id[0], part(view, id)), el("bdi", {}, names[id]), value);
}

function back(look, seat, part, n) {
  const label = t("back", { n, part: t(`part.${part}`) });
  const attributes = piece(look, `${seat}/back/${part}`, label, n > 1 ? "back several" : "back");
  return el("div", attributes, part in SLICES && emblem(part), bold(`×${n}`));
}

// The animal

const SLICES = { H: "2 0 84 80", A: "62 18 80 98", P: "126 18 72 98", T: "182 20 58 76" };
const FROND = "M7 15V9H3C3 7 5 6 7 7V5L4 4C4 2 6 2 8 4C10 2 12 2 12 4L9 5V7C11 6 13 7 13 9H9V15Z";
const STAR = "M8 1L10 6H15L11 9L12 15L8 11L4 15L5 9L1 6H6Z";
const ICONS = {
  attack: "M1 3C5 6 6 10 4 15C3 10 2 7 1 3ZM6 1C10 5 11 10 9 15C8 9 7 5 6 1ZM11 1C15 5 16 9 14 14C13 9 12 5 11 1Z",
  defence: "M8 1L14 3V8C14 12 11 14 8 15C5 14 2 12 2 8V3Z",
  dietC: "M1 3C6 1 11 1 15 5L14 8L12 6L10 10L8 6L6 10L4 6L3 9C2 8 1 6 1 3ZM2 11L8 13L14 10C12 16 4 16 2 11Z",
  dietH: "M14 2C14 10 10 14 4 12L2 15L1 14L3 11C1 5 6 2 14 2ZM5 11C8 10 10 7 11 5C8 6 6 8 5 11Z",
  fern: FROND,
  gap: FROND,
  age: "M2 2H14V5H2ZM2 6.5H14V9.5H2ZM2 11H14V14H2Z",
  fed: "M3 8L6 11L13 3L15 5L6 14L1 10Z",
  starving: "M4 2L8 6L12 2L14 4L10 8L14 12L12 14L8 10L4 14L2 12L6 8L2 4Z",
  closed: "M4 7V5C4 0 12 0 12 5V7H13V15H3V7ZM6 7H10V5C10 2 6 2 6 5Z",
  bonus: STAR,
  star: STAR,
  shown: "M1 8C4 3 12 3 15 8C12 13 4 13 1 8ZM8 5A3 3 0 1 0 8 11A3 3 0 1 0 8 5Z",
  offered: "M2 6H9V2L15 8L9 14V10H2Z",
};

function animal(look, { id, cards }) {
  // The tail first and the head last, because hips lie over the tail, and a frill over the shoulders.
  const made = [3, 1, 2, 0].map((i) => {
    const label = cardLabel(look.view, cards[i], look.names);
    const attributes = { ...piece(look, `${id}/${PARTS[i]}`, label, "part"), title: null };
    return svg("g", attributes, svg("title", {}, label), part(look.view, cards[i]));
  });
  return svg("svg", { class: "animal", viewBox: "0 0 240 116" }, path("M8 114H232", "ground"), made);
}

function slice(name, ...drawn) {
  return svg("svg", { class: "slice", viewBox: SLICES[name], "aria-hidden": "true" }, ...drawn);
}

function emblem(name) {
  return slice(name, svg("g", { class: "sign" }, DRAW[name]({ k: 30, a: 0, d: 0 })));
}

function part(view, id) {
  const [attack, defence, diet] = view.cards[id];
  const k = Number(id.slice(1));
  const hue = diet ? `${diet}${k % 3}` : `B${(k * 5 + id.charCodeAt(0)) % 6}`;
  return svg("g", { class: `hue${hue}` }, DRAW[id[0]]({ k, a: Math.min(attack, 4), d: Math.min(defence, 4), diet }));
}

const DRAW = { H: (card) => (card.diet === "C" ? hunter(card) : grazer(card)), A: front, P: hind, T: tail };

const CROWNS = [
  "M46 16C52 4 64 2 72 8C66 10 66 14 70 18C64 18 62 22 64 28Z",
  "M27 19L31 14L36 17L41 12L47 16Z",
  "M34 18L36 6L44 16ZM44 15L50 4L55 18Z",
  "M24 21C28 3 46 1 58 18Z",
  "M48 16C56 5 66 6 73 12C66 15 66 19 71 25L64 30Z",
];

function hunter({ k, a, d }) {
  const x = [5, 4, 10, 12, 8, 14][k % 6];
  const skull = "M84 42C76 43 69 39 65 30C62 21 57 16 48 15C39 14 29 17";
  const chin = "56L45 58C57 58 63 63 72 67C76 69 80 70 84 72Z";
  const size = 3 + 1.5 * a;
  return [
    path(CROWNS[k % 6], "trim"),
    path(`M${x + 5} 38L46 41L${x + 11} 50L44 51L50 40Z`, "mouth"),
    path(teeth(x + 7, 40, size, 3 + a) + teeth(x + 14, 47, -size * 0.7, 2 + a), "tooth"),
    path(plates(k, d, [[69, 33], [78, 41]]), "trim"),
    path(`${skull} ${x + 17} 20c-8 2-17 7-17 13c0 4 2 6 5 6L45 41L${x + 11} 49c-4 2-3 7 2 7V${chin}`, "hull"),
    path(pattern(k, 62, 46), "skin"),
    path(`M${x + 5} 31l4 -1M35 21Q43 17 50 23`, "crease"),
    eye(43, 26),
  ];
}

function teeth(x, y, size, count) {
  const half = (40 - x) / count / 2;
  return `M${x} ${y}` + `l${half} ${size}l${half} ${-size}`.repeat(count);
}

const NECKS = [
  [
    "M84 42C74 42 69 34 65 22C61 9 52 4 42 5C32 6 23 11 19 17C16 22 19 26 25 26C33 26 41 26 45 31C50 42 55 58 66 65C72 69 78 70 84 72Z",
    "M18 20Q25 22 31 19", [41, 14],
  ],
  [
    "M84 42C76 42 70 36 63 29C56 22 45 21 36 26C26 31 14 36 10 43C7 49 11 55 18 55C28 56 40 56 48 57C58 60 68 66 84 72Z",
    "M9 46Q18 50 28 46", [42, 36],
  ],
  [
    "M84 42C74 40 64 40 55 44C42 48 25 57 20 65C16 72 19 79 27 79C38 80 49 79 57 74C64 70 74 68 84 72Z",
    "M18 70Q27 74 36 69", [43, 58],
  ],
];
const POSES = [0, 1, 1, 1, 0, 1, 1, 2, 2];
const FRILL = 2;
const CRESTS = {
  2: "M0-12C4-24 14-32 22-34Q25-27 31-27Q31-19 37-15Q34-8 36-2Q29 1 25 9Q17 10 8 16C12 6 10-4 0-12Z",
  3: "M-4-11C12-15 26-27 44-29C48-27 46-23 40-19C30-11 22-3 14 1Z",
  6: "M-16-4C-14-24 16-26 20-5Z",
  7: "M4-11L16-28L18-8ZM14-8L30-18L25 1Z",
  8: "M0-12L6-23L11-13ZM13-13L21-23L23-13Z",
};

function grazer({ k, a, d }) {
  const style = (k + 2) % POSES.length;
  const [skin, mouth, [x, y]] = NECKS[POSES[style]];
  const crest = moved(`translate(${x} ${y})`, path(CRESTS[style], "trim"));
  return [
    style !== FRILL && crest,
    path(a && `M${x - 13} ${y - 5}l${-3 - a * 3} ${-9 - a * 3}l${11 + a * 2} ${5 + a * 2}Z`, "tooth"),
    path(plates(k, d - 1, [[70, POSES[style] > 1 ? 39 : 33], [79, 40]]), "trim"),
    path(skin, "hull"),
    style === FRILL && crest,
    path(pattern(k, 62, 46), "skin"),
    path(mouth, "crease"),
    eye(x, y),
  ];
}

function moved(transform, drawn) {
  return svg("g", { transform }, drawn);
}

function eye(x, y) {
  return [path(`M${x} ${y}h.1`, "eye rim"), path(`M${x} ${y}h.1`, "eye"), path(`M${x - 1} ${y}h.1`, "eye pupil")];
}

// Open at the top, where a leg grows out of the body without an outline.
const LIMBS = {
  arm: "M92 66C87 72 88 78 82 83C78 87 73 87 72 91C72 96 79 97 83 95C93 92 99 86 103 79C106 75 112 74 114 66",
  leg: "M93 60C91 76 98 86 97 96C96 104 91 107 89 110V114H109C110 104 109 95 112 88C115 81 119 74 118 60",
  pillar: "M91 60C90 78 94 92 93 104L90 110V114H114V110L112 104C112 92 121 80 120 60",
  runner: "M141 62C137 74 145 84 156 89C163 93 160 98 154 103L145 109V114H165C167 106 173 99 170 91C168 85 180 76 178 60",
  trunk: "M140 60C138 78 147 90 146 104L143 110V114H169V110L167 103C168 92 180 78 179 60",
};

function front({ k, a, d }) {
  const kind = a > d ? "arm" : d > a ? "pillar" : "leg";
  return [
    moved(kind === "arm" ? "translate(-8 -5)" : "translate(13 -2)", path(LIMBS[kind], "far")),
    path(plates(k, d, [[95, 41], [109, 38], [123, 36]]), "trim"),
    path("M84 42C94 41 112 36 134 36V84C118 84 100 80 84 72Z", "hull"),
    path("M85 72C100 80 118 83 134 83V76C118 76 102 73 85 66Z", "belly"),
    path(pattern(k, 90, 49), "skin"),
    path(LIMBS[kind], "hull"),
    path(kind === "arm" ? claws(74, 92, a, 5) : claws(90, 114, a, 8), "tooth"),
  ];
}

function hind({ k, a, d }) {
  const kind = d > a ? "trunk" : "runner";
  return [
    moved("translate(12 -2)", path(LIMBS[kind], "far")),
    path(plates(k, d, [[144, 36], [158, 37], [171, 41]]), "trim"),
    path("M134 36C152 36 172 40 184 46V68C174 76 158 84 134 84Z", "hull"),
    path("M134 83C156 83 172 75 183 68L180 63C170 70 156 76 134 76Z", "belly"),
    path(pattern(k, 138, 45), "skin"),
    path(LIMBS[kind], "hull"),
    path(claws(kind === "trunk" ? 144 : 146, 114, a, 8), "tooth"),
  ];
}

function claws(x, y, attack, gap) {
  const size = 4 + 2 * attack;
  return [4, 4 + gap, 4 + 2 * gap].map((i) => `M${x + i} ${y - 5}q${-size} 0 ${-size} 5h${size}Z`).join("");
}

const TAILS = [
  [
    "M184 46C198 53 212 49 224 35C229 29 234 26 236 28C238 34 232 52 218 62C207 69 196 62 184 68Z",
    "translate(231 34) rotate(-50)",     [[196, 51], [207, 50], [217, 43]],
  ],
  [
    "M184 46C198 52 216 54 234 56C237 57 237 60 234 61C216 66 198 62 184 68Z",
    "translate(231 58)",     [[196, 51], [208, 53], [219, 54]],
  ],
  [
    "M184 46C200 50 216 60 226 76C231 84 236 88 235 92C230 93 222 88 214 82C204 72 196 63 184 68Z",
    "translate(230 86) rotate(50)",     [[197, 51], [208, 57], [218, 66]],
  ],
];

function tail({ k, a, d }) {
  const [skin, transform, back] = TAILS[k % 3];
  const long = 8 + 2 * a;
  const spikes = [0, 1, 2, 3].slice(0, a).map((i) => `M${-5 - i * 8} 0l6 ${-long}l3 ${long}l-3 ${long}Z`).join("");
  const club = a && d ? "M-9 0C-9-10 6-11 7 0C6 11-9 10-9 0Z" : "";
  return [
    path(plates(k, d, back), "trim"),
    moved(transform, path(spikes, "tooth")),
    path(skin, "hull"),
    path(pattern(k, 184, 53, 1), "skin"),
    moved(transform, path(club, "trim")),
  ];
}

function plates(k, defence, places) {
  const size = 8 + 3 * defence;
  const low = size / 2;
  const shapes = [`l6 ${-size}l6 ${size}Z`, `c-2 ${-size} 14 ${-size} 12 0Z`, `v${-low}l6 ${-low}l6 ${low}v${low}Z`];
  return places.slice(0, Math.max(0, defence)).map(([x, y]) => `M${x - 6} ${y + 4}${shapes[k % 3]}`).join("");
}

function pattern(k, x, y, count = 3) {
  const mark = ["", "q3 6 0 12", "h.1m5 7h.1"][(k % 5) % 3];
  return mark && [3, 13, 23].slice(0, count).map((i) => `M${x + i} ${y}${mark}`).join("");
}
