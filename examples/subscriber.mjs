// A subscriber in JavaScript: npm install zeromq
//
//     node examples/subscriber.mjs ipc:///run/feltwire/feed ipc:///run/feltwire/history

import { Dealer, Subscriber } from "zeromq";

const [feedAddress, historyAddress] = process.argv.slice(2);
const feed = new Subscriber();
const history = new Dealer({ receiveTimeout: 2000 });
feed.subscribe("v1/", "sim/v1/"); // always with the slash: v1/table-1 would match table-10 as well
feed.connect(feedAddress);
history.connect(historyAddress);
const places = new Map(); // table -> { epoch, seq }
const placeOf = (table) => places.get(table) ?? { epoch: "", seq: 0 };

function show(body) {
  const event = JSON.parse(body);
  const { table, simulated } = event.data;
  if (event.sequence !== undefined) {
    const seq = Number(event.sequence);
    if (seq <= placeOf(table).seq) return;
    places.set(table, { epoch: event.id.split(".").at(-2), seq });
  }
  console.log(simulated ? "SIMULATED" : "real", event.id, event.type);
}

async function fill(table) {
  for (;;) {
    const { epoch, seq } = placeOf(table);
    await history.send(["1", "since", table, epoch, String(seq)]);
    let kind = "event";
    while (kind === "event") {
      const [, answer, content, body] = await history.receive();
      kind = answer.toString();
      if (kind === "event") show(body.toString());
      if (kind === "error") console.log("--", content.toString());
    }
    if (kind !== "more") return;
  }
}

for await (const [, body] of feed) {
  const event = JSON.parse(body.toString());
  const { table } = event.data;
  const next = placeOf(table).seq + 1;
  const behind =
    event.type === "feltwire.heartbeat.v1" ? event.data.last >= next : Number(event.sequence ?? next) > next;
  // Without an answer in 2 s, the next heartbeat requests them again.
  if (behind) await fill(table).catch((error) => console.log("--", error.message));
  if (event.type !== "feltwire.heartbeat.v1") show(body.toString());
}
