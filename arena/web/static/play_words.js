// @ts-check
// The words of the tables at which people play. A translation replaces this module.
import { filledIn } from "./words.js";

export const PLAY_WORDS = {
  "choose.title": "Sit down and play",
  "choose.lede": "Choose a game and who sits at the table. You need not know the rules: they are beside the board.",
  "choose.game": "Game",
  "choose.players": "{low} to {high} players",
  "choose.rules": "All the rules",
  "choose.count": "Players",
  "choose.seats": "At the table",
  "choose.seat": "Seat {seat}",
  "choose.who": "Who has seat {seat}",
  "choose.name": "Name of the person in seat {seat}",
  "choose.here": "a person at this screen",
  "choose.open": "a person in another browser",
  "choose.bots": "Bots",
  "choose.options": "Variants",
  "choose.options.changed": "Variants ({count} changed)",
  "choose.option.rule": "rule {rule}",
  "choose.default": "{value} (as usual)",
  "choose.start": "Sit down",
  "choose.person": "Player {number}",
  "choose.local": "Other browsers can join only if the arena was started with --host; see docs/play.md.",

  "lobby.title": "The table is set",
  "lobby.link": "Send this link to those who should join",
  "lobby.copy": "Copy the link",
  "lobby.copied": "Copied.",
  "lobby.waiting": "The match begins when everybody sits.",
  "lobby.free": "free",
  "lobby.sit": "Sit down here",
  "lobby.name": "Your name",
  "lobby.full": "All seats of this table are taken.",
  "lobby.new": "Open another table",

  "table.you": "you",
  "table.asked": "Your turn",
  "table.sent": "You play {action}. The others are still deciding.",
  "table.waiting": "The others are playing.",
  "table.starting": "The match begins: the bots take their seats.",
  "table.left": "You have left. The arena plays on for you.",
  "table.broken": "This match cannot be played to its end.",
  "table.lost": "The arena does not answer. Trying again …",
  "table.gone": "This table is not there any more.",
  "table.end": "The match is over",
  "table.first": "You win!",
  "table.first.shared": "You share the first place!",
  "table.place": "You come in at rank {rank} of {seats}.",
  "table.wins": "{names} wins.",
  "table.wins.several": "{names} win together.",
  "table.void": "The match is void: {text}",
  "table.fault": "{name}: {text}. The arena played on for this seat.",
  "table.replay": "Watch the match again",
  "table.again": "Play again",
  "table.next": "Go to the new table",
  "table.other": "Another game",
  "table.record": "The record of this match:",
  "table.keeping": "The record is being written.",

  "act.title": "Your choices",
  "act.left": "{count} choices are left. Choose on, on the board or here.",
  "act.how": "Click on the board, or choose here. Nothing is sent before you say so.",
  "act.chosen": "You choose",
  "act.none": "Nothing is chosen yet",
  "act.send": "Send",
  "act.undo": "Undo",
  "act.hint": "Ask for a hint",
  "act.hint.bot": "Who gives hints",
  "act.hint.thinking": "{bot} is thinking …",
  "act.hint.text": "{bot} would play",
  "act.hint.take": "Choose this",
  "act.refused": "That is not possible.",
  "act.closed": "{label}, not possible now",
  "act.leave": "Leave the table",
  "act.leave.ask": "Leave? The arena then plays on for you, and the record says so. You cannot come back to this match.",
  "act.leave.yes": "Leave",
  "act.leave.no": "Stay",
  "act.keys": "Keys: 1 to 9 choose, Enter sends, Esc undoes, h asks for a hint.",

  "curtain.title": "{name}, it is your turn",
  "curtain.text": "The others look away, please. What comes now is only for {name}.",
  "curtain.lift": "I am {name}",
  "curtain.wait": "Everybody at this screen has chosen. The others are still deciding.",

  "side.others": "The other players",
  "side.middle": "The middle of the table",
  "side.own": "Your board",
  "side.story": "What has happened",
  "side.story.none": "Nothing yet.",
  "side.rules": "The rules in short",
  "side.all": "All the rules",
  "side.points": "{count} points",
  "side.points.one": "1 point",
  "side.rank": "rank {rank}",
  "side.out": "the arena plays",
};

/**
 * A text of the tables, with its values filled in.
 * @param {string} key
 * @param {Object<string, any>} [values]
 * @returns {string}
 */
export function p(key, values) {
  return filledIn(PLAY_WORDS, key, values);
}
