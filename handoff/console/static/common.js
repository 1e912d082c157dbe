// What the pages share: requests that carry the form token, and small helpers. No library, no build step.

export const base = document.body.dataset.base;
export const find = (selector, within = document) => within.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const token = find('meta[name="form-token"]').content;

/** Sends texts and gives the answer's JSON; throws an Error with the server's sentence when it refuses. */
export async function send(path, texts) {
  const answer = await fetch(base + path, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", "x-form-token": token },
    body: JSON.stringify(texts),
  });
  return read(answer);
}

/** Gives the JSON behind a path; throws as `send` does. */
export async function ask(path) {
  return read(await fetch(base + path, { headers: { accept: "application/json" } }));
}

async function read(answer) {
  const json = await answer.json().catch(() => ({}));
  if (answer.ok) return json;
  const error = new Error(json.error || String(answer.status));
  error.status = answer.status;
  throw error;
}

/** An element with text; text is always text, never markup. */
export function make(tag, text = "", kind = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

/** Reads a sentence out to a screen reader. */
export function announce(text) {
  find("#live").textContent = text;
}

for (const select of all("[data-submit]")) {
  select.addEventListener("change", () => select.form.requestSubmit());
  select.form.querySelector("button").hidden = true;
}
