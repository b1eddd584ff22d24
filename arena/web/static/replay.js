// @ts-check
// The entry of a replay: the reel of this page, and the address that names a step and a view.
import { Player } from "./player.js";
import { Reel } from "./reel.js";

/** Show the reel of this page. `boards` has the module that draws each game.
 * @param {Object<string, any>} boards */
export function start(boards) {
  const text = document.getElementById("reel")?.textContent ?? "";
  const reel = new Reel(JSON.parse(text));
  const root = document.getElementById("replay");
  if (root) open(root, reel, boards[reel.data.game] ?? boards.generic);
}

/** A player whose place is in the address: `#step=14&seat=2`.
 * @param {HTMLElement} root
 * @param {any} reel
 * @param {any} board
 * @param {any} [options] */
export function open(root, reel, board, options = {}) {
  const moved = (at, isJump) => {
    write(at, isJump);
    options.moved?.(at, isJump);
  };
  const player = new Player(root, reel, board, { ...options, ...read(reel), moved });
  window.addEventListener("hashchange", () => follow(player));
  window.addEventListener("popstate", () => follow(player));
  return player;
}

/** What the address names. */
function read(reel) {
  const words = new URLSearchParams(location.hash.slice(1));
  const [step, seat] = [Number(words.get("step") ?? 0), words.get("seat")];
  const viewer = seat === null ? reel.viewers[0] : seat === "all" ? "all" : Number(seat);
  return {
    step: Number.isInteger(step) ? Math.min(reel.last, Math.max(0, step)) : 0,
    viewer: reel.viewers.includes(viewer) ? viewer : reel.viewers[0],
  };
}

function follow(player) {
  const { step, viewer } = read(player.reel);
  if (step === player.step && viewer === player.viewer) return;
  player.pause();
  player.step = step;
  player.viewer = viewer;
  player.show();
}

/** A jump can be taken back with the browser's button; steps in a row are one entry. */
function write(player, isJump) {
  const words = new URLSearchParams({ step: String(player.step) });
  if (player.viewer !== player.reel.viewers[0]) words.set("seat", String(player.viewer));
  if (isJump) history.pushState(null, "", `#${words}`);
  else history.replaceState(null, "", `#${words}`);
}
