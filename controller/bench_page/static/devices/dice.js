// Cages, chutes, shakers, and what keypad and reading board give.

import { h } from "/web/dom.js";
import { t } from "../words.js";
import { phrase, setText } from "../text.js";

const PIPS = { 1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]], 6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]] };

/** A die; null is one whose value is not known. */
function die(x, y, size, value) {
  const step = size * 0.27;
  const dots = (PIPS[value] ?? []).map(([dx, dy]) => h("circle", { cx: dx * step, cy: dy * step, r: size * 0.095, fill: "#10161c" }));
  const group = h("g", { transform: `translate(${x} ${y})` },
    h("rect", { x: -size / 2, y: -size / 2, width: size, height: size, rx: size * 0.18, fill: value ? "#f4f1e8" : "#2a3743", stroke: "#55677a" }), dots);
  if (!value) group.append(h("text", { "text-anchor": "middle", "dominant-baseline": "central", fill: "#9fb0c0", "font-size": size * 0.5 }, "?"));
  return group;
}

function dice(values, count, x, y, size) {
  const all = [...values, ...Array(Math.max(0, count - values.length)).fill(null)];
  const gap = size * 1.25;
  const left = x - ((all.length - 1) * gap) / 2;
  return all.map((value, k) => die(left + k * gap, y, size, value));
}

function lamps(count, lit, x, y) {
  const left = x - ((count - 1) * 16) / 2;
  return Array.from({ length: count }, (_, k) => h("circle", { cx: left + k * 16, cy: y, r: 5.5, fill: k < lit ? "#3ddc97" : "#1b2631", stroke: "#3a4b5b" }));
}

const text = (x, y, size, fill = "#9fb0c0") => h("text", { x, y, "font-size": size, fill, "text-anchor": "middle" });

export function cage() {
  const body = h("g", {},
    h("path", { d: "M-52 -66H52L14 0L52 66H-52L-14 0Z", fill: "#101c28", stroke: "#5cb8ff", "stroke-width": 2 }),
    [-36, -18, 0, 18, 36].map((x) => h("path", { d: `M${x} -66L${x / 4} 0L${x} 66`, stroke: "#2c4a66", fill: "none" })),
    h("path", { d: "M-58 -66H58M-58 66H58", stroke: "#9fb0c0", "stroke-width": 5, "stroke-linecap": "round" }),
    h("path", { d: "M-10 -66V-72H10V-66", fill: "#ffc145" }));
  body.style.transition = "transform .35s ease-in-out";
  const loose = h("g");
  const count = h("g");
  const words = text(120, 30, 15, "#e8eef4");
  return {
    drawing: h("svg", { viewBox: "-130 -92 340 208", "aria-hidden": "true" }, h("path", { d: "M-90 0H90", stroke: "#55677a", "stroke-width": 6 }), body, loose, count, words),
    update(view) {
      body.style.transform = `rotate(${view.inversions * 180}deg)`;
      const shake = view.moving ? [Math.random() * 8 - 4, Math.random() * 8 - 4] : [0, 0];
      loose.replaceChildren(...[-16, 0, 16].map((x, k) => die(x + shake[k % 2], 50 + (view.moving ? shake[(k + 1) % 2] : 0), 13, null)));
      count.replaceChildren(...lamps(Math.max(view.required, view.inversions), view.inversions, 140, -20));
      setText(words, view.rocking ? t("draw.rocking") : view.moving ? t("draw.tumbling") : t("draw.at_rest"));
      words.setAttribute("x", 140);
      words.setAttribute("y", 10);
    },
  };
}

export function chute(first) {
  const n = first.beams.length;
  const step = 150 / n;
  const beams = first.beams.map((_, k) => {
    const y = 20 + step * (k + 0.5);
    const way = k % 2 ? -1 : 1;
    return {
      beam: h("path", { d: `M60 ${y}H200`, stroke: "#8f3d3d", "stroke-width": 2, "stroke-dasharray": "6 4" }),
      count: text(270, y + 5, 15, "#e8eef4"),
      falling: die(130, y - 4, 16, null),
      shelf: h("path", { d: `M${way > 0 ? 60 : 200} ${y + 8}l${way * 82} 14`, stroke: "#9fb0c0", "stroke-width": 4, "stroke-linecap": "round" }),
    };
  });
  return {
    drawing: h("svg", { viewBox: "0 0 340 190", "aria-hidden": "true" },
      h("path", { d: "M60 8V182M200 8V182", stroke: "#5cb8ff", "stroke-width": 3 }), beams.flatMap((one) => [one.shelf, one.beam, one.falling, one.count])),
    update(view) {
      view.beams.forEach((state, k) => {
        const { beam, count, falling } = beams[k];
        beam.setAttribute("stroke", state.jammed ? "#ff6b6b" : state.broken ? "#ffc145" : "#8f3d3d");
        beam.setAttribute("stroke-width", state.broken || state.jammed ? 4 : 2);
        falling.setAttribute("visibility", state.broken ? "visible" : "hidden");
        setText(count, `${state.passes} / ${view.dice}` + (state.jammed ? ` ${t("draw.jam")}` : ""));
        count.setAttribute("fill", state.jammed ? "#ff6b6b" : state.passes === view.dice ? "#3ddc97" : "#e8eef4");
      });
    },
  };
}

