// @ts-check
// What keys do, and the list of them.
import { el } from "./dom.js";
import { t } from "./words.js";

const TYPED = new Set(["number", "text", "search"]);

/** The keys of the player; the same table is shown as help. */
const TABLE = [
  { names: "space", keys: [" "], act: (player) => player.toggle() },
  { names: "right", keys: ["ArrowRight", "n"], act: (player) => player.walk(1) },
  { names: "left", keys: ["ArrowLeft", "b"], act: (player) => player.walk(-1) },
  { names: "ten", keys: [], act: () => {} },
  { names: "home", keys: ["Home"], act: (player) => player.go(0) },
  { names: "home", keys: ["End"], act: (player) => player.go(player.reel.last) },
  { names: "g", keys: ["g"], act: (player) => player.ask() },
  { names: "f", keys: ["f"], act: (player) => player.seek("fault", 1) },
  { names: "f", keys: ["F"], act: (player) => player.seek("fault", -1) },
  { names: "l", keys: ["l"], act: (player) => player.seek("lead", 1) },
  { names: "l", keys: ["L"], act: (player) => player.seek("lead", -1) },
  { names: "p", keys: ["p"], act: (player) => player.seek("big", 1) },
  { names: "p", keys: ["P"], act: (player) => player.seek("big", -1) },
  { names: "v", keys: ["v"], act: (player) => player.lookOn() },
  { names: "s", keys: ["s"], act: (player) => player.look(null) },
  { names: "a", keys: ["a"], act: (player) => player.look("all") },
  { names: "seat", keys: [], act: () => {} },
  { names: "speed", keys: ["+", "="], act: (player) => player.faster(1) },
  { names: "speed", keys: ["-"], act: (player) => player.faster(-1) },
  { names: "c", keys: ["c"], act: (player) => player.copyLink() },
  { names: "help", keys: ["?"], act: (player) => player.help() },
];

/** Let keys act on a player, wherever the focus is. The function that it returns ends this.
 * @param {any} player */
export function bindKeys(player) {
  const press = (event) => {
    if (act(player, event)) event.preventDefault();
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}

function act(player, event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || document.querySelector("dialog[open]")) return false;
  if (isTaken(event)) return false;
  if (event.shiftKey && event.key.startsWith("Arrow")) return ten(player, event.key);
  if (/^[0-9]$/.test(event.key)) return player.look(Number(event.key)), true;
  const row = TABLE.find(({ keys }) => keys.includes(event.key));
  row?.act(player);
  return row !== undefined;
}

function ten(player, key) {
  if (key !== "ArrowRight" && key !== "ArrowLeft") return false;
  player.walk(key === "ArrowRight" ? 10 : -10);
  return true;
}

/** Whether the element with the focus needs this key itself. */
function isTaken({ target, key }) {
  const { tagName, type } = target;
  if (tagName === "SELECT" || tagName === "TEXTAREA" || (tagName === "INPUT" && TYPED.has(type))) return true;
  if (tagName === "INPUT") return key.startsWith("Arrow") || key === "Home" || key === "End";
  return (key === " " || key === "Enter") && target.closest("button, summary, a, [role=button]") !== null;
}

/** A window with all keys. */
export function helpDialog() {
  const names = [...new Set(TABLE.map((row) => row.names))];
  const rows = names.map((name) => [el("dt", {}, el("kbd", {}, t(`key.${name}`))), el("dd", {}, t(`help.${name}`))]);
  const close = el("button", { type: "button" }, t("close"));
  const dialog = el("dialog", { class: "help", "aria-labelledby": "help-title" }, el("h2", { id: "help-title" }, t("help")), el("dl", {}, rows), el("p", {}, t("help.mouse")), close);
  close.addEventListener("click", () => dialog.close());
  return dialog;
}
