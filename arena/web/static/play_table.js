// @ts-check
// The table during a match: one seat's page, drawn again whenever something has changed.
import { el } from "./dom.js";
import { Choice } from "./play_choice.js";
import { ask } from "./play_link.js";
import { swatch, title } from "./play_setup.js";
import { p } from "./play_words.js";
import { listed } from "./words.js";

const RULE = /\b([A-Z]-\d{2,3})\b/;

/** A text in which the ids of rules lead to the rules.
 * @param {string} text
 * @param {string} game */
export function withRules(text, game) {
  return text.split(RULE).map((part, at) => (at % 2 ? el("a", { href: `/rules/${game}#${part}`, target: "_blank", rel: "noopener" }, part) : part));
}

/** One seat at this screen. */
export class SeatView {
  /** @param {any} board
   * @param {string} table
   * @param {number} seat
   * @param {string} token
   * @param {{bots: string[], render: () => void, again: () => void}} around */
  constructor(board, table, seat, token, around) {
    Object.assign(this, { board, table, seat, token, around });
    this.page = null;
    this.choice = null;
    this.problem = "";
    this.hint = null;
    this.isBusy = false;
    this.before = new Map();
    this.fresh = new Set();
    this.adviser = around.bots[0] ?? null;
  }

  get isAsked() {
    return this.page?.stage === "asked";
  }

  /** A new page from the server. @param {any} page */
  hear(page) {
    const before = this.page;
    this.page = page;
    const { question, view } = page;
    if (view) this.compare(view, before);
    if (page.stage !== "asked") this.choice = null;
    else if (before?.stage !== "asked" || before.question.id !== question.id) {
      const legal = question.choices.map((one) => one.action);
      const open = this.board.choices(view, legal, this.seat);
      this.choice = new Choice(legal, question.attempts, open, this.board.choices(view, question.attempts, this.seat));
      this.problem = "";
      this.hint = null;
    }
  }

  /** What is new on the table since the last decision. */
  compare(view, before) {
    const now = this.board.pieces(view);
    if (before?.stage === "asked" || before?.stage === "sent") this.before = this.board.pieces(before.view);
    else if (!before?.view) this.before = now;
    this.fresh = new Set([...now].filter(([key, value]) => this.before.get(key) !== value).map(([key]) => key));
  }

  // What the person does

  async act(key) {
    const refused = this.choice.click(key);
    this.problem = "";
    this.around.render();
    if (refused !== null) await this.send(refused);
  }

  pick(action) {
    if (this.choice.picked === action) return this.send(action);
    this.choice.pick(action);
    this.problem = "";
    return this.around.render();
  }

  undo() {
    this.choice?.undo();
    this.problem = "";
    this.around.render();
  }

  /** Send an action; if it is refused, the reason is shown. */
  async send(action) {
    if (this.isBusy || action === null) return;
    this.isBusy = true;
    try {
      const { refused } = await ask(`tables/${this.table}/answer`, { question: this.page.question.id, action }, this.token);
      if (refused) this.problem = refused;
    } catch (error) {
      this.problem = error.message;
    }
    this.isBusy = false;
    this.around.render();
  }

  async askHint() {
    if (!this.isAsked || this.hint?.isThinking || !this.adviser) return;
    const { id } = this.page.question;
    const bot = this.adviser;
    this.hint = { bot, isThinking: true };
    this.around.render();
    const found = await ask(`tables/${this.table}/hint`, { question: id, bot }, this.token).catch((error) => ({ problem: error.message }));
    if (this.isAsked && this.page.question.id === id) this.hint = { bot, ...found };
    this.around.render();
  }

  leave() {
    return ask(`tables/${this.table}/leave`, {}, this.token).catch(() => undefined);
  }

  // What it looks like

  draw() {
    const { page } = this;
    const drawn = page.view ? this.board.draw(page.view, this.context()) : { middle: null, seats: [] };
    for (const element of drawn.seats) this.close(element);
    if (drawn.middle) this.close(drawn.middle);
    const others = drawn.seats.map((_, seat) => seat).filter((seat) => seat !== this.seat);
    const seats = drawn.seats.length;
    const order = others.sort((a, b) => ((a - this.seat + seats) % seats) - ((b - this.seat + seats) % seats));
    const own = el(
      "div",
      { class: "own" },
      this.headline(),
      drawn.middle ? el("section", { class: "center", "aria-label": p("side.middle") }, drawn.middle) : null,
      drawn.seats.length ? this.panel(this.seat, drawn.seats[this.seat]) : null,
    );
    const rivals = order.length
      ? el("section", { class: "rivals", "aria-label": p("side.others") }, order.map((seat) => this.panel(seat, drawn.seats[seat])))
      : null;
    const acts = this.choice ? el("div", { class: "acts" }, this.actions()) : null;
    return el(
      "div",
      { class: `sitting stage-${page.stage}` },
      el("div", { class: "half" }, own, this.story()),
      el("div", { class: "half" }, acts, el("div", { class: "side" }, rivals, this.rules())),
    );
  }

