// A client of `tictactoe network host`, as docs/protocol.md describes it: node network_client.js HOST PORT NAME [TOKEN]
const net = require("net");
const readline = require("readline");

const [host, port, name, token = null] = process.argv.slice(2);
const socket = net.connect(Number(port), host);
const say = (message) => socket.write(JSON.stringify(message) + "\n");

function choose(goal, moves) {
  const free = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((square) => !moves.includes(square));
  return free[Math.floor(Math.random() * free.length)];
}

let goal = null;
say({ type: "join", name, protocol: 1, token });
readline.createInterface({ input: socket }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "goal") goal = message.goal;
  if (message.type === "turn") say({ type: "move", square: choose(goal, message.moves), turn: message.turn });
  if (["welcome", "end", "error", "quit"].includes(message.type)) console.log(line);
});
