// @ts-check
// The player: a place in a reel, and everything that shows it or moves it.
import { copy } from "./clipboard.js";
import { el, svg } from "./dom.js";
import { Graph, markIcon, markText, swatch } from "./graph.js";
import { bindKeys, helpDialog } from "./keys.js";
import { MoveList, manner, movesText } from "./moves.js";
import { Panel } from "./panel.js";
import { listed, t } from "./words.js";

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];
const STEP_MS = 1000; // how long a step is shown at speed 1
const ICONS = {
  first: "M4 4V16M16 4L7 10 16 16Z",
  back: "M13 4L5 10 13 16Z",
  play: "M6 3L17 10 6 17Z",
  pause: "M6 4V16M13 4V16",
  next: "M7 4L15 10 7 16Z",
  last: "M16 4V16M4 4L13 10 4 16Z",
  link: "M8 12L12 8M7 9L5 11A3 3 0 0 0 9 15L11 13M9 7L11 5A3 3 0 0 1 15 9L13 11",
};

/** @typedef {import("./reel.js").Viewer} Viewer */

export class Player {
  /**
   * Fill an element with the player of a reel.
   * @param {HTMLElement} root
   * @param {any} reel
   * @param {any} board the module that draws this game
   * @param {{step?: number, viewer?: Viewer, moved?: (player: Player, isJump: boolean) => void, extras?: Element[]}} [options]
   *   `moved` is called after each change of step or view; `extras` are further controls.
   */
  constructor(root, reel, board, options = {}) {
    this.root = root;
    this.reel = reel;
    this.board = board;
    this.moved = options.moved ?? (() => {});
    this.step = clamp(options.step ?? 0, reel.last);
    /** @type {Viewer} */
    this.viewer = reel.viewers.includes(options.viewer ?? null) ? options.viewer ?? null : reel.viewers[0];
    this.speed = 1;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.build(options.extras ?? []);
    this.unbind = bindKeys(this);
    this.show();
  }

  get isPlaying() {
    return this.timer !== undefined;
  }

  // Moves. All that people do goes through these.

  /** Go to a step at once.
   * @param {number} step */
  go(step) {
    this.pause();
    this.place(step, true);
  }

  /** So many steps on or back.
   * @param {number} by */
  walk(by) {
    this.pause();
    this.place(clamp(this.step + by, this.reel.last), false);
  }

  /** Go where the pointer is on the graph.
   * @param {number} step */
  scrub(step) {
    this.pause();
    this.place(step, false);
  }

  place(step, isJump) {
    if (step === this.step) return;
    this.step = clamp(step, this.reel.last);
    this.show();
    this.moved(this, isJump);
  }

  /** See it with other eyes.
   * @param {Viewer} viewer */
  look(viewer) {
    if (!this.reel.viewers.includes(viewer) || viewer === this.viewer) return;
    this.viewer = viewer;
    this.show();
    this.say(t("say.view", { view: this.viewName(viewer) }));
    this.moved(this, true);
  }

  lookOn() {
    const all = this.reel.viewers;
    this.look(all[(all.indexOf(this.viewer) + 1) % all.length]);
  }

  /** To the next mark of a kind, or of any; with -1 to the one before.
   * @param {string | null} kind
   * @param {number} by */
  seek(kind, by) {
    const steps = this.reel.marks.filter((mark) => kind === null || mark.kind === kind).map((mark) => mark.step);
    const found = by > 0 ? steps.find((step) => step > this.step) : steps.reverse().find((step) => step < this.step);
    if (found === undefined) this.say(t(`say.no.${kind ?? "mark"}`));
    else this.go(found);
  }

  // Time

  toggle() {
    if (this.isPlaying) {
      this.pause();
      this.say(t("say.pause", { step: this.step }));
    } else {
      this.play();
    }
  }

  play() {
    if (this.step === this.reel.last) this.place(0, false);
    this.say(t("say.play"));
    this.tick();
    this.showButton();
  }

