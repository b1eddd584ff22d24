// A bot that plays the first legal action, and has one defect: `node bot.js console-log`.
//
// `bot` is the correct player. Every function of `defects` changes as little of it as the defect needs. The file of the
// same name, `console-log.toml`, says what the defect is.
"use strict";

const name = process.argv[2];

const bot = {
  begin() {},
  encode: (message) => JSON.stringify(message),
  say(message) {
    process.stdout.write(bot.encode(message) + "\n");
  },
  action: (decide) => decide.legal[0],
  move: (decide) => ({ type: "move", id: decide.id, action: bot.action(decide) }),

  welcome() {},
  start() {
    bot.say({ type: "ready" });
  },
  decide(message) {
    bot.say(bot.move(message));
  },
  end() {},
  bye() {
    process.exit(0);
  },

  buffer: [],
  piece(data) {
    const lines = data.split("\n");
    bot.buffer.push(lines.shift());
    for (const line of lines) {
      const message = JSON.parse(bot.buffer.join(""));
      bot.buffer = [line];
      bot[message.type](message);
    }
  },
};

const defects = {
  good() {},

  "console-log"() {
    bot.say = (message) => console.log(message);
  },

  "piece-is-message"() {
    bot.buffer = "";
    bot.piece = (data) => {
      bot.buffer += data;
      if (!bot.buffer.endsWith("\n")) return;
      const message = JSON.parse(bot.buffer);
      bot.buffer = "";
      bot[message.type](message);
    };
  },

  "id-of-32-bits"() {
    bot.move = (decide) => ({ type: "move", id: decide.id | 0, action: bot.action(decide) });
  },

  "second-of-legal"() {
    bot.action = (decide) => decide.legal[1];
  },

  "drops-ready"() {
    let preparation;
    bot.start = () => {
      preparation = setTimeout(() => bot.say({ type: "ready" }), 20);
    };
    bot.end = () => clearTimeout(preparation);
  },

  telemetry() {
    bot.begin = () => require("dgram").createSocket("udp4").bind(0, "127.0.0.1").unref();
  },

  "math-random"() {
    bot.action = (decide) => decide.legal[Math.floor(Math.random() * decide.legal.length)];
  },
};

defects[name]();
bot.begin();
bot.say({ type: "hello", protocol: 1, name, version: "1", games: ["draftosaurus"] });
process.stdin.setEncoding("utf8");
process.stdin.on("data", (data) => bot.piece(data));