export function shaker() {
  const cover = h("path", { d: "M70 118A60 66 0 0 1 190 118Z", fill: "#2b3947", stroke: "#9fb0c0", "stroke-width": 2 });
  cover.style.transition = "transform .3s ease-in-out";
  const below = h("g");
  const count = h("g");
  const words = text(268, 104, 14, "#e8eef4");
  return {
    drawing: h("svg", { viewBox: "0 -10 340 166", "aria-hidden": "true" }, below, cover, h("path", { d: "M58 120H202V134H58Z", fill: "#5d4326" }), count, words),
    update(view) {
      const moved = view.moving ? Math.random() * 8 - 4 : 0;
      below.replaceChildren(...[-26, 0, 26].map((x) => die(130 + x + moved, 106, 22, null)));
      cover.style.transform = view.covered ? "none" : "translate(0, -58px)";
      cover.setAttribute("opacity", view.covered === null ? 0.3 : view.covered ? 0.92 : 0.7);
      count.replaceChildren(...lamps(Math.max(view.required, Math.min(view.shakes, 8)), view.shakes, 268, 74));
      setText(words, view.covered === null ? t("draw.cover_unknown") : view.moving ? t("draw.shaken") : view.covered ? t("draw.covered") : t("draw.uncovered"));
    },
  };
}

export function automatedShaker() {
  const disc = h("ellipse", { cx: 130, cy: 104, rx: 60, ry: 10, fill: "#4a5b6b" });
  const words = text(268, 84, 15, "#e8eef4");
  const below = h("g");
  return {
    drawing: h("svg", { viewBox: "0 0 340 130", "aria-hidden": "true" }, disc, below, h("path", { d: "M66 104A64 84 0 0 1 194 104Z", fill: "#5cb8ff", "fill-opacity": 0.12, stroke: "#5cb8ff" }), words),
    update(view) {
      below.replaceChildren(...[-26, 0, 26].map((x) => die(130 + x + (view.moving ? Math.random() * 10 - 5 : 0), 84 - (view.moving ? Math.random() * 26 : 0), 20, null)));
      setText(words, !view.present ? t("draw.not_on_table") : view.trouble ? t("draw.trouble") : view.stage ? phrase(view.stage) : view.moving ? t("draw.busy") : t("draw.idle"));
      words.setAttribute("fill", view.trouble || !view.present ? "#ff6b6b" : "#e8eef4");
    },
  };
}

export function cageMotor() {
  const gear = h("g", {}, h("circle", { r: 26, fill: "#2b3947", stroke: "#9fb0c0", "stroke-width": 2 }),
    Array.from({ length: 8 }, (_, k) => h("rect", { x: -4, y: -34, width: 8, height: 10, fill: "#9fb0c0", transform: `rotate(${k * 45})` })));
  const words = text(230, 52, 15, "#e8eef4");
  let deg = 0;
  return {
    drawing: h("svg", { viewBox: "0 0 340 96", "aria-hidden": "true" }, h("g", { transform: "translate(100 48)" }, gear), words),
    update(view) {
      if (view.turning) deg = (deg + 12) % 360;
      gear.setAttribute("transform", `rotate(${deg})`);
      setText(words, view.on ? t("draw.commanded") : view.turning ? t("draw.turns") : t("draw.at_rest"));
    },
  };
}

export function values() {
  const shown = h("g");
  const words = text(170, 78, 14);
  let last = "";
  return {
    drawing: h("svg", { viewBox: "0 0 340 90", "aria-hidden": "true" }, shown, words),
    update(view) {
      const key = JSON.stringify([view.values, view.spoilt, view.moving, view.faulty]);
      if (key === last) return;
      last = key;
      shown.replaceChildren(...dice(view.values, view.dice, 170, 36, 40));
      setText(words, view.faulty ? t("draw.board_fault") : view.spoilt ? t("draw.in_doubt") : view.moving ? t("draw.dice_move") : "");
    },
  };
}
