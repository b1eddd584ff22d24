/**
 * A bot's side of the arena's protocol, revision 1: framed MessagePack on stdin and stdout.
 *
 *     class FirstPlayer {
 *       constructor(start: Start) {} // called at the start of every match
 *
 *       decide(question: Question) {
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

/** What your bot says of itself, and the class that plays a match. */
export interface Bot {
  name: string;
  version: string;
  games: string[];
  player: new (start: Start) => Player;
}

/** What plays one match. It may take a question with a view of its own game: `Question<DraftosaurusView>`. */
export interface Player {
  decide(question: Question): Answer | Promise<Answer>;
}

/** An action, or an action with a note for the record of the match. */
export type Answer = string | { action: string; note?: string };

/** A match begins. */
export interface Start {
  type: "start";
  match: string;
  game: string;
  edition: number;
  /** Only the options that differ from their defaults. */
  options: Record<string, unknown>;
  seat: number;
  seats: number;
  players: string[];
  clock: { prepare_ms: number; bank_ms: number; increment_ms: number };
  bot_seed: bigint;
}

/** It is your turn: which of these legal actions? */
export interface Question<View = unknown> {
  type: "decide";
  /** A bigint if the arena wrote it in 8 bytes; it goes back just so. */
  id: number | bigint;
  phase: string;
  /** All that your seat may know; the game decides what is in it. */
  view: View;
  legal: string[];
  /** What your seat saw happen since the last question, oldest first. */
  events: Event[];
  clock: { bank_ms: number; increment_ms: number };
  /** What became of your previous answer in this match. */
  last?: Last;
}

export interface Event {
  event: string;
  [field: string]: unknown;
}

export interface Last {
  id: number;
  status: "accepted" | "late" | "illegal" | "malformed";
  played: string;
  used_ms: number;
  reason: string | null;
}

interface Welcome {
  type: "welcome";
  protocol: number;
}

/** What the arena says. */
export type Message = Welcome | Start | Question | { type: "end" } | { type: "bye" };

/** The arena said something that this revision of the protocol does not know. */
export class ProtocolError extends Error {}

/** Plays all matches that the arena starts, each with a new player, until it says bye or hangs up. */
export function run(bot: Bot): void {
  // Node cannot point file descriptor 1 elsewhere, but all that prints goes through this method, `console` too.
  process.stdout.write = process.stderr.write.bind(process.stderr);
  play(bot).then(() => process.exit(0), fail);
}

async function play(bot: Bot): Promise<void> {
  const reader = new MessageReader();
  let player: Player | undefined;
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
          throw new ProtocolError(`an unknown message ${(message as { type: unknown }).type}`);
      }
    }
  }
}

function fail(error: unknown): void {
  console.error(error instanceof ProtocolError ? `The arena sent ${error.message}.` : error);
  process.exit(1);
}

function check(welcome: Welcome): void {
  if (welcome.protocol !== REVISION) {
    throw new ProtocolError(`a welcome of revision ${welcome.protocol}, but this bot speaks revision ${REVISION}`);
  }
}

/** The first message of a bot. */
export function hello({ name, version, games }: Omit<Bot, "player">): object {
  return { type: "hello", protocol: REVISION, name, version, games };
}

/** The answer to a question, as a message. */
export function move(question: Pick<Question, "id">, answer: Answer): object {
  const { action, note } = typeof answer === "string" ? { action: answer } : { ...answer };
  if (typeof action !== "string") {
    throw new TypeError(`decide() answered ${action} instead of an action of question.legal. Is a return missing?`);
  }
  const message = { type: "move", id: question.id, action };
  return note ? { ...message, note: shorten(note) } : message;
}

/** As many characters as the arena keeps. Halves of characters are replaced, as there is no UTF-8 for them. */
function shorten(note: string): string {
  return Array.from(note)
    .slice(0, MOST_NOTE)
    .join("")
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

/** A message as it goes over the wire: the length of the payload, and the payload. */
export function frame(message: object): Buffer {
  const payload = encode(message, { useBigInt64: true });
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(payload.length);
  return Buffer.concat([length, payload]);
}

async function send(message: object): Promise<void> {
  let rest = frame(message);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPIPE") process.exit(0); // the arena has hung up, which is not an error
      if (code !== "EAGAIN") throw error;
      await sleep(1); // the pipe is full
    }
  }
}

/** Puts messages together from whatever pieces they come in. */
export class MessageReader {
  #bytes = Buffer.alloc(0);

  feed(piece: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, piece]);
  }

  /** Whether a whole message is here. */
  get waiting(): boolean {
    return this.#bytes.length >= this.#end();
  }

  /** Takes out the next message, if the whole of it is here. */
  next(): Message | undefined {
    if (!this.waiting) return undefined;
    const end = this.#end();
    const payload = this.#bytes.subarray(LENGTH_BYTES, end);
    this.#bytes = this.#bytes.subarray(end);
    return parse(payload);
  }

  /** Where the first frame ends; beyond everything while its length is not here. */
  #end(): number {
    if (this.#bytes.length < LENGTH_BYTES) return Infinity;
    const length = this.#bytes.readUInt32BE();
    if (length > MOST_BYTES) throw new ProtocolError(`a message of ${length} bytes, but ${MOST_BYTES} are the most`);
    return LENGTH_BYTES + length;
  }
}

type Fields = Record<string, unknown>;

function parse(payload: Uint8Array): Message {
  const value = unpack(payload);
  if (!isMap(value)) throw new ProtocolError("a message that is not a map");
  const fields: Fields = {};
  for (const [name, field] of Object.entries(value)) {
    if (field === null) continue; // a null field equals an absent one
    fields[name] = name === "id" ? field : name === "bot_seed" ? BigInt(field as number | bigint) : plain(field);
  }
  return fields as unknown as Message;
}

function unpack(payload: Uint8Array): unknown {
  try {
    return decode(payload, { useBigInt64: true });
  } catch (error) {
    throw new ProtocolError(`a message that cannot be decoded (${(error as Error).message})`);
  }
}

/** The value with ordinary numbers for the bigints that the decoder makes of integers in 8 bytes. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isMap(value)) return value;
  for (const [key, field] of Object.entries(value)) value[key] = plain(field);
  return value;
}

function isMap(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
