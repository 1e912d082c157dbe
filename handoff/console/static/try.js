// The try page: sends turns, draws each detail's state machine, says replies aloud and listens where the browser can.

import { announce, ask, find, make, send } from "./common.js";

const trial = find("#trial");
const words = trial ? JSON.parse(trial.dataset.words) : {};
const steps = trial ? trial.dataset.steps.split(" ") : [];
const STEP = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 160; // ms a node stays lit on the way
const POLL = 1500; // ms between two looks while a person has it
const seen = new Set();
let locale = "en-US", first = true, queue = Promise.resolve();

// -- drawing

function draw(state) {
  locale = state.locale;
  for (const line of state.lines) if (!seen.has(line.id)) say(line);
  first = false;
  find("#fields").replaceChildren(...state.fields.map(card));
  trial.dataset.waits = String(state.waits);
  trial.dataset.done = String(state.done);
  if (state.done) announce(words.all_done);
}

function say(line) {
  seen.add(line.id);
  if (line.who === "you" && !line.text) return;
  const item = make("li", "", line.who === "you" ? "user" : "agent");
  item.append(make("span", line.who === "you" ? words.you : words.loop, "speaker"), make("span", line.text));
  item.lastChild.lang = locale;
  if (line.act) item.dataset.act = line.act;
  find("#talk").append(item);
  find(".log").scrollTop = find(".log").scrollHeight;
  if (line.who === "loop" && !first) speak(line.text);
}

function card(field) {
  const box = make("article", "", "field");
  box.dataset.field = field.name;
  box.dataset.status = field.status || "";
  const head = make("h3", field.label);
  head.append(make("span", field.status ? words[field.status] : words.waiting, "badge state"));
  box.append(head, machine(field), facts(field));
  return box;
}

function machine(field) {
  const list = make("ol", "", "machine");
  list.setAttribute("aria-label", field.label);
  for (const step of steps) {
    const item = make("li", "", step);
    item.append(make("span", words[step]));
    item.dataset.node = `${field.name}.${step}`;
    if (field.status === step) light(item);
    list.append(item);
  }
  return list;
}

function light(item) {
  for (const other of item.parentNode?.children || []) {
    if (other.classList.contains("lit")) other.classList.add("ran");
    other.classList.remove("lit");
    other.removeAttribute("aria-current");
  }
  item.classList.add("lit");
  item.setAttribute("aria-current", "step");
}

function facts(field) {
  const list = make("dl", "", "facts");
  const add = (name, text, kind = "") => {
    const row = make("div");
    row.append(make("dt", name), make("dd", text, kind));
    list.append(row);
    return row.lastChild;
  };
  if (field.attempts) add(words.failed.replace("{n}", field.attempts).replace("{allowed}", field.allowed), "");
  if (field.why && field.status !== "CONFIRMED") add(words.reason, field.why);
  if (field.read_back) add(words.read_back, field.read_back);
  if (field.value) add(words.value, `${field.value} (${words[`verified_${field.verified}`] || ""})`, "stored");
  if (field.ticket) {
    const link = make("a", words.open_desk);
    link.href = `${trial.dataset.desk}tickets/${encodeURIComponent(field.ticket)}`;
    link.target = "_blank";
    add(words.ticket, `${words.human} `).append(link);
  }
  return list;
}

/** Lights the nodes that ran, one after the other, and then shows where the fields stand. */
async function play(state) {
  for (const node of state.path) {
    const item = find(`[data-node="${CSS.escape(node)}"]`);
    if (!item || !STEP) continue;
    light(item);
    await new Promise((done) => setTimeout(done, STEP));
  }
  draw(state);
}

/** One request after the other, so that a poll never overtakes a turn. */
function next(request) {
  queue = queue.then(request).then(play).then(() => problem(""), (error) => problem(error.message || words.error));
  return queue;
}

function problem(said) {
  const alert = find("#problem");
  alert.textContent = said;
  alert.hidden = !said;
}

// -- talking

function speak(text) {
  if (!find("#aloud").checked) return;
  const utterance = new SpeechSynthesisUtterance(text);
  utterance.lang = locale;
  speechSynthesis.speak(utterance);
}

function listen(Recognition) {
  const button = find("#mic"), ear = new Recognition();
  let open = false;
  button.hidden = false;
  button.setAttribute("aria-pressed", "false");
  const set = (now) => {
    open = now;
    button.textContent = now ? words.mic_on : words.mic;
    button.setAttribute("aria-pressed", String(now));
  };
  ear.onresult = (event) => {
    find("#text").value = event.results[event.results.length - 1][0].transcript;
    find("#say").requestSubmit();
  };
  ear.onend = () => set(false);
  ear.onerror = () => set(false);
  button.addEventListener("click", () => {
    if (open) return ear.stop();
    speechSynthesis?.cancel();
    ear.lang = locale;
    ear.start();
    set(true);
  });
}

if (trial) {
  const text = find("#text"), aloud = find("#aloud"), Recognition = window.SpeechRecognition || window.webkitSpeechRecognition;
  if (Recognition) listen(Recognition);
  else find("#mic-none").hidden = false;
  if (!("speechSynthesis" in window)) {
    aloud.disabled = true;
    aloud.parentNode.append(` ${words.aloud_none}`);
  }
  find("#say").addEventListener("submit", (event) => {
    event.preventDefault();
    const given = text.value;
    text.value = "";
    next(() => send("/say", { text: given }));
  });
  next(() => ask("/state")).then(() => text.focus());
  setInterval(() => trial.dataset.waits === "true" && !document.hidden && next(() => ask("/state")), POLL);
}
