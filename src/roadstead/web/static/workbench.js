// Functions that HTML alone does not have: dropping files, progress of jobs, and small aids.
"use strict";

function refuse(html) {
  const place = document.getElementById("refusal");
  place.innerHTML = html;
  htmx.process(place);
  place.scrollIntoView({ block: "nearest" });
}

async function put(zone, file) {
  const bar = zone.querySelector("progress");
  bar.hidden = false;
  const sent = new XMLHttpRequest();
  sent.open("PUT", zone.dataset.put);
  sent.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
  sent.setRequestHeader("HX-Request", "true");
  sent.upload.onprogress = (event) => { bar.value = event.loaded / event.total; };
  sent.onload = () => {
    bar.hidden = true;
    const next = sent.getResponseHeader("HX-Redirect");
    if (next) again(() => location.assign(next));
    else refuse(sent.responseText);
  };
  sent.onerror = () => { bar.hidden = true; location.reload(); };
  sent.send(file);
}

function dropping(zone) {
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    if (event.dataTransfer.files.length) put(zone, event.dataTransfer.files[0]);
  });
  zone.querySelector("input[type=file]").addEventListener("change", (event) => {
    if (event.target.files.length) put(zone, event.target.files[0]);
  });
}

const percent = (share) => `${(100 * share).toPrecision(3)}%`;

function told(course) {
  const own = course.progress || {};
  const parts = [`${Math.round(course.seconds)} s`];
  if (course.stopping) parts.push("stopping");
  if (own.loss !== null && own.loss !== undefined) parts.push(`best result: ${percent(own.loss)} of the detail lost`);
  if (own.bound) parts.push(`best possible: at least ${percent(own.bound)}`);
  if (own.members) parts.push(`${own.members} policies on the frontier`);
  if (own.evaluated) parts.push(`${own.evaluated.toLocaleString("en-US")} evaluated`);
  if (own.runs) parts.push(`run ${own.run} of ${own.runs}`);
  if (own.step) parts.push(own.step);
  if (parts.length === 1 && course.note) parts.push(course.note);
  return parts.join(" · ");
}

function drawn(canvas, points) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * scale; canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const styles = getComputedStyle(document.documentElement);
  const seconds = points.map((one) => one[0]);
  const highest = Math.max(...points.map((one) => one[1])) * 1.05;
  const last = Math.max(...seconds, 1);
  const x = (value) => 4 + (width - 8) * value / last;
  const y = (value) => height - 6 - (height - 12) * value / highest;
  for (const [at, color] of [[1, "--after"], [2, "--suppressed"]]) {
    pen.strokeStyle = styles.getPropertyValue(color);
    pen.lineWidth = 2;
    pen.beginPath();
    points.forEach((one, index) => {
      if (one[at] === null) return;
      if (index && points[index - 1][at] !== null) pen.lineTo(x(one[0]), y(points[index - 1][at]));
      pen.lineTo(x(one[0]), y(one[at]));
    });
    pen.stroke();
  }
}

function watching(job) {
  const source = new EventSource(job.dataset.events);
  source.onmessage = (event) => {
    if (!job.isConnected) { source.close(); return; }
    const course = JSON.parse(event.data);
    const says = job.querySelector(".says");
    if (says) says.textContent = told(course);
    const canvas = job.querySelector("canvas.course");
    if (canvas && course.course.length > 1) {
      canvas.hidden = false;
      drawn(canvas, course.course);
    }
    if (course.state !== "running") {
      source.close();
      if (job.dataset.then) htmx.ajax("GET", job.dataset.then, { target: job, swap: "outerHTML" });
      else again(() => location.reload());
    }
  };
  // If the server is down, the browser asks again. If the job no longer exists, it stops asking.
  source.onerror = () => { if (!job.isConnected) source.close(); };
}

function ready(root) {
  const all = (what) => [...(root.matches && root.matches(what) ? [root] : []), ...root.querySelectorAll(what)];
  all("[data-put]").forEach(dropping);
  all("[data-events]").forEach((job) => {
    if (job.dataset.watched) return;
    job.dataset.watched = "yes";
    watching(job);
  });
}