  tick() {
    this.timer = window.setTimeout(() => {
      if (this.step < this.reel.last) this.place(this.step + 1, false);
      if (this.step < this.reel.last) this.tick();
      else this.pause();
    }, STEP_MS / this.speed);
  }

  pause() {
    window.clearTimeout(this.timer);
    this.timer = undefined;
    this.showButton();
  }

  /** @param {number} speed one of SPEEDS */
  setSpeed(speed) {
    this.speed = speed;
    this.speedBox.value = String(speed);
    if (!this.isPlaying) return;
    window.clearTimeout(this.timer);
    this.tick();
  }

  faster(by) {
    this.setSpeed(SPEEDS[clamp(SPEEDS.indexOf(this.speed) + by, SPEEDS.length - 1)]);
    this.say(t("control.speed.value", { speed: this.speed }));
  }

  /** The match has grown: show what is new, and go on at the end if this was there. */
  extended() {
    const wasLast = this.step === this.moves.rows.length - 1;
    this.graph.redraw();
    this.moves.grow();
    this.showMarks();
    this.stepBox.max = String(this.reel.last);
    this.ofBox.textContent = t("control.of", { last: this.reel.last });
    if (wasLast) this.place(this.reel.last, false);
  }

  // Building

  build(extras) {
    const { reel } = this;
    this.graph = new Graph(reel, (step) => this.scrub(step));
    this.moves = new MoveList(reel, (step) => this.go(step));
    this.panels = reel.names.map((_, seat) => new Panel(reel, seat, (step) => this.go(step)));
    this.middle = el("div", { class: "centre" });
    this.now = el("section", { class: "now", "aria-label": t("now") });
    this.live = el("p", { class: "unseen", role: "status", "aria-live": "polite" });
    this.toast = el("p", { class: "toast", hidden: true, "aria-hidden": "true" });
    this.marks = el("details", { class: "highlights" });
    this.dialog = helpDialog();
    const seats = el("div", { class: "seats" }, this.panels.map((panel) => panel.element));
    const copyMoves = button("words", t("moves.copy"), () => copy(movesText(reel), (text) => this.tell(text)));
    const moves = el("section", { class: "moves", "aria-labelledby": "moves-title" }, el("header", {}, el("h2", { id: "moves-title" }, t("moves")), copyMoves), this.moves.element);
    const table = el("section", { class: "tabletop", "aria-label": t("table"), "data-game": reel.data.game }, this.middle, seats);
    table.addEventListener("click", (event) => this.click(event));
    table.addEventListener("keydown", (event) => this.press(event));
    const side = el("div", { class: "side" }, this.now, this.marks, moves);
    const deck = el("div", { class: "console" }, this.controls(extras), this.scoreboard(), this.graph.element);
    // What is beside the table stays below the controls, which are as high as their lines.
    new ResizeObserver(() => this.root.style.setProperty("--console", `${deck.offsetHeight + 12}px`)).observe(deck);
    const main = el("main", {}, deck, el("div", { class: "stage" }, table, side));
    this.showMarks();
    this.root.replaceChildren(el("div", { class: "replay", "data-seats": reel.seats }, heading(this), main, footer(reel), this.live, this.toast, this.dialog));
  }

