// An RP2040 of rp2040js, with what that has not as the data sheet has it: the boot ROM's check of the second-stage boot loader,
// cycles of interrupts, sleep with interrupts off, alarms to the microsecond, the serial line, the causes of a reset, and a
// watchdog that resets all of the chip.
//
// Not modelled: the start of the oscillators (125 MHz from the first cycle), the time that flash takes (the program runs in RAM),
// PIO, whose steps rp2040js does not take with the clock.

import { BasePeripheral, RP2040 } from "rp2040js";

export const CYCLE_NS = 8;
const BOOT2 = 256, BOOT2_RAM = 0x41f00, ROM_STACK = 0x20041800;
const TO_INTERRUPT = 15, FROM_INTERRUPT = 10; // cycles, beyond those of the instructions (Cortex-M0+ manual)
const ADC = 0x4004c, ADC_ON = 1, ADC_START = 4, ADC_READY_NS = 10_000; // to its first reading (ours: beyond what it needs)
const TIMER = 0x40054, UART0 = 0x40034, WATCHDOG = 0x40058, POWER = 0x40064;
const UART_IRQ = 20;
const BUSY = 1 << 3, NOTHING_CAME = 1 << 4, FULL = 1 << 5, CAME_FULL = 1 << 6, EMPTY = 1 << 7;
const CAME = 1 << 4, HAS_ROOM = 1 << 5;
const WAS_POWER_ON = 1 << 8, WAS_RUN_PIN = 1 << 16;
const BITS_A_BYTE = 10, STOP_BIT_SEEN = 9.5; // bits from the start bit until a byte is there
const BAUD_OFF = 0.04;

export const POWER_ON = 1, EXTERNAL = 2, WATCHDOG_CAUSE = 8;

/** CRC-32/MPEG-2, by which the boot ROM knows its second stage. */
function checksum(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x80000000 ? 0x04c11db7 : 0);
  }
  return crc >>> 0;
}

/** UART0 without its queues: one byte waits behind the one that is being sent, and one that came waits to be read. */
class Uart extends BasePeripheral {
  constructor(chip) {
    super(chip.rp, "UART0");
    this.chip = chip;
    this.registers = { 0x24: 0, 0x28: 0, 0x2c: 0, 0x30: 0x300, 0x38: 0 };
    this.raised = 0;
    this.shifting = this.waiting = this.came = null;
    this.overruns = 0;
    this.ends = chip.rp.clock.createAlarm(() => this.byteSent());
  }

  get bitNs() {
    const divisor = this.registers[0x24] + this.registers[0x28] / 64;
    return divisor ? (16 * divisor * 1e9) / this.rp2040.clkPeri : Infinity;
  }

  interrupt() {
    this.rp2040.setInterrupt(UART_IRQ, (this.raised & this.registers[0x38]) !== 0);
  }

  readUint32(offset) {
    if (offset === 0x00) {
      const byte = this.came ?? 0;
      this.came = null;
      this.raised &= ~CAME;
      this.interrupt();
      return byte;
    }
    if (offset === 0x18)
      return (
        (this.shifting === null ? 0 : BUSY) |
        (this.came === null ? NOTHING_CAME : CAME_FULL) |
        (this.waiting === null ? EMPTY : FULL)
      );
    if (offset === 0x3c) return this.raised;
    if (offset === 0x40) return this.raised & this.registers[0x38];
    return this.registers[offset] ?? super.readUint32(offset);
  }

  writeUint32(offset, value) {
    if (offset === 0x00) this.send(value & 0xff);
    else if (offset === 0x44) this.raised &= ~value;
    else if (offset in this.registers) this.registers[offset] = value;
    else super.writeUint32(offset, value);
    if (offset === 0x2c && value & 0x10) this.chip.problem("the queues of the UART are on, and are not modelled");
    this.interrupt();
  }

  send(byte) {
    if ((this.registers[0x30] & 0x101) !== 0x101) this.chip.problem("a byte was given to a UART that is off");
    if (this.shifting === null) {
      this.shifting = byte;
      this.ends.schedule(BITS_A_BYTE * this.bitNs);
    } else if (this.waiting === null) {
      this.waiting = byte;
      this.raised &= ~HAS_ROOM;
    } else this.chip.problem("a byte was given to a UART that has no room");
  }

  byteSent() {
    this.chip.board.byteSent(this.shifting);
    this.shifting = this.waiting;
    this.waiting = null;
    if (this.shifting === null) return;
    this.ends.schedule(BITS_A_BYTE * this.bitNs);
    this.raised |= HAS_ROOM;
    this.interrupt();
  }

  /** A byte came; at another baud than the chip's it is another one. */
  receive(byte, byteNs) {
    if ((this.registers[0x30] & 0x201) !== 0x201) return;
    if (Math.abs(byteNs / BITS_A_BYTE / this.bitNs - 1) > BAUD_OFF) byte = (byte * 151 + 83) & 0xff;
    if (this.came !== null) this.overruns++;
    else this.came = byte;
    this.raised |= CAME;
    this.interrupt();
  }
}

export const arrivesAfterNs = (byteNs) => (byteNs * STOP_BIT_SEEN) / BITS_A_BYTE;

