// @ts-check
// The words of the Draftosaurus board. A translation replaces this module. "\n" is where a title breaks.

export const WORDS = {
  "dino.T": "T-Rex",
  "dino.D": "Diplodocus",
  "dino.C": "Triceratops",
  "dino.S": "Spinosaurus",
  "dino.G": "Stegosaurus",
  "dino.P": "Parasaurolophus",
  "dino.?": "unknown dinosaur",

  "pen.FS": "Forest of\nSameness",
  "pen.WT": "Woody Trio",
  "pen.KJ": "King of\nthe Jungle",
  "pen.PL": "Prairie\nof Love",
  "pen.MD": "Meadow of\nDifferences",
  "pen.SI": "Solitary\nIsland",
  "pen.WO": "Well-Ordered\nWood",
  "pen.BL": "Lovers’",
  "pen.BR": "Bridge",
  "pen.LO": "Lookout",
  "pen.QZ": "Quarantine\nZone",
  "pen.PY": "Pyramid",
  "pen.RV": "River",
  "full.BL": "Lovers’ Bridge, left bank",
  "full.BR": "Lovers’ Bridge, right bank",
  "full.bridge": "Lovers’ Bridge",
  "full.rex": "T-Rex bonus",

  "rule.FS": "One species only: 2, 4, 8, 12, 18, 24 points.",
  "rule.WT": "Any species: {trio} points once three are in it.",
  "rule.KJ": "7 points if no opponent has more of its species.",
  "rule.PL": "Any species: 5 points for each pair of one species.",
  "rule.MD": "All different: 1, 3, 6, 10, 15, 21 points.",
  "rule.SI": "7 points if it is the only one of its species in the zoo.",
  "rule.WO": "Two species in turn: 2, 4, 8, 12, 18, 24 points.",
  "rule.BL": "6 points for each couple of one species, one on each bank.",
  "rule.BR": "6 points for each couple of one species, one on each bank.",
  "rule.LO": "2 points for each of its species in the right neighbour’s zoo.",
  "rule.QZ": "It moves to another pen or the River after the last turn.",
  "rule.PY": "Row by row, equal species never touching: 2, 4, 7 points.",
  "rule.RV": "Always open: 1 point each.",

  "die.W": "woods",
  "die.G": "grass",
  "die.L": "left of the River",
  "die.R": "right of the River",
  "die.E": "empty pen",
  "die.X": "no T-Rex in the pen",
  "must.W": "a pen in the woods",
  "must.G": "a pen in the grass",
  "must.L": "a pen left of the River",
  "must.R": "a pen right of the River",
  "must.E": "a pen that is still empty",
  "must.X": "a pen without a T-Rex",

  "phase.first": "The first roller is drawn.",
  "phase.deal": "Dinosaurs are drawn from the bag.",
  "phase.roll": "{name} rolls the die.",
  "phase.pick": "All pick a dinosaur in secret.",
  "phase.place": "All place what they picked.",
  "phase.draft": "All pick a dinosaur and place it.",
  "phase.discard": "Both put a dinosaur out of the game.",
  "phase.quarantine": "Dinosaurs leave the Quarantine Zone.",
  "phase.over": "The game is over.",

  "season.summer": "Summer",
  "season.winter": "Winter",
  game: ", game {game} of 2",
  clock: "Round {round} of {rounds}, turn {turn} of {turns}",
  roll: "{name} rolled: {face}",
  must: "To {must}, or into the River: {names}.",
  blank: "die not rolled",
  bag: "in the bag",
  seat: "Seat {seat}",

  first: "first player",
  rolls: "rolls the die",
  rolled: "rolled the die",
  free: "rolled the die, not bound",
  bound: "bound: {face}",
  hand: "Hand",
  hidden: "{n} hidden",
  pick: "Picked",
  drop: "Will discard",
  discard: "Discarded",
  out: "Discard:",
  summer: "Summer zoo: {points}",

  point: "{n} point",
  points: "{n} points",
  of: "{where}: {what}",
  at: "{dino}, {where}",
  new: "{what}, new",
  shut: "{what}, closed by the die",
  choose: "Choose {what}",
  cell: "Pyramid, cell {cell}",
  nothing: "The zoo is empty",
};

/** A text with its values filled in. */
export function t(key, values = {}) {
  return WORDS[key].replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** Whether there is a text for a key. */
export function has(key) {
  return key in WORDS;
}