  controls(extras) {
    const { reel } = this;
    const icon = (name, act) => button("icon", picture(name), act, t(`control.${name}`));
    this.playButton = icon("play", () => this.toggle());
    const last = String(reel.last);
    this.stepBox = el("input", { type: "number", min: 0, max: last, inputmode: "numeric", required: true });
    this.stepBox.addEventListener("change", () => this.typed());
    this.ofBox = el("span", {}, t("control.of", { last }));
    this.speedBox = el("select", {}, SPEEDS.map((speed) => el("option", { value: speed, selected: speed === 1 }, t("control.speed.value", { speed }))));
    this.speedBox.addEventListener("change", () => this.setSpeed(Number(this.speedBox.value)));
    this.viewBox = el("select", {}, reel.viewers.map((viewer, at) => el("option", { value: at }, this.viewName(viewer))));
    this.viewBox.addEventListener("change", () => this.look(reel.viewers[Number(this.viewBox.value)]));
    return el(
      "div",
      { class: "controls", role: "group", "aria-label": t("controls") },
      el(
        "div",
        { class: "keys" },
        icon("first", () => this.go(0)),
        icon("back", () => this.walk(-1)),
        this.playButton,
        icon("next", () => this.walk(1)),
        icon("last", () => this.go(this.reel.last)),
      ),
      el("label", { class: "step" }, t("control.step"), " ", this.stepBox, " ", this.ofBox),
      el("label", {}, el("span", {}, t("control.speed")), " ", this.speedBox),
      el("label", { class: "view" }, el("span", {}, t("control.view")), " ", this.viewBox),
      el(
        "div",
        { class: "extras" },
        icon("link", () => this.copyLink()),
        button("icon", "?", () => this.help(), t("control.help")),
        extras,
      ),
    );
  }

  scoreboard() {
    this.points = this.reel.names.map(() => el("b", {}));
    const rows = this.reel.names.map((name, seat) => el("li", { class: `c${seat % 8}` }, swatch(seat), el("bdi", {}, name), " ", this.points[seat]));
    return el("ul", { class: "scoreboard", "aria-hidden": "true" }, rows);
  }

  viewName(viewer) {
    if (viewer === null) return t("view.spectator");
    return viewer === "all" ? t("view.all") : t("view.seat", { seat: viewer, name: this.reel.names[viewer] });
  }

  // Showing

  show() {
    const focus = this.focused();
    const moment = this.reel.moment(this.step);
    const view = this.reel.view(this.step, this.viewer);
    const drawn = this.board.draw(view, this.context(moment));
    const words = this.board.describe(view);
    this.middle.replaceChildren(...(drawn.middle ? [drawn.middle] : []));
    for (const [seat, panel] of this.panels.entries()) panel.show(moment, drawn.seats[seat] ?? null, words[seat] ?? "");
    for (const [seat, points] of this.points.entries()) points.textContent = String(moment.scores[seat] ?? "?");
    this.graph.move(this.step);
    this.moves.move(this.step);
    this.showNow(moment);
    this.stepBox.value = String(this.step);
    this.viewBox.value = String(this.reel.viewers.indexOf(this.viewer));
    this.refocus(focus);
    if (!this.isPlaying || this.speed <= 1) this.narrate(moment);
  }

  context(moment) {
    return {
      names: this.reel.names,
      viewer: this.viewer,
      scores: moment.scores,
      ranks: moment.ranks,
      breakdown: moment.breakdown,
      out: moment.out,
      fresh: this.reel.fresh(this.board, this.step, this.viewer),
      choices: null,
      chosen: new Set(),
      drawing: this.reel.drawing(this.step, this.viewer),
    };
  }

  showNow(moment) {
    const eyes = typeof this.viewer === "number" ? t("view.now.seat", { seat: this.viewer }) : t(`view.now.${this.viewer ?? "spectator"}`);
    const first = this.reel.data.parent ? t("now.goes.on") : t("now.begin");
    const said = moment.step === 0 && !moment.said.length ? [first] : moment.said;
    this.now.replaceChildren(
      el("p", { class: "moment" }, moment.title),
      el("p", { class: "eyes" }, eyes),
      el("ul", { class: "sentences" }, said.map((text) => el("li", {}, el("bdi", {}, text)))),
      el("ul", { class: "decisions" }, moment.decisions.map((decision) => this.decision(decision))),
      el("ul", { class: "faults" }, moment.faults.filter((fault) => fault.out || !isTold(fault, moment)).map((fault) => this.fault(fault))),
    );
  }

