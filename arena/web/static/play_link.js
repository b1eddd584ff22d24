// @ts-check
// The way to the server: what people do, as JSON, and the stream of their pages. Tokens travel in a header only.

const LONGEST_WAIT_MS = 8000;

/** What the server says to a request that it declines. */
export class Refused extends Error {
  /** @param {number} status
   * @param {string} text */
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/**
 * @param {string} path
 * @param {any} [body] with one, it is posted
 * @param {string} [token]
 */
export async function ask(path, body, token) {
  const headers = { ...(body ? { "content-type": "application/json" } : {}), ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(`/play/api/${path}`, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer.error ?? response.statusText);
  return answer;
}

/**
 * Follow the pages of some chairs. It comes back after every interruption, until the table is gone.
 * @param {string} table
 * @param {string[]} tokens
 * @param {{page: (page: any) => void, lost: () => void, gone: (text: string) => void}} hear
 */
export async function follow(table, tokens, hear) {
  for (let wait = 500; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      const response = await fetch(`/play/api/tables/${table}/events`, { headers: { authorization: `Bearer ${tokens.join(" ")}` } });
      if (response.ok && response.body) {
        wait = 500;
        await pages(response.body, hear.page);
      } else if (response.status !== 503) {
        const answer = await response.json().catch(() => ({}));
        hear.gone(answer.error ?? "");
        return;
      }
    } catch {
      // The server, or the way to it, is gone; perhaps it comes back.
    }
    hear.lost();
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

async function pages(body, page) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) if (event.startsWith("data: ")) page(JSON.parse(event.slice(6)));
  }
}

// What this browser remembers: the chairs that it holds, and what was played.

/** @param {string} table */
export function remembered(table) {
  try {
    return JSON.parse(localStorage.getItem(`arena.table.${table}`) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} table
 * @param {any} value */
export function remember(table, value) {
  try {
    localStorage.setItem(`arena.table.${table}`, JSON.stringify(value));
  } catch {
    // A browser without memory plays as well; only a reload loses the seat.
  }
}
