// The least that a bot in JavaScript can be: it says hello, and leaves when the arena does.
console.log(JSON.stringify({ type: "hello", protocol: 1, name: "node", version: "1", games: ["draftosaurus"] }));
process.stdin.resume();
