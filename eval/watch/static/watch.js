// The viewer: one game in one view, at one position. A view is a column for each field of eval/watch/frames.py's Frame.

const byId = (id) => document.getElementById(id);
const games = JSON.parse(byId("games").textContent);
const isNarrow = matchMedia("(max-width: 760px)");

let game = 0;
let view = games[0].views[0];
let columns = null;
let at = 0;
let timer = null;
let numChoices = 0;

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// Views lie packed in the page; where the page is served it asks for them.
async function load(game, view) {
  const packed = byId(`view-${game}-${view}`);
  if (!packed) return (await fetch(`view/${game}/${view}`)).json();
  const bytes = Uint8Array.from(atob(packed.textContent), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

async function choose(newGame, newView, newAt) {
  const choice = ++numChoices;
  let loaded;
  try {
    loaded = await load(newGame, newView);
  } catch (error) {
    byId("caption").textContent = `This view cannot be loaded: ${error.message}`;
    return;
  }
  if (choice !== numChoices) return; // something else was chosen meanwhile
  [game, view, columns] = [newGame, newView, loaded];
  document.querySelector("main").inert = false;
  byId("title").textContent = games[game].title;
  byId("game").value = game;
  fillViews();
  fillMoves();
  byId("slider").max = columns.wide.length - 1;
  for (const button of document.querySelectorAll("[data-next]")) {
    button.disabled = !columns.marks.some((marks) => marks.includes(button.dataset.next));
  }
  show(newAt);
}

function viewName(name) {
  return name === "open" ? "all cards open" : `as ${games[game].seats[name]} saw it`;
}

function fillViews() {
  byId("view").replaceChildren(...games[game].views.map((name) => new Option(viewName(name), name, false, name === view)));
}

function seatName(i) {
  return games[game].seats[columns.seat[i]];
}

function moveLabel(i) {
  return columns.seat[i] === null ? `Round ${columns.round[i]}: ${columns.ending[i]}` : `${seatName(i)}: ${columns.words[i]}`;
}

function moveButton(i) {
  const text = columns.seat[i] === null ? "end" : `${columns.seat[i]} ${columns.move[i]}`;
  const button = element("button", { textContent: text, title: moveLabel(i), className: columns.side[i] });
  button.dataset.at = i;
  button.dataset.marks = columns.marks[i].join(" ");
  button.setAttribute("aria-label", moveLabel(i));
  return button;
}

function fillMoves() {
  const lists = new Map();
  for (const [i, round] of columns.round.entries()) {
    if (!lists.has(round)) lists.set(round, element("ol"));
    lists.get(round).append(element("li", {}, moveButton(i)));
  }
  const parts = [...lists].flatMap(([round, list]) => [element("h3", { textContent: `Round ${round}` }), list]);
  byId("moves").replaceChildren(...parts);
}

function show(newAt) {
  at = Math.max(0, Math.min(newAt, columns.wide.length - 1));
  if (at === columns.wide.length - 1) pause();
  byId("table").innerHTML = (isNarrow.matches ? columns.narrow : columns.wide)[at];
  if (columns.action[at] !== null) {
    byId("table").querySelector(`[data-action="${columns.action[at]}"]`)?.classList.add("chosen");
  }
  byId("slider").value = at;
  byId("slider").setAttribute("aria-valuetext", `position ${at + 1} of ${columns.wide.length}, ${moveLabel(at)}`);
  showCaption();
  showOptions();
  showPlace();
}

function showCaption() {
  const number = element("span", { textContent: `${at + 1} of ${columns.wide.length}` });
  byId("caption").replaceChildren(number, element("strong", { textContent: moveLabel(at) }));
}

function showOptions() {
  const options = [...columns.options[at]].sort((a, b) => (b.percent ?? 0) - (a.percent ?? 0));
  byId("options").replaceChildren(...options.map(optionRow));
  byId("value").textContent = options.length ? valueText(columns.value[at]) : nothingText();
}

function valueText(value) {
  return value === null ? "" : `The agent expects ${value.toFixed(2).replace("-", "−")} (from −1, lost, to 1, won).`;
}

function nothingText() {
  return columns.seat[at] === null ? "Nothing is decided here." : "What another seat could do is not seen from here.";
}

function optionRow(option) {
  const isChosen = option.action === columns.action[at];
  const row = element("li", { className: isChosen ? "chosen" : "" });
  row.append(element("span", { textContent: isChosen ? "✓" : "", ariaLabel: isChosen ? "chosen" : "" }));
  row.append(element("span", { textContent: option.words === option.text ? option.text : `${option.words} (${option.text})` }));
  if (option.percent !== null) {
    row.append(element("span", { textContent: `${option.percent.toFixed(1)}%` }));
    row.append(element("meter", { max: 100, value: option.percent, ariaLabel: `probability of ${option.words}` }));
  }
  return row;
}

// Mark the move in the list, and scroll the list alone: the page stays where it is.
function showPlace() {
  const moves = byId("moves");
  moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const button = moves.querySelector(`[data-at="${at}"]`);
  button.setAttribute("aria-current", "step");
  moves.scrollTop = button.offsetTop - moves.clientHeight / 2;
}

function next(mark) {
  const places = [...columns.marks.keys()].filter((i) => columns.marks[i].includes(mark));
  if (places.length) show(places.find((i) => i > at) ?? places[0]);
}

function pause() {
  clearInterval(timer);
  timer = null;
  byId("play").textContent = "▶ Play";
  byId("play").setAttribute("aria-label", "Play");
}

function play() {
  if (at === columns.wide.length - 1) show(0);
  timer = setInterval(() => show(at + 1), Number(byId("speed").value));
  byId("play").textContent = "❚❚ Pause";
  byId("play").setAttribute("aria-label", "Pause");
}

const go = {
  first: () => show(0),
  back: () => show(at - 1),
  forward: () => show(at + 1),
  last: () => show(Infinity),
};

function chooseView(name) {
  if (games[game].views.includes(name)) choose(game, name, at);
}

const keys = {
  Home: go.first,
  ArrowLeft: go.back,
  ArrowRight: go.forward,
  End: go.last,
  " ": () => (timer ? pause() : play()),
  f: () => next("flip"),
  c: () => next("challenge"),
  r: () => next("round"),
  o: () => chooseView("open"),
};
for (let seat = 0; seat < 10; seat++) keys[seat] = () => chooseView(String(seat));

// Keys that mean something to the control they are typed at.
function isTaken(key, target) {
  if (target.matches("input")) return key.length > 1;
  return target.matches("select") || (target.matches("button") && key === " ");
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (!columns || !keys[key] || isTaken(key, target) || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  keys[key]();
});
document.addEventListener("click", (event) => {
  const { go: step, next: mark, at: place } = event.target.closest("button")?.dataset ?? {};
  if (step) go[step]();
  if (mark) next(mark);
  if (place) show(Number(place));
});
byId("play").addEventListener("click", keys[" "]);
byId("slider").addEventListener("input", (event) => show(Number(event.target.value)));
byId("game").addEventListener("change", (event) => choose(Number(event.target.value), games[event.target.value].views[0], 0));
byId("view").addEventListener("change", (event) => chooseView(event.target.value));
byId("speed").addEventListener("change", () => timer && (pause(), play()));
byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.style.colorScheme ? root.style.colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.style.colorScheme = isDark ? "light" : "dark";
});
isNarrow.addEventListener("change", () => show(at));

choose(game, view, at);
