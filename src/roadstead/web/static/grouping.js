// Put selected values of a column into a group, and update the text of the hierarchy.
"use strict";

(() => {
  const depth = (line) => line.length - line.trimStart().length;

  // A tree: groups with their values indented. Groups without values are removed.
  function inTree(text, lines, name) {
    const all = text.split("\n").filter((line) => line.trim());
    const isGroup = all.map((line, at) => at + 1 < all.length && depth(all[at + 1]) > depth(line));
    let kept = all.map((line, at) => ({ line, group: isGroup[at] })).filter((one) => one.group || !lines.has(one.line.trim()));
    for (let before = -1; before !== kept.length;) {
      before = kept.length;
      kept = kept.filter((one, at) => !one.group || (at + 1 < kept.length && depth(kept[at + 1].line) > depth(one.line)));
    }
    const added = [...lines].map((line) => `  ${line}`);
    const at = kept.findIndex((one) => one.group && depth(one.line) === 0 && one.line.trim() === name);
    const texts = kept.map((one) => one.line);
    if (at < 0) return [name, ...added, ...texts].join("\n");
    return [...texts.slice(0, at + 1), ...added, ...texts.slice(at + 1)].join("\n");
  }

  const cell = (value) => (/[;"\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

  // Rows: a value, then its labels; the first label becomes the group.
  function inRows(text, values, name) {
    const first = new Map([...values].map((value) => [cell(value), value]));
    return text.split("\n").map((row) => {
      const own = [...first.keys()].find((one) => row === one || row.startsWith(`${one};`));
      if (own === undefined) return row;
      const labels = row.slice(own.length + 1).split(";").slice(1);
      return [own, cell(name), ...labels].join(";");
    }).join("\n");
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-group]");
    if (!button) return;
    const part = button.closest("[data-groups]");
    const chosen = [...part.querySelectorAll("input[data-line]:checked")];
    const field = part.querySelector("#group-name");
    const name = field.value.trim();
    const says = part.querySelector("[data-grouped]");
    if (!chosen.length || !name) {
      says.textContent = chosen.length ? "Enter a name for the group." : "Select at least one value.";
      (chosen.length ? field : part.querySelector("input[data-line]")).focus();
      return;
    }
    const text = document.getElementById(part.dataset.groups);
    text.value = part.dataset.shape === "tree"
      ? inTree(text.value, new Set(chosen.map((one) => one.dataset.line)), name)
      : inRows(text.value, new Set(chosen.map((one) => one.dataset.value)), name);
    chosen.forEach((one) => { one.checked = false; });
    field.value = "";
    says.textContent = `${chosen.length === 1 ? "1 value is" : `${chosen.length} values are`} now in the group ${name}.`;
    text.dispatchEvent(new Event("input", { bubbles: true }));
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("#group-name, [data-narrow]")) return;
    event.preventDefault(); // the form is not saved yet
    if (event.target.id === "group-name") event.target.parentElement.querySelector("[data-group]").click();
  });

  document.addEventListener("input", (event) => {
    if (!event.target.matches || !event.target.matches("[data-narrow], [data-line], #group-name")) return;
    event.stopPropagation(); // the levels do not change
    if (!event.target.matches("[data-narrow]")) return;
    const sought = event.target.value.toLowerCase();
    event.target.closest("[data-groups]").querySelectorAll(".value-list label").forEach((one) => {
      one.hidden = !one.textContent.toLowerCase().includes(sought);
    });
  }, true);
})();
