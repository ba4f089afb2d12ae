// The drawing of each kind of device, and the panels that hold them. A kind without a drawing shows its facts.

import { h } from "/web/dom.js";
import { t } from "./words.js";
import { phrase, setText, valueOf } from "./text.js";
import { moneyWheel, rouletteWheel, starX } from "./devices/wheels.js";
import { automatedShaker, cage, cageMotor, chute, shaker, values } from "./devices/dice.js";
import { buttons, cardReader, discardRack, door, lampBoard, puck, pusherBed, reels, shoe, shuffler, shufflingShoe, tokenChute } from "./devices/table.js";

const DRAWINGS = {
  money_wheel: moneyWheel, roulette_wheel: rouletteWheel, star_x: starX, cage, chute, shaker, automated_shaker: automatedShaker,
  cage_motor: cageMotor, dice_keypad: values, dice_reader: values, lamp_board: lampBoard, puck, shoe, shuffling_shoe: shufflingShoe, buttons,
  shuffler, card_reader: cardReader, discard_rack: discardRack, door, token_chute: tokenChute, pusher_bed: pusherBed, stepper_reels: reels, video_screen: reels,
};
// The kind of a view without a drawing of its own.
const FACTS = "facts";
const SMALL = new Set([FACTS, "buttons", "dice_keypad", "dice_reader", "puck", "star_x", "cage_motor", "shuffler", "card_reader", "discard_rack", "door", "token_chute"]);

export class Devices {
  constructor(root) {
    this.root = root;
    this.panels = new Map();
    this.machine = false;
  }

  /** Draws what the drivers and actuators give: [{device, half, view}]. */
  update(views, levels) {
    for (const { device, half, view } of views) {
      const key = `${device}/${half}/${view.kind}`;
      let panel = this.panels.get(key);
      if (!panel) this.panels.set(key, (panel = this.make(device, half, view)));
      panel.drawing?.update(view);
      panel.drawing?.lines?.(levels);
      this.facts(panel, view);
    }
  }

  make(device, half, view) {
    if (view.kind === "buttons" && !view.buttons.length) return { list: h("dl"), doubts: h("ul") };
    const make = DRAWINGS[view.kind];
    const drawing = make ? make(view) : null;
    const list = h("dl", { class: "facts" });
    const doubts = h("ul", { class: "doubts", lang: "en" });
    const owner = device === "dealer" && this.machine ? t("attendant") : device;
    const name = half === "actuator" ? t("device.commanded", { device: owner }) : owner;
    const panel = h("article", { class: `device${SMALL.has(view.kind) ? " small" : ""}`, "data-device": device, "data-half": half, "aria-label": t("device", { device: name }) },
      h("h3", {}, name, view.kind === FACTS ? null : h("small", {}, phrase(view.kind.replaceAll("_", " ")))), drawing?.drawing, list, doubts);
    list.hidden = view.kind === "buttons";
    this.root.append(panel);
    return { drawing, list, doubts, rows: new Map() };
  }

  facts(panel, view) {
    if (!panel.rows) return;
    for (const [label, value] of view.facts ?? []) {
      let cell = panel.rows.get(label);
      if (!cell) {
        cell = h("dd");
        panel.rows.set(label, cell);
        panel.list.append(h("dt", {}, phrase(label)), cell);
      }
      setText(cell, valueOf(value));
    }
    const key = (view.doubts ?? []).join("\n");
    if (key !== panel.doubtKey) {
      panel.doubtKey = key;
      panel.doubts.replaceChildren(...(view.doubts ?? []).map((doubt) => h("li", {}, doubt)));
    }
  }
}
