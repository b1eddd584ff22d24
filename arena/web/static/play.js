// @ts-check
// The page of the tables: choose and sit down, wait in the lobby, play.
import { el } from "./dom.js";
import { ask, follow, remember, remembered } from "./play_link.js";
import { showBranch, showChoice, showLobby, sitDown } from "./play_setup.js";
import { SeatView, titleOf } from "./play_table.js";
import { p } from "./play_words.js";

/** @param {Object<string, any>} boards what draws each game */
export function start(boards) {
  const root = document.getElementById("play");
  const [, table] = /^\/play\/table\/([\w-]+)$/.exec(location.pathname) ?? [];
  if (table) new TablePage(root, boards, table).begin();
  else choose(root).catch((error) => root.replaceChildren(el("p", { class: "problem" }, error.message)));
}

/** A new match, or with `?record=…&step=…` one that plays on from a record. */
async function choose(root) {
  const go = (id) => location.assign(`/play/table/${id}`);
  const words = new URLSearchParams(location.search);
  const [record, offer] = [words.get("record"), await ask("offer")];
  if (record === null) return showChoice(root, offer, go);
  const about = await ask(`records/${encodeURIComponent(record)}`);
  return showBranch(root, offer, { ...about, record, step: Number(words.get("step") ?? 0), seat: Number(words.get("seat") ?? 0) }, go);
}

/** A table, with all chairs that this browser holds. */
class TablePage {
  constructor(root, boards, table) {
    Object.assign(this, { root, boards, table });
    this.kept = remembered(table) ?? { tokens: {} };
    /** @type {Map<number, any>} */
    this.seats = new Map();
    this.lifted = null;
    this.isLost = false;
    this.said = el("p", { class: "unseen", role: "status", "aria-live": "polite" });
    this.body = el("div", { class: "page" });
  }

  async begin() {
    this.root.replaceChildren(this.said, this.body);
    try {
      this.offer = await ask("offer");
      this.lobby = await ask(`tables/${this.table}`);
    } catch (error) {
      this.gone(error.message);
      return;
    }
    this.root.addEventListener("click", (event) => this.clicked(event));
    document.addEventListener("keydown", (event) => this.pressed(event));
    if (Object.keys(this.kept.tokens).length) this.follow();
    else showLobby(this.body, this.lobby, { mine: new Set(), joined: (table, tokens) => this.joined(tokens) });
  }

  joined(tokens) {
    this.kept = { ...this.kept, tokens: { ...this.kept.tokens, ...tokens } };
    remember(this.table, this.kept);
    this.follow();
  }

  follow() {
    const hear = { page: (page) => this.hear(page), lost: () => this.lose(), gone: (text) => this.gone(text) };
    follow(this.table, Object.values(this.kept.tokens), hear);
  }

  gone(text) {
    this.body.replaceChildren(
      el("section", { class: "lobby" }, el("h1", {}, p("table.gone")), el("p", {}, text), el("p", {}, el("a", { href: "/play/" }, p("lobby.new")))),
    );
  }

  lose() {
    this.isLost = true;
    this.render();
  }

  hear(page) {
    this.isLost = false;
    if (page.stage === "lobby" || !page.names) {
      this.lobby = page;
      this.render();
      return;
    }
    const { seat } = page;
    if (!this.seats.has(seat)) this.seats.set(seat, this.view(page));
    const view = this.seats.get(seat);
    const was = view.page?.question?.id;
    view.hear(page);
    this.render();
    if (view === this.shown && page.stage === "asked" && was !== page.question.id) this.say([p("table.asked"), ...page.question.asked].join(" "));
    if (view === this.shown && page.stage === "over") this.say([...this.body.querySelectorAll(".turn h1, .turn h1 + p")].map((one) => one.textContent).join(" "));
  }

  view(page) {
    const bots = this.offer.bots.filter((bot) => bot.games.includes(page.game)).map((bot) => bot.name);
    const around = { bots, render: () => this.render(), again: () => this.again() };
    return new SeatView(this.boards[page.game], this.table, page.seat, this.kept.tokens[page.seat], around);
  }

  say(text) {
    this.said.textContent = text;
  }

  /** The seat whose page is shown; with several people at this screen, none while the curtain is down. */
  get shown() {
    if (this.seats.size < 2) return [...this.seats.values()][0] ?? null;
    const over = [...this.seats.values()].find((view) => ["over", "broken"].includes(view.page.stage));
    return over ?? this.seats.get(this.lifted) ?? null;
  }

  // Drawing

  render() {
    const focus = this.focus();
    this.draw();
    if (focus) this.body.querySelector(focus)?.focus({ preventScroll: true });
  }

