// A WebSocket that connects again by itself, and detects silence: a browser reports no ping, and a half-open socket
// stays "open" for an hour. The server sends something at least each second; every frame received counts.
//
//   connecting ──open──► open ──silentMs without a frame──► silent ──deadMs──► connecting
//                          ▲                                  │ a frame
//                          └──────────────────────────────────┘
//
// Waits between attempts double from FIRST_WAIT_MS to LONGEST_WAIT_MS, each with jitter, so that fifty boards do not
// come back at one moment.

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;
const CONNECT_MS = 5000;
export const TICK_MS = 100;

export class Channel {
  #url;
  #handlers;
  #silentMs;
  #deadMs;
  #socket = null;
  #state = "connecting";
  #attempts = 0;
  #retryAt = 0;
  #receivedAt;
  #openedAt = 0;
  #timer;

  // `handlers`: hello() returns the first message to send, or null; message(object) handles one; state(name) is called
  // when the state changes; tick(now) each TICK_MS. `now` is in milliseconds and never goes back.
  constructor(path, handlers, { silentMs = 3000, deadMs = 6000 } = {}) {
    const url = new URL(path, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    this.#url = url.href;
    this.#handlers = handlers;
    this.#silentMs = silentMs;
    this.#deadMs = deadMs;
    this.#receivedAt = performance.now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    addEventListener("online", () => {
      this.#retryAt = 0;
    });
    this.#connect();
  }

  get state() {
    return this.#state;
  }

  // Milliseconds since the last frame, or since the start.
  get silence() {
    return performance.now() - this.#receivedAt;
  }

  send(object) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(object));
    return true;
  }

  close() {
    clearInterval(this.#timer);
    this.#drop();
  }

  #connect() {
    this.#openedAt = performance.now();
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      if (socket !== this.#socket) return;
      const first = this.#handlers.hello?.();
      if (first) this.send(first);
    });
    socket.addEventListener("message", (event) => {
      if (socket !== this.#socket) return;
      this.#receivedAt = performance.now();
      this.#attempts = 0;
      this.#become("open");
      this.#handlers.message(JSON.parse(event.data));
    });
    socket.addEventListener("close", () => {
      if (socket === this.#socket) this.#drop();
    });
  }

  // Forgets the socket; a late frame of it is passed over.
  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#attempts, LONGEST_WAIT_MS);
    this.#attempts = Math.min(this.#attempts + 1, 10);
    this.#retryAt = performance.now() + wait * (0.5 + Math.random() / 2);
    this.#become("connecting");
  }

  #tick() {
    const now = performance.now();
    if (this.#socket === null) {
      if (now >= this.#retryAt) this.#connect();
    } else if (this.#socket.readyState === WebSocket.CONNECTING) {
      if (now - this.#openedAt > CONNECT_MS) this.#drop();
    } else if (now - Math.max(this.#receivedAt, this.#openedAt) > this.#deadMs) {
      this.#drop();
    } else if (this.#state === "open" && this.silence > this.#silentMs) {
      this.#become("silent");
    }
    this.#handlers.tick?.(now);
  }

  #become(state) {
    if (state === this.#state) return;
    this.#state = state;
    this.#handlers.state?.(state);
  }
}
