/**
 * A bot's side of the arena's protocol, revision 1: framed MessagePack on stdin and stdout.
 *
 *     class FirstPlayer {
 *       constructor(start) {} // called at the start of every match
 *
 *       decide(question) {
 *         return question.legal[0]; // or { action, note }
 *       }
 *     }
 *
 *     run({ name: "first", version: "1.0", games: ["draftosaurus"], player: FirstPlayer });
 *
 * Print as you like: it goes to stderr. If your player throws, the process ends with the trace and status 1.
 */

import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { decode, encode } from "@msgpack/msgpack";

const REVISION = 1;
const MOST_BYTES = 1 << 20;
const MOST_NOTE = 1024;
const LENGTH_BYTES = 4;

/**
 * What your bot says of itself, and the class that plays a match.
 * @typedef {object} Bot
 * @property {string} name
 * @property {string} version
 * @property {string[]} games
 * @property {new (start: Start) => Player} player
 */

/**
 * What plays one match. It may take a question with a view of its own game: `Question<DraftosaurusView>`.
 * @typedef {{ decide(question: Question): Answer | Promise<Answer> }} Player
 */

/**
 * An action, or an action with a note for the record of the match.
 * @typedef {string | { action: string, note?: string }} Answer
 */

/**
 * A match begins.
 * @typedef {object} Start
 * @property {"start"} type
 * @property {string} match
 * @property {string} game
 * @property {number} edition
 * @property {Record<string, unknown>} options Only the options that differ from their defaults.
 * @property {number} seat
 * @property {number} seats
 * @property {string[]} players
 * @property {{ prepare_ms: number, bank_ms: number, increment_ms: number }} clock
 * @property {bigint} bot_seed
 */

/**
 * It is your turn: which of these legal actions?
 * @template [View=unknown]
 * @typedef {object} Question
 * @property {"decide"} type
 * @property {number | bigint} id A bigint if the arena wrote it in 8 bytes; it goes back just so.
 * @property {string} phase
 * @property {View} view All that your seat may know; the game decides what is in it.
 * @property {string[]} legal
 * @property {Event[]} events What your seat saw happen since the last question, oldest first.
 * @property {{ bank_ms: number, increment_ms: number }} clock
 * @property {Last} [last] What became of your previous answer in this match.
 */

/** @typedef {{ event: string, [field: string]: unknown }} Event */

/**
 * @typedef {object} Last
 * @property {number} id
 * @property {"accepted" | "late" | "illegal" | "malformed"} status
 * @property {string} played
 * @property {number} used_ms
 * @property {string | null} reason
 */

/** @typedef {{ type: "welcome", protocol: number }} Welcome */

/**
 * What the arena says.
 * @typedef {Welcome | Start | Question | { type: "end" } | { type: "bye" }} Message
 */

/** The arena said something that this revision of the protocol does not know. */
export class ProtocolError extends Error {}

/**
 * Plays all matches that the arena starts, each with a new player, until it says bye or hangs up.
 * @param {Bot} bot
 */
export function run(bot) {
  // Node cannot point file descriptor 1 elsewhere, but all that prints goes through this method, `console` too.
  process.stdout.write = process.stderr.write.bind(process.stderr);
  play(bot).then(() => process.exit(0), fail);
}

/** @param {Bot} bot */
async function play(bot) {
  const reader = new MessageReader();
  /** @type {Player | undefined} */
  let player;
  await send(hello(bot));
  for await (const piece of process.stdin) {
    reader.feed(piece);
    for (let message = reader.next(); message; message = reader.next()) {
      switch (message.type) {
        case "welcome":
          check(message);
          break;
        case "start":
          player = new bot.player(message);
          await send({ type: "ready" });
          break;
        case "decide":
          if (!player) throw new ProtocolError("a question without a match");
          if (reader.waiting) break; // whatever follows a question withdraws it
          await send(move(message, await player.decide(message)));
          break;
        case "end":
          player = undefined;
          break;
        case "bye":
          return;
        default:
          throw new ProtocolError(`an unknown message ${/** @type {{ type: unknown }} */ (message).type}`);
      }
    }
  }
}

