// A Pico on its carrier, as simulators/board/simboard.h has the Nano: the same pins by the same numbers (8 · port + bit; B, C, D),
// the same levels, sensors that are fed, a chain of lamps, a FRAM. Cycles are of 125 MHz, and count from power-on.

import { arrivesAfterNs, Chip, CYCLE_NS, EXTERNAL, POWER_ON, WATCHDOG_CAUSE } from "./chip.mjs";
import { Fram } from "./fram.mjs";
import { UsbHost } from "./usb_host.mjs";

const ANALOGUE = 32, NOT_DRIVEN = -1, LEVEL_FULL = 65535, SUPPLY = 1 << 24, ADC_TOP = 4095;
const RAN = 0, PAUSED = 1, CRASHED = -1;
const PWM = 4, IO = 0x40014, WATCHDOG = 0x40058, TIMER = 0x40054;
const BUS_DATA = 20, BUS_CLOCK = 21;
const BY_TIMER = 1; // a cause of the watchdog's reset
const PULSE_CYCLES = 40 / CYCLE_NS; // of clock and latch: a TPIC6C595 takes 40 ns, a 74HC595 and a 74HC165 24 ns

export class Board {
  /** `gpio`: where the pins are; `channels`: which of the converter have C0 … C5, A6, A7. */
  constructor(image, fram, startUp, gpio, channels) {
    this.image = image;
    this.pins = gpio;
    this.channels = channels;
    this.dimmed = [3]; // B3
    this.fram = new Fram(fram);
    this.startUp = startUp;
    this.problem = "";
    this.paused = false;
    this.sent = [];
    this.changes = [];
    this.untaken = 0;
    this.driven = new Array(24).fill(NOT_DRIVEN);
    this.level = new Array(24).fill(0); // as the chip sees it
    this.output = new Array(24).fill(NOT_DRIVEN);
    this.supplies = new Array(8).fill(0);
    this.fed = 0;
    this.feed = NOT_DRIVEN;
    this.chain = { count: 0 };
    this.plan = [];
    this.line = [];
    this.resets = 0;
    this.lastCause = POWER_ON;
    this.unread = 0;
    this.overrunsBefore = 0;
    this.off = false;
    this.usbAuto = true;
    this.base = 0;
    this.stepBegan = 0;
    this.begin(POWER_ON);
  }

  get cycle() {
    return this.base + Math.ceil(this.chip.nanos / CYCLE_NS);
  }

  nanosAt(cycle) {
    return (cycle - this.base) * CYCLE_NS;
  }

  // --- life

  begin(cause) {
    const before = this.chip;
    this.base = before ? this.cycle : 0;
    if (before) this.overrunsBefore += before.uart.overruns;
    this.chip = new Chip(this, this.image, cause, before);
    this.usb = new UsbHost(this, this.chip, this.usbAuto);
    this.restsUntil = this.base + this.startUp;
    const { clock } = this.chip.rp;
    this.planAlarm = clock.createAlarm(() => this.playPlan());
    this.lineAlarm = clock.createAlarm(() => this.byteCame());
    for (const [pin, gpio] of this.pins) this.chip.rp.gpio[gpio].addListener(() => this.moved(pin));
    for (const gpio of [BUS_DATA, BUS_CLOCK]) this.chip.rp.gpio[gpio].addListener(() => this.busMoved());
    const { pwm } = this.chip.rp;
    for (const channel of pwm.channels)
      for (const alarm of [channel.alarmA, channel.alarmB, channel.alarmBottom]) alarm.enable = false;
    for (const part of [pwm, this.chip.rp.peripherals[IO]]) {
      const write = part.writeUint32.bind(part);
      part.writeUint32 = (offset, value) => {
        write(offset, value);
        for (const pin of this.dimmed) this.moved(pin);
      };
    }
    for (const pin of this.pins.keys()) {
      this.noteOutput(pin, NOT_DRIVEN);
      this.apply(pin, true);
    }
    for (const [channel, share] of this.supplies.entries()) this.supply(channel, share);
    this.fram.quiet();
    this.busMoved();
    this.schedule();
  }

  restart(cause) {
    this.resets++;
    this.lastCause = cause;
    this.begin(cause);
  }

  run(until, pauseAt, pauseAfter) {
    this.paused = false;
    this.pauseAt = pauseAt;
    this.pauseAfter = pauseAfter;
    while (this.cycle < until && !this.paused && !this.problem) {
      if (this.off) this.chip.rest(this.nanosAt(until));
      else if (this.cycle < this.restsUntil) this.chip.rest(this.nanosAt(Math.min(until, this.restsUntil)));
      else this.chip.run(this.nanosAt(until));
      if (this.chip.bitten) this.restart(WATCHDOG_CAUSE);
    }
    return this.problem ? CRASHED : this.paused ? PAUSED : RAN;
  }