document.addEventListener("DOMContentLoaded", () => ready(document.body));
document.addEventListener("htmx:load", (event) => { if (event.target !== document.body) ready(event.target); });
document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if ("dismiss" in button.dataset) {
    leave();
    button.closest(".refusal").remove();
    if (asked && asked.isConnected) asked.focus();
    else stay();
  }
  if (button.dataset.fill) {
    const field = document.getElementById(button.dataset.fill);
    field.value = button.dataset.value;
    field.focus();
  }
  if (button.dataset.copy) {
    navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  }
});
// After a move to another address of the same work, an earlier refusal no longer applies.
document.addEventListener("htmx:beforeRequest", () => {
  document.getElementById("refusal").replaceChildren();
});
// Filter a list by name and role in the browser, without a request to the server.
function filtered(list) {
  const text = (document.querySelector(`[data-filter="${list}"]`).value || "").toLowerCase();
  const role = document.querySelector(`[data-filter-role="${list}"]`).value;
  let shown = 0;
  const rows = [...document.getElementById(list).rows];
  rows.forEach((row) => {
    const own = row.querySelector("select");
    row.hidden = !row.dataset.name.includes(text) || (role !== "" && own.value !== role);
    shown += row.hidden ? 0 : 1;
  });
  document.querySelector(`[data-filter-says="${list}"]`).textContent = `${shown} of ${rows.length} shown`;
}
document.addEventListener("input", (event) => {
  const list = event.target.dataset && (event.target.dataset.filter || event.target.dataset.filterRole);
  if (list) filtered(list);
});

// The focus keeps its place when a piece of the page is replaced: it goes to the same control, to the
// control in its place, or to the heading of the replaced piece. It never falls back to the top.
let asked = null; // the element with the focus at the time of the request
let place = null; // the element with the focus: itself, its text, and the ids of its parents

function leave() {
  const at = document.activeElement;
  if (!at || at === document.body) return;
  const homes = [];
  for (let one = at; one; one = one.parentElement) if (one.id) homes.push(one.id);
  place = { tag: at.tagName, words: at.textContent.trim(), homes, own: at.id };
}

const seen = (one) => one && !one.disabled && one.getBoundingClientRect().height > 0;

function headed(home) {
  return focusable([...home.querySelectorAll("h1, h2, h3, caption, .says")].find(seen) || home);
}

function focusable(one) {
  if (one.tabIndex < 0 && !one.hasAttribute("tabindex")) one.tabIndex = -1;
  return one;
}

function stay() {
  const at = document.activeElement;
  const lost = !at || at === document.body || !at.isConnected;
  const was = place;
  if (!was || !lost) return; // another piece may have settled while the request is on its way
  place = null;
  const homes = was.homes.map((id) => document.getElementById(id)).filter(seen);
  if (was.own && homes.length && homes[0].id === was.own) { focusable(homes[0]).focus({ preventScroll: true }); return; }
  const whole = document.getElementById("content");
  const results = was.homes.includes("jobs") && document.getElementById("candidates"); // of a job that has ended
  const home = homes[0] && homes[0] !== whole ? homes[0] : results || whole;
  const alike = [...home.querySelectorAll(was.tag)].filter(seen);
  const same = alike.find((one) => one.textContent.trim() === was.words);
  const other = same || (home.id === "content" ? null : headed(home));
  focusable(other || headed(document.getElementById("content"))).focus({ preventScroll: Boolean(same) });
}

// When a page opens without a click, the focus goes to its content, for keyboard users.
function again(go) {
  sessionStorage.setItem("again", "yes");
  go();
}