  context() {
    const { page, choice } = this;
    const keys = choice ? [...choice.clickable].filter(([key]) => choice.leadsOn(key) || choice.tried.has(key)) : [];
    return {
      names: page.names.map((name, seat) => (seat === this.seat ? p("table.you") : name)),
      viewer: this.seat,
      scores: page.scores,
      ranks: page.ranks,
      breakdown: page.breakdown,
      out: page.out,
      fresh: this.fresh,
      choices: choice ? new Map(keys) : null,
      chosen: choice ? choice.chosen : new Set(),
      drawing: page.drawing,
    };
  }

  /** What is only explained when it is clicked looks and sounds closed. */
  close(root) {
    if (!this.choice) return;
    for (const element of [root, ...root.querySelectorAll("[data-choice]")]) {
      const key = element.dataset?.choice;
      if (key === undefined || this.choice.leadsOn(key)) continue;
      element.classList.remove("open");
      element.classList.add("closed");
      for (const place of element.closest("[role=group]")?.querySelectorAll(":scope > .target") ?? []) place.classList.remove("target");
      element.setAttribute("aria-label", p("act.closed", { label: element.getAttribute("aria-label") ?? key }));
    }
  }

  headline() {
    const { page } = this;
    const { question } = page;
    if (page.stage === "asked") return this.head(p("table.asked"), question.asked);
    if (page.stage === "sent") return this.head(p("table.sent", { action: this.meaningOf(page.sent) }), []);
    if (page.stage === "over") return this.result();
    if (page.stage === "broken") return this.head(p("table.broken"), [page.trouble]);
    if (page.stage === "left") return this.head(p("table.left"), []);
    return this.head(p(page.view ? "table.waiting" : "table.starting"), []);
  }

  head(words, lines) {
    return el("header", { class: "turn" }, el("h1", {}, words), lines.map((line) => el("p", {}, withRules(line, this.page.game))));
  }

  meaningOf(action) {
    const found = this.page.question?.choices.find((one) => one.action === action);
    return found?.meaning.length ? found.meaning[0].split(":")[0] : action;
  }

  panel(seat, board) {
    const { page } = this;
    const end = page.end ?? page;
    const name = page.names[seat];
    const rank = page.out.includes(seat) ? p("side.out") : p("side.rank", { rank: end.ranks[seat] });
    return el(
      "article",
      { class: `panel who${seat % 8}${seat === this.seat ? " yours" : ""}`, "aria-label": seat === this.seat ? p("side.own") : name },
      el(
        "header",
        {},
        swatch(seat),
        el("h2", {}, el("bdi", {}, name), seat === this.seat ? el("span", { class: "quiet" }, ` (${p("table.you")})`) : null),
        el("span", { class: "rank quiet" }, rank),
        el("b", { class: "score" }, p("side.points", { count: end.scores[seat] })),
      ),
      el("div", { class: "board" }, board),
    );
  }

  // The choices

  actions() {
    const { choice, page } = this;
    const left = new Set(choice.left);
    const narrowed = choice.keys.length > 0 && left.size > 1;
    const shown = page.question.choices.map((one, at) => ({ ...one, number: at + 1 })).filter((one) => left.has(one.action));
    const groups = [...new Set(shown.map((one) => one.heading))];
    return el(
      "section",
      { class: "choices", "aria-labelledby": "choices", "data-question": page.question.id },
      el("h2", { id: "choices" }, p("act.title")),
      el("p", { class: "quiet" }, narrowed ? p("act.left", { count: left.size }) : p("act.how")),
      this.hintBox(),
      groups.map((heading) => [
        heading ? el("h3", {}, heading) : null,
        el("div", { class: heading ? "list brief" : "list" }, shown.filter((one) => one.heading === heading).map((one) => this.option(one))),
      ]),
      this.bar(),
    );
  }

  option(one) {
    const isOn = this.choice.action === one.action;
    const isHint = this.hint?.action === one.action;
    const [first, ...rest] = (one.short ?? one.meaning).flatMap((text, at) => (at ? [text] : text.split(/(?<=^[^:]+): /)));
    const made = el(
      "button",
      { type: "button", class: `option${isOn ? " on" : ""}${isHint ? " hinted" : ""}`, "data-action": one.action, "aria-pressed": `${isOn}`, title: one.meaning.join(", ") },
      one.number <= 9 ? el("kbd", { "aria-hidden": "true" }, String(one.number)) : null,
      el("span", { class: "meaning" }, el("b", {}, first ?? one.action), rest.length ? el("span", { class: "quiet" }, rest.join(", ")) : null),
      first && !one.short ? el("code", {}, one.action) : null,
    );
    made.addEventListener("click", () => this.pick(one.action));
    return made;
  }

