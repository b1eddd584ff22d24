// A bot that plays the first legal action and does what the fixes of `arena check` say; `node bot.js FINDING` does not in one place.
"use strict";

const broken = process.argv[2] ?? "";
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

function decide(question) {
  try {
    return question.view.favourite.name;
  } catch (error) {
    if (broken === "crash") throw error;
    return question.legal[0];
  }
}

function heed(message) {
  if (message.type === "start") say({ type: "ready" });
  if (message.type === "decide")
    say({ type: "move", id: broken === "ids" ? message.id | 0 : message.id, action: decide(message) });
  if (message.type === "bye" && broken !== "bye-ignored") process.exit(0);
}

if (broken === "text") console.log("thinking");
else console.error("thinking");
say({ type: "hello", protocol: 1, name: "fixed", version: "1", games: ["draftosaurus"] });
setInterval(() => {}, 3600_000);
let rest = Buffer.alloc(0);
process.stdin.on("data", (piece) => {
  if (broken === "split-frames") return heed(JSON.parse(piece));
  rest = Buffer.concat([rest, piece]);
  if (broken === "merged-frames") {
    if (rest.at(-1) !== 10) return;
    const message = JSON.parse(rest);
    rest = Buffer.alloc(0);
    return heed(message);
  }
  for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
    const line = rest.subarray(0, end);
    rest = rest.subarray(end + 1);
    heed(JSON.parse(line));
  }
});
process.stdin.on("end", () => {
  if (broken !== "eof-ignored") process.exit(0);
});
