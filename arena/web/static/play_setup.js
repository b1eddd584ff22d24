// @ts-check
// Before the match: the choice of a game and its players, and the lobby of a table.
import { el } from "./dom.js";
import { ask, remember, remembered } from "./play_link.js";
import { p } from "./play_words.js";
import { t } from "./words.js";

const LAST = "last-choice";

/** What an option, a game or a value is called. */
function called(name) {
  return name.replaceAll("_", " ");
}

/** The page on which people choose.
 * @param {any} root
 * @param {any} offer
 * @param {(table: string) => void} go */
export function showChoice(root, offer, go) {
  const asked = new URLSearchParams(location.search).get("game");
  const last = remembered(LAST) ?? {};
  const state = { game: offer.games.find((game) => game.name === (asked ?? last.game)) ?? offer.games[0], places: null, options: {}, names: last.names ?? [] };
  const render = (focus) => {
    state.places ??= seated(offer, state, Math.max(2, Math.min(...state.game.seats)));
    root.replaceChildren(form(offer, state, render, go));
    if (focus) root.querySelector(`#${focus}`)?.focus();
  };
  render("");
}

/** The page on which people choose who plays on from a step of a record.
 * @param {any} root
 * @param {any} offer
 * @param {{record: string, step: number, seat: number, game: string, names: string[], steps: number}} from
 * @param {(table: string) => void} go */
export function showBranch(root, offer, from, go) {
  const bots = offer.bots.filter((bot) => bot.games.includes(from.game)).map((bot) => bot.name);
  const known = (name) => bots.find((bot) => bot === name.replace(/#\d+$/, "")) ?? bots[0];
  const me = (remembered(LAST)?.names ?? [])[0] ?? p("choose.person", { number: 1 });
  const state = { game: offer.games.find((game) => game.name === from.game), places: null, names: [me], step: from.step, cards: "drawn" };
  state.places = from.names.map((name, seat) => (seat === from.seat || !bots.length ? { kind: "here", name: me } : { kind: "bot", name: known(name) }));
  const render = (focus) => {
    root.replaceChildren(branchForm(offer, state, from, render, go));
    if (focus) root.querySelector(`#${focus}`)?.focus();
  };
  render("");
}

function branchForm(offer, state, from, render, go) {
  const problem = el("p", { class: "problem", role: "alert" });
  const step = el("input", { id: "step", type: "number", min: 0, max: from.steps - 1, value: state.step, required: true });
  step.addEventListener("input", () => {
    state.step = Number(step.value);
  });
  const cards = el("select", { id: "cards" }, ["drawn", "open"].map((one) => el("option", { value: one, selected: one === state.cards }, p(`branch.${one}`))));
  cards.addEventListener("change", () => {
    state.cards = cards.value;
  });
  const made = el(
    "form",
    { class: "choice" },
    el("h1", {}, `${title(from.game)}: ${p("branch.title", { step: from.step })}`),
    el("p", { class: "lede" }, p("branch.lede")),
    el("p", { class: "count" }, el("label", { for: "step" }, p("branch.step")), step),
    el("p", { class: "count" }, el("label", { for: "cards" }, p("branch.cards")), cards),
    el("fieldset", { class: "places" }, el("legend", {}, p("choose.seats")), state.places.map((place, seat) => placeRow(offer, state, place, seat, render))),
    problem,
    el("button", { class: "primary", type: "submit" }, p("choose.start")),
  );
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    const places = state.places.map(({ kind, name }) => (kind === "open" ? { kind } : { kind, name }));
    const branch = { record: from.record, step: state.step, cards: state.cards, places };
    try {
      go(await sitDown({ branch }));
    } catch (error) {
      problem.textContent = error.message;
    }
  });
  return made;
}

/** So many places: those that there are, then more of the bot. */
function seated(offer, state, count) {
  const bots = offer.bots.filter((bot) => bot.games.includes(state.game.name));
  const before = state.places ?? [{ kind: "here", name: state.names[0] ?? p("choose.person", { number: 1 }) }];
  const more = (_, i) => ({ kind: "bot", name: bots[i % Math.max(1, bots.length)]?.name });
  return [...before, ...Array.from({ length: count }, more)].slice(0, count).map((place) =>
    place.kind === "bot" && !bots.some((bot) => bot.name === place.name) ? (bots.length ? { kind: "bot", name: bots[0].name } : { kind: "open" }) : place,
  );
}

