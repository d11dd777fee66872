/* source.js - source and instructions of a kernel side by side, with the counts of each. */

/* Returns the class of an instruction's count, by the count's name. */
function countClass(name) {
  if (/^(wait|stall|issue$|latency)/.test(name)) return "timing-model";
  return /(hits|misses|late|fetches)$|^memory_bytes/.test(name) ? "cache-model" : "exact";
}

function sourceCard(k) {
  const rows = k.run.instructions.filter(i => i.kernel === k.index);
  if (!rows.length) return null;
  const counts = k.run.counts.map((name, i) => ({ name: nameOf(name), i })).filter(({ i }) => rows.some(r => r.counts[i]));
  if (!counts.length) return null;
  const state = { column: counts.find(c => c.name === "issued") ?? counts[0] }, box = element("div.sides");
  const choose = element("select", { "aria-label": "what is shown of each line", change: () => { state.column = counts[choose.value]; draw(); } },
    counts.map((c, i) => element("option", { value: i, selected: c === state.column }, `${c.name.replaceAll("_", " ")} (${CLASSES[countClass(c.name)][0]})`)));
  const sense = element("span");
  const saving = [["Lines", saveLines], ["Instructions", saveInstructions]].map(([what, how]) =>
    button(`${what} CSV`, () => how(k, rows, counts), { title: `save the ${what.toLowerCase()} as CSV` }));
  function draw() {
    sense.replaceChildren(chip(countClass(state.column.name)));
    drawSides(box, k, rows, state.column);
  }
  draw();
  return tableCard(["Source and instructions", choose, sense, spacer(), saving], box);
}

function saveInstructions(k, rows, counts) {
  save(`${shortName(k.title)}-instructions.csv`, "text/csv", csvText([
    { title: "Address", value: r => `0x${r.address.toString(16)}` }, { title: "Instruction", value: r => nameOf(r.text) },
    { title: "File", value: r => nameOf(r.ownFile) }, { title: "Line", value: r => r.ownLine || "" },
    { title: "User file", value: r => nameOf(r.file) }, { title: "User line", value: r => r.line || "" },
    ...counts.map(c => ({ title: c.name, value: r => r.counts[c.i] }))], rows));
}

/* Returns each line to which instructions belong, with their counts. */
function saveLines(k, rows, counts) {
  const lines = new Map();
  for (const r of rows.filter(i => i.line)) {
    const line = lines.get(lineKey(r.file, r.line)) ?? { file: r.file, line: r.line, counts: counts.map(() => 0) };
    counts.forEach((c, i) => { line.counts[i] += r.counts[c.i]; });
    lines.set(lineKey(r.file, r.line), line);
  }
  const text = l => nameOf(k.run.sources.find(s => s.path === l.file)?.text).split("\n")[l.line - 1];
  save(`${shortName(k.title)}-lines.csv`, "text/csv", csvText([
    { title: "File", value: l => nameOf(l.file) }, { title: "Line", value: l => l.line },
    ...counts.map((c, i) => ({ title: c.name, value: l => l.counts[i] })), { title: "Text", value: text }],
    [...lines.values()].sort((a, b) => a.file - b.file || a.line - b.line)));
}

const lineKey = (file, line) => `${file}:${line}`;

/* The lines are those of the user's files; an instruction that was inlined there from a header also counts to its own
 * line. */
const ownLine = r => r.ownLine && lineKey(r.ownFile, r.ownLine) !== lineKey(r.file, r.line) ? `inlined from ${nameOf(r.ownFile)}:${r.ownLine}` : undefined;

function drawSides(box, k, rows, column) {
  const value = r => r.counts[column.i], total = rows.reduce((sum, r) => sum + value(r), 0) || 1;
  const most = Math.max(...rows.map(value), 1), byLine = new Map();
  for (const r of rows) if (r.line) {
    const key = lineKey(r.file, r.line);
    byLine.set(key, (byLine.get(key) ?? 0) + value(r));
  }
  const heat = (part, whole) => ({ background: part ? `color-mix(in srgb, var(--timing) ${Math.round(60 * Math.sqrt(part / whole))}%, transparent)` : "" });
  const light = key => box.querySelectorAll("tr").forEach(tr => {
    tr.classList.toggle("on", tr.dataset.line === key);
  });
  const choose = (key, other) => { light(key); box.querySelector(`.${other} tr.on`)?.scrollIntoView({ block: "center" }); };
  const row = (key, other, cells) => element("tr", { "data-line": key, tabindex: key ? 0 : undefined, click: () => key && choose(key, other),
    keydown: event => { if (event.key === "Enter" && key) choose(key, other); } }, cells);
  const figure = (part, whole) => element("td", { style: heat(part, whole), title: percentText(part / total) }, part ? countText(part) : "");
  const instructions = element("div.code.instructions", { tabindex: 0 }, element("table", {}, element("tbody", {}, rows.map(r =>
    row(r.line ? lineKey(r.file, r.line) : undefined, "lines", [figure(value(r), most), element("td.text.mono", { title: nameOf(r.function) || undefined },
      `${"  ".repeat(r.depth)}${nameOf(r.text)}`), element("td.text.mono", { title: ownLine(r) }, r.line ? `${nameOf(r.file).split("/").pop()}:${r.line}` : "")])))));
  box.replaceChildren(sourceLines(k, rows, byLine, figure, row), instructions);
}

/* The files of the kernel's lines: their texts if the database has them, else only the lines that
 * are known. */
function sourceLines(k, rows, byLine, figure, row) {
  const weight = file => rows.reduce((sum, r) => sum + (r.file === file ? 1 : 0), k.run.sources.some(s => s.path === file) ? rows.length : 0);
  const files = [...new Set(rows.filter(r => r.line).map(r => r.file))].sort((a, b) => weight(b) - weight(a)), most = Math.max(...byLine.values(), 1);
  const parts = files.map(file => {
    const text = k.run.sources.find(s => s.path === file), lines = text ? nameOf(text.text).split("\n") : null;
    const numbers = lines ? lines.map((_, i) => i + 1) : [...new Set(rows.filter(r => r.file === file && r.line).map(r => r.line))].sort((a, b) => a - b);
    return [element("tr", {}, element("td", {}), element("td", {}), element("td.text", {}, element("b", {}, nameOf(file)))),
      numbers.map(n => row(byLine.has(lineKey(file, n)) ? lineKey(file, n) : undefined, "instructions", [figure(byLine.get(lineKey(file, n)) ?? 0, most),
        element("td", { style: { color: "var(--soft)" } }, String(n)), element("td.text.mono", {}, lines ? lines[n - 1] : "")]))];
  });
  const none = element("p.empty", {}, "No lines are known: compile with -gline-tables-only.");
  return element("div.code.lines", { tabindex: 0 }, files.length ? element("table", {}, element("tbody", {}, parts)) : none);
}
