// The map answers to the pointer, to clicks, and to the slider along the frontier.
"use strict";

(() => {
  const NEAR = 28; // largest distance in pixels between the pointer and its point
  const byId = (id) => document.getElementById(id);
  const svg = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
  const counts = { placed: 0, compared: 0, shown: 0 }; // work done, for the benchmark
  let map = null;

  const percent = (share) => {
    if (share === 0 || share === 1) return `${100 * share}%`;
    return `${Number((100 * share).toPrecision(3))}%`;
  };

  // Positions of the points in the visible picture; they change only with its size.
  const placed = () => {
    const room = [...map.root.querySelectorAll("[data-scale]")].find((one) => one.offsetParent !== null);
    if (!room) return false;
    const drawing = room.querySelector("svg"), box = drawing.viewBox.baseVal;
    const at = map.facts.scales[room.dataset.scale];
    if (map.drawing !== drawing) {
      map.mark && map.mark.remove();
      map.mark = drawing.appendChild(svg("circle"));
      map.mark.setAttribute("class", "here");
      map.mark.setAttribute("r", "8");
      map.drawing = drawing;
      const wide = at.right - at.left, reach = at.high - at.low;
      const all = map.entries;
      map.x = new Float64Array(all.length);
      map.y = new Float64Array(all.length);
      all.forEach((one, place) => {
        const risk = Math.max(one.risk, 10 ** at.low);
        map.x[place] = at.left + wide * (Math.log10(risk) - at.low) / reach;
        map.y[place] = at.bottom * (1 - Math.sqrt(Math.min(Math.max(one.loss, 0) / at.most, 1)));
        counts.placed += 1;
      });
      map.order = Array.from(all.keys()).sort((a, b) => map.x[a] - map.x[b]);
      map.sorted = Float64Array.from(map.order, (place) => map.x[place]);
    }
    const frame = drawing.getBoundingClientRect();
    map.unit = box.width / frame.width;
    map.left = frame.left; map.top = frame.top; map.up = box.y;
    return true;
  };

  const before = (value) => {
    let low = 0, high = map.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (map.sorted[middle] < value) low = middle + 1; else high = middle;
    }
    return low;
  };

  // The nearest point, among the points within reach from left to right. Releases take precedence
  // over the policies below them.
  const nearest = (event) => {
    if (!placed()) return -1;
    const x = (event.clientX - map.left) * map.unit;
    const y = (event.clientY - map.top) * map.unit + map.up;
    const reach = NEAR * map.unit;
    let best = -1, least = reach * reach;
    for (let at = before(x - reach); at < map.sorted.length && map.sorted[at] <= x + reach; at += 1) {
      const place = map.order[at];
      const apart = (map.x[place] - x) ** 2 + (map.y[place] - y) ** 2;
      const weighed = map.entries[place].release ? apart / 4 : apart;
      counts.compared += 1;
      if (weighed < least) { least = weighed; best = place; }
    }
    return best;
  };

  const rows = (words) => words.map(([name, says]) => {
    const row = document.createElement("tr");
    const head = row.appendChild(document.createElement("th"));
    head.scope = "row";
    head.textContent = name;
    row.appendChild(document.createElement("td")).textContent = says;
    return row;
  });

  const show = (place) => {
    if (place < 0 || place === map.shown || !placed()) return;
    const one = map.entries[place];
    counts.shown += 1;
    map.shown = place;
    map.mark.setAttribute("cx", map.x[place]);
    map.mark.setAttribute("cy", map.y[place]);
    byId("picked").hidden = false;
    byId("picked-title").textContent = one.title;
    byId("picked-risk").textContent = percent(one.risk);
    byId("picked-loss").textContent = percent(one.loss);
    byId("picked-suppressed").textContent = one.suppressed;
    byId("picked-words").replaceChildren(...rows(one.words()));
    byId("picked-try").hidden = !one.released;
    byId("picked-why").hidden = one.released !== false;
    byId("picked-because").textContent = one.because || "";
    byId("picked-short").hidden = one.kept !== false || one.released === false;
    byId("picked").classList.toggle("short", one.kept === false);
    if (one.index !== undefined) byId("picked-index").value = one.index;
    const walk = byId("walk");
    if (walk && one.index !== undefined && document.activeElement !== walk) walk.value = place;
    if (walk) walk.setAttribute("aria-valuetext", `${one.title}, risk ${percent(one.risk)}, left open ${percent(one.loss)}`);
  };

  const keep = (place) => { map.kept = place; show(place); };

  const entries = (facts) => {
    const phrase = (words) => () => facts.attributes.map((name, at) => [name, facts.phrases[words[at]]]);
    const policies = facts.points.map(([index, risk, loss, words, released, because, kept]) => ({
      index, kept, because, risk, loss, title: `Policy ${index} of ${facts.number}`, suppressed: "none", released, words: phrase(words),
    }));
    const others = [["safe_harbor", "Safe Harbor"], ["original", "The original table"]]
      .filter(([key]) => Array.isArray(facts[key]) && facts[key].length)
      .map(([key, title]) => {
        const [, risk, loss, words] = facts[key];
        return { risk, loss, title, suppressed: "none", release: true, words: phrase(words) };
      });
    const releases = facts.releases.map((one) => ({ ...one, release: true, words: () => one.words }));
    return [...policies, ...others, ...releases];
  };

  // Points on the map that are not on the frontier, as a list for users without a pointer.
  const listed = (choice) => {
    const options = map.entries.map((one, at) => [one, at]).filter(([one]) => one.release);
    choice.replaceChildren(new Option("choose one", ""), ...options.map(([one, at]) => new Option(one.title, at)));
    const kept = map.entries[map.kept];
    choice.value = kept && kept.release ? map.kept : "";
    choice.addEventListener("change", () => { if (choice.value !== "") keep(Number(choice.value)); });
    choice.closest("label").hidden = !options.length;
  };

  const begin = async (root) => {
    if (root.dataset.begun) return;
    root.dataset.begun = "yes";
    const answer = await fetch(root.dataset.points, { headers: { Accept: "application/json" } });
    if (!answer.ok || !root.isConnected) return;
    const facts = await answer.json();
    const former = map && map.kept >= 0 ? map.entries[map.kept] : null;
    map = { root, facts, entries: entries(facts), shown: -1, kept: -1, drawing: null };
    if (!map.entries.length) return;
    const again = former ? map.entries.findIndex((one) => one.title === former.title && one.risk === former.risk) : -1;
    const walk = byId("walk");
    keep(again >= 0 ? again : walk ? Number(walk.value) : map.entries.length - 1);
    // A new slider starts in the middle, even if it takes the focus from the old slider.
    if (walk && map.entries[map.kept].index !== undefined) walk.value = map.kept;
    let waiting = false;
    for (const room of root.querySelectorAll("[data-scale]")) {
      room.addEventListener("pointermove", (event) => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => { waiting = false; show(nearest(event)); });
      });
      room.addEventListener("pointerleave", () => show(map.kept));
      room.addEventListener("click", (event) => { const place = nearest(event); if (place >= 0) keep(place); });
    }
    if (walk) walk.addEventListener("input", () => keep(Number(walk.value)));
    listed(byId("placed"));
    new ResizeObserver(() => {
      const place = map.shown < 0 ? map.kept : map.shown;
      map.drawing = null;
      map.shown = -1;
      show(place);
    }).observe(root);
    root.dataset.ready = String(map.entries.length);
  };

  const sorted = (button) => {
    const table = button.closest("table"), body = table.tBodies[0], head = button.closest("th");
    const at = Number(button.dataset.sort);
    const down = head.getAttribute("aria-sort") === "ascending";
    table.querySelectorAll("[aria-sort]").forEach((one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (row) => {
      const own = row.cells[at].dataset.value;
      return own === undefined ? Infinity : Number(own);
    };
    [...body.rows]
      .sort((a, b) => (value(a) === value(b) ? 0 : value(a) < value(b) ? -1 : 1) * (down ? -1 : 1))
      .forEach((row) => body.append(row));
  };

  const ready = () => {
    const root = document.querySelector(".map[data-points]");
    if (root) begin(root);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.sort) sorted(button);
    if (button.dataset.look && map) {
      keep(map.entries.findIndex((one) => String(one.index) === button.dataset.look));
      byId("picked").scrollIntoView({ block: "nearest" });
    }
  });
  document.addEventListener("htmx:afterSettle", ready);
  document.addEventListener("htmx:oobAfterSwap", ready);
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id === "refusal") event.detail.target.scrollIntoView({ block: "center" });
  });
  // The progress of a new job is below the form that started it.
  document.addEventListener("htmx:afterRequest", (event) => {
    const path = event.detail.pathInfo.requestPath;
    if (!event.detail.successful || !/\/explore\/(try|frontier|regression)$/.test(path)) return;
    setTimeout(() => {
      const job = document.querySelector("#jobs .job[data-state=running]");
      if (!job) return;
      focusable(job.querySelector("strong")).focus({ preventScroll: true });
      job.scrollIntoView({ block: "center" });
    });
  });
  window.roadsteadMap = counts;
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", ready); else ready();
})();
