/** The protocol's test vectors, through the reader and the writer of dinobot. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { encode } from "@msgpack/msgpack";
import { frame, hello, MessageReader, move, ProtocolError, type Message } from "./dinobot.js";

const FOLDER = existsSync("vectors") ? "vectors" : "../../protocol/vectors";
const FROM_ARENA = ["welcome", "start", "decide", "decide-last", "end", "end-void", "bye"];

interface Vector {
  value: any;
  bytes: Buffer;
}

function vector(name: string): Vector {
  const text = readFileSync(`${FOLDER}/${name}.json`, "utf8");
  const { value, msgpack } = JSON.parse(text);
  const seed = /"bot_seed": (\d+)/.exec(text); // JSON.parse would round it
  if (seed) value.bot_seed = BigInt(seed[1]);
  return { value, bytes: Buffer.from(msgpack, "hex") };
}

function read(...pieces: Uint8Array[]): Message[] {
  const reader = new MessageReader();
  const messages: Message[] = [];
  for (const piece of pieces) {
    reader.feed(piece);
    for (let message = reader.next(); message; message = reader.next()) messages.push(message);
  }
  return messages;
}

function framed(payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 0, payload.length]), payload]);
}

for (const name of FROM_ARENA) {
  const { value, bytes } = vector(name);

  test(`${name} is read whole`, () => {
    assert.deepEqual(read(bytes), [value]);
  });

  test(`${name} is read byte by byte`, () => {
    assert.deepEqual(read(...Array.from(bytes, (byte) => Buffer.of(byte))), [value]);
  });
}

test("all messages are read from one piece", () => {
  const vectors = FROM_ARENA.map(vector);
  assert.deepEqual(
    read(Buffer.concat(vectors.map(({ bytes }) => bytes))),
    vectors.map(({ value }) => value),
  );
});

test("a message behind another one is seen waiting", () => {
  const { bytes } = vector("decide");
  const reader = new MessageReader();
  reader.feed(Buffer.concat([bytes, bytes.subarray(0, 9)]));
  reader.next();
  assert.equal(reader.waiting, false);
  reader.feed(bytes.subarray(9));
  assert.equal(reader.waiting, true);
});

test("hello is written", () => {
  const { value, bytes } = vector("hello");
  assert.deepEqual(frame(hello(value)), bytes);
});

test("ready is written", () => {
  assert.deepEqual(frame({ type: "ready" }), vector("ready").bytes);
});

test("a move is written", () => {
  const { value, bytes } = vector("move");
  assert.deepEqual(frame(move(value, value.action)), bytes);
});

test("a move with a note is written", () => {
  const { value, bytes } = vector("move-note");
  assert.deepEqual(frame(move(value, value)), bytes);
});

test("a long note is cut to 1024 characters, whatever their bytes", () => {
  const { value, bytes } = vector("move-long-note"); // one character too long
  assert.deepEqual(frame(value), bytes);
  assert.deepEqual(read(frame(move(value, value))), [{ ...value, note: value.note.slice(0, 1024) }]);
  assert.deepEqual(move(value, { action: "D", note: "🦕".repeat(1025) }), { ...value, note: "🦕".repeat(1024) });
});

test("an id of 63 bits comes back exactly", () => {
  const id = 2n ** 63n - 1n;
  const [question] = read(framed(encode({ type: "decide", id }, { useBigInt64: true })));
  assert.ok(question.type === "decide");
  assert.deepEqual(read(frame(move(question, "D"))), [{ type: "move", id, action: "D" }]);
});

test("other integers in 8 bytes are ordinary numbers", () => {
  const message = { type: "decide", clock: { bank_ms: 7n }, view: { turns: [1n] } };
  assert.deepEqual(read(framed(encode(message, { useBigInt64: true }))), [
    { type: "decide", clock: { bank_ms: 7 }, view: { turns: [1] } },
  ]);
});

test("a null field equals an absent one, but deeper down null is a value", () => {
  assert.deepEqual(read(framed(encode({ type: "decide", last: null, view: { die: null } }))), [
    { type: "decide", view: { die: null } },
  ]);
});

test("unknown fields do no harm", () => {
  const [message] = read(framed(encode({ type: "bye", mood: { good: [true, 1.5] } })));
  assert.equal(message.type, "bye");
});

test("a length above 1 MiB is refused at once", () => {
  assert.throws(() => read(Buffer.from([0, 0x10, 0, 1])), ProtocolError);
  assert.deepEqual(read(Buffer.from([0, 0x10, 0, 0])), []);
});

test("what is not exactly one map is refused", () => {
  for (const payload of [[], [0xc1], [0x93, 1, 2, 3], [0x80, 0x80], [0x81, 0xa4]]) {
    assert.throws(() => read(framed(Buffer.from(payload))), ProtocolError, `${payload}`);
  }
});

test("a player that forgets to answer is told so", () => {
  assert.throws(() => move({ id: 1 }, undefined as unknown as string), /answered undefined/);
});
