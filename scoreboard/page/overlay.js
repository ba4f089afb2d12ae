// The parts of a board without what is behind them: over a video (OBS), or on a color that a mixer takes out.

import { notice, stylesheet } from "./around.js";
import { short, t } from "./words.js";

// Of a chroma keyer.
export const KEYED = { green: "#00ff00", blue: "#0000ff", magenta: "#ff00ff" };

export async function startOverlay(chroma) {
  const root = document.documentElement;
  // A frame whose page prefers another scheme than this one has a background of its own.
  document.querySelector("meta[name=color-scheme]").remove();
  root.classList.add("overlaid");
  if (chroma in KEYED) {
    root.dataset.chroma = chroma;
    root.style.setProperty("--keyed", KEYED[chroma]);
  } else if (chroma !== null) notice("chroma", t("chroma.unknown", { color: short(chroma, 20), colors: Object.keys(KEYED).join(", ") }));
  await stylesheet("overlay.css");
}
