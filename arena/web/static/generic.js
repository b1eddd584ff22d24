// @ts-check
// Any game, readably: its terminal drawing, what each seat has, and all of the view as a tree.
import { el } from "./dom.js";
import { t } from "./words.js";

const DEEPEST = 12;

export function draw(view, context) {
  const middle = el(
    "div",
    { class: "generic" },
    context.drawing ? el("pre", { class: "drawing", tabindex: 0, role: "img", "aria-label": t("table") }, context.drawing) : null,
    el("details", {}, el("summary", {}, t("generic.view")), tree(view, 0)),
  );
  return { middle, seats: context.names.map((_, seat) => ofSeat(view, seat, context)) };
}

export function pieces(view) {
  const found = new Map();
  for (const [key, values] of bySeat(view)) {
    for (const [seat, value] of values.entries()) for (const [name, part] of parts(key, value)) found.set(`${seat}/${name}`, JSON.stringify(part));
  }
  return found;
}

export function choices(_view, _legal, _seat) {
  return new Map();
}

export function describe(view) {
  const lists = bySeat(view);
  const seats = lists.length ? lists[0][1].length : 0;
  return Array.from({ length: seats }, (_, seat) =>
    lists.flatMap(([key, values]) => parts(key, values[seat]).map(([name, part]) => `${name}: ${spelled(part)}`)).join("; "),
  );
}

/** What belongs to seats is in lists with one item for each seat; all such lists are equally long. */
function bySeat(view) {
  const lists = Object.entries(view).filter(([, value]) => Array.isArray(value) && value.length > 1);
  const seats = typeof view.seats === "number" ? view.seats : lists[0]?.[1].length;
  return lists.filter(([, value]) => value.length === seats);
}

function parts(key, value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return [[key, value]];
  return Object.entries(value).map(([name, part]) => [name, part]);
}

function ofSeat(view, seat, context) {
  const rows = bySeat(view).flatMap(([key, values]) => parts(key, values[seat]));
  const cell = ([name, part]) => {
    const key = `${seat}/${name}`;
    const text = spelled(part);
    const mark = { class: context.fresh.has(key) ? "fresh" : undefined, "data-piece": key, tabindex: 0, role: "button", "aria-label": `${name}: ${text}` };
    return [el("dt", {}, name), el("dd", {}, el("span", mark, text))];
  };
  return el("dl", { class: "generic" }, rows.map(cell));
}

/** A value in one line. */
function spelled(value) {
  if (value === null || value === "") return "–";
  if (Array.isArray(value)) return value.length ? value.map(spelled).join(" ") : "–";
  if (typeof value === "object") return Object.entries(value).map(([key, part]) => `${key} ${spelled(part)}`).join(", ") || "–";
  return String(value);
}

function tree(value, depth) {
  if (value === null || typeof value !== "object" || depth > DEEPEST) return el("span", { class: "leaf" }, value === null ? "–" : String(value));
  const entries = Object.entries(value);
  if (!entries.length) return el("span", { class: "leaf" }, t("generic.empty"));
  return el(
    "ul",
    { class: "folded" },
    entries.map(([key, part]) => {
      const isLeaf = part === null || typeof part !== "object" || !Object.keys(part).length;
      if (isLeaf) return el("li", {}, el("b", {}, key), " ", tree(part, depth + 1));
      return el("li", {}, el("details", { open: depth < 1 }, el("summary", {}, key), tree(part, depth + 1)));
    }),
  );
}
