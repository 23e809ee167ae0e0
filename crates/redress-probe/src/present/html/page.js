"use strict";
{
  const all = (what, where = document) => [...where.querySelectorAll(what)];
  const one = (id) => document.getElementById(id);

  // The theme: the system's until somebody chooses; a page from a file may not be allowed to remember.
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = one("theme");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const named = () => { theme.textContent = isDark() ? "Light theme" : "Dark theme"; };
  try {
    const chosen = localStorage.getItem("redress-theme");
    if (chosen) root.dataset.theme = chosen;
  } catch { /* not remembered */ }
  theme.hidden = false;
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("redress-theme", root.dataset.theme); } catch { /* not remembered */ }
    named();
  });
  dark.addEventListener("change", named);
  named();

  // An exchange stands once in the page; a finding shows a copy of it when it is opened.
  const pane = (id, kind) => {
    const found = one(id)?.querySelector(":scope > .panes > ." + kind);
    return found ? [found.cloneNode(true)] : [];
  };
  const fill = (slot) => {
    const { mine, other } = slot.dataset;
    const direct = mine.startsWith("d") ? mine : other;
    const gated = mine.startsWith("d") ? other : mine;
    const panes = document.createElement("div");
    panes.className = "panes";
    panes.append(...pane(mine, "sent"), ...pane(direct, "came"), ...pane(gated, "came"));
    slot.replaceChildren(panes);
    slot.className = "";
  };
  document.addEventListener("toggle", (event) => {
    if (event.target.open) all(".slot", event.target).forEach(fill);
  }, true);
  all("details[open] .slot").forEach(fill);

  // The commands that repeat a case.
  const copied = (button, text) => {
    button.textContent = text;
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };
  const byHand = (code) => {
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  };
  for (const button of all(".copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = button.previousElementSibling;
      try {
        await navigator.clipboard.writeText(code.textContent);
        copied(button, "Copied");
      } catch {
        copied(button, byHand(code) ? "Copied" : "Press Ctrl+C");
      }
    });
  }

  // The filter.
  const form = one("filter");
  if (form) {
    const findings = all(".finding");
    const text = new Map(findings.map((it) => [it, it.textContent.toLowerCase()]));
    const apply = () => {
      const words = one("words").value.toLowerCase().split(/\s+/).filter(Boolean);
      const on = (group, value) => {
        const boxes = all(`input[name=${group}]`, form);
        return boxes.length === 0 || boxes.some((it) => it.checked && it.value === value);
      };
      let shown = 0;
      for (const it of findings) {
        const { level, rule, tool, run } = it.dataset;
        const fits = on("level", level) && on("run", run)
          && (!one("rule").value || one("rule").value === rule)
          && (!one("tool").value || one("tool").value === tool)
          && words.every((word) => text.get(it).includes(word));
        it.hidden = !fits;
        shown += fits ? 1 : 0;
      }
      one("count").textContent = `${shown} of ${findings.length}`;
      one("none").hidden = shown > 0;
    };
    form.hidden = false;
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const link of all(".pick")) {
      link.addEventListener("click", () => {
        one("tool").value = link.dataset.tool;
        if (one("tool").value !== link.dataset.tool) one("tool").value = "";
        apply();
      });
    }
    addEventListener("keydown", (event) => {
      if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
        event.preventDefault();
        one("words").focus();
      }
    });
    apply();
  }

  // A link to a call opens the log around it.
  const open = () => {
    for (let it = location.hash.length > 1 && one(location.hash.slice(1)); it; it = it.parentElement) {
      if (it.tagName === "DETAILS") it.open = true;
    }
  };
  addEventListener("hashchange", open);
  open();
}
