// @ts-check
// Keeps a page up to date while somebody looks at it. The server says when there is something new; then the page is
// fetched again, and the parts of it that differ replace those that are here. A page that nobody sees asks for nothing.

const GAP_MS = 4000; // between two updates, so that a viewer costs little
const JITTER_MS = 2000; // so that viewers do not all come at once

class LivePage {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.main = main;
    this.address = main.dataset.events ?? "";
    /** @type {EventSource | null} */
    this.source = null;
    this.said = "";
    this.next = 0;
    this.timer = 0;
  }

  /** Listen while the page is visible. */
  settle() {
    if (document.visibilityState === "visible") this.listen();
    else this.rest();
  }

  listen() {
    if (this.source) return;
    this.source = new EventSource(this.address);
    this.source.onmessage = (event) => this.hear(event.data);
  }

  rest() {
    this.source?.close();
    this.source = null;
    clearTimeout(this.timer);
    this.timer = 0;
  }

  /** @param {string} numbers */
  hear(numbers) {
    const is_first = this.said === "";
    const is_new = numbers !== this.said;
    this.said = numbers;
    if (!is_new || this.timer || (is_first && numbers === this.main.dataset.edition)) return;
    const wait = Math.max(0, this.next - Date.now());
    this.timer = window.setTimeout(() => this.update(), wait);
  }

  async update() {
    this.timer = 0;
    this.next = Date.now() + GAP_MS + Math.random() * JITTER_MS;
    const answer = await fetch(location.href, { cache: "no-cache" }).catch(() => null);
    if (!answer?.ok) {
      this.timer = window.setTimeout(() => this.update(), GAP_MS);
      return;
    }
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-part]")) replace(part, fresh);
    this.main.dataset.updates = String(Number(this.main.dataset.updates ?? 0) + 1);
  }
}

/** Put the fresh part into the place of this one, unless they are the same or somebody is using it.
 *  @param {Element} part
 *  @param {Document} fresh */
function replace(part, fresh) {
  const name = part.getAttribute("data-part");
  const other = [...fresh.querySelectorAll("[data-part]")].find((one) => one.getAttribute("data-part") === name);
  if (!other || other.isEqualNode(part) || isUsed(part)) return;
  const scrolled = [...part.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
  const open = [...part.querySelectorAll("details")].map((one) => one.open);
  const taken = /** @type {Element} */ (document.adoptNode(other));
  part.replaceWith(taken);
  taken.querySelectorAll(".scroll").forEach((one, at) => (one.scrollLeft = scrolled[at] ?? 0));
  taken.querySelectorAll("details").forEach((one, at) => (one.open = open[at] ?? one.open));
}

/** Whether the keyboard or a selection is in it.
 *  @param {Element} part */
function isUsed(part) {
  const chosen = getSelection();
  const marked = chosen && !chosen.isCollapsed && chosen.anchorNode && part.contains(chosen.anchorNode);
  return marked || (document.activeElement !== document.body && part.contains(document.activeElement));
}

const main = document.getElementById("main");
if (main?.dataset.events) {
  const page = new LivePage(main);
  document.addEventListener("visibilitychange", () => page.settle());
  page.settle();
}
