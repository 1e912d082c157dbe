// The desk: a queue that stays fresh, a hold that stays alive while its page is open, validation as you type, shortcuts.
// Every action is an ordinary form; without this script the pages still work.

import { all, announce, base, find, make, send } from "./common.js";

const POLL = 2000; // ms between two looks at the queue
const PAUSE = 250; // ms without a key before a value is checked

// -- sign-in: a link may carry the token behind its #, which no server ever sees

const entry = find("#sign-in");
if (entry && location.hash.startsWith("#token=")) {
  find("#token").value = decodeURIComponent(location.hash.slice(7));
  history.replaceState(null, "", location.pathname + location.search);
  entry.requestSubmit();
}
find("#alert")?.focus();
find("#said")?.focus();

// -- the queue

const rows = find("#rows");

async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch(`${base}/rows?${rows.dataset.query}`, { redirect: "manual" });
    if (answer.type === "opaqueredirect") return location.reload(); // signed out meanwhile
    if (!answer.ok) throw new Error();
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").body;
    const before = ids(rows).join(), at = document.activeElement.closest?.("[data-ticket]")?.dataset.ticket;
    rows.replaceChildren(...fresh.childNodes);
    if (at) find(`[data-ticket="${CSS.escape(at)}"] a`, rows)?.focus();
    if (ids(rows).join() !== before) announce(rows.dataset.changed.replace("{count}", find("[data-count]", rows).textContent));
  } catch {
    announce(rows.dataset.offline);
  }
}
const ids = (within) => all("[data-ticket]", within).map((one) => one.dataset.ticket);
if (rows) setInterval(refresh, POLL);

function step(by) {
  const links = all(".tickets a");
  const at = links.indexOf(document.activeElement);
  links[Math.min(links.length - 1, Math.max(0, at < 0 ? 0 : at + by))]?.focus();
}

// -- a ticket that is ours: the hold

const ticket = find(".ticket[data-left]");
const path = ticket && `/tickets/${ticket.dataset.ticket}`;
let until = 0;

function held(left) {
  until = Date.now() + left * 1000;
}

async function beat() {
  try {
    held((await send(`${path}/heartbeat`, {})).left);
  } catch (error) {
    if (error.status === 409 || error.status === 401) lose(error.message);
    else announce(ticket.dataset.offline);
  }
}

function lose(said) {
  clearInterval(beating);
  clearInterval(ticking);
  find("#secret").remove();
  for (const control of all("#acts input, #acts textarea, #acts button")) control.disabled = true;
  const alert = find("#lost");
  alert.textContent = said;
  alert.hidden = false;
}

function tick() {
  const left = Math.round((until - Date.now()) / 1000);
  const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  if (left >= 0) find("#left").textContent = ticket.dataset.yours.replace("{time}", time);
}

let beating, ticking;
if (ticket) {
  held(Number(ticket.dataset.left));
  beating = setInterval(beat, Number(ticket.dataset.beat) * 1000);
  ticking = setInterval(tick, 1000);
  document.addEventListener("visibilitychange", () => document.hidden || beat());
}

// -- validation as you type

const value = find("#value");
let waiting, asked = 0;

async function check() {
  const verdict = find("#verdict"), number = ++asked, typed = value.value;
  if (!typed.trim()) return show(verdict, "", []);
  try {
    const found = await send(`${path}/check`, { value: typed });
    if (number !== asked) return; // a later key has asked again
    const bad = found.value === null;
    value.setAttribute("aria-invalid", String(bad));
    if (bad) return show(verdict, "bad", [make("span", `${verdict.dataset.bad} ${found.said}`)]);
    const parts = [make("span", found.said), make("output", found.value)];
    if (found.spoken) parts.push(make("span", `${verdict.dataset.spoken} ${found.spoken}`));
    show(verdict, "ok", parts);
  } catch (error) {
    if (error.status === 409) lose(error.message);
  }
}

function show(verdict, kind, parts) {
  verdict.className = `verdict ${kind}`;
  verdict.replaceChildren(...parts);
}

value?.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(check, PAUSE);
});
if (value?.value) check();

// -- shortcuts; they can be switched off, since single keys get in the way of speech input

const dialog = find("#keys"), on = find("#keys-on");
if (dialog) {
  on.checked = localStorage.getItem("readback-keys") !== "off";
  on.addEventListener("change", () => localStorage.setItem("readback-keys", on.checked ? "on" : "off"));
  for (const button of all('[data-open="keys"]')) {
    button.hidden = false;
    button.addEventListener("click", () => dialog.showModal());
  }
}

const press = (key) => {
  const target = find(`[data-key="${key}"]`);
  if (target) target.click();
  return target;
};
const shortcuts = {
  j: () => step(1),
  k: () => step(-1),
  "/": () => find("#q")?.focus(),
  c: () => press("c"),
  s: () => press("s"),
  x: () => press("x"),
  v: () => value?.focus(),
  b: () => press("b") && find("#retry").open && find("#advice").focus(),
  d: () => press("d") && find("#decline").open && find("#decline button").focus(),
  u: () => find("#back")?.click(),
  "?": () => dialog?.showModal(),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "Escape" && typing) return event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !on?.checked || dialog.open) return;
  const action = shortcuts[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

document.documentElement.dataset.ready = ""; // keys are listened to