  /** What is chosen, and the buttons that send or undo it. */
  bar() {
    const { action, isEmpty } = this.choice;
    const send = el("button", { type: "button", class: "primary send", disabled: action === null }, p("act.send"));
    send.addEventListener("click", () => this.send(action));
    const undo = el("button", { type: "button", class: "undo", disabled: isEmpty }, p("act.undo"));
    undo.addEventListener("click", () => this.undo());
    const words = action === null ? p("act.none") : [`${p("act.chosen")} `, el("b", {}, this.meaningOf(action)), " ", el("code", {}, action)];
    const refused = this.problem ? [el("b", {}, p("act.refused"), " "), withRules(this.problem, this.page.game)] : null;
    return el("div", { class: "sendbar" }, el("p", { class: "problem", role: "alert" }, refused), el("p", { role: "status" }, words), undo, send);
  }

  hintBox() {
    const { bots } = this.around;
    if (!bots.length) return null;
    const button = el("button", { type: "button", class: "hint", disabled: Boolean(this.hint?.isThinking) }, p("act.hint"));
    button.addEventListener("click", () => this.askHint());
    const select = el("select", { class: "adviser", "aria-label": p("act.hint.bot") }, bots.map((bot) => el("option", { value: bot, selected: bot === this.adviser }, bot)));
    select.addEventListener("change", () => {
      this.adviser = select.value;
    });
    return el("div", { class: "hints" }, button, bots.length > 1 ? select : null, el("p", { role: "status" }, this.hint ? this.hintWords() : null));
  }

  hintWords() {
    const { bot, isThinking, problem, action, note } = this.hint;
    if (isThinking) return p("act.hint.thinking", { bot });
    if (problem) return problem;
    const take = el("button", { type: "button" }, p("act.hint.take"));
    take.addEventListener("click", () => {
      this.choice?.pick(action);
      this.around.render();
    });
    const said = note ? [": ", el("q", {}, el("bdi", {}, note))] : null;
    return [`${p("act.hint.text", { bot })} `, el("b", {}, this.meaningOf(action)), " ", el("code", {}, action), said, " ", take];
  }

  // Beside the board

  story() {
    const { story, fresh } = this.page;
    if (!story) return null;
    const line = (one, at) =>
      el("li", { class: at >= story.length - fresh ? "news" : "old" }, one.label ? el("span", { class: "label" }, one.label) : null, " ", el("span", {}, one.text));
    return el(
      "section",
      { class: "story" },
      el("h2", { id: "story" }, p("side.story")),
      el("ol", { tabindex: 0, "aria-labelledby": "story" }, story.length ? story.map(line) : el("li", {}, p("side.story.none"))),
    );
  }

  rules() {
    const { rules, game } = this.page;
    if (!rules) return null;
    const parts = [];
    for (const cells of rules) {
      const last = parts[parts.length - 1];
      if (cells.length > 1 && last?.tagName === "DL") last.append(...row(cells, game));
      else parts.push(cells.length > 1 ? el("dl", {}, row(cells, game)) : el("p", {}, withRules(cells[0], game)));
    }
    return el(
      "section",
      { class: "short" },
      el("h2", {}, p("side.rules")),
      parts,
      el("p", {}, el("a", { href: `/rules/${game}`, target: "_blank", rel: "noopener" }, p("side.all"))),
    );
  }

  result() {
    const { end, names, record, next } = this.page;
    const best = names.filter((_, seat) => end.ranks[seat] === 1);
    const rank = end.ranks[this.seat];
    const own = rank === 1 ? p(best.length > 1 ? "table.first.shared" : "table.first") : p("table.place", { rank, seats: names.length });
    const again = el("button", { type: "button", class: "primary" }, p("table.again"));
    again.addEventListener("click", () => this.around.again());
    return el(
      "header",
      { class: "turn result" },
      el("h1", {}, end.void === null ? own : p("table.end")),
      end.void === null
        ? el("p", {}, p(best.length > 1 ? "table.wins.several" : "table.wins", { names: listed(best) }))
        : el("p", {}, p("table.void", { text: end.void })),
      end.faults.map((fault) => el("p", { class: "problem" }, p("table.fault", { name: names[fault.seat], text: fault.text }))),
      el(
        "p",
        { class: "after" },
        next ? el("a", { class: "primary", href: `/play/table/${next}` }, p("table.next")) : again,
        record ? el("a", { class: "button", href: `/play/replay/${encodeURIComponent(record)}` }, p("table.replay")) : null,
        el("a", { class: "button", href: `/play/?game=${this.page.game}` }, p("table.other")),
      ),
      el("p", { class: "quiet" }, record ? [p("table.record"), " ", el("a", { href: `/play/record/${encodeURIComponent(record)}` }, record)] : p("table.keeping")),
    );
  }
}

function row([name, ...rest], game) {
  const isCode = /^[A-Z]{2}$/.test(name) && rest.length > 1;
  const [head, ...more] = isCode ? [[el("code", {}, name), " ", rest[0]], ...rest.slice(1)] : [name, ...rest];
  return [el("dt", {}, head), el("dd", {}, withRules(more.join(" "), game))];
}

/** The heading of a table's page, for its title. @param {any} page */
export function titleOf(page) {
  return `${page.stage === "asked" ? `● ${p("table.asked")} · ` : ""}${title(page.game)}`;
}
