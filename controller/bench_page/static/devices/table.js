// Lamps, puck, shoe and buttons.

import { h } from "/web/dom.js";
import { t } from "../words.js";
import { phrase, setText } from "../text.js";

const MOST_IN_ROW = 8;

/** Lamps in rows by what their labels have in common: `two dice` 1-2, 1-3 … */
export function lampBoard(first) {
  const groups = [];
  first.labels.forEach((label, k) => {
    const words = label.split(" ");
    const last = words.length > 1 ? words.pop() : "";
    const name = words.join(" ");
    const group = groups.at(-1);
    const lamp = { place: k + 1, text: last || name, label };
    if (last && group?.name === name && group.lamps.length < MOST_IN_ROW) group.lamps.push(lamp);
    else groups.push({ name: last ? name : "", lamps: [lamp] });
  });
  const alone = groups.filter((group) => group.lamps.length === 1);
  const rows = groups.filter((group) => group.lamps.length > 1);
  if (alone.length) rows.push({ name: "", lamps: alone.map(({ name, lamps: [lamp] }) => ({ ...lamp, text: name ? lamp.label : lamp.text })) });
  const places = new Map();
  const parts = [];
  rows.forEach((row, r) => {
    const y = 4 + r * 24;
    const left = row.name ? 104 : 4;
    const width = row.name ? 29.5 : Math.min(110, 336 / row.lamps.length);
    if (row.name) parts.push(h("text", { x: 98, y: y + 11, "text-anchor": "end", "dominant-baseline": "central", "font-size": 10, fill: "#9fb0c0" }, row.name));
    row.lamps.forEach((lamp, k) => {
      const box = h("rect", { x: left + k * width, y, width: width - 3, height: 20, rx: 4, fill: "#1b2631", stroke: "#31404f" }, h("title", {}, lamp.label));
      const name = h("text", { x: left + k * width + (width - 3) / 2, y: y + 11, "text-anchor": "middle", "dominant-baseline": "central", "font-size": 10, fill: "#9fb0c0" }, lamp.text);
      places.set(lamp.place, { box, name });
      parts.push(box, name);
    });
  });
  return {
    drawing: h("svg", { viewBox: `0 0 344 ${8 + rows.length * 24}`, "aria-hidden": "true" }, parts),
    update(view) {
      const [asked, dead, stuck] = [new Set(view.asked), new Set(view.dead), new Set(view.stuck)];
      for (const [place, { box, name }] of places) {
        const lit = asked.has(place);
        const wrong = dead.has(place) ? "#ff6b6b" : stuck.has(place) ? "#c79bff" : null;
        box.setAttribute("fill", lit ? (view.shows ? "#ffc145" : "#6a5224") : "#1b2631");
        box.setAttribute("stroke", wrong ?? (lit ? "#ffe2a3" : "#31404f"));
        box.setAttribute("stroke-width", wrong ? 3 : 1);
        name.setAttribute("fill", lit ? "#10161c" : "#9fb0c0");
      }
    },
  };
}

export function puck() {
  const disc = h("circle", { cx: 60, cy: 50, r: 34, stroke: "#9fb0c0", "stroke-width": 3 });
  const word = h("text", { x: 60, y: 51, "text-anchor": "middle", "dominant-baseline": "central", "font-size": 20, "font-weight": 700 });
  const points = [4, 5, 6, 8, 9, 10].map((point, k) => {
    const x = 118 + k * 37;
    return { point, box: h("rect", { x, y: 30, width: 32, height: 40, rx: 5 }), name: h("text", { x: x + 16, y: 51, "text-anchor": "middle", "dominant-baseline": "central", "font-size": 16, "font-weight": 700 }, String(point)) };
  });
  return {
    drawing: h("svg", { viewBox: "0 0 344 100", "aria-hidden": "true" }, disc, word, points.flatMap((one) => [one.box, one.name])),
    update(view) {
      const on = view.lit.includes("puck_on");
      disc.setAttribute("fill", on ? "#f4f8fb" : "#10161c");
      word.setAttribute("fill", on ? "#10161c" : "#f4f8fb");
      setText(word, on ? t("draw.on") : t("draw.off"));
      for (const { point, box, name } of points) {
        const lit = view.lit.includes(`point_${point}`);
        box.setAttribute("fill", lit ? "#ffc145" : "#1b2631");
        name.setAttribute("fill", lit ? "#10161c" : "#9fb0c0");
      }
    },
  };
}

