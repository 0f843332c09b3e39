// What a reader does with the page: goes from fault to fault, hides what is sound, and, in an editor, jumps both ways.
// Nothing of a document is run or made into markup here: pages come from the server whole, and are adopted as they are.
"use strict";
(() => {
  const editor = typeof acquireVsCodeApi === "function" ? acquireVsCodeApi() : undefined;
  const byId = (id) => document.getElementById(id);
  const say = (words) => {
    byId("status").textContent = words;
  };
  const turns = () => Array.from(document.querySelectorAll(".turn"));
  let at = -1;

  const rangeOf = (element) => (element.dataset.range ?? "").split(",").map(Number);

  const show = (element, words) => {
    for (const other of document.querySelectorAll(".here")) {
      other.classList.remove("here");
      other.removeAttribute("aria-current");
    }
    element.classList.add("here");
    element.setAttribute("aria-current", "true");
    element.scrollIntoView({ block: "nearest" });
    if (words) {
      say(words);
    }
  };

  const step = (by) => {
    const all = turns();
    const faults = all.filter((turn) => turn.classList.contains("faulty"));
    if (faults.length === 0) {
      say(byId("status").dataset.none);
      return;
    }
    const next =
      by > 0
        ? faults.find((turn) => all.indexOf(turn) > at) ?? faults[0]
        : faults.findLast((turn) => all.indexOf(turn) < at) ?? faults[faults.length - 1];
    at = all.indexOf(next);
    show(next, `${faults.indexOf(next) + 1} / ${faults.length}`);
    next.focus({ preventScroll: true });
  };

  const onlyFaults = (wanted) => {
    document.body.classList.toggle("only-faults", wanted);
    byId("only-faults").checked = wanted;
    remember();
  };

  const remember = () => {
    editor?.setState({ ...editor.getState(), uri: document.body.dataset.uri, onlyFaults: byId("only-faults").checked });
  };

  const reveal = (line, character) => {
    let best;
    for (const element of document.querySelectorAll(".turn[data-range], .call[data-range], .result[data-range]")) {
      const [from, start, to, end] = rangeOf(element);
      const begun = from < line || (from === line && start <= character);
      const open = line < to || (line === to && character <= end);
      if (begun && open && (best === undefined || best.contains(element))) {
        best = element;
      }
    }
    if (best !== undefined && !best.classList.contains("here")) {
      const turn = best.closest(".turn");
      at = turns().indexOf(turn);
      show(best);
    }
  };

  const take = (html) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const opened = new Set(
      Array.from(document.querySelectorAll("details[open][id]"), (element) => element.id),
    );
    const focused = document.activeElement?.id;
    for (const id of ["head", "content"]) {
      // A list of its own: the node list changes with every node that is taken out of it.
      byId(id).replaceChildren(...Array.from(page.getElementById(id).childNodes));
    }
    for (const id of opened) {
      byId(id)?.setAttribute("open", "");
    }
    if (focused) {
      byId(focused)?.focus({ preventScroll: true });
    }
    document.title = page.title;
  };

  document.addEventListener("click", (event) => {
    const target = event.target.closest("button");
    if (target === null) {
      return;
    }
    if (target.classList.contains("place") && editor !== undefined) {
      editor.postMessage({ command: "reveal", range: rangeOf(target) });
    } else if (target.dataset.command && editor !== undefined) {
      const text = target.closest("details")?.querySelector("pre")?.textContent;
      editor.postMessage({ command: target.dataset.command, text });
    } else if (target.id === "next") {
      step(1);
    } else if (target.id === "previous") {
      step(-1);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) {
      return;
    }
    if (event.key === "n") {
      step(1);
    } else if (event.key === "p") {
      step(-1);
    }
  });
  byId("only-faults").addEventListener("change", (event) => {
    onlyFaults(event.target.checked);
  });
  window.addEventListener("message", (event) => {
    const message = event.data;
    if (message.command === "update") {
      take(message.html);
    } else if (message.command === "reveal") {
      reveal(message.line, message.character);
    }
  });

  byId("tools").hidden = false;
  const state = editor?.getState();
  if (state?.onlyFaults && state.uri === document.body.dataset.uri) {
    onlyFaults(true);
  } else {
    remember();
  }
  editor?.postMessage({ command: "ready" });
})();