  draw() {
    if (!this.seats.size) {
      if (this.lobby) showLobby(this.body, this.lobby, { mine: new Set(Object.keys(this.kept.tokens).map(Number)), joined: (_, tokens) => this.joined(tokens) });
      return;
    }
    const lifted = this.seats.get(this.lifted);
    if (lifted && this.seats.size > 1 && !lifted.isAsked) this.lifted = null;
    const view = this.shown;
    const kept = this.body.querySelector(".story ol");
    const scrolled = kept && kept.scrollHeight - kept.scrollTop - kept.clientHeight > 4 ? kept.scrollTop : null;
    this.body.replaceChildren(
      this.isLost ? el("p", { class: "problem lost", role: "alert" }, p("table.lost")) : "",
      view ? view.draw() : this.curtain(),
      view && ["asked", "sent", "waiting"].includes(view.page.stage) ? this.foot(view) : "",
    );
    document.title = view ? titleOf(view.page) : p("choose.title");
    const story = this.body.querySelector(".story ol");
    if (story) story.scrollTop = scrolled ?? story.scrollHeight;
  }

  /** How to find the focused element again after drawing. */
  focus() {
    const active = document.activeElement;
    if (!(active instanceof Element) || !this.body.contains(active)) return null;
    for (const name of ["data-choice", "data-action", "id"]) {
      const value = active.getAttribute(name);
      if (value !== null) return `[${name}="${CSS.escape(value)}"]`;
    }
    const [name] = active.classList;
    return name ? `${active.tagName.toLowerCase()}.${[...active.classList].map((one) => CSS.escape(one)).join(".")}` : null;
  }

  curtain() {
    const next = [...this.seats.values()].sort((a, b) => a.seat - b.seat).find((view) => view.isAsked);
    if (!next) return el("section", { class: "curtain" }, el("p", { class: "lede" }, p("curtain.wait")));
    const name = next.page.names[next.seat];
    const lift = el("button", { type: "button", class: "primary", id: "lift" }, p("curtain.lift", { name }));
    lift.addEventListener("click", () => {
      this.lifted = next.seat;
      this.render();
      this.body.querySelector(".option")?.focus({ preventScroll: true });
    });
    return el("section", { class: "curtain" }, el("h1", {}, p("curtain.title", { name })), el("p", { class: "lede" }, p("curtain.text", { name })), lift);
  }

  foot(view) {
    const leave = el("button", { type: "button", class: "leave" }, p("act.leave"));
    const stay = el("button", { type: "button" }, p("act.leave.no"));
    const go = el("button", { type: "button", class: "danger" }, p("act.leave.yes"));
    const dialog = el("dialog", { "aria-label": p("act.leave") }, el("p", {}, p("act.leave.ask")), el("p", {}, stay, " ", go));
    leave.addEventListener("click", () => dialog.showModal());
    stay.addEventListener("click", () => dialog.close());
    go.addEventListener("click", () => {
      dialog.close();
      view.leave();
    });
    return el("footer", { class: "foot" }, el("span", { class: "quiet" }, p("act.keys")), leave, dialog);
  }

  // Clicks and keys

  clicked(event) {
    const view = this.shown;
    if (!view?.choice) return;
    const inside = event.target.closest(".board, .center");
    if (!inside) return;
    const hit = event.target.closest("[data-choice]") ?? event.target.closest("[role=group]")?.querySelector(":scope > [data-choice]");
    if (hit) view.act(hit.getAttribute("data-choice"));
  }

  pressed(event) {
    const view = this.shown;
    if (!view?.choice || event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const { target } = event;
    if (target.closest("input, select, textarea")) return;
    if (event.key === "Escape") view.undo();
    else if (event.key === "h") view.askHint();
    else if (/^[1-9]$/.test(event.key)) this.number(view, Number(event.key));
    else if (event.key === "Enter" && !target.closest("button, a, summary, [data-choice]")) view.send(view.choice.action);
    else if ((event.key === "Enter" || event.key === " ") && target.closest("[data-choice]")) this.onPiece(view, target.closest("[data-choice]"), event);
  }

  /** Enter or space on a piece is a click; Enter on the piece that completes the choice sends it. */
  onPiece(view, element, event) {
    event.preventDefault();
    const key = element.getAttribute("data-choice");
    if (event.key === "Enter" && view.choice.action !== null && view.choice.chosen.has(key)) view.send(view.choice.action);
    else view.act(key);
  }

  number(view, number) {
    const action = view.choice.legal[number - 1];
    if (action === undefined) return;
    view.choice.pick(action);
    view.problem = "";
    this.render();
    this.body.querySelector(`[data-action="${CSS.escape(action)}"]`)?.focus({ preventScroll: true });
  }

  async again() {
    const { plan, branch, tokens } = this.kept;
    const [token] = Object.values(tokens);
    if (plan || branch) location.assign(`/play/table/${await sitDown(branch ? { branch } : { plan }, this.table, token)}`);
    else location.assign("/play/");
  }
}
