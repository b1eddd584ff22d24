// @ts-check
// The points of all players by step. The graph is also the scrubber, and has marks at what is worth a look.
import { el, svg } from "./dom.js";
import { listed, t } from "./words.js";

const SNAP = 6; // pixels from a mark within which a click goes to it
const KINDS = ["fault", "lead", "big"];
const SHAPES = {
  fault: "M1 1L9 9M9 1L1 9",
  lead: "M5 1L9.5 9H.5Z",
  big: "M5 .5L6.4 3.7 9.8 4 7.2 6.2 8 9.6 5 7.8 2 9.6 2.8 6.2 .2 4 3.6 3.7Z",
};

/** A small picture of a mark's kind.
 * @param {string} kind */
export function markIcon(kind) {
  return svg("svg", { class: `glyph ${kind}`, viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("path", { d: SHAPES[kind] }));
}

/** What a mark says.
 * @param {any} reel
 * @param {any} mark */
export function markText(reel, mark) {
  const names = mark.seats.map((seat) => reel.names[seat]);
  if (mark.kind === "fault") return t(names.length ? "mark.fault.text" : "mark.fault.arena", { name: names[0], kind: mark.what });
  if (mark.kind === "big") return t("mark.big.text", { name: names[0], count: mark.count });
  return names.length > 1 ? t("mark.lead.several", { names: listed(names) }) : t("mark.lead.one", { name: names[0] });
}

/** A line in the manner of a seat: colour and dashes, so that colour alone never tells.
 * @param {number} seat */
export function swatch(seat) {
  const line = svg("path", { d: "M0 4H24", class: "track" });
  return svg("svg", { class: `swatch c${seat % 8} d${seat % 6}`, viewBox: "0 0 24 8", "aria-hidden": "true" }, line);
}

export class Graph {
  /** @param {any} reel
   * @param {(step: number) => void} seek */
  constructor(reel, seek) {
    this.reel = reel;
    this.seek = seek;
    this.at = 0;
    this.played = el("div", { class: "played" });
    this.cursor = el("div", { class: "cursor" });
    this.ghost = el("div", { class: "ghost", hidden: true });
    this.readout = el("output", { class: "readout", hidden: true });
    this.plot = el("div", { class: "plot" });
    this.lanes = el("div", { class: "lanes", "aria-hidden": "true" });
    this.range = el("input", { type: "range", class: "unseen", min: 0, step: 1, "aria-label": t("graph.slider") });
    this.range.addEventListener("input", () => this.seek(Number(this.range.value)));
    this.element = el("div", { class: "graph" }, this.plot, this.lanes, this.range);
    this.element.addEventListener("pointerdown", (event) => this.press(event));
    this.element.addEventListener("pointermove", (event) => this.hover(event));
    this.element.addEventListener("pointerleave", () => this.leave());
    this.redraw();
  }

  /** Draw all again, after the match has grown. */
  redraw() {
    const { reel } = this;
    const series = reel.series;
    const known = series.flat().filter((score) => score !== null);
    const [low, high] = [Math.min(0, ...known), Math.max(1, ...known)];
    const lines = series.map((scores, seat) =>
      svg("path", { class: `track c${seat % 8} d${seat % 6}`, d: stepped(scores, high), "vector-effect": "non-scaling-stroke" }),
    );
    const box = `0 ${0} ${Math.max(1, reel.last)} ${high - low}`;
    const chart = svg("svg", { class: "chart", viewBox: box, preserveAspectRatio: "none", "aria-hidden": "true" });
    if (low < 0) chart.append(svg("path", { class: "zero", d: `M0 ${high}H${reel.last}`, "vector-effect": "non-scaling-stroke" }));
    chart.append(...lines.reverse());
    const axis = [el("span", { class: "most" }, String(high)), el("span", { class: "least" }, String(low))];
    this.plot.replaceChildren(this.played, chart, ...axis, this.cursor, this.ghost, this.readout);
    this.drawMarks();
    this.range.max = String(reel.last);
    this.move(this.at);
  }

  drawMarks() {
    const kinds = KINDS.filter((kind) => this.reel.marks.some((mark) => mark.kind === kind));
    this.lanes.replaceChildren(
      ...kinds.map((kind) => {
        const steps = [...new Set(this.reel.marks.filter((mark) => mark.kind === kind).map((mark) => mark.step))];
        return el("div", { class: "lane" }, steps.map((step) => placed(markIcon(kind), this.part(step))));
      }),
    );
  }

  part(step) {
    return this.reel.last ? (100 * step) / this.reel.last : 0;
  }

  /** Show that this is the step.
   * @param {number} step */
  move(step) {
    this.at = step;
    placed(this.cursor, this.part(step));
    this.played.style.width = `${this.part(step)}%`;
    this.range.value = String(step);
    const { title } = this.reel.moment(step);
    this.range.setAttribute("aria-valuetext", t("graph.value", { step, last: this.reel.last, title }));
  }

  // The pointer

  press(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    this.range.focus({ preventScroll: true });
    this.seek(this.under(event));
  }

  hover(event) {
    const step = this.under(event);
    if (event.buttons & 1 && step !== this.at) this.seek(step);
    const { scores } = this.reel.moment(step);
    const told = this.reel.names.map((name, seat) => `${name} ${scores[seat] ?? "?"}`).join(", ");
    this.readout.textContent = t("graph.step", { step, scores: told });
    this.readout.classList.toggle("right", this.part(step) > 50);
    this.readout.hidden = this.ghost.hidden = false;
    placed(this.ghost, this.part(step));
  }

  leave() {
    this.readout.hidden = this.ghost.hidden = true;
  }

  /** The step under the pointer; a mark nearby draws it. */
  under(event) {
    const box = this.plot.getBoundingClientRect();
    const wide = Math.max(1, box.width);
    const exact = ((event.clientX - box.left) / wide) * this.reel.last;
    const near = this.reel.marks.filter((mark) => (Math.abs(mark.step - exact) * wide) / Math.max(1, this.reel.last) < SNAP);
    near.sort((a, b) => Math.abs(a.step - exact) - Math.abs(b.step - exact));
    const step = near.length && event.type === "pointerdown" ? near[0].step : Math.round(exact);
    return Math.min(this.reel.last, Math.max(0, step));
  }
}

function placed(element, percent) {
  element.style.left = `${percent}%`;
  return element;
}

/** Points hold until they change, so the line goes in steps. */
function stepped(scores, high) {
  let path = "";
  let isOpen = false;
  for (const [step, score] of scores.entries()) {
    if (score !== null) path += isOpen ? `H${step}V${high - score}` : `M${step} ${high - score}`;
    isOpen = score !== null;
  }
  return path;
}