/** @param {unknown} error */
function fail(error) {
  console.error(error instanceof ProtocolError ? `The arena sent ${error.message}.` : error);
  process.exit(1);
}

/** @param {Welcome} welcome */
function check(welcome) {
  if (welcome.protocol !== REVISION) {
    throw new ProtocolError(`a welcome of revision ${welcome.protocol}, but this bot speaks revision ${REVISION}`);
  }
}

/**
 * The first message of a bot.
 * @param {Omit<Bot, "player">} bot
 */
export function hello({ name, version, games }) {
  return { type: "hello", protocol: REVISION, name, version, games };
}

/**
 * The answer to a question, as a message.
 * @param {Pick<Question, "id">} question
 * @param {Answer} answer
 */
export function move(question, answer) {
  const { action, note } = typeof answer === "string" ? { action: answer } : { ...answer };
  if (typeof action !== "string") {
    throw new TypeError(`decide() answered ${action} instead of an action of question.legal. Is a return missing?`);
  }
  const message = { type: "move", id: question.id, action };
  return note ? { ...message, note: shorten(note) } : message;
}

/**
 * As many characters as the arena keeps. Halves of characters are replaced, as there is no UTF-8 for them.
 * @param {string} note
 */
function shorten(note) {
  return Array.from(note)
    .slice(0, MOST_NOTE)
    .join("")
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

/**
 * A message as it goes over the wire: the length of the payload, and the payload.
 * @param {object} message
 */
export function frame(message) {
  const payload = encode(message, { useBigInt64: true });
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(payload.length);
  return Buffer.concat([length, payload]);
}

/** @param {object} message */
async function send(message) {
  let rest = frame(message);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === "EPIPE") process.exit(0); // the arena has hung up, which is not an error
      if (code !== "EAGAIN") throw error;
      await sleep(1); // the pipe is full
    }
  }
}

/** Puts messages together from whatever pieces they come in. */
export class MessageReader {
  #bytes = Buffer.alloc(0);

  /** @param {Uint8Array} piece */
  feed(piece) {
    this.#bytes = Buffer.concat([this.#bytes, piece]);
  }

  /** Whether a whole message is here. */
  get waiting() {
    return this.#bytes.length >= this.#end();
  }

  /**
   * Takes out the next message, if the whole of it is here.
   * @returns {Message | undefined}
   */
  next() {
    if (!this.waiting) return undefined;
    const end = this.#end();
    const payload = this.#bytes.subarray(LENGTH_BYTES, end);
    this.#bytes = this.#bytes.subarray(end);
    return parse(payload);
  }

  /** Where the first frame ends; beyond everything while its length is not here. */
  #end() {
    if (this.#bytes.length < LENGTH_BYTES) return Infinity;
    const length = this.#bytes.readUInt32BE();
    if (length > MOST_BYTES) throw new ProtocolError(`a message of ${length} bytes, but ${MOST_BYTES} are the most`);
    return LENGTH_BYTES + length;
  }
}

/**
 * @param {Uint8Array} payload
 * @returns {Message}
 */
function parse(payload) {
  const value = unpack(payload);
  if (!isMap(value)) throw new ProtocolError("a message that is not a map");
  /** @type {Record<string, any>} */
  const fields = {};
  for (const [name, field] of Object.entries(value)) {
    if (field === null) continue; // a null field equals an absent one
    fields[name] = name === "id" ? field : name === "bot_seed" ? BigInt(field) : plain(field);
  }
  return /** @type {any} */ (fields);
}

/** @param {Uint8Array} payload */
function unpack(payload) {
  try {
    return decode(payload, { useBigInt64: true });
  } catch (error) {
    throw new ProtocolError(`a message that cannot be decoded (${/** @type {Error} */ (error).message})`);
  }
}

/**
 * The value with ordinary numbers for the bigints that the decoder makes of integers in 8 bytes.
 * @param {unknown} value
 * @returns {unknown}
 */
function plain(value) {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isMap(value)) return value;
  for (const [key, field] of Object.entries(value)) value[key] = plain(field);
  return value;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
function isMap(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
