// Keeps a page up to date: when the ledger grows, the page is fetched again and its main part is put in place.
(() => {
  "use strict";
  const main = document.querySelector("main[data-live]");
  if (!main || !window.EventSource) return;
  let busy = false;
  const isUsed = () => main.contains(document.activeElement) && document.activeElement !== main
    && /^(INPUT|SELECT|BUTTON|TEXTAREA|SUMMARY)$/.test(document.activeElement.tagName)
    || String(window.getSelection()) !== "";
  const refresh = async () => {
    if (busy || document.hidden || isUsed()) return;
    busy = true;
    try {
      const answer = await fetch(location.href, { credentials: "same-origin", redirect: "error" });
      if (!answer.ok) return;
      const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
      if (!next || next.innerHTML === main.innerHTML || isUsed()) return;
      const open = [...main.querySelectorAll("details")].map((it) => it.open);
      const focused = document.activeElement && document.activeElement.getAttribute("href");
      main.replaceChildren(...next.childNodes);
      main.querySelectorAll("details").forEach((it, at) => { it.open = open[at] ?? it.open; });
      if (focused) {
        const again = [...main.querySelectorAll("a[href]")].find((it) => it.getAttribute("href") === focused);
        if (again) again.focus({ preventScroll: true });
      }
    } catch {
      // The next event tries again.
    } finally {
      busy = false;
    }
  };
  const events = new EventSource(main.dataset.live);
  events.addEventListener("change", refresh);
  document.addEventListener("visibilitychange", refresh);
})();
