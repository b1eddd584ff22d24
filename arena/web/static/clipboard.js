// @ts-check
// Copying, also where the browser does not allow it: then a window shows the text, selected.
import { el } from "./dom.js";
import { t } from "./words.js";

/** @param {string} text
 * @param {(message: string) => void} say */
export async function copy(text, say) {
  try {
    await navigator.clipboard.writeText(text);
    say(t("copied"));
  } catch {
    offer(text);
    say(t("copy.failed"));
  }
}

function offer(text) {
  const area = el("textarea", { readonly: true, rows: 12, "aria-label": t("copy.title") });
  area.value = text;
  const close = el("button", { type: "button" }, t("close"));
  const dialog = el("dialog", { class: "copying" }, el("h2", {}, t("copy.title")), el("p", {}, t("copy.failed")), area, close);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  area.select();
}
