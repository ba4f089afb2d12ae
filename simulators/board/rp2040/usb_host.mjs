// What is at the other end of a Pico's own USB: a host with one bus, packet by packet at full speed, in place of rp2040js's own model
// of the transfers, which has no host that refuses to take a packet. What a real host would not take is a problem of the board: a
// packet with the wrong toggle, one that is too long, an answer to nobody's address. So is a buffer that the chip is not given as its
// data sheet has it (4.1.2.5.1): all other bits first, and 12 cycles later that it is available (as in the SDK).
//
// Not modelled: signals and their levels, errors of bits and CRC, frames and their place in a millisecond, hubs, power.

const FULL = 1 << 15, DATA1 = 1 << 13, STALLS = 1 << 11, AVAILABLE = 1 << 10, LENGTH = 0x3ff;
const SIE_CONTROL = 0x4c, SIE_STATUS = 0x50, PULL_UP = 1 << 16;
const WAS_RESET = 1 << 19, SETUP_CAME = 1 << 17, RESUMED = 1 << 11, SUSPENDED = 1 << 4, ON_SUSPEND = 1 << 14;
const PACKET = 64, BULK = 2, CONTROL_DATA = 0x100, ADDRESS = 1;
const BUFFERS = 0x80, BUFFERS_END = 0x100, SETTLED_NS = 12 * 8;
const ATTACHED_NS = 1_000_000, GAP_NS = 2_000, TOKEN_BYTES = 13, BIT_NS = 1e3 / 12;
const STANDARD = { descriptor: 6, address: 5, configuration: 9 }, CLASS = { coding: 0x20, state: 0x22 };

const setup = (type, request, value, index, length) =>
  Uint8Array.of(type, request, value & 0xff, value >> 8, index & 0xff, index >> 8, length & 0xff, length >> 8);

export class UsbHost {
  /** `board`: whose line this is. `auto`: it enumerates what is attached, as an operating system does. */
  constructor(board, chip, auto) {
    this.board = board;
    this.chip = chip;
    this.auto = auto;
    this.usb = chip.rp.usbCtrl;
    this.memory = chip.rp.usbDPRAM;
    this.words = chip.rp.usbDPRAMView;
    this.attached = this.unplugged = this.suspended = this.deaf = this.changed = this.rest = false;
    this.said = { device: null, configuration: null, texts: [] };
    this.queue = [];
    this.alarm = chip.rp.clock.createAlarm(() => this.step());
    this.attaches = chip.rp.clock.createAlarm(() => this.reset());
    this.waiting = false;
    this.given = new Map();
    this.usb.DPRAMUpdated = (offset, value) => {
      if (offset >= BUFFERS && offset < BUFFERS_END) this.written(offset, value);
      this.wake();
    };
    const write = this.usb.writeUint32.bind(this.usb);
    this.usb.writeUint32 = (offset, value) => {
      if (offset === SIE_STATUS && this.usb.rawWriteValue & SUSPENDED) {
        this.changed = false;
        this.usb.sieStatus &= ~SUSPENDED;
      }
      write(offset, value);
      if (offset === SIE_CONTROL && value & PULL_UP && !this.attached) {
        this.attached = true;
        this.attaches.schedule(ATTACHED_NS);
      }
    };
    const updated = this.usb.sieStatusUpdated.bind(this.usb);
    this.usb.sieStatusUpdated = () => {
      updated();
      this.usb.intRaw = (this.usb.intRaw & ~ON_SUSPEND) | (this.changed ? ON_SUSPEND : 0);
      this.usb.checkInterrupts();
    };
    this.forget();
  }

  get open() {
    return this.attached && !this.unplugged && !this.suspended;
  }

  forget() {
    this.transfer = null;
    this.configured = false;
    this.toggles = { in: 0, out: 0 };
    this.came = []; // of a transfer, which ends with a packet that is shorter than the longest
    this.endpoints = { in: 0, out: 0 };
    this.address = 0;
  }

  // --- what befalls the bus

  tell(status) {
    this.usb.sieStatus |= status;
    this.usb.sieStatusUpdated();
  }

  /** Nothing moves on the bus, or something does again: the chip is told that this changed, and has in its status that nothing
   * moves until that is cleared (the SDK's registers have it as cleared by a write). */
  rests(on) {
    this.rest = on;
    this.usb.sieStatus = on ? this.usb.sieStatus | SUSPENDED : this.usb.sieStatus & ~SUSPENDED;
    this.changed = true;
    this.tell(0);
  }

