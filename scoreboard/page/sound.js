// Sounds of one table, made here: a result rises, "no more bets" is one tone, and what is no result falls.

import { notice } from "./around.js";
import { t } from "./words.js";

// Tones of each state: hertz, one after the other.
const TONES = { result: [660, 880, 1320], no_more_bets: [520], void: [440, 330], unresolved: [440, 330], corrected: [440, 330] };
const TONE_S = 0.16;
const LOUD = 0.2;

export class Sound {
  #context = null;

  constructor() {
    if (!globalThis.AudioContext) {
      notice("sound", t("sound.none"));
      return;
    }
    this.#context = new AudioContext();
    this.#context.addEventListener("statechange", () => this.#tell());
    // A browser makes no sound before somebody has touched the page.
    for (const touch of ["pointerdown", "keydown"]) addEventListener(touch, () => this.#context.resume(), { passive: true });
    this.#tell();
  }

  // The sound of a state to which the table has changed just now.
  make(state) {
    if (TONES[state]) this.#play(TONES[state]);
  }

  #play(tones) {
    if (this.#context?.state !== "running") return;
    tones.forEach((hertz, at) => {
      const begin = this.#context.currentTime + at * TONE_S;
      const tone = new OscillatorNode(this.#context, { frequency: hertz, type: "triangle" });
      const volume = new GainNode(this.#context, { gain: 0 });
      volume.gain.setTargetAtTime(LOUD, begin, 0.01);
      volume.gain.setTargetAtTime(0, begin + TONE_S, 0.05);
      tone.connect(volume).connect(this.#context.destination);
      tone.start(begin);
      tone.stop(begin + TONE_S * 3);
    });
  }

  #tell() {
    notice("sound", this.#context.state === "running" ? null : t("sound.blocked"));
  }
}