export function shoe() {
  const card = h("g", {}, h("rect", { x: 214, y: 74, width: 64, height: 42, rx: 4, fill: "#24507a", stroke: "#8fc8f5", "stroke-width": 1.5 }),
    h("path", { d: "M220 80L272 110M272 80L220 110", stroke: "#8fc8f5", "stroke-opacity": 0.6 }),
    h("text", { x: 246, y: 96, "text-anchor": "middle", "dominant-baseline": "central", "font-size": 12, fill: "#e8eef4" }, t("sealed")));
  const count = h("text", { x: 120, y: 62, "text-anchor": "middle", fill: "#e8eef4", "font-size": 34, "font-weight": 700 });
  const words = h("text", { x: 120, y: 92, "text-anchor": "middle", fill: "#9fb0c0", "font-size": 13 });
  return {
    drawing: h("svg", { viewBox: "0 0 340 136", "aria-hidden": "true" }, h("path", { d: "M30 22H190L214 122H30Z", fill: "#16202a", stroke: "#9fb0c0", "stroke-width": 2 }),
      h("path", { d: "M44 104H206", stroke: "#8fc8f5", "stroke-width": 2, "stroke-dasharray": "3 3" }), count, words, card),
    update(view) {
      setText(count, view.count === null ? "–" : String(view.count));
      setText(words, view.troubles.length ? view.troubles.map((one) => `${phrase(one)}`).join(", ").toUpperCase() : view.linked ? t("draw.cards_out") : t("draw.no_shoe"));
      words.setAttribute("fill", view.troubles.length || !view.linked ? "#ff6b6b" : "#9fb0c0");
      card.setAttribute("visibility", view.at_mouth ? "visible" : "hidden");
    },
  };
}

/** A continuous shuffling shoe: the cards that are out of it. */
export function shufflingShoe() {
  const made = shoe();
  return { ...made, update: (view) => made.update({ ...view, count: view.cards_out - view.cards_in, linked: true }) };
}

export function shuffler() {
  const rows = h("g");
  const count = h("text", { x: 300, y: 58, "text-anchor": "middle", fill: "#e8eef4", "font-size": 26, "font-weight": 700 });
  const words = h("text", { x: 300, y: 80, "text-anchor": "middle", fill: "#9fb0c0", "font-size": 11 }, t("draw.cards_counted"));
  let last = "";
  return {
    drawing: h("svg", { viewBox: "0 0 344 110", "aria-hidden": "true" }, h("path", { d: "M20 12H240V98H20Z", fill: "#16202a", stroke: "#9fb0c0", "stroke-width": 2 }), rows, count, words),
    update(view) {
      setText(count, view.cards === null ? "–" : String(view.cards));
      const key = JSON.stringify([view.batches, view.troubles, view.present]);
      if (key === last) return;
      last = key;
      const step = 74 / Math.max(1, view.batches.length);
      const bad = view.troubles.length > 0 || !view.present;
      rows.replaceChildren(...view.batches.flatMap((batch, k) => {
        const y = 18 + step * k;
        const busy = /busy|shuffling/.test(batch.state);
        const colour = bad || /jam|door/.test(batch.state) ? "#8f2f33" : busy ? "#24507a" : batch.state === "complete" ? "#1d5a43" : "#22303c";
        return [h("rect", { x: 30, y, width: 200, height: step - 6, rx: 5, fill: colour, stroke: "#8fc8f5" }),
          h("text", { x: 130, y: y + step / 2 - 2, "text-anchor": "middle", "dominant-baseline": "central", fill: "#e8eef4", "font-size": 13 },
            t("draw.batch", { name: batch.name, state: view.present ? phrase(batch.state) : t("draw.not_on_table") }))];
      }));
    },
  };
}

/** A device of which a lamp shows all that may be seen. */
function lampOf(words, isOn, colour) {
  const lamp = h("circle", { cx: 60, cy: 34, r: 18, stroke: "#55677a", "stroke-width": 3 });
  const text = h("text", { x: 200, y: 36, "text-anchor": "middle", "dominant-baseline": "central", fill: "#e8eef4", "font-size": 15 });
  return () => ({
    drawing: h("svg", { viewBox: "0 0 344 68", "aria-hidden": "true" }, lamp, text),
    update(view) {
      const on = isOn(view);
      lamp.setAttribute("fill", on ? colour : "#1b2631");
      setText(text, words(view));
    },
  });
}