  /** As board_run_to_change of simboard.c. */
  runToChange(until, every, restsUntil, watched, pauseAt, pauseAfter) {
    const isWatched = ([, pin]) => (watched >> pin) & 1;
    let status, seen;
    do {
      seen = this.changes.length;
      this.stepBegan = this.cycle;
      status = this.run(Math.min(until, this.stepBegan + every), pauseAt, pauseAfter);
    } while (
      status === RAN && this.cycle < until && this.cycle < restsUntil &&
      !this.changes.slice(seen).some(isWatched) && !(pauseAfter && this.sent.length)
    );
    return status;
  }

  powerOff() {
    this.off = true;
    for (const pin of this.pins.keys()) this.noteOutput(pin, NOT_DRIVEN);
    this.chain.out = this.chain.shifted = this.chain.held = 0n;
    this.feedChanged();
    this.fram.quiet();
    this.chip.uart.ends.cancel();
    this.usb.unplug(true);
    for (const alarm of this.chip.rp.peripherals[TIMER].alarms) alarm.clockAlarm.cancel();
    this.chip.rp.peripherals[WATCHDOG].onWatchdogTrigger = () => {};
    this.chip.rp.peripherals[WATCHDOG].alarm.enable = false;
  }

  powerOn() {
    this.off = false;
    this.restart(POWER_ON);
  }

  /** The boot ROM has written an image, and restarts the chip by the watchdog. */
  flashed() {
    this.restart(POWER_ON);
    this.chip.rp.peripherals[WATCHDOG].reason = BY_TIMER;
  }

  // --- pins

  gpio(pin) {
    return this.chip.rp.gpio[this.pins.get(pin)];
  }

  shareOf(gpio) {
    const channel = this.chip.rp.pwm.channels[(gpio.index >> 1) & 7];
    const compare = gpio.index & 1 ? channel.cc >>> 16 : channel.cc & 0xffff;
    return channel.csr & 1 ? Math.min(LEVEL_FULL, Math.round((compare * LEVEL_FULL) / (channel.top + 1))) : 0;
  }

  /** The chip may have moved a pin. */
  moved(pin) {
    const gpio = this.gpio(pin);
    if (!gpio.outputEnable) this.noteOutput(pin, NOT_DRIVEN);
    else this.noteOutput(pin, gpio.functionSelect === PWM ? this.shareOf(gpio) : gpio.outputValue ? LEVEL_FULL : 0);
    this.apply(pin, false);
  }

  noteOutput(pin, level) {
    if (level === this.output[pin]) return;
    this.output[pin] = level;
    this.changes.push([this.cycle, pin, level]);
    const chainFed = this.chainMoved(pin);
    if (this.fed && (this.feed === NOT_DRIVEN ? chainFed : pin === this.feed)) this.feedChanged();
  }

  isFed() {
    return this.feed === NOT_DRIVEN ? this.chainFeeds() : this.output[this.feed] === LEVEL_FULL;
  }

  /** A sensor without its feed pulls nothing: its line is high. Who drives a pin is seen where the chip does not. */
  apply(pin, anew) {
    const gpio = this.gpio(pin);
    const free = !((this.fed >> pin) & 1) || this.isFed();
    let level = free ? this.driven[pin] : 1;
    if (gpio.outputEnable) level = gpio.outputValue ? 1 : 0;
    else if (level === NOT_DRIVEN) level = gpio.pullupEnabled ? 1 : gpio.pulldownEnabled ? 0 : this.level[pin];
    if (level === this.level[pin] && !anew) return;
    this.level[pin] = level;
    gpio.setInputValue(level === 1);
  }

  feedChanged() {
    for (const pin of this.pins.keys()) if ((this.fed >> pin) & 1) this.apply(pin, false);
  }

  drive(pin, level) {
    this.driven[pin] = level;
    if (this.pins.has(pin)) this.apply(pin, false);
  }

  supply(channel, share) {
    this.supplies[channel] = share;
    if (this.channels[channel] >= 0 && share) this.chip.rp.adc.channelValues[this.channels[channel]] = Math.round((share * ADC_TOP) / SUPPLY);
  }

  planned(cycles, pins, values) {
    for (let at = 0; at < cycles.length; at++) {
      const entry = [cycles[at], pins[at], values[at]];
      let place = this.plan.length;
      while (place > 0 && this.plan[place - 1][0] > entry[0]) place--;
      if (place === this.plan.length) this.plan.push(entry);
      else this.plan.splice(place, 0, entry);
    }
    this.schedule();
  }

  schedule() {
    const { nanos } = this.chip;
    if (this.plan.length) this.planAlarm.schedule(Math.max(0, this.nanosAt(this.plan[0][0]) - nanos));
    else this.planAlarm.cancel();
    if (this.line.length) this.lineAlarm.schedule(Math.max(0, this.nanosAt(this.line[0].cycle) - nanos));
    else this.lineAlarm.cancel();
  }

