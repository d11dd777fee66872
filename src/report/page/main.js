/* main.js - opens the page: sections, navigation between them, keys, theme. */

const SECTIONS = [
  { id: "overview", title: "Overview", make: overviewSection },
  { id: "kernels", title: "Kernels", make: kernelsSection },
  { id: "timeline", title: "Timeline", make: timelineSection },
  { id: "roofline", title: "Roofline", make: rooflineSection },
  { id: "ranks", title: "Ranks", make: ranksSection, when: () => report.run?.ranks },
  { id: "compare", title: "Compare", make: compareSection, when: () => report.runs.length === 2 },
];
const KEYS = [["1 … 5", "a section"], ["/", "search, filter"], ["t", "light or dark"], ["w s, + −", "zoom the timeline in and out, also Ctrl and wheel"],
              ["a d, ← →", "move it"], ["f", "the whole run"], ["m, Shift and drag", "measure"], ["n N", "next and last that was found"],
              ["Enter", "zoom to what is selected"], ["Esc", "select nothing"]];

const sections = () => SECTIONS.filter(s => !s.when || s.when());
const made = new Map(); /* section elements that are drawn, by id */

/* Pages of a single item, with the section whose table links to them. */
const PAGES = { kernel: { make: index => kernelSection(index), of: "kernels" }, rank: { make: index => rankSection(index), of: "ranks" } };

/* Splits "#/kernel/3" into the section and its argument. */
function route() {
  const [, id = "overview", rest] = location.hash.split("/");
  if (id === "kernel" || (id === "rank" && report.run.ranks?.rows[Number(rest)])) return { id, index: Number(rest) };
  return { id: sections().some(s => s.id === id) ? id : "overview" };
}

function makeSection(id, make) {
  const node = element(`section#${id}`, { hidden: true });
  document.getElementById("main").append(node);
  node.append(...make().flat(2).filter(Boolean));
  made.set(id, node);
  return node;
}

function show() {
  const { id, index } = route(), page = PAGES[id], key = page ? `${id}-${index}` : id;
  showTip();
  if (page && !made.has(key)) {
    [...made.keys()].filter(k => k.startsWith(`${id}-`)).forEach(k => { made.get(k).remove(); made.delete(k); });
  }
  const node = made.get(key) ?? makeSection(key, page ? () => page.make(index) : SECTIONS.find(s => s.id === id).make);
  for (const other of made.values()) other.hidden = other !== node;
  document.querySelectorAll("#tabs a").forEach(a => {
    const here = a.dataset.id === (page?.of ?? id);
    if (here) { a.setAttribute("aria-current", "page"); a.scrollIntoView({ block: "nearest", inline: "nearest" }); } else a.removeAttribute("aria-current");
  });
  if (show.last !== key) scrollTo(0, 0);
  show.last = key;
  redrawAll();
}

function redrawAll() { redraws.forEach(redraw => redraw()); }

/* The sections of the other run of a comparison. */
function chooseRun(run) {
  if (report.run === run) return;
  const name = route().id === "kernel" ? report.run.kernels[route().index]?.title : null;
  report.run = run;
  made.forEach(node => node.remove());
  made.clear();
  redraws.clear();
  hueCache.clear();
  drawSwitch();
  const same = name !== null ? run.byName.get(name) : null;
  if (same && location.hash !== kernelHref(same)) location.hash = kernelHref(same); else show();
}

function drawSwitch() {
  const node = document.getElementById("switch");
  if (report.runs.length < 2) return;
  node.replaceChildren(element("span.segments", { role: "group", "aria-label": "run" }, report.runs.map(run => element("button", { type: "button",
    title: run.label, "aria-pressed": String(run === report.run), click: () => chooseRun(run) }, run.letter))));
}

/* ---- theme ---- */

function setTheme(theme, keep) {
  document.documentElement.dataset.theme = theme;
  if (keep) try { localStorage.setItem("crocprof-theme", theme); } catch { /* browsers may deny storage to a page that is a file */ }
  redrawAll();
}

function firstTheme() {
  try {
    const kept = localStorage.getItem("crocprof-theme");
    if (kept) return kept;
  } catch { /* storage may be denied */ }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

const toggleTheme = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark", true);

/* ---- keys ---- */

function showKeys() {
  const help = document.getElementById("help");
  help.replaceChildren(element("h2", {}, "Keys"), element("dl.facts", { style: { margin: "14px 0" } },
    KEYS.map(([key, text]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, text)])), button("Close", () => help.close()));
  help.showModal();
}

function onKey(event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox";
  if (typing && event.key === "Escape") event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || document.getElementById("help").open) return;
  const { id } = route(), number = Number(event.key), there = sections()[number - 1];
  const onControl = /^(BUTTON|A|SUMMARY)$/.test(event.target.tagName) && (event.key === "Enter" || event.key === " ");
  if (onControl) return;
  if (there) location.hash = `#/${there.id}`;
  else if (event.key === "t") toggleTheme();
  else if (event.key === "?") showKeys();
  else if (event.key === "/") (document.querySelector("section:not([hidden]) input[type=search]") ?? document.body).focus();
  else if (id !== "timeline" || !timeline?.key(event)) return;
  event.preventDefault();
}

/* ---- opening ---- */

function fail(error) {
  document.getElementById("main").replaceChildren(element("p.note.bad", {}, `This page cannot be shown: ${error.message}. ` +
    "It needs a browser of 2023 or newer (DecompressionStream)."));
}

async function open() {
  const node = document.getElementById("data"), text = node.textContent;
  node.remove();
  await unpack(text);
  document.getElementById("opening").remove();
  const process = report.run.shown[0];
  document.title = `${(process && titleOf(nameOf(process.command))) || report.run.label} · crocprof`;
  document.getElementById("tabs").append(...sections().map((s, i) => element("a", { href: `#/${s.id}`, title: `${i + 1}`, "data-id": s.id }, s.title)));
  document.getElementById("theme").addEventListener("click", toggleTheme);
  document.getElementById("keys").addEventListener("click", showKeys);
  drawSwitch();
  addEventListener("hashchange", show);
  addEventListener("keydown", onKey);
  let width = 0;
  addEventListener("resize", () => { if (innerWidth !== width) redrawAll(); width = innerWidth; });
  addEventListener("beforeprint", () => {
    sections().forEach(s => { if (!made.has(s.id)) makeSection(s.id, s.make); });
    made.forEach(n => { n.hidden = false; });
    redrawAll();
  });
  addEventListener("afterprint", show);
  show();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

setTheme(firstTheme(), false);
addEventListener("DOMContentLoaded", () => open().catch(fail));
