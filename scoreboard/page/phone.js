// The address of the same board for phones, as a QR code beside the boards; or why there is none.

import { h } from "./web/dom.js";
import { notice, place } from "./around.js";
import { t } from "./words.js";

const QUIET = 4; // modules around a code, which stay white (ISO/IEC 18004)

let shown = false;

// Throws where the server does not give it.
export async function phone(table, toggle) {
  if (toggle && shown) {
    shown = false;
    notice("phone", null);
    return place("code", null);
  }
  shown = true;
  // The address under which this screen has reached the board, where a phone can use it as well.
  const asked = new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(location.search)), origin: location.origin, table });
  let found;
  try {
    found = await (await fetch(`phone.json?${asked}`)).json();
  } catch (error) {
    notice("phone", t("phone.failed"));
    throw error;
  }
  const { address = "", rows = [], refused = "" } = found;
  notice("phone", refused ? t(`phone.${refused}`) : null);
  if (refused) return place("code", null);
  return place("code", h("aside", { "aria-label": t("phone") }, h("strong", {}, t("phone")), code(rows, address), h("span.address", {}, address)));
}

// One path for all modules that are dark.
function code(rows, address) {
  const size = rows.length + 2 * QUIET;
  const path = rows.flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : ""))).join("");
  return h("svg.qr", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": address, "shape-rendering": "crispEdges" }, h("rect", { width: size, height: size, fill: "#fff" }), h("path", { d: path, fill: "#000" }));
}
