// Starts the page; starts it again where the board's server stopped while the page was loading: a screen that nobody
// touches must not stay without its board.
//
// index.html reloads itself after some seconds. That ends here, once everything beside the scripts was loaded: it is for
// the case that this file, or the styles, did not come.

const RETRY_MS = 1000;
// What main.js imports, directly or not: asked for together, where each would otherwise wait for the one that names it.
const MODULES = [
  "main.js", "age.js", "board.js", "cards.js", "hall_pages.js", "live_changes.js", "parts.js", "screen_size.js", "turns.js", "wall_clock.js",
  "words.js", "languages.js", "web/channel.js", "web/dom.js",
  "games/baccarat.js", "games/blackjack.js", "games/caribbean_stud.js", "games/craps.js", "games/described.js", "games/dice.js",
  "games/joker_seven.js", "games/let_it_ride.js", "games/machine.js", "games/money_wheel.js", "games/other.js",
  "games/red_dog.js", "games/roulette.js", "games/sic_bo.js",
];
// The words that a page has in every language.
const WORDS = ["languages/en.json", "languages/games/en.json"];

function preload() {
  const ask = (link) => document.head.append(Object.assign(document.createElement("link"), link));
  for (const href of WORDS) ask({ rel: "preload", href, as: "fetch", crossOrigin: "" });
  for (const href of MODULES) ask({ rel: "modulepreload", href });
}

async function startAgain(error) {
  console.warn("the page did not load, and starts again once the server answers:", error);
  for (;;) {
    await new Promise((done) => setTimeout(done, RETRY_MS));
    try {
      if ((await fetch(location.href, { cache: "no-store" })).ok) break;
    } catch {
      // The server is not back yet. Reloading now would leave the browser's own error page.
    }
  }
  location.reload();
}

if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done, { once: true }));
if ([...document.querySelectorAll("link[rel=stylesheet]")].every((link) => link.sheet)) {
  // Ends the reload, and whatever is still on its way: so nothing is asked for before it.
  stop();
  document.querySelector("meta[http-equiv=refresh]").remove();
  preload();
  import("./main.js").catch(startAgain);
}