export const cardReader = () => lampOf((view) => (view.linked ? t("draw.hole_card") : t("draw.no_reader")), (view) => view.linked, "#3ddc97")();
export const discardRack = () => lampOf((view) => (view.covered ? t("draw.card_passes") : t("draw.counter_free")), (view) => view.covered, "#ffc145")();

export const door = () => lampOf((view) => (view.open === null ? t("draw.door_unknown") : view.open ? t("draw.door_open") : t("draw.door_closed")), (view) => view.open, "#ff6b6b")();
export const tokenChute = () => lampOf((view) => (view.jammed ? t("draw.jam") : view.covered.some(Boolean) ? t("draw.token_passes") : t("draw.way_free")), (view) => view.covered.some(Boolean), "#ffc145")();

export function pusherBed() {
  const shelf = h("path", { d: "M60 30H250V62H60Z", fill: "#4a5b6b", stroke: "#9fb0c0", "stroke-width": 2 });
  const edges = [["fall_player", 110, t("draw.player")], ["fall_house", 220, t("draw.house")]].map(([line, x, word]) => ({
    line, lamp: h("circle", { cx: x, cy: 112, r: 9, fill: "#1b2631", stroke: "#55677a", "stroke-width": 2 }),
    word: h("text", { x, y: 136, "text-anchor": "middle", fill: "#9fb0c0", "font-size": 12 }, word),
  }));
  const words = h("text", { x: 342, y: 50, "text-anchor": "end", fill: "#e8eef4", "font-size": 14 });
  return {
    drawing: h("svg", { viewBox: "0 0 344 144", "aria-hidden": "true" }, h("path", { d: "M50 70H262L250 96H62Z", fill: "#16202a", stroke: "#9fb0c0" }), shelf, edges.flatMap((one) => [one.lamp, one.word]), words),
    update(view) {
      shelf.setAttribute("transform", `translate(0 ${view.moves ? 6 + 6 * Math.sin(performance.now() / 300) : 0})`);
      for (const { line, lamp } of edges) lamp.setAttribute("fill", view.covered.includes(line) ? "#ffc145" : "#1b2631");
      setText(words, view.tilted ? t("draw.tilted") : view.moves ? t("draw.moves") : t("draw.at_rest"));
      words.setAttribute("fill", view.tilted ? "#ff6b6b" : "#e8eef4");
    },
  };
}

export function reels(first) {
  const shown = first.steps.map((_, k) => {
    const x = 48 + k * 84;
    const tab = h("path", { d: "M-6 -32H6V-24H-6Z", fill: "#ffc145" });
    return { x, tab, rim: h("circle", { cx: x, cy: 40, r: 30, fill: "#16202a", stroke: "#9fb0c0", "stroke-width": 2 }), word: h("text", { x, y: 88, "text-anchor": "middle", fill: "#9fb0c0", "font-size": 12 }) };
  });
  return {
    drawing: h("svg", { viewBox: `0 0 ${Math.max(344, 12 + shown.length * 84)} 96`, "aria-hidden": "true" }, shown.flatMap((one) => [one.rim, one.tab, one.word])),
    update(view) {
      shown.forEach(({ x, tab, rim, word }, k) => {
        const turns = view.turning.includes(k + 1), step = view.steps[k];
        tab.setAttribute("transform", `translate(${x} 40) rotate(${((step ?? 0) * 360) / view.a_turn})`);
        tab.setAttribute("visibility", step === null ? "hidden" : "visible");
        rim.setAttribute("stroke", turns ? "#3ddc97" : "#9fb0c0");
        setText(word, turns ? t("draw.turns") : step === null ? t("draw.unknown") : t("draw.step", { n: step }));
      });
    },
  };
}

export function buttons(first) {
  const shown = first.buttons.map((name, k) => {
    const x = 44 + k * 84;
    return { name, cap: h("circle", { cx: x, cy: 26, r: 16, fill: "#1b2631", stroke: "#55677a", "stroke-width": 3 }), word: h("text", { x, y: 60, "text-anchor": "middle", "font-size": 9, fill: "#9fb0c0" }, t(`button.${name}`)) };
  });
  return {
    drawing: h("svg", { viewBox: `0 0 ${Math.max(340, shown.length * 84)} 68`, "aria-hidden": "true" }, shown.flatMap((one) => [one.cap, one.word])),
    update(view) {
      for (const { name, cap } of shown) cap.setAttribute("fill", view.down.includes(name) ? "#3ddc97" : "#1b2631");
    },
  };
}