function form(offer, state, render, go) {
  const problem = el("p", { class: "problem", role: "alert" });
  const made = el(
    "form",
    { class: "choice" },
    el("h1", {}, p("choose.title")),
    el("p", { class: "lede" }, p("choose.lede")),
    el("fieldset", { class: "games" }, el("legend", {}, p("choose.game")), offer.games.map((game) => gameCard(game, state, render, offer))),
    countField(offer, state, render),
    el("fieldset", { class: "places" }, el("legend", {}, p("choose.seats")), state.places.map((place, seat) => placeRow(offer, state, place, seat, render))),
    state.places.some((place) => place.kind === "open") ? el("p", { class: "note" }, p("choose.local")) : null,
    optionFields(state),
    problem,
    el("button", { class: "primary", type: "submit" }, p("choose.start")),
  );
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    const options = Object.fromEntries(Object.entries(state.options).filter(([name, value]) => value !== defaultOf(state.game, name)));
    const places = state.places.map(({ kind, name }) => (kind === "open" ? { kind } : { kind, name }));
    const plan = { game: state.game.name, options, places };
    remember(LAST, { game: plan.game, names: places.filter((place) => place.kind === "here").map((place) => place.name) });
    try {
      go(await sitDown({ plan }));
    } catch (error) {
      problem.textContent = error.message;
    }
  });
  return made;
}

/** Open a table; its id. The chairs of those here are remembered.
 * @param {any} plan `{plan}`, or `{branch}` to play on from a record
 * @param {string} [after] the table at which the same people have played
 * @param {string} [token] of a chair of that table */
export async function sitDown(plan, after, token) {
  const { table, tokens } = await ask("tables", { ...plan, after }, token);
  remember(table, { tokens, ...plan });
  return table;
}

function defaultOf(game, name) {
  return game.options.find((option) => option.name === name).default;
}

function gameCard(game, state, render, offer) {
  const input = el("input", { type: "radio", name: "game", id: `game-${game.name}`, value: game.name, checked: game === state.game });
  input.addEventListener("change", () => {
    Object.assign(state, { game, options: {} });
    const count = Math.min(Math.max(...game.seats), Math.max(Math.min(...game.seats), state.places.length));
    state.places = seated(offer, state, count);
    render(`game-${game.name}`);
  });
  const players = p("choose.players", { low: game.seats[0], high: game.seats[game.seats.length - 1] });
  return el(
    "div",
    { class: game === state.game ? "game picked" : "game" },
    el("label", {}, input, el("b", {}, title(game.name)), el("span", { class: "quiet" }, players), el("span", {}, game.about[0])),
    el("a", { href: `/rules/${game.name}`, target: "_blank", rel: "noopener" }, p("choose.rules")),
  );
}

/** @param {string} game */
export function title(game) {
  const known = t(`game.${game}`);
  return known === `game.${game}` ? game : known;
}

function countField(offer, state, render) {
  const select = el(
    "select",
    { id: "count" },
    state.game.seats.map((count) => el("option", { value: count, selected: count === state.places.length }, String(count))),
  );
  select.addEventListener("change", () => {
    state.places = seated(offer, state, Number(select.value));
    render("count");
  });
  return el("p", { class: "count" }, el("label", { for: "count" }, p("choose.count")), " ", select);
}

function placeRow(offer, state, place, seat, render) {
  const id = `who-${seat}`;
  const bots = offer.bots.filter((bot) => bot.games.includes(state.game.name));
  const item = (value, words, isOn) => el("option", { value, selected: isOn }, words);
  const select = el(
    "select",
    { id, "aria-label": p("choose.who", { seat }) },
    item("here", p("choose.here"), place.kind === "here"),
    item("open", p("choose.open"), place.kind === "open"),
    bots.length
      ? el("optgroup", { label: p("choose.bots") }, bots.map((bot) => item(`bot:${bot.name}`, bot.name, place.kind === "bot" && place.name === bot.name)))
      : null,
  );
  select.addEventListener("change", () => {
    const [kind, ...rest] = select.value.split(":");
    const name = kind === "bot" ? rest.join(":") : kind === "here" ? state.names[seat] ?? p("choose.person", { number: seat + 1 }) : "";
    state.places = state.places.with(seat, { kind, name });
    render(id);
  });
  const name = el("input", { type: "text", value: place.name, maxlength: 64, required: true, "aria-label": p("choose.name", { seat }), autocomplete: "off" });
  name.addEventListener("input", () => {
    place.name = name.value;
    state.names[seat] = name.value;
  });
  return el("div", { class: `place who${seat % 8}` }, swatch(seat), el("span", { class: "number" }, p("choose.seat", { seat })), select, place.kind === "here" ? name : null);
}

