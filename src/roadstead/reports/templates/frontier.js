"use strict";
// Draws the chart with Vega in place of the still picture, and shows the policy picked.
(() => {
  const byId = (id) => document.getElementById(id);
  const facts = JSON.parse(byId("frontier-data").textContent);
  const policies = facts.policies.map(
    ([index, risk, loss, share, amount, lost, better, words, difference]) => ({
      index, risk, loss, share, amount, lost, better,
      words: words.map((w) => facts.phrases[w]),
      difference: difference.map((w) => facts.phrases[w]),
    })
  );
  const places = new Map(policies.map((policy, place) => [policy.index, place]));
  const figure = byId("frontier-figure"), room = byId("frontier-live"), tip = byId("frontier-tip");
  const LEFT = 46, RIGHT = 14, NEAR = 36;
  let view = null, spots = [], picked = places.get(facts.first), turns = 0, drawn = 0;

  const line = (parent, tag, text, name) => {
    const element = parent.appendChild(document.createElement(tag));
    element.textContent = text;
    if (name) element.className = name;
    return element;
  };

  const mark = () => {
    if (!view) return;
    const { risk, loss } = policies[picked];
    view.data("picked", [{ risk, loss }]).runAsync();
  };

  const pick = (place) => {
    picked = Math.max(0, Math.min(policies.length - 1, place));
    const policy = policies[picked];
    byId("picked-index").textContent = policy.index;
    byId("picked-share").textContent = policy.share;
    byId("picked-amount").textContent = policy.amount;
    byId("picked-loss").textContent = policy.lost;
    byId("picked-better").hidden = !policy.better;
    const command = byId("picked-command");
    command.replaceChildren();
    facts.command.split(" ").forEach((word) => {
      if (word.startsWith("-")) line(command, "span", word, "unbroken"); else command.append(word);
      command.append(" ");
    });
    line(command, "span", `--choose ${policy.index}`, "unbroken");
    command.append(" --out DIR");
    const words = byId("picked-words");
    words.replaceChildren();
    facts.attributes.forEach((name, place) => {
      const row = words.appendChild(document.createElement("tr"));
      line(row, "th", name).scope = "row";
      line(row, "td", policy.words[place]);
    });
    const difference = byId("picked-difference");
    if (difference) difference.textContent = policy.difference.join("; ") || "no difference";
    byId("picked-less").disabled = picked === 0;
    byId("picked-more").disabled = picked === policies.length - 1;
    mark();
  };

  const point = (policy, x, y) => {
    tip.replaceChildren();
    line(tip, "strong", `Policy ${policy.index}`);
    line(tip, "span", `risk ${policy.share}, loss ${policy.lost}`);
    facts.attributes.forEach((name, place) => line(tip, "span", `${name}: ${policy.words[place]}`, "cut"));
    tip.hidden = false;
    const wide = room.clientWidth - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(wide, x + 14))}px`;
    tip.style.top = `${y + 14}px`;
  };

  const nearest = (event) => {
    const box = room.querySelector("svg").getBoundingClientRect();
    const [left, top] = view.origin();
    const x = event.clientX - box.left - left;
    const y = event.clientY - box.top - top;
    let best = -1, least = NEAR * NEAR;
    spots.forEach(([a, b], place) => {
      const apart = (a - x) ** 2 + (b - y) ** 2;
      if (apart < least) { least = apart; best = place; }
    });
    return best;
  };

  const draw = async (name) => {
    const turn = ++turns;
    drawn = room.clientWidth;
    const width = Math.max(200, drawn - LEFT - RIGHT);
    const spec = { ...facts.views[name], width, datasets: facts.datasets };
    if (width < 440) spec.height = 320;
    const options = { actions: false, ast: true, renderer: "svg", defaultStyle: false, tooltip: false };
    const target = document.createElement("div");
    const result = await vegaEmbed(target, spec, options);
    if (turn !== turns) { result.finalize(); return; }
    room.replaceChildren(target, tip);
    figure.dataset.view = name;
    view = result.view;
    const x = view.scale("x"), y = view.scale("y"), height = view.height();
    const inside = ([a, b]) => a >= -1 && a <= width + 1 && b >= -1 && b <= height + 1;
    spots = policies.map(({ risk, loss }) => {
      const spot = [x(risk), y(loss)];
      return inside(spot) ? spot : [NaN, NaN];
    });
    const svg = room.querySelector("svg");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", figure.dataset.said);
    mark();
  };

  const chosen = () => document.querySelector("input[name=view]:checked").value;

  const begin = async () => {
    figure.classList.add("live");
    byId("picked").hidden = false;
    try {
      await draw(chosen());
    } catch (error) {
      figure.classList.remove("live");
      console.error(error);
    }
    pick(picked);
  };

  room.addEventListener("pointermove", (event) => {
    const place = view ? nearest(event) : -1;
    if (place < 0) { tip.hidden = true; return; }
    const box = room.getBoundingClientRect();
    point(policies[place], event.clientX - box.left, event.clientY - box.top);
  });
  room.addEventListener("pointerleave", () => { tip.hidden = true; });
  room.addEventListener("click", (event) => {
    const place = view ? nearest(event) : -1;
    if (place >= 0) pick(place);
  });
  byId("picked-less").addEventListener("click", () => pick(picked - 1));
  byId("picked-more").addEventListener("click", () => pick(picked + 1));
  document.querySelectorAll("input[name=view]").forEach((input) =>
    input.addEventListener("change", () => draw(chosen()))
  );
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-policy]");
    if (!link || !view) return;
    pick(places.get(Number(link.dataset.policy)));
    byId("picked").scrollIntoView({ block: "center" });
  });
  let waiting = 0;
  new ResizeObserver(() => {
    if (!view || Math.abs(room.clientWidth - drawn) < 2) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => draw(chosen()), 120);
  }).observe(figure);
  begin();
})();
