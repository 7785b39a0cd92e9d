// The page of one seat: draws the states that the server sends, and sends back what is clicked.

const $ = (id) => document.getElementById(id);
const SHOWN_WEIGHTS = 5;
const CLOSED_FOR_GOOD = [1008, 4404]; // another window has the seat, or there is none
let socket;
let state = null;
let numShown = 0; // lines that have been read
let retry = 500; // milliseconds

function connect() {
  const address = new URL(location.pathname.replace("/seat/", "/live/"), location.href);
  address.protocol = address.protocol.replace("http", "ws");
  socket = new WebSocket(address);
  socket.onopen = () => {
    retry = 500;
    notify("");
  };
  socket.onmessage = (event) => receive(JSON.parse(event.data));
  socket.onclose = (event) => {
    if (CLOSED_FOR_GOOD.includes(event.code)) return;
    notify("The connection is lost. Trying again …");
    setTimeout(connect, retry);
    retry = Math.min(2 * retry, 5000);
  };
}

function receive(message) {
  if (message.type === "error") notify(message.message);
  else if (message.type === "hint") showHint(message);
  else show(message);
}

function notify(text) {
  $("notice").textContent = text;
  $("notice").hidden = !text;
}

function send(message) {
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify({ decision: state.decision, ...message }));
}

function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function show(next) {
  const hadFocus = $("board").contains(document.activeElement);
  if (!state || state.decision !== next.decision) {
    $("hint").replaceChildren();
    notify("");
  }
  state = next;
  const isAsked = state.choices.length > 0;
  document.body.classList.toggle("my-turn", isAsked);
  $("question").textContent = state.is_waiting ? "Waiting for everybody to come" : state.question;
  document.title = isAsked ? "\u25cf Your turn \u2013 UNO FLIP" : "UNO FLIP";
  showPicture();
  showChoices();
  showSeats();
  showLines();
  showEnd();
  $("hints").hidden = !(state.adviser && isAsked);
  $("ask-hint").textContent = `What would ${state.adviser} do?`;
  if (hadFocus) focusables()[0]?.focus({ preventScroll: true });
}

function showPicture() {
  const layouts = ["wide", "narrow"].map((layout) => {
    const box = element("div", "", { class: layout });
    box.innerHTML = state.picture[layout]; // made by the server out of drawings and escaped names
    return box;
  });
  $("picture").replaceChildren(...layouts);
  const legal = new Set(state.choices.map((choice) => choice.action));
  for (const card of $("picture").querySelectorAll("[data-action]")) {
    const action = Number(card.dataset.action);
    if (!legal.has(action)) continue;
    card.setAttribute("role", "button");
    card.setAttribute("tabindex", "0");
    card.onclick = () => send({ type: "act", action });
  }
}

function showChoices() {
  const drawn = new Set([...$("picture").querySelectorAll(".card[data-action]")].map((card) => Number(card.dataset.action)));
  const buttons = state.choices.filter((choice) => !drawn.has(choice.action)).map((choice) => {
    const button = element("button", choice.label);
    if (choice.shape) {
      button.insertAdjacentHTML("afterbegin", '<svg viewBox="0 0 100 100" aria-hidden="true"><use/></svg>');
      button.querySelector("use").setAttribute("href", `#${choice.shape}`);
    }
    button.onclick = () => send({ type: "act", action: choice.action });
    return button;
  });
  $("choices").replaceChildren(...buttons);
}

function showSeats() {
  $("seats").replaceChildren(...state.seats.map((seat, place) => {
    const row = element("li");
    row.append(element("span", place === state.seat ? `${seat.name} (you)` : seat.name));
    row.append(seat.is_here
      ? element("span", `${seat.num_cards} ${seat.num_cards === 1 ? "card" : "cards"}, ${seat.score} points`)
      : element("span", "away", { class: "away" }));
    return row;
  }));
}

function showLines() {
  const list = $("lines");
  const first = state.num_lines - state.lines.length;
  list.replaceChildren(...state.lines.map((line, i) => element("li", line, first + i >= numShown ? { class: "new" } : {})));
  list.scrollTop = list.scrollHeight;
  numShown = state.num_lines;
}

function showEnd() {
  const end = $("end");
  document.body.classList.toggle("resting", Boolean(state.ending));
  if (!state.ending) {
    end.close();
    return;
  }
  $("end-title").textContent = state.ending;
  $("results").replaceChildren(...state.seats.map((seat, place) => {
    const row = element("tr", "", seat.is_winner ? { class: "winner" } : {});
    const name = place === state.seat ? `${seat.name} (you)` : seat.name;
    row.append(...[name, seat.points ?? "", seat.score].map((text) => element("td", text)));
    return row;
  }));
  $("go-on").textContent = state.is_done ? "Next game" : "Next round";
  end.show();
}

function showHint(hint) {
  $("hint").replaceChildren(element("li", `${hint.agent}:`), ...hint.weights.slice(0, SHOWN_WEIGHTS).map((weight) => {
    const row = element("li", "");
    if (weight.probability !== null) {
      row.append(element("meter", "", { value: weight.probability, "aria-hidden": true }));
      row.append(element("span", `${Math.round(100 * weight.probability)}%`));
    }
    row.append(element("span", weight.label));
    return row;
  }));
}

function focusables() {
  const all = $("board").querySelectorAll('[role="button"], button');
  return [...all].filter((one) => one.getClientRects().length > 0);
}

function moveFocus(step) {
  const all = focusables();
  const place = all.indexOf(document.activeElement);
  all.at(place < 0 ? 0 : (place + step) % all.length)?.focus();
}

document.addEventListener("keydown", (event) => {
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  if (event.key in steps) {
    event.preventDefault();
    moveFocus(steps[event.key]);
  } else if (["Enter", " "].includes(event.key) && event.target.getAttribute("role") === "button") {
    event.preventDefault();
    event.target.dispatchEvent(new MouseEvent("click"));
  }
});

$("go-on").onclick = () => send({ type: "go_on" });
$("ask-hint").onclick = () => send({ type: "hint" });
connect();