export class Chip {
  /** Begins in the boot ROM, which checks and runs the first 256 bytes of `image`. `before`: the chip whose reset this is. */
  constructor(board, image, cause, before) {
    this.board = board;
    this.bitten = false;
    this.extra = 0;
    const rp = (this.rp = new RP2040());
    rp.logger = Object.fromEntries(["debug", "info"].map((level) => [level, () => {}]));
    rp.logger.warn = rp.logger.error = (name, text) => this.problem(`${name}: ${text}`);
    rp.onBreak = (code) => this.problem(`the program stopped at a breakpoint (${code})`);
    rp.flash.set(image);
    this.patchCore();
    this.patchTimer();
    this.patchConverter();
    this.uart = rp.peripherals[UART0] = rp.uart[0] = new Uart(this);
    const reset = cause === EXTERNAL ? WAS_RUN_PIN : cause === POWER_ON ? WAS_POWER_ON : (before?.cameBy ?? WAS_POWER_ON);
    this.cameBy = reset;
    rp.peripherals[POWER].readUint32 = (offset) => (offset === 8 ? reset : 0);
    const watchdog = rp.peripherals[WATCHDOG];
    watchdog.tickEnable = false;
    watchdog.onWatchdogTrigger = () => {
      watchdog.alarm.enable = watchdog.timer.enable = false;
      this.bitten = true;
    };
    if (cause === WATCHDOG_CAUSE) {
      const old = before.rp.peripherals[WATCHDOG];
      watchdog.reason = old.reason;
      watchdog.scratchData.set(old.scratchData);
    }
    const boot2 = image.subarray(0, BOOT2);
    if (checksum(boot2.subarray(0, BOOT2 - 4)) !== new DataView(boot2.buffer, boot2.byteOffset).getUint32(BOOT2 - 4, true))
      this.problem("the checksum of the second-stage boot loader is wrong: the boot ROM would not run it");
    rp.sram.set(boot2, BOOT2_RAM);
    rp.core.SP = ROM_STACK;
    rp.core.PC = 0x20000000 + BOOT2_RAM;
  }

  problem(text) {
    this.board.problem ||= text;
  }

  patchCore() {
    const { core } = this.rp;
    const enter = core.exceptionEntry.bind(core);
    core.exceptionEntry = (number) => {
      this.extra += TO_INTERRUPT;
      enter(number);
      if (core.PC === 0) this.problem(`exception ${number} has no handler`);
      core.PC &= ~1;
    };
    const leave = core.exceptionReturn.bind(core);
    core.exceptionReturn = (to) => {
      this.extra += FROM_INTERRUPT;
      leave(to);
    };
    const check = core.checkForInterrupts.bind(core);
    core.checkForInterrupts = () => {
      if (!core.waiting || !core.PM) return check();
      if (core.pendingInterrupts & core.enabledInterrupts) core.waiting = false; // it wakes, and does not run them yet
      core.interruptsUpdated = true;
      return false;
    };
  }

  /** rp2040js lets an alarm ring up to a microsecond too early. */
  patchTimer() {
    const timer = this.rp.peripherals[TIMER];
    const write = timer.writeUint32.bind(timer);
    timer.writeUint32 = (offset, value) => {
      write(offset, value);
      const alarm = timer.alarms[(offset - 0x10) / 4];
      if (offset < 0x10 || offset > 0x1c) return;
      const { nanos } = this.rp.clock;
      const left = ((value - Math.floor(nanos / 1000)) >>> 0) || 2 ** 32;
      alarm.clockAlarm.schedule(left * 1000 - (nanos % 1000));
    };
  }

  /** rp2040js has a converter that reads as soon as it is on. */
  patchConverter() {
    const adc = this.rp.peripherals[ADC];
    const write = adc.writeUint32.bind(adc);
    let onNs = Infinity;
    adc.writeUint32 = (offset, value) => {
      if (offset === 0) onNs = value & ADC_ON ? Math.min(onNs, this.nanos) : Infinity;
      if (offset === 0 && value & ADC_START && !(this.nanos >= onNs + ADC_READY_NS))
        this.problem("the converter was read before it was ready");
      write(offset, value);
    };
  }

  get nanos() {
    return this.rp.clock.nanosCounter;
  }

  /** Executes up to `untilNs`, or until the board pauses, the watchdog bites, or something is wrong. */
  run(untilNs) {
    const { board, rp } = this;
    const { clock, core } = rp;
    while (clock.nanosCounter < untilNs && !board.paused && !this.bitten && !board.problem) {
      if (core.waiting) {
        if (core.pendingInterrupts & core.enabledInterrupts) {
          core.checkForInterrupts();
          core.waiting = false;
          continue;
        }
        const left = untilNs - clock.nanosCounter;
        clock.tick(clock.nextAlarm ? Math.min(left, clock.nextAlarm.nanos - clock.nanosCounter) : left);
        continue;
      }
      const cycles = core.executeInstruction() + this.extra;
      this.extra = 0;
      clock.tick(cycles * CYCLE_NS);
    }
  }

  /** Lets time pass without a program: the reset line is low, or there is no power. */
  rest(untilNs) {
    const { clock } = this.rp;
    while (clock.nanosCounter < untilNs && !this.board.paused)
      clock.tick(Math.min(untilNs, clock.nextAlarm?.nanos ?? untilNs) - clock.nanosCounter);
  }

  /** The instruction that is next becomes a branch to itself. */
  hang(interrupts) {
    const { core, sramView } = this.rp;
    const at = (core.PC & ~1) - 0x20000000;
    if (at < 0 || at >= sramView.byteLength) return this.problem("it cannot be hung while it starts");
    sramView.setUint16(at, 0xe7fe, true);
    core.waiting = false;
    core.PM = !interrupts;
    core.interruptsUpdated = true;
  }
}
