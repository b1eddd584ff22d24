// @ts-check
// All words of the interface. A page in another language replaces this module.

export const WORDS = {
  "game.draftosaurus": "Draftosaurus",
  "game.dinodocus": "Dinodocus",
  "page.edition": "edition {edition}",
  "page.from": "What if: plays on after step {step} of match {match}",
  "page.cards.open": "with open cards",
  "page.cards.drawn": "hidden cards drawn from what seat {seat} could know",
  "page.and": " and ",
  "page.wins": "{names} wins with {score} points.",
  "page.wins.several": "{names} win with {score} points.",
  "page.level": "All players are level with {score} points.",
  "page.steps": "{count} steps",
  "page.steps.one": "1 step",
  "page.complaint": "This record is not true.",
  "page.void": "This match is void and does not count.",
  "page.only": "This file holds only what seat {seat}, {name}, could know.",
  "page.footer": "Dino Arena {arena}, match {match}",
  "seed.label": "seed",
  "seed.copy": "Copy the seed {seed}",
  "copied": "Copied.",
  "copy.failed": "This browser does not allow copying. The text is selected: press Ctrl+C.",
  "copy.title": "Copy this text",
  "close": "Close",

  "controls": "Playback",
  "control.first": "To the beginning (Home)",
  "control.back": "One step back (left arrow)",
  "control.play": "Play (space)",
  "control.pause": "Pause (space)",
  "control.next": "One step on (right arrow)",
  "control.last": "To the end (End)",
  "control.step": "Step",
  "control.of": "of {last}",
  "control.speed": "Speed",
  "control.speed.value": "{speed}×",
  "control.view": "View",
  "control.link": "Copy a link to this step",
  "control.help": "Keys and help",
  "view.spectator": "spectator",
  "view.all": "all hands",
  "view.seat": "seat {seat}: {name}",
  "view.now.spectator": "As a spectator saw it",
  "view.now.all": "With all hands open",
  "view.now.seat": "What seat {seat} could know",

  "graph": "Points by step; also the scrubber",
  "graph.step": "step {step}: {scores}",
  "graph.slider": "Step",
  "graph.value": "step {step} of {last}: {title}",
  "marks": "Highlights",
  "marks.none": "This match has no faults, no changes of the lead and no big scores.",
  "mark.fault": "fault",
  "mark.lead": "lead",
  "mark.big": "points",
  "mark.fault.text": "{name}: {kind}",
  "mark.fault.arena": "the arena: {kind}",
  "mark.lead.one": "{name} takes the lead",
  "mark.lead.several": "{names} share the lead",
  "mark.big.text": "{name} scores {count} points",
  "marks.back": "The highlight before",
  "marks.next": "The next highlight",

  "table": "The table",
  "seats": "Players",
  "seat": "Seat {seat}",
  "seat.points": "{count} points",
  "seat.points.one": "1 point",
  "seat.points.label": "{name}: {count} points. Go to the step that won the last of them",
  "seat.points.unknown": "points not known",
  "seat.rank": "rank {rank}",
  "seat.leads": "leads",
  "seat.wins": "wins",
  "seat.out": "disqualified",
  "seat.zone": "{zone}: {count} points. Go to the step that won them",
  "seat.zone.none": "no points yet",
  "seat.bank": "{left} of {bank} left in the bank",
  "seat.bank.none": "no bank, {increment} for each decision",
  "seat.clock": "Clock",
  "seat.time": "{used} for this decision",
  "seat.time.last": "{used} for the last decision",
  "seat.time.none": "not asked yet",
  "seat.times": "Time for each decision, the longest {longest}",
  "seat.cpu": "{cpu} CPU in all",
  "seat.note": "Note",
  "seat.note.step": "Note at step {step}",
  "seat.faults": "Faults",
  "seat.fault": "step {step}, {kind}: {text}",
  "seat.fault.out": "step {step}, disqualified, {kind}: {text}",
  "seat.stderr": "Its stderr",
  "seat.about": "version {version}, sandbox {sandbox}",

  "now": "What happened",
  "now.begin": "The match begins.",
  "now.goes.on": "The match goes on from here.",
  "now.chance": "chance",
  "now.arena": "the arena",
  "now.hidden": "hidden",
  "now.answered": "answered {answer}",
  "status.late": "late",
  "status.illegal": "illegal",
  "status.malformed": "malformed",
  "status.forced": "forced",
  "status.absent": "absent",
  "fault.out": "disqualified",

  "moves": "Moves",
  "moves.copy": "Copy as text",
  "moves.step": "step {step}",
  "moves.start": "start",

  "say.step": "Step {step} of {last}. {title}.",
  "say.view": "View: {view}.",
  "say.play": "Playing.",
  "say.pause": "Paused at step {step}.",
  "say.no.fault": "There is no fault there.",
  "say.no.lead": "There is no change of the lead there.",
  "say.no.big": "There is no big score there.",
  "say.no.mark": "There is no highlight there.",
  "say.no.step": "There is no step {step}: this match has steps 0 to {last}.",

  "help": "Keys",
  "help.mouse":
    "Click a piece to go to the step that placed it, points to go to the step that won them, and a line of the moves to go to its step.",
  "key.space": "space",
  "help.space": "play or pause",
  "key.right": "→  n",
  "help.right": "the next step",
  "key.left": "←  b",
  "help.left": "the step before",
  "key.ten": "Shift ←  Shift →",
  "help.ten": "ten steps back, ten steps on",
  "key.home": "Home  End",
  "help.home": "the beginning, the end",
  "key.g": "g",
  "help.g": "type the number of a step",
  "key.f": "f  F",
  "help.f": "the next fault, the one before",
  "key.l": "l  L",
  "help.l": "the next change of the lead, the one before",
  "key.p": "p  P",
  "help.p": "the next big score, the one before",
  "key.v": "v",
  "help.v": "the next view",
  "key.s": "s",
  "help.s": "what a spectator sees",
  "key.a": "a",
  "help.a": "all hands",
  "key.seat": "0 to 9",
  "help.seat": "what this seat could know",
  "key.speed": "+  -",
  "help.speed": "faster, slower",
  "key.c": "c",
  "help.c": "copy a link to this step",
  "key.help": "?",
  "help.help": "this list",

  "generic.view": "All that this viewer knows",
  "generic.empty": "nothing",
};

/**
 * A text of the interface, with its values filled in. With a `count` of 1, KEY.one is taken if there is one.
 * @param {string} key
 * @param {Object<string, any>} [values]
 * @returns {string}
 */
export function t(key, values) {
  return filledIn(WORDS, key, values);
}

/**
 * The same with another table: for the words of a board.
 * @param {Object<string, string>} table
 * @param {string} key
 * @param {Object<string, any>} [values]
 * @returns {string}
 */
export function filledIn(table, key, values) {
  const single = values && values.count === 1 ? table[`${key}.one`] : undefined;
  const text = single ?? table[key] ?? key;
  return values ? text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole)) : text;
}

/** `a, b and c`.
 * @param {string[]} words */
export function listed(words) {
  return words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + t("page.and") + words[words.length - 1];
}

/** Microseconds for people: 0.31 ms, 12 ms, 1.25 s.
 * @param {number} us */
export function duration(us) {
  if (us >= 1e6) return `${(us / 1e6).toFixed(us >= 1e7 ? 1 : 2)} s`;
  return `${(us / 1e3).toFixed(us >= 1e5 ? 0 : us >= 1e4 ? 1 : 2)} ms`;
}
