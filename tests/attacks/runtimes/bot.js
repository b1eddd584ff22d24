// The first legal action, after a worker thread and a timer have done what they are for.
const { Worker } = require("worker_threads");
const lines = require("readline").createInterface({ input: process.stdin });
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "start") say({ type: "ready" });
  if (message.type === "decide") setTimeout(() => say({ type: "move", id: message.id, action: message.legal[0] }), 1);
  if (message.type === "bye") process.exit(0);
});

const worker = new Worker('require("worker_threads").parentPort.postMessage(6 * 7)', { eval: true });
worker.once("message", (answer) => {
  if (answer !== 42) process.exit(1);
  say({ type: "hello", protocol: 1, name: "node", version: "1", games: ["draftosaurus"] });
});