  decision(decision) {
    const isBad = decision.status && decision.status !== "forced";
    const words = [manner(decision), decision.answer !== undefined ? t("now.answered", { answer: decision.answer }) : "", decision.reason ?? ""];
    return el(
      "li",
      { class: isBad ? "bad" : undefined },
      el("span", { class: `who c${decision.seat % 8}` }, el("bdi", {}, this.reel.names[decision.seat])),
      " ",
      el("code", {}, el("bdi", {}, decision.action ?? t("now.hidden"))),
      " ",
      el("span", { class: "how" }, el("bdi", {}, words.filter(Boolean).join(", "))),
    );
  }

  fault(fault) {
    const who = fault.seat === null ? t("now.arena") : this.reel.names[fault.seat];
    const out = fault.out ? `${t("fault.out")}, ` : "";
    return el("li", { class: "bad" }, el("bdi", {}, `${who}: ${out}${fault.kind}: ${fault.text}`));
  }

  showMarks() {
    const { reel } = this;
    const rows = reel.marks.map((mark) =>
      el("li", {}, button("words", [markIcon(mark.kind), el("span", { class: "number" }, String(mark.step)), el("bdi", {}, markText(reel, mark))], () => this.go(mark.step))),
    );
    const skip = (name, by) => button("icon", picture(by > 0 ? "next" : "back"), () => this.seek(null, by), t(`marks.${name}`));
    const list = rows.length ? [el("div", { class: "skip" }, skip("back", -1), skip("next", 1)), el("ul", {}, rows)] : [el("p", {}, t("marks.none"))];
    this.marks.replaceChildren(el("summary", {}, `${t("marks")} (${rows.length})`), ...list);
  }

  showButton() {
    const name = this.isPlaying ? "pause" : "play";
    this.playButton.replaceChildren(picture(name));
    this.playButton.setAttribute("aria-label", t(`control.${name}`));
    this.playButton.title = t(`control.${name}`);
  }

  // What is clicked

  click(event) {
    const element = event.target.closest("[data-piece], [data-zone]");
    if (element) this.follow(element);
  }

  press(event) {
    if (event.key !== "Enter" && event.key !== " ") return;
    const element = event.target.closest("[data-piece], [data-zone]");
    if (!element || element.tagName === "BUTTON") return;
    event.preventDefault();
    this.follow(element);
  }

  follow(element) {
    const { piece, zone } = element.dataset;
    if (piece !== undefined) {
      this.go(this.reel.origin(this.board, this.step, this.viewer, piece));
    } else {
      const at = zone.indexOf("/");
      this.go(this.reel.zoneOrigin(this.step, Number(zone.slice(0, at)), zone.slice(at + 1)));
    }
  }

  typed() {
    const text = this.stepBox.value.trim();
    const step = Number(text);
    if (text !== "" && Number.isInteger(step) && step >= 0 && step <= this.reel.last) this.go(step);
    else this.tell(t("say.no.step", { step: text, last: this.reel.last }));
    this.stepBox.value = String(this.step);
  }

  ask() {
    this.stepBox.focus();
    this.stepBox.select();
  }

  copyLink() {
    const hash = new URLSearchParams({ step: String(this.step), ...(this.viewer === null ? {} : { seat: String(this.viewer) }) });
    copy(`${location.href.split("#")[0]}#${hash}`, (text) => this.tell(text));
  }

  help() {
    this.pause();
    this.dialog.showModal();
  }

  /** The key of the piece that has the focus: it is drawn again in each step. */
  focused() {
    const element = this.root.contains(document.activeElement) ? document.activeElement?.closest("[data-piece], [data-zone], [data-go]") : null;
    if (!element) return null;
    const name = ["data-piece", "data-zone", "data-go"].find((one) => element.hasAttribute(one)) ?? "";
    const panel = element.closest("[data-seat]");
    return { name, key: element.getAttribute(name) ?? "", panel: panel?.getAttribute("data-seat") };
  }

