// @ts-check
// The replay of a match that was played at a table: from each step a seat can be taken.
import { el } from "./dom.js";
import { p } from "./play_words.js";
import { Reel } from "./reel.js";
import { open } from "./replay.js";

/** @param {Object<string, any>} boards what draws each game */
export function start(boards) {
  const reel = new Reel(JSON.parse(document.getElementById("reel")?.textContent ?? ""));
  const root = document.getElementById("replay");
  if (!root) return;
  const record = location.pathname.split("/").pop() ?? "";
  const link = el("a", { class: "take" }, p("branch.take"));
  const moved = ({ step, viewer }) => {
    const seat = typeof viewer === "number" ? `&seat=${viewer}` : "";
    link.setAttribute("href", `/play/?record=${record}&step=${Math.min(step, reel.last - 1)}${seat}`);
  };
  root.before(el("p", {}, link));
  moved(open(root, reel, boards[reel.data.game] ?? boards.generic, { moved }));
}