  reset() {
    if (this.unplugged) return;
    if (this.rest) this.rests(false);
    this.forget();
    for (let at = BUFFERS; at < BUFFERS_END; at += 4) this.words.setUint32(at, this.words.getUint32(at, true) & ~AVAILABLE, true);
    this.tell(WAS_RESET);
    if (this.auto) this.enumerate();
    this.wake();
  }

  suspend(on) {
    this.suspended = on;
    this.rests(on);
    if (!on) this.tell(RESUMED);
    this.wake();
  }

  unplug(on) {
    this.unplugged = on;
    this.queue.length = 0;
    if (on) {
      this.forget();
      this.rests(true);
    } else if (this.attached) this.attaches.schedule(ATTACHED_NS);
  }

  // --- what an operating system asks

  enumerate() {
    const ask = (packet, out, then) => ({ packet, out, then });
    const describe = (what, length, then) => ask(setup(0x80, STANDARD.descriptor, what, what >> 8 === 3 ? 0x0409 : 0, length), [], then);
    const need = (then) => (result, data) => (result === "ok" ? then(data) : this.problem(`the host was refused while it enumerated (${result})`));
    const steps = [
      describe(0x0100, 64, need((data) => (this.said.device = data))),
      ask(setup(0, STANDARD.address, ADDRESS, 0, 0), [], need(() => (this.address = ADDRESS))),
      describe(0x0100, 18, need((data) => (this.said.device = data))),
      describe(0x0200, 9, need((data) => (this.said.configuration = data))),
      describe(0x0200, 255, need((data) => this.configurationCame(data))),
      ...[14, 15, 16].map((at) => () => {
        const number = this.said.device[at];
        return number ? describe(0x0300 | number, 255, need((data) => this.said.texts.push(data))) : null;
      }),
      ask(setup(0, STANDARD.configuration, 1, 0, 0), [], need(() => {})),
      ask(setup(0x21, CLASS.coding, 0, 0, 7), [0x40, 0x42, 0x0f, 0, 0, 0, 8], need(() => {})),
      ask(setup(0x21, CLASS.state, 3, 0, 0), [], need(() => this.opened())),
    ];
    this.said.texts = [];
    const next = () => {
      let step = steps.shift();
      if (typeof step === "function") step = step();
      if (!step) return steps.length && next();
      this.control(step.packet, step.out, (result, data) => {
        step.then(result, data);
        next();
      });
    };
    next();
  }

  configurationCame(data) {
    this.said.configuration = data;
    if ((data[2] | (data[3] << 8)) !== data.length) this.problem("its configuration has another length than it says");
    for (let at = 0; at < data.length && data[at]; at += data[at])
      if (data[at + 1] === 5 && (data[at + 3] & 3) === BULK) this.endpoints[data[at + 2] & 0x80 ? "in" : "out"] = data[at + 2] & 0xf;
  }

  opened() {
    this.configured = true;
    this.toggles = { in: 0, out: 0 };
  }

  /** Has `then` called with "ok" and what the device gave, or "stall". */
  control(packet, out, then) {
    const length = packet[6] | (packet[7] << 8);
    const gives = (packet[0] & 0x80) !== 0;
    this.transfer = { packet, out: Uint8Array.from(out), got: [], gives, length, stage: "setup", toggle: 1, then };
    this.wake();
  }

  write(bytes) {
    for (const byte of bytes) this.queue.push(byte);
    this.wake();
  }

  // --- packets

  problem(text) {
    this.chip.problem(`USB: ${text}`);
  }

  wake() {
    if (this.waiting || !this.open) return;
    this.waiting = true;
    this.alarm.schedule(GAP_NS);
  }

  step() {
    this.waiting = false;
    if (!this.open) return;
    const bytes = this.transfer ? this.controlPacket() : this.configured ? (this.dataPacket() ?? -1) : -1;
    if (bytes < 0) return;
    this.waiting = true;
    this.alarm.schedule((bytes + TOKEN_BYTES) * 8 * BIT_NS);
  }

  /** The chip's program wrote to the control of a buffer. */
  written(offset, value) {
    const { nanos } = this.chip;
    const before = this.given.get(offset);
    if (value & AVAILABLE && !(before?.value === (value & ~AVAILABLE) && nanos - before.nanos >= SETTLED_NS))
      this.problem("a buffer is given before the rest of its control has come through");
    this.given.set(offset, { value, nanos });
  }

  buffer(endpoint, out) {
    return this.words.getUint32(BUFFERS + 8 * endpoint + (out ? 4 : 0), true);
  }

