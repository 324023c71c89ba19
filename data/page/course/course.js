"use strict";
// Search without a server: search.js holds every section's words. Keys: / to search, Escape to leave, arrows among what was
// found, ← and → to the page before and next.
(() => {
  const root = document.body.dataset.root;
  const input = document.getElementById("search");
  const list = document.getElementById("found");
  const contents = document.getElementById("contents");
  if (matchMedia("(max-width: 62rem)").matches) contents.open = false;
  const current = contents.querySelector("[aria-current]");
  if (current && contents.open) current.scrollIntoView({ block: "nearest" });

  const plain = (text) => text.toLowerCase();
  // A section's worth: words in its heading count more than in its text; all must be there.
  const worth = ([, title, heading, words], wanted) => {
    let sum = 0;
    for (const word of wanted) {
      const here =
        8 * plain(heading).split(word).length + 4 * plain(title).split(word).length + plain(words).split(word).length - 13;
      if (here <= 0) return 0;
      sum += here;
    }
    return sum;
  };
  const slug = (heading) =>
    heading.toLowerCase().replace(/[\][!"#$%&()*+,./:;<=>?@\\^`{|}~'…·–—|’→√]/g, "").replace(/ /g, "-");
  const around = (words, word) => {
    const at = plain(words).indexOf(word);
    if (at < 0) return [words.slice(0, 120), "", ""];
    return [
      (at > 50 ? "…" : "") + words.slice(Math.max(0, at - 50), at),
      words.slice(at, at + word.length),
      words.slice(at + word.length, at + 90) + "…",
    ];
  };
  const entry = ([page, title, heading, words], word) => {
    const link = document.createElement("a");
    link.href = root + page + (heading && heading !== title ? "#" + slug(heading) : "");
    link.append(heading && heading !== title ? `${title} › ${heading}` : title);
    const small = document.createElement("small");
    const [before, hit, after] = around(words, word);
    const mark = document.createElement("mark");
    mark.append(hit);
    small.append(before, mark, after);
    link.append(small);
    const item = document.createElement("li");
    item.append(link);
    return item;
  };
  const search = () => {
    const wanted = plain(input.value).split(/\s+/).filter(Boolean);
    list.replaceChildren();
    list.hidden = wanted.length === 0;
    if (list.hidden) return;
    const found = window.tbtCourse
      .map((section) => [worth(section, wanted), section])
      .filter(([value]) => value > 0)
      .sort(([a], [b]) => b - a)
      .slice(0, 20);
    for (const [, section] of found) list.append(entry(section, wanted[0]));
    if (found.length) return;
    const none = document.createElement("li");
    none.className = "none";
    none.append("Nothing has all of these words.");
    list.append(none);
  };
  input.addEventListener("input", search);
  input.addEventListener("focus", search);
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".search")) list.hidden = true;
  });

  const step = (by) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const next = at + by;
    if (next < 0) input.focus();
    else links[Math.min(next, links.length - 1)]?.focus();
  };
  // Of a wide block that has the focus the arrows scroll.
  const scrolls = (element) => element.matches("pre, .wide, .scroll") && element.scrollWidth > element.clientWidth;
  const turn = (way) => {
    const links = [...document.querySelectorAll("#contents a")];
    const at = links.findIndex((link) => link.hasAttribute("aria-current"));
    if (at >= 0 && links[at + way]) location.href = links[at + way].href;
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    // In a live figure's controls, keys are for the control.
    if (document.activeElement.matches(".live input, .live select")) return;
    const searching = Boolean(document.activeElement.closest?.(".search"));
    if (event.key === "/" && !searching) input.focus();
    else if (event.key === "Escape" && searching) ((list.hidden = true), document.activeElement.blur());
    else if (event.key === "ArrowDown" && searching) step(1);
    else if (event.key === "ArrowUp" && searching) step(-1);
    else if (event.key === "Enter" && document.activeElement === input) list.querySelector("a")?.click();
    else if (scrolls(document.activeElement)) return;
    else if (event.key === "ArrowLeft" && !searching) turn(-1);
    else if (event.key === "ArrowRight" && !searching) turn(1);
    else return;
    event.preventDefault();
  });
})();
