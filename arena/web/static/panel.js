// @ts-check
// One player's panel: name, points, board, clock, note, faults, stderr.
import { el, svg } from "./dom.js";
import { swatch } from "./graph.js";
import { duration, t } from "./words.js";

const LEAST_BARS = 24; // a chart of fewer would have very wide ones
const UNTIMED = new Set(["forced", "absent"]);

export class Panel {
  /** @param {any} reel
   * @param {number} seat
   * @param {(step: number) => void} go */
  constructor(reel, seat, go) {
    const player = reel.data.players[seat];
    this.reel = reel;
    this.seat = seat;
    this.go = go;
    this.score = el("button", { type: "button", class: "score" });
    this.score.addEventListener("click", () => go(reel.scoreOrigin(this.step, seat)));
    this.badge = el("span", { class: "badge" });
    this.board = el("div", { class: "mat" });
    this.words = el("p", { class: "unseen" });
    this.zones = el("p", { class: "zones" });
    this.bank = el("div", { class: "bank" }, el("div"));
    this.clock = el("p", { class: "time" });
    this.times = el("div", { class: "times" });
    this.note = el("div", { class: "note" });
    this.faults = el("ul", { class: "faults" });
    this.step = 0;
    const about = t("seat.about", { version: player.version, sandbox: player.sandbox });
    const name = el("h3", { title: about }, el("bdi", {}, player.name));
    this.element = el(
      "article",
      { class: `panel c${seat % 8}`, "data-seat": seat, "aria-label": t("view.seat", { seat, name: player.name }) },
      el("header", {}, swatch(seat), el("span", { class: "number", title: t("seat", { seat }) }, String(seat)), name, this.badge, this.score),
      this.board,
      this.words,
      this.zones,
      el("div", { class: "clockwork" }, this.clock, this.bank, this.times),
      this.note,
      this.faults,
      stderr(reel.data.stderr[seat]),
    );
    this.element.addEventListener("click", (event) => {
      const link = event.target.closest("[data-go]");
      if (link) go(Number(link.dataset.go));
    });
  }

  /** Show a moment.
   * @param {any} moment
   * @param {Element | null} board
   * @param {string} words */
  show(moment, board, words) {
    this.step = moment.step;
    this.board.replaceChildren(...(board ? [board] : []));
    this.words.textContent = words;
    this.showPoints(moment);
    this.showClock(moment.step);
    this.showNote(moment.step);
    this.showFaults(moment.step);
    this.element.classList.toggle("acting", moment.decisions.some((decision) => decision.seat === this.seat));
    this.element.classList.toggle("out", moment.out.includes(this.seat));
  }

  showPoints(moment) {
    const { seat, reel } = this;
    const score = moment.scores[seat];
    this.score.textContent = score === null ? "?" : String(score);
    const label = score === null ? "seat.points.unknown" : "seat.points.label";
    this.score.setAttribute("aria-label", t(label, { name: reel.names[seat], count: score }));
    const isEnd = moment.step === reel.last && reel.data.void === null;
    const leads = moment.leaders.includes(seat) && moment.leaders.length < reel.seats;
    const badge = moment.out.includes(seat) ? "out" : leads ? (isEnd ? "wins" : "leads") : "";
    this.badge.className = `badge ${badge}`;
    this.badge.textContent = badge ? t(`seat.${badge}`) : moment.ranks[seat] ? t("seat.rank", { rank: moment.ranks[seat] }) : "";
    const zones = Object.entries(moment.breakdown[seat]).filter(([, count]) => count !== 0);
    this.zones.replaceChildren(...(zones.length ? zones.map(([zone, count]) => this.chip(zone, count)) : [t("seat.zone.none")]));
  }

  chip(zone, count) {
    const label = t("seat.zone", { zone, count: count ?? "?" });
    const points = el("b", {}, count === null ? "?" : String(count));
    return el("button", { type: "button", class: "won", "data-zone": `${this.seat}/${zone}`, "aria-label": label }, zone, " ", points);
  }

  // Time