  stalled(out) {
    return (this.usb.epStallArm & (out ? 2 : 1)) !== 0 && (this.buffer(0, out) & STALLS) !== 0;
  }

  /** The packet that waits at an endpoint, which may be empty; undefined: none does. */
  took(endpoint, at, toggle) {
    const control = this.buffer(endpoint, false);
    if (!(control & AVAILABLE)) return undefined;
    const length = control & LENGTH;
    if (!(control & FULL) || length > PACKET) this.problem(`endpoint ${endpoint} gives ${length} bytes that it has not`);
    if (((control & DATA1) !== 0) !== (toggle === 1)) this.problem(`endpoint ${endpoint} sends the wrong toggle`);
    if ((this.usb.addrEndp & 0x7f) !== this.address) this.problem("it answers to an address that is not its own");
    const data = this.memory.slice(at, at + length);
    this.complete(endpoint, false, control & ~(AVAILABLE | FULL));
    return data;
  }

  /** Whether an endpoint took a packet. */
  gave(endpoint, at, toggle, data) {
    const control = this.buffer(endpoint, true);
    if (!(control & AVAILABLE)) return false;
    if (data.length > (control & LENGTH)) this.problem(`endpoint ${endpoint} has no room for ${data.length} bytes`);
    if (((control & DATA1) !== 0) !== (toggle === 1)) this.problem(`endpoint ${endpoint} waits for the wrong toggle`);
    this.memory.set(data, at);
    this.complete(endpoint, true, (control & ~(AVAILABLE | LENGTH)) | FULL | data.length);
    return true;
  }

  complete(endpoint, out, control) {
    this.words.setUint32(BUFFERS + 8 * endpoint + (out ? 4 : 0), control, true);
    this.usb.indicateBufferReady(endpoint, out);
  }

  /** The bytes of a packet of the control transfer; -1: the device is not ready. */
  controlPacket() {
    const transfer = this.transfer;
    const end = (result) => {
      this.transfer = null;
      transfer.then(result, transfer.got);
    };
    if (transfer.stage === "setup") {
      this.memory.set(transfer.packet);
      this.usb.epStallArm = 0;
      transfer.stage = transfer.length === 0 ? "acknowledged" : transfer.gives ? "gives" : "takes";
      this.tell(SETUP_CAME);
      return 8;
    }
    const out = transfer.stage === "takes" || transfer.stage === "acknowledges";
    if (this.stalled(out)) {
      end("stall");
      return 0;
    }
    if (transfer.stage === "gives") {
      const data = this.took(0, CONTROL_DATA, transfer.toggle);
      if (!data) return -1;
      transfer.toggle ^= 1;
      transfer.got.push(...data);
      if (transfer.got.length > transfer.length) this.problem("it gives more than was asked for");
      if (data.length < PACKET || transfer.got.length >= transfer.length) transfer.stage = "acknowledges";
      return data.length;
    }
    if (transfer.stage === "takes") {
      const data = transfer.out.subarray(0, PACKET);
      if (!this.gave(0, CONTROL_DATA, transfer.toggle, data)) return -1;
      transfer.toggle ^= 1;
      transfer.out = transfer.out.subarray(data.length);
      if (!transfer.out.length) transfer.stage = "acknowledged";
      return data.length;
    }
    if (transfer.stage === "acknowledges") {
      if (!this.gave(0, CONTROL_DATA, 1, new Uint8Array(0))) return -1;
    } else if (!this.took(0, CONTROL_DATA, 1)) return -1;
    end("ok");
    return 0;
  }

  /** The bytes of a packet of data; undefined: there is none, or nobody takes it. */
  dataPacket() {
    const { in: from, out: to } = this.endpoints;
    const data = this.queue.slice(0, PACKET);
    this.turn = !this.turn;
    const give = () => {
      if (!data.length || !this.gave(to, this.place(to, true), this.toggles.out, data)) return undefined;
      this.toggles.out ^= 1;
      this.queue.splice(0, data.length);
      return data.length;
    };
    const take = () => {
      const came = this.deaf ? undefined : this.took(from, this.place(from, false), this.toggles.in);
      if (!came) return undefined;
      this.toggles.in ^= 1;
      this.came.push(...came);
      if (came.length < PACKET) for (const byte of this.came.splice(0)) this.board.byteSent(byte);
      return came.length;
    };
    return this.turn ? (give() ?? take()) : (take() ?? give());
  }

  place(endpoint, out) {
    return this.usb.getEndpointBufferOffset(endpoint, out);
  }
}