/** The colour of a seat.
 * @param {number} seat */
export function swatch(seat) {
  return el("span", { class: `swatch who${seat % 8}`, "aria-hidden": "true" });
}

function optionFields(state) {
  if (!state.game.options.length) return null;
  const rows = state.game.options.map((option) => {
    const id = `option-${option.name}`;
    const chosen = state.options[option.name] ?? option.default;
    const values = option.values.map((value) =>
      el("option", { value, selected: value === chosen }, value === option.default ? p("choose.default", { value: called(value) }) : called(value)),
    );
    const select = el("select", { id, name: id }, values);
    select.addEventListener("change", () => {
      state.options[option.name] = select.value;
    });
    const rule = el("a", { href: `/rules/${state.game.name}#${option.rule}`, target: "_blank", rel: "noopener" }, p("choose.option.rule", { rule: option.rule }));
    return el("div", { class: "option" }, el("label", { for: id }, called(option.name)), select, el("span", { class: "quiet" }, option.help, " · ", rule));
  });
  const changed = Object.entries(state.options).filter(([name, value]) => value !== defaultOf(state.game, name)).length;
  const words = changed ? p("choose.options.changed", { count: changed }) : p("choose.options");
  return el("details", { class: "options", open: changed > 0 }, el("summary", {}, words), rows);
}

// The lobby

/** Who sits already, and the link for the others.
 * @param {any} root
 * @param {any} lobby
 * @param {{mine: Set<number>, joined: (table: string, tokens: any) => void}} guest */
export function showLobby(root, lobby, guest) {
  const link = `${location.origin}/play/table/${lobby.table}`;
  const problem = el("p", { class: "problem", role: "alert" });
  const name = el("input", { id: "guest", type: "text", maxlength: 64, autocomplete: "off", value: (remembered(LAST)?.names ?? [])[0] ?? "" });
  const mayJoin = !guest.mine.size && lobby.places.some((place) => !place.taken);
  const join = async (seat) => {
    try {
      const { tokens } = await ask(`tables/${lobby.table}/sit`, { seat, name: name.value });
      guest.joined(lobby.table, tokens);
    } catch (error) {
      problem.textContent = error.message;
    }
  };
  const row = (place, seat) => {
    const sit = el("button", { type: "button", class: "primary" }, p("lobby.sit"));
    sit.addEventListener("click", () => join(seat));
    const who = place.taken ? el("bdi", {}, place.name) : el("span", { class: "quiet" }, p("lobby.free"));
    return el("li", { class: "place" }, swatch(seat), el("span", { class: "number" }, p("choose.seat", { seat })), who, mayJoin && !place.taken ? sit : null);
  };
  root.replaceChildren(
    el(
      "section",
      { class: "lobby" },
      el("h1", {}, `${title(lobby.game)}: ${p("lobby.title")}`),
      lobby.stage === "lobby" ? el("p", { class: "lede" }, p("lobby.waiting")) : el("p", { class: "lede" }, p("lobby.full")),
      mayJoin ? el("p", { class: "guest" }, el("label", { for: "guest" }, p("lobby.name")), " ", name) : null,
      el("ul", { class: "seats" }, lobby.places.map(row)),
      problem,
      lobby.stage === "lobby" ? linkField(link) : el("p", {}, el("a", { href: "/play/" }, p("lobby.new"))),
    ),
  );
}

function linkField(link) {
  const field = el("input", { id: "link", type: "text", readonly: true, value: link });
  const said = el("span", { role: "status" });
  const copy = el("button", { type: "button" }, p("lobby.copy"));
  copy.addEventListener("click", async () => {
    field.select();
    await navigator.clipboard?.writeText(link).catch(() => undefined);
    said.textContent = p("lobby.copied");
  });
  return el("p", { class: "link" }, el("label", { for: "link" }, p("lobby.link")), field, copy, said);
}
