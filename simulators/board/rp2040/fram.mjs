// A FRAM on a two-wire bus (FM24W256, MB85RC256V), bit by bit: address 0x50, two address bytes of which as many count as it has,
// and a byte is kept when its eighth bit has come. A power cut before that leaves the byte that was there.

const ADDRESS = 0x50;

export class Fram {
  constructor(content) {
    this.bytes = content;
    this.at = 0;
    this.writes = 0;
    this.missing = content.length === 0;
    this.disturbed = 0; // bytes that are not acknowledged
    this.held = 0; // clocks until it lets go of the data line
    this.quiet();
  }

  /** The power comes or goes. */
  quiet() {
    this.phase = "idle";
    this.bits = this.shift = 0;
    this.pulls = false;
    this.clock = this.data = true;
  }

  /** Whether it pulls the data line low. */
  get low() {
    return this.pulls || this.held > 0;
  }

  /** The lines as the chip drives them; true where it pulls the data line low after that. */
  moved(clock, chipData) {
    const data = chipData && !this.low;
    if (this.clock && clock && data !== this.data) this.condition(!data);
    else if (!this.clock && clock) this.rose(data);
    else if (this.clock && !clock) this.fell();
    this.clock = clock;
    this.data = chipData && !this.low;
    return this.low;
  }

  condition(start) {
    this.phase = start && !this.missing ? "device" : "idle";
    this.bits = this.shift = 0;
    this.pulls = false;
  }

  rose(data) {
    if (this.held) this.held--;
    if (this.phase === "idle") return;
    this.bits++;
    if (this.phase === "reading") {
      if (this.bits === 9 && data) this.phase = "idle"; // no acknowledgement: that was the last byte
      return;
    }
    if (this.bits <= 8) this.shift = (this.shift << 1) | (data ? 1 : 0);
    if (this.bits === 8 && this.phase === "writing" && !this.disturbed) {
      this.bytes[this.at] = this.shift & 0xff;
      this.at = (this.at + 1) & (this.bytes.length - 1);
      this.writes++;
    }
  }

  fell() {
    if (this.phase === "idle") return void (this.pulls = false);
    if (this.bits === 9) {
      this.bits = 0;
      if (this.phase !== "reading") this.next();
      this.shift = 0;
    }
    if (this.phase === "reading") {
      if (this.bits === 0) this.shift = this.bytes[this.at];
      if (this.bits === 8) this.at = (this.at + 1) & (this.bytes.length - 1);
      this.pulls = this.bits < 8 && !((this.shift >> (7 - this.bits)) & 1);
    } else this.pulls = this.bits === 8 && this.acknowledges();
  }

  acknowledges() {
    if (this.disturbed) {
      this.disturbed--;
      this.phase = "idle";
      return false;
    }
    if (this.phase === "device" && (this.shift & 0xff) >> 1 !== ADDRESS) this.phase = "idle";
    return this.phase !== "idle";
  }

  next() {
    const byte = this.shift & 0xff;
    if (this.phase === "device") this.phase = byte & 1 ? "reading" : "high";
    else if (this.phase === "high") [this.at, this.phase] = [byte << 8, "low"];
    else if (this.phase === "low") [this.at, this.phase] = [(this.at | byte) & (this.bytes.length - 1), "writing"];
  }
}