document.addEventListener("DOMContentLoaded", () => {
  const part = document.getElementById(location.hash.slice(1)); // the part whose job has ended
  if (sessionStorage.getItem("again") && part) { focusable(part).focus(); part.scrollIntoView(); }
  else if (sessionStorage.getItem("again") && sessionStorage.getItem("keys")) headed(document.getElementById("content")).focus();
  sessionStorage.removeItem("again");
});
document.addEventListener("keydown", () => sessionStorage.setItem("keys", "yes"));
document.addEventListener("pointerdown", () => { place = null; sessionStorage.removeItem("keys"); });
document.addEventListener("htmx:beforeOnLoad", (event) => {
  if (event.detail.xhr.getResponseHeader("HX-Redirect")) again(() => {});
});
document.addEventListener("htmx:beforeRequest", () => {
  asked = document.activeElement;
  leave();
});
document.addEventListener("htmx:beforeSwap", leave);
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target === document.body) headed(document.getElementById("content")).focus({ preventScroll: true });
  else stay();
});
document.addEventListener("htmx:oobAfterSwap", () => setTimeout(stay));
document.addEventListener("htmx:afterRequest", () => setTimeout(stay)); // a button is disabled during its request

// Another tab may change the same work. The choices at the top are updated, and a notice says so.
const choicesNow = (room) => fetch(room.dataset.now, { headers: { "HX-Request": "true" } })
  .then((answer) => (answer.ok ? answer.text() : null))
  .catch(() => null); // the user left the page, or the server is down, which the next click reports

function noticeElsewhere() {
  const notice = document.getElementById("elsewhere");
  const load = document.createElement("button");
  load.type = "button";
  load.textContent = "Reload the page";
  load.addEventListener("click", () => again(() => location.reload()));
  notice.replaceChildren("Another tab changed a setting. This page shows the earlier settings. ", load);
  notice.hidden = false;
}

async function follow(own) {
  const room = document.getElementById("chosen");
  const busy = "[data-state=running], .htmx-request, .htmx-swapping, .htmx-settling";
  if (!room || !room.dataset.now || document.hidden || (!own && document.querySelector(busy))) return;
  const text = await choicesNow(room);
  if (text === null) return;
  const before = room.querySelector("[data-choices]").dataset.choices;
  if (!own && document.querySelector(busy)) return;
  room.innerHTML = text;
  htmx.process(room); // otherwise, its form would reload the page
  if (!own && room.querySelector("[data-choices]").dataset.choices !== before) noticeElsewhere();
}

// After a change of this tab, an earlier change of another tab is not visible, so compare before it.
let changing = 0; // the changes of this tab that the choices at the top do not show yet
const waiting = new WeakMap(); // for each element, its latest request that waits for the comparison

async function compare() {
  const room = document.getElementById("chosen");
  if (!room || !room.dataset.now || changing) return;
  const text = await choicesNow(room);
  const made = document.createElement("template");
  made.innerHTML = text || "";
  const now = made.content.querySelector("[data-choices]");
  const shown = room.querySelector("[data-choices]");
  if (!changing && now && shown && now.dataset.choices !== shown.dataset.choices) noticeElsewhere();
}

document.addEventListener("htmx:confirm", (event) => {
  const { elt, verb, issueRequest } = event.detail;
  if (verb !== "post") return;
  event.preventDefault();
  const first = !waiting.has(elt);
  waiting.set(elt, issueRequest);
  if (first) compare().finally(() => {
    const go = waiting.get(elt);
    waiting.delete(elt);
    go();
  });
});
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.requestConfig.verb === "post") changing += 1;
});

document.addEventListener("visibilitychange", () => follow(false));
window.addEventListener("focus", () => follow(false));
setInterval(() => follow(false), 5000);
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.requestConfig.verb === "post") follow(true).finally(() => { changing -= 1; });
});

// Folded parts cannot be opened on paper, so the parts that belong there are open for printing.
const opened = [];
window.addEventListener("beforeprint", () => {
  document.querySelectorAll("details[data-print]:not([open])").forEach((one) => { one.open = true; opened.push(one); });
});
window.addEventListener("afterprint", () => opened.splice(0).forEach((one) => { one.open = false; }));

// A decision about several columns applies to the columns shown.
document.addEventListener("htmx:configRequest", (event) => {
  const list = event.target.dataset && event.target.dataset.of;
  if (!list) return;
  const shown = [...document.getElementById(list).rows].filter((row) => !row.hidden);
  event.detail.parameters.set("columns", shown.map((row) => row.dataset.number).join(" "));
});