  showClock(step) {
    const { bank_ms: bank, increment_ms: increment } = this.reel.data.players[this.seat];
    const made = this.reel.decisionsOf(this.seat).filter((one) => one.step <= step && one.decision.used_us !== undefined);
    const last = made[made.length - 1];
    const timed = made.filter((one) => !UNTIMED.has(one.decision.status)).pop();
    const left = last ? last.decision.bank_ms : bank;
    const parts = [
      timed ? t(timed.step === step ? "seat.time" : "seat.time.last", { used: duration(timed.decision.used_us) }) : t("seat.time.none"),
      bank ? t("seat.bank", { left: duration(left * 1000), bank: duration(bank * 1000) }) : t("seat.bank.none", { increment: duration(increment * 1000) }),
    ];
    const cpu = this.reel.data.cpu_us[this.seat];
    if (step === this.reel.last && cpu) parts.push(t("seat.cpu", { cpu: duration(cpu) }));
    this.clock.textContent = parts.join(" · ");
    this.bank.firstElementChild.style.width = `${bank ? (100 * left) / bank : 0}%`;
    this.bank.hidden = !bank;
    this.showTimes(step);
  }

  showTimes(step) {
    const timed = this.reel.decisionsOf(this.seat).filter((one) => one.decision.used_us !== undefined && !UNTIMED.has(one.decision.status));
    this.times.hidden = timed.length < 2;
    if (this.times.hidden) return;
    const longest = timed.reduce((a, b) => (b.decision.used_us > a.decision.used_us ? b : a));
    const most = Math.sqrt(Math.max(1, longest.decision.used_us));
    const bars = (some) => some.map(({ at, decision }) => `M${at + 0.5} 20V${(20 - 1 - (18 * Math.sqrt(decision.used_us)) / most).toFixed(1)}`).join("");
    const wide = Math.max(LEAST_BARS, timed.length);
    const all = timed.map((one, at) => ({ ...one, at }));
    const chart = svg(
      "svg",
      { viewBox: `0 0 ${wide} 20`, preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("path", { class: "later", d: bars(all.filter((one) => one.step > step)) }),
      svg("path", { d: bars(all.filter((one) => one.step < step)) }),
      svg("path", { class: "current", d: bars(all.filter((one) => one.step === step)) }),
    );
    for (const path of chart.children) path.setAttribute("stroke-width", "0.7");
    chart.addEventListener("click", (event) => {
      const box = chart.getBoundingClientRect();
      const at = Math.floor(((event.clientX - box.left) / box.width) * wide);
      this.go(timed[Math.min(timed.length - 1, Math.max(0, at))].step);
    });
    const used = duration(longest.decision.used_us);
    const label = t("seat.times", { longest: used });
    this.times.replaceChildren(chart, el("button", { type: "button", class: "words", "data-go": longest.step, "aria-label": label, title: label }, used));
  }

  // Words

  showNote(step) {
    const noted = this.reel.decisionsOf(this.seat).filter((one) => one.step <= step && one.decision.note);
    const last = noted[noted.length - 1];
    this.note.hidden = !last;
    if (!last) return;
    const isNow = last.step === step;
    const title = isNow ? t("seat.note") : t("seat.note.step", { step: last.step });
    this.note.classList.toggle("old", !isNow);
    this.note.replaceChildren(el("button", { type: "button", class: "words", "data-go": last.step }, title), el("blockquote", {}, el("bdi", {}, last.decision.note)));
  }

  showFaults(step) {
    const found = this.reel.faultsOf(this.seat).filter((one) => one.step <= step);
    this.faults.hidden = !found.length;
    this.faults.replaceChildren(
      ...found.map(({ step: at, fault }) => {
        const text = t(fault.out ? "seat.fault.out" : "seat.fault", { step: at, kind: fault.kind, text: fault.text });
        return el("li", {}, el("button", { type: "button", class: "words", "data-go": at }, text));
      }),
    );
  }
}

function stderr(text) {
  if (!text) return null;
  return el("details", { class: "stderr" }, el("summary", {}, t("seat.stderr")), el("pre", { tabindex: 0 }, text));
}
