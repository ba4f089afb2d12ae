// One emulated Pico: a line of JSON on stdin is a list of calls, by the names of simboard.h; each line on stdout answers one, with
// what the board did since the answer before. simulators/board/pico.py is the other end.

import { readSync, writeSync } from "node:fs";
import { USBCDC } from "rp2040js";
import { Board } from "./board.mjs";

let board;
const USB_BIT_NS = 1000; // of any baud rate: that of the UART
const bytesOf = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
const CALLS = {
  new(image, fram, startUp, gpio, channels) {
    board = new Board(bytesOf(image), bytesOf(fram), startUp, new Map(gpio), channels);
  },
  run: (until, pauseAt, pauseAfter) => board.run(until, pauseAt, pauseAfter),
  run_to_change: (...given) => board.runToChange(...given),
  plan: (cycles, pins, values) => board.planned(cycles, pins, values),
  receive: (hex, start, cyclesAByte) => board.received(bytesOf(hex), start, cyclesAByte),
  taken: () => void (board.untaken = 0),
  reset: () => board.reset(),
  power_off: () => board.powerOff(),
  power_on: () => board.powerOn(),
  flashed: () => board.flashed(),
  hang: (interrupts) => board.chip.hang(interrupts),
  retime: (ratio, less) => board.retime(ratio, less),
  usb_auto: (on) => void (board.usb.auto = board.usbAuto = on),
  /** rp2040js's own host in the place of ours: it looks at less, and knows the board by its descriptors as well. */
  usb_other() {
    const { usb } = board.usb;
    delete usb.DPRAMUpdated;
    const host = new USBCDC(usb);
    host.onSerialData = (bytes) => bytes.forEach((byte) => board.byteSent(byte));
    board.usb.attached = true;
    board.usb.write = (bytes) => bytes.forEach((byte) => host.sendSerialByte(byte));
  },
  usb_deaf(on) {
    board.usb.deaf = on;
    board.usb.wake();
  },
  usb_reset: () => board.usb.reset(),
  usb_suspend: (on) => board.usb.suspend(on),
  usb_unplug: (on) => board.usb.unplug(on),
  usb_write: (hex) => board.usb.write(bytesOf(hex)),
  usb_open: () => board.usb.opened(),
  usb_address: (address) => void (board.usb.address = address),
  usb_endpoints: (data) => board.usb.configurationCame(data),
  usb_control(packet, out) {
    board.usbAnswer = null;
    board.usb.control(bytesOf(packet), bytesOf(out), (result, got) => (board.usbAnswer = [result, got]));
  },
  usb_answer: () => board.usbAnswer,
  usb_said: () => ({ ...board.usb.said, configured: board.usb.configured, unsent: board.usb.queue.length }),
  feed(fed, feed) {
    board.fed = fed;
    board.feed = feed;
    board.feedChanged();
  },
  chain: (pins, count, sense) => board.hangChain(pins, count, sense),
  chain_faults(dead, stuck) {
    board.chain.dead = BigInt(dead);
    board.chain.stuck = BigInt(stuck);
  },
  chain_drawn: () => board.drawn.toString(),
  chain_out: () => (board.chain.out ?? 0n).toString(),
  fram: () => Buffer.from(board.fram.bytes).toString("hex"),
  fram_faults: (missing, disturbed, held) => board.framFaults(missing, disturbed, held),
};

function answer(results) {
  const { sent, changes } = board;
  [board.sent, board.changes] = [[], []];
  const { uart } = board.chip;
  return {
    results,
    cycle: board.cycle,
    step_began: board.stepBegan,
    problem: board.problem,
    ends: sent.map(([end]) => end),
    bytes: sent.map(([, byte]) => byte),
    changes,
    resets: board.resets,
    cause: board.lastCause,
    base: board.base,
    bit_ns: board.usb.attached ? USB_BIT_NS : Number.isFinite(uart.bitNs) ? uart.bitNs : 0,
    overruns: board.overrunsBefore + uart.overruns,
    unread: board.unread,
    planned: board.plan.length,
    writes: board.fram.writes,
  };
}

const piece = Buffer.alloc(1 << 16);
let text = "";
for (;;) {
  const count = readSync(0, piece);
  if (count === 0) break;
  text += piece.toString("latin1", 0, count);
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
    const calls = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    const reply = Buffer.from(JSON.stringify(answer(calls.map(([name, ...given]) => CALLS[name](...given) ?? null))) + "\n");
    for (let done = 0; done < reply.length; ) done += writeSync(1, reply, done);
  }
}
