/* parts.js - the parts of sections: elements, tables, charts, files to save.
 *
 * Whatever comes from a database goes into an element as its text, never as markup. */

/* element("td.name#id", {title: ...}, child, "text", ...): strings become text. */
function element(what, attributes = {}, ...children) {
  const [, tag, rest] = /^([a-z0-9]+)(.*)$/.exec(what);
  return fill(document.createElement(tag), rest, attributes, children);
}

function drawn(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), "", attributes, children);
}

function fill(node, rest, attributes, children) {
  for (const part of rest.match(/[.#][\w-]+/g) ?? [])
    if (part[0] === ".") node.classList.add(part.slice(1)); else node.id = part.slice(1);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") node.addEventListener(key, value);
    else if (key === "style") Object.assign(node.style, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false && child !== ""));
  return node;
}

function chip(kind) {
  const [text, sense] = CLASSES[kind] ?? [];
  return text ? element(`span.chip.${kind}`, { title: sense }, text) : null;
}

function button(text, click, attributes = {}) {
  return element("button.button", { type: "button", click, ...attributes }, text);
}

function card(title, ...children) {
  const parts = Array.isArray(title) ? title : [title];
  return element("div.card", {}, element("div.title", {}, parts[0] && element("h2", {}, parts[0]), parts.slice(1)), children);
}

const spacer = () => element("span.grow");

function facts(rows) {
  return element("dl.facts", {}, rows.filter(([, value]) => value !== undefined && value !== "" && value !== null)
    .map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

function tile(value, text, kind) {
  return element("div.tile", {}, element("b", {}, value), element("span", {}, text), " ", kind ? chip(kind) : null);
}

/* ---- saving ---- */

function save(name, type, content) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = element("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/* Quotes a cell that a spreadsheet would read as a formula, so that it stays text. */
function csvCell(value) {
  const text = String(value ?? "");
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csvText(columns, rows) {
  return [columns.map(c => c.csv ?? c.title), ...rows.map(row => columns.map(c => c.value(row)))]
    .map(cells => cells.map(csvCell).join(",")).join("\n") + "\n";
}

function saveSvg(name, svg) {
  const copy = svg.cloneNode(true), style = getComputedStyle(document.documentElement);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const text = new XMLSerializer().serializeToString(copy)
    .replace(/var\((--[\w-]+)\)/g, (_, variable) => style.getPropertyValue(variable).trim());
  save(name, "image/svg+xml", text);
}

/* Saves canvases as one picture, one below the other. */
function savePng(name, ...canvases) {
  const height = canvases.reduce((sum, c) => sum + c.height, 0);
  const copy = element("canvas", { width: canvases[0].width, height }), draw = copy.getContext("2d");
  draw.fillStyle = colour("--panel");
  draw.fillRect(0, 0, copy.width, copy.height);
  canvases.reduce((y, c) => { draw.drawImage(c, 0, y); return y + c.height; }, 0);
  copy.toBlob(blob => save(name, "image/png", blob));
}

function colour(variable) { return getComputedStyle(document.documentElement).getPropertyValue(variable).trim(); }

/* ---- tables ---- */

const ROWS_AT_FIRST = 300, AS_THEY_STAND = -1;

/* columns: {title, value: row => number or text, show: row => text or element, kind: "name" or
 * "text", note}. Sorted by a click on a header. */
function sortableTable({ columns, rows, sort = 0, down = true, name, wide = false, most = ROWS_AT_FIRST }) {
  const state = { sort, down, rows, columns, most };
  const head = element("thead"), body = element("tbody");
  const table = element(wide ? "table.wide" : "table", {}, head, body);
  const more = button("", () => { state.most = Infinity; draw(); }, { class: "button more" });
  const box = element("div", {}, element("div.scroll", {}, table), more);

  function sorted() {
    if (state.sort === AS_THEY_STAND) return state.rows;
    const { value } = state.columns[state.sort] ?? state.columns[0], sign = state.down ? -1 : 1;
    return [...state.rows].sort((a, b) => {
      const x = value(a), y = value(b);
      if (x === y) return 0;
      if (x === undefined || Number.isNaN(x)) return 1;
      if (y === undefined || Number.isNaN(y)) return -1;
      return sign * (typeof x === "string" ? x.localeCompare(y) : x - y);
    });
  }

  function header(c, i) {
    const order = i === state.sort ? (state.down ? "descending" : "ascending") : undefined;
    const click = () => {
      state.down = i === state.sort ? !state.down : c.kind === undefined;
      state.sort = i;
      draw();
      head.querySelectorAll("button")[i]?.focus();
    };
    return element(`th${c.kind ? "." + c.kind : ""}`, { "aria-sort": order, title: c.note, scope: "col" },
                   element("button", { type: "button", click }, c.title));
  }

  function draw() {
    const all = sorted();
    head.replaceChildren(element("tr", {}, state.columns.map(header)));
    body.replaceChildren(...all.slice(0, state.most).map(row => element("tr", {}, state.columns.map(c =>
      element(`td${c.kind ? "." + c.kind : ""}`, { title: c.kind === "name" ? String(c.value(row)) : undefined },
              c.show ? c.show(row) : String(c.value(row)))))));
    more.hidden = all.length <= state.most;
    more.textContent = `Show all ${countText(all.length)}`;
  }

  draw();
  return {
    box,
    set(change) { Object.assign(state, change); draw(); },
    save: button("CSV", () => save(`${name}.csv`, "text/csv", csvText(state.columns, sorted())),
                 { title: "save the table as CSV" }),
  };
}

/* ---- charts ---- */

const redraws = new Set(); /* charts that take their colours from the theme, and their width from the page */

/* A chart of uPlot in the element; `options` is called with the theme's current colours. */
function chart(box, options, data) {
  let plot = null;
  function draw() {
    if (!box.isConnected || !box.clientWidth) return;
    plot?.destroy();
    plot = new uPlot({ width: box.clientWidth, ...options() }, data, box);
  }
  redraws.add(draw);
  requestAnimationFrame(draw);
  return button("PNG", () => plot && savePng("chart.png", plot.ctx.canvas), { title: "save the chart as PNG" });
}

function axis(extra = {}) {
  return { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 },
           font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", ...extra };
}

/* ---- the box beside the pointer ---- */

function showTip(event, lines) {
  const tip = document.getElementById("tip");
  if (!lines) { tip.hidden = true; return; }
  tip.replaceChildren(element("b", {}, lines[0]), ...lines.slice(1).map(line => element("div", {}, line)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
  tip.style.top = `${event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18}px`;
}