  playPlan() {
    const { nanos } = this.chip;
    let done = 0;
    while (done < this.plan.length && this.nanosAt(this.plan[done][0]) <= nanos) {
      const [, pin, value] = this.plan[done++];
      if (pin >= ANALOGUE) this.supply(pin - ANALOGUE, value);
      else this.drive(pin, value);
    }
    this.plan.splice(0, done);
    if (this.plan.length) this.planAlarm.schedule(Math.max(0, this.nanosAt(this.plan[0][0]) - nanos));
  }

  // --- the bus of the FRAM

  busMoved() {
    const { gpio } = this.chip.rp;
    const high = (number) => !(gpio[number].outputEnable && !gpio[number].outputValue);
    const low = this.fram.moved(high(BUS_CLOCK), high(BUS_DATA));
    gpio[BUS_CLOCK].setInputValue(high(BUS_CLOCK));
    gpio[BUS_DATA].setInputValue(high(BUS_DATA) && !low);
  }

  framFaults(missing, disturbed, held) {
    this.fram.missing = missing || this.fram.bytes.length === 0;
    this.fram.disturbed = disturbed;
    this.fram.held = held;
    this.busMoved();
  }

  // --- the serial line

  received(bytes, start, cyclesAByte) {
    for (const [at, byte] of bytes.entries()) {
      const byteNs = cyclesAByte * CYCLE_NS;
      this.line.push({ cycle: start + at * cyclesAByte + arrivesAfterNs(byteNs) / CYCLE_NS, byteNs, byte });
    }
    this.schedule();
  }

  byteCame() {
    const { byte, byteNs } = this.line.shift();
    if (this.off || this.cycle < this.restsUntil) this.unread++;
    else if (this.usb.attached) this.usb.write([byte]);
    else this.chip.uart.receive(byte, byteNs);
    if (this.line.length)
      this.lineAlarm.schedule(Math.max(0, this.nanosAt(this.line[0].cycle) - this.chip.nanos));
  }

  byteSent(byte) {
    this.sent.push([this.cycle, byte]);
    this.untaken++;
    this.paused ||= byte === this.pauseAt || (this.pauseAfter > 0 && this.untaken >= this.pauseAfter);
  }

  retime(ratio, less) {
    const now = this.cycle;
    const at = (cycle) => now + Math.max(0, (cycle - now) * ratio - less);
    for (const entry of this.plan) entry[0] = at(entry[0]);
    if (less) this.unread += this.line.splice(0).length;
    for (const entry of this.line) [entry.cycle, entry.byteNs] = [at(entry.cycle), entry.byteNs * ratio];
    this.schedule();
  }

  // --- a chain of lamps and control outputs (simboard_chain.c)

  hangChain([data, clock, latch, readBack], count, sense) {
    const all = (1n << BigInt(count)) - 1n;
    this.chain = { data, clock, latch, readBack, count, sense, all, shifted: 0n, out: 0n, held: 0n, dead: 0n, stuck: 0n };
    this.chain.was = { [clock]: true, [latch]: true };
    this.chain.edges = { [clock]: { cycle: -Infinity }, [latch]: { cycle: -Infinity } };
    this.putReadBack();
  }

  get drawn() {
    const { chain } = this;
    return chain.count ? (chain.out | chain.stuck) & ~chain.dead & chain.all : 0n;
  }

  chainFeeds() {
    const { chain } = this;
    return Boolean(chain.sense) && ((chain.out >> BigInt(chain.sense - 1)) & 1n) === 1n;
  }

  putReadBack() {
    this.drive(this.chain.readBack, Number((this.chain.held >> BigInt(this.chain.count - 1)) & 1n));
  }

  chainMoved(pin) {
    const { chain } = this;
    if (!chain.count || (pin !== chain.clock && pin !== chain.latch)) return false;
    const fed = this.chainFeeds();
    const high = this.output[pin] !== 0; // what floats is pulled up
    if (high === chain.was[pin]) return false;
    chain.was[pin] = high;
    const edge = chain.edges[pin];
    if (this.cycle - edge.cycle < PULSE_CYCLES) {
      // The parts saw neither that edge nor this one.
      Object.assign(chain, edge.before);
      edge.cycle = edge.since;
    } else {
      const { shifted, out, held } = chain;
      chain.edges[pin] = { cycle: this.cycle, since: edge.cycle, before: { shifted, out, held } };
      if (pin === chain.latch) {
        chain.held = this.drawn;
        if (high) chain.out = chain.shifted;
      } else if (high) {
        chain.shifted = ((chain.shifted << 1n) | (this.output[chain.data] !== 0 ? 1n : 0n)) & chain.all;
        if (chain.was[chain.latch]) chain.held = (chain.held << 1n) & chain.all;
      }
    }
    this.putReadBack();
    return fed !== this.chainFeeds();
  }

  reset() {
    this.restart(EXTERNAL);
  }
}
