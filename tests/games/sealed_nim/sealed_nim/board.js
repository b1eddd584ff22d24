// Sealed Nim in a browser: the heap, and each player's cards and tokens. CONTRIBUTING.md of the arena says what such a
// module exports. Its functions only make elements of what they receive: they keep nothing, and listen to nothing.
import { el, svg } from "./dom.js";
import { filledIn } from "./words.js";

const WORDS = {
  "heap": "{count} tokens in the heap",
  "heap.one": "1 token in the heap",
  "hand": "hand",
  "played": "played",
  "tokens": "tokens",
  "card": "{pile}: card {card}",
  "hidden": "{pile}: a hidden card",
  "seat": "{name}: {tokens} tokens, played {played}, {count} cards in hand.",
};
const t = (key, values) => filledIn(WORDS, key, values);
const PILES = ["hand", "played"];

export function draw(view, context) {
  const middle = el("div", { class: "sealed_nim" }, el("p", {}, t("heap", { count: view.heap })), coins(view.heap));
  return { middle, seats: view.players.map((player, seat) => table(player, seat, context)) };
}

/** Every card that lies somewhere: "1/played/0" is the first card that seat 1 has played. */
export function pieces(view) {
  const found = new Map();
  for (const [seat, player] of view.players.entries()) {
    for (const pile of PILES) for (const [at, card] of [...player[pile]].entries()) found.set(`${seat}/${pile}/${at}`, card);
  }
  return found;
}

/** A click on a card in hand bids it. */
export function choices(view, legal, seat) {
  const cards = [...view.players[seat].hand].entries();
  const bids = [...cards].map(([at, card]) => [`${seat}/hand/${at}`, [`bid:${card}`]]);
  return new Map(bids.filter(([, [action]]) => legal.includes(action)));
}

export function describe(view) {
  return view.players.map((player, seat) =>
    t("seat", { name: seat, tokens: player.tokens, played: [...player.played].join(" ") || "–", count: player.hand.length }),
  );
}

function table(player, seat, context) {
  const rows = PILES.map((pile) => el("p", {}, el("span", {}, t(pile)), [...player[pile]].map((card, at) => drawn(pile, card, `${seat}/${pile}/${at}`, context))));
  const tokens = el("p", {}, el("span", {}, t("tokens")), el("b", { "data-zone": `${seat}/tokens`, tabindex: 0, role: "button" }, String(player.tokens)));
  return el("div", { class: "sealed_nim" }, rows, tokens);
}

function drawn(pile, card, key, context) {
  const isOpen = context.choices?.has(key);
  const states = [context.fresh.has(key) && "fresh", isOpen && "open", context.chosen.has(key) && "chosen"];
  const label = card === "?" ? t("hidden", { pile: t(pile) }) : t("card", { pile: t(pile), card });
  const marks = { class: ["card", ...states].filter(Boolean).join(" "), "data-piece": key, "data-choice": isOpen ? key : undefined };
  return el("span", { ...marks, tabindex: 0, role: "button", "aria-label": label }, card);
}

function coins(count) {
  const circles = Array.from({ length: count }, (_, at) => svg("circle", { cx: 9 + 16 * at, cy: 9, r: 7 }));
  return svg("svg", { viewBox: `0 0 ${Math.max(1, count) * 16 + 2} 18`, height: 18, "aria-hidden": "true" }, circles);
}