  refocus(focus) {
    if (!focus || (document.activeElement && document.activeElement !== document.body)) return;
    const same = this.root.querySelector(`.tabletop [${focus.name}="${CSS.escape(focus.key)}"]`);
    const next = same ?? (focus.panel ? this.panels[Number(focus.panel)].score : this.playButton);
    next.focus({ preventScroll: true });
  }

  // Words

  narrate(moment) {
    const faults = moment.faults.map((fault) => `${fault.kind}: ${fault.text}`);
    this.say([t("say.step", { step: moment.step, last: this.reel.last, title: moment.title }), ...moment.said, ...faults].join(" "));
  }

  /** For screen readers. */
  say(text) {
    this.live.textContent = text;
  }

  /** For everybody. */
  tell(text) {
    this.say(text);
    this.toast.textContent = text;
    this.toast.hidden = false;
    window.clearTimeout(this.toastTimer);
    this.toastTimer = window.setTimeout(() => (this.toast.hidden = true), 3000);
  }
}

/** Whether a decision of the same step already says why. */
function isTold(fault, moment) {
  return moment.decisions.some((decision) => decision.seat === fault.seat && decision.reason === fault.text);
}

function clamp(value, most) {
  return Math.min(most, Math.max(0, value));
}

/** @param {string} className
 * @param {any} content
 * @param {(event: Event) => void} act
 * @param {string} [label] */
function button(className, content, act, label) {
  const made = el("button", { type: "button", class: className, "aria-label": label, title: label }, content);
  made.addEventListener("click", act);
  return made;
}

function picture(name) {
  return svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true", class: name }, svg("path", { d: ICONS[name] }));
}

// The head and foot of the page

function heading(player) {
  const { reel } = player;
  const { game, edition, options, seed, complaint, void: why, only, parent } = reel.data;
  const named = t(`game.${game}`);
  const facts = [named.startsWith("game.") ? game : named, t("page.edition", { edition }), ...Object.entries(options).map(([key, value]) => `${key}=${value}`)];
  const badge = seed === null ? null : button("seed", [t("seed.label"), " ", el("b", {}, seed)], () => copy(seed, (text) => player.tell(text)), t("seed.copy", { seed }));
  const names = reel.names.map((name, seat) => [seat ? el("span", { class: "quiet" }, " · ") : null, el("bdi", {}, name)]);
  const cards = parent && (parent.cards === "open" ? t("page.cards.open") : t("page.cards.drawn", { seat: parent.cards }));
  const origin = parent ? el("p", { class: "quiet" }, `${t("page.from", parent)}, ${cards}.`) : null;
  return el(
    "header",
    { class: "masthead" },
    el("div", { class: "about" }, el("p", { class: "kicker" }, facts.join(", ")), badge),
    el("div", { class: "named" }, el("h1", {}, names), el("p", { class: "lede" }, result(reel))),
    origin,
    complaint ? el("p", { class: "alarm", role: "alert" }, el("b", {}, t("page.complaint")), " ", el("bdi", {}, complaint)) : null,
    why !== null ? el("p", { class: "alarm", role: "alert" }, el("b", {}, t("page.void")), " ", el("bdi", {}, why)) : null,
    only !== null ? el("p", { class: "only" }, t("page.only", { seat: only, name: reel.names[only] })) : null,
  );
}

function result(reel) {
  const steps = t("page.steps", { count: reel.last });
  const { scores, ranks } = reel.moment(reel.last);
  const winners = reel.names.filter((_, seat) => ranks[seat] === 1);
  if (reel.data.void !== null || !winners.length) return `${steps}.`;
  const score = scores[ranks.indexOf(1)];
  const key = winners.length === reel.seats ? "page.level" : winners.length > 1 ? "page.wins.several" : "page.wins";
  return `${t(key, { names: listed(winners), score })} ${steps}.`;
}

function footer(reel) {
  return el("footer", {}, t("page.footer", { arena: reel.data.arena, match: reel.data.match }));
}
