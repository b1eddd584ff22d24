// @ts-check
// The list of all moves, and the same as plain text.
import { el } from "./dom.js";
import { duration, t } from "./words.js";

/** How a decision came about, in a few words: "late, 120 ms", "0.31 ms", "forced".
 * @param {any} decision */
export function manner(decision) {
  const words = [];
  if (decision.status) words.push(t(`status.${decision.status}`));
  if (decision.used_us !== undefined && decision.status !== "forced" && decision.status !== "absent") words.push(duration(decision.used_us));
  return words.join(", ");
}

/** One line for each action: who, what, how.
 * @param {any} reel
 * @param {number} step */
export function lines(reel, step) {
  const { chance, decisions = [], faults = [], said = [] } = reel.data.moments[step];
  const found = [];
  if (step === 0) found.push({ who: t("moves.start"), what: "", how: "" });
  if (chance !== undefined) found.push({ who: t("now.chance"), what: chance || said.join(" "), how: "" });
  for (const decision of decisions) {
    const what = decision.action ?? t("now.hidden");
    const isBad = decision.status && decision.status !== "forced";
    found.push({ who: reel.names[decision.seat], seat: decision.seat, what, how: manner(decision), isBad });
  }
  const isTold = (fault) => !fault.out && decisions.some((one) => one.seat === fault.seat && one.status === fault.kind);
  for (const fault of faults.filter((one) => !isTold(one))) {
    const who = fault.seat === null ? t("now.arena") : reel.names[fault.seat];
    found.push({ who, seat: fault.seat ?? undefined, what: fault.out ? t("fault.out") : "", how: fault.kind, isBad: true });
  }
  return found;
}

/** The whole match as text.
 * @param {any} reel */
export function movesText(reel) {
  const { game, edition, seed, match } = reel.data;
  const { scores, ranks } = reel.moment(reel.last);
  const head = [`${game}, ${t("page.edition", { edition })}`, `match ${match}`];
  if (seed !== null) head.push(`${t("seed.label")} ${seed}`);
  const players = reel.names.map((name, seat) => `${seat}  ${name}  ${scores[seat]}  ${t("seat.rank", { rank: ranks[seat] })}`);
  const moves = reel.data.moments.flatMap((_, step) =>
    lines(reel, step).map(({ who, seat, what, how }) => [step, seat ?? "-", who, what, how].filter((cell) => cell !== "").join("  ")),
  );
  return `${[...head, "", ...players, "", ...moves].join("\n")}\n`;
}

export class MoveList {
  /** @param {any} reel
   * @param {(step: number) => void} go */
  constructor(reel, go) {
    this.reel = reel;
    this.element = el("ol", { class: "list" });
    this.element.addEventListener("click", (event) => {
      const row = event.target.closest("[data-step]");
      if (row) go(Number(row.dataset.step));
    });
    this.rows = [];
    this.current = null;
    this.grow();
  }

  /** Add the rows of new moments. */
  grow() {
    for (let step = this.rows.length; step <= this.reel.last; step++) {
      this.rows.push(this.row(step));
      this.element.append(this.rows[step]);
    }
  }

  row(step) {
    const parts = lines(this.reel, step).map(({ who, seat, what, how, isBad }) =>
      el(
        "span",
        { class: `move${isBad ? " bad" : ""}` },
        el("span", { class: `who${seat === undefined ? "" : ` c${seat % 8}`}` }, el("bdi", {}, who)),
        " ",
        el("span", { class: "what" }, el("bdi", {}, what)),
        " ",
        el("span", { class: "how" }, how),
      ),
    );
    const number = el("span", { class: "number" }, String(step));
    return el("li", {}, el("button", { type: "button", "data-step": step }, number, el("span", { class: "entries" }, parts)));
  }

  /** Show that this is the step; only the list itself scrolls.
   * @param {number} step */
  move(step) {
    this.current?.firstElementChild.removeAttribute("aria-current");
    this.current = this.rows[step];
    this.current.firstElementChild.setAttribute("aria-current", "step");
    const [top, high, shown] = [this.current.offsetTop, this.current.offsetHeight, this.element.clientHeight];
    if (top < this.element.scrollTop || top + high > this.element.scrollTop + shown) {
      this.element.scrollTop = top - shown / 3;
    }
  }
}
