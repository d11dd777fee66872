/* kernels.js - the table of kernels, and the page of one. */

const kernelHref = k => `#/kernel/${k.index}`;
const kernelLink = k => element("a", { href: kernelHref(k) }, k.short);

/* Returns a function's name without types and parameters, which the title of the cell shows. */
function shortName(name) { return /^(?:[\w:*&]+ )*([\w:~$.]+)[<(]/.exec(name)?.[1] ?? name; }

const clip = (label, key, csv) => ({ title: label, value: k => k.calls ? k[key] : undefined, csv: `${csv ?? label} (ns)`,
                                     show: k => timeText(k.calls ? k[key] : undefined) });
const launchFact = (title, value, show, note) => ({ title, note, optional: true, value: k => k.launch ? value(k.launch) : undefined,
                                                    show: k => k.launch ? show?.(k.launch) ?? countText(value(k.launch)) : "–" });

function kernelColumns(run) {
  const counters = run.counters.filter(c => run.kernels.some(k => k.values.has(c.title)));
  return [
    { title: "Kernel", value: k => k.title, show: kernelLink, kind: "name" },
    { title: "Calls", value: k => k.calls, show: k => countText(k.calls) },
    clip("Total", "total"),
    { title: "Share", value: k => k.share, csv: "Share", show: k => [percentText(k.share), shareBar(k.share)] },
    clip("Mean", "mean"), clip("p50", "p50"), clip("p95", "p95"), clip("Min", "least"), clip("Max", "most"),
    { title: "Grid", kind: "text", value: k => k.launch ? sizeText(k.launch.gridX, k.launch.gridY, k.launch.gridZ) : "",
      note: "work-items; of the launches that took most time", optional: true },
    { title: "Group", kind: "text", value: k => k.launch ? sizeText(k.launch.groupX, k.launch.groupY, k.launch.groupZ) : "", optional: true },
    launchFact("VGPRs", l => l.vgprs + l.agprs, l => l.agprs ? `${l.vgprs}+${l.agprs}` : String(l.vgprs), "vector and accumulation registers"),
    launchFact("SGPRs", l => l.sgprs),
    launchFact("LDS", l => l.lds, l => bytesText(l.lds)),
    launchFact("Scratch", l => l.scratch, l => bytesText(l.scratch), "bytes of a work-item"),
    ...occupancyColumns(run),
    ...counters.map((c, i) => ({ title: c.title, note: `${CLASSES[c.class]?.[0] ?? ""}: ${nameOf(c.description)}; mean of a launch`,
      optional: true, off: i >= 8, value: k => valueOf(k, c.title), show: k => countText(valueOf(k, c.title)) })),
  ];
}

function occupancyColumns(run) {
  if (!run.kernels.some(k => k.occupancy)) return [];
  return [
    { title: "Occupancy", optional: true, note: "waves of a SIMD, of those it has room for", value: k => k.occupancy?.waves,
      show: k => k.occupancy ? `${k.occupancy.waves} of ${k.occupancy.most}` : "–" },
    { title: "Limited by", optional: true, kind: "text", value: k => k.occupancy?.limit ?? "" }];
}

function kernelsSection() {
  const run = report.run, all = kernelColumns(run), on = new Set(all.filter(c => !c.off));
  const chosen = () => all.filter(c => on.has(c));
  const table = sortableTable({ name: "kernels", sort: 2, columns: chosen(), rows: run.kernels, wide: true });
  const filter = element("input#filter", { type: "search", placeholder: "Filter by name ( / )", "aria-label": "filter kernels",
    input: () => {
      const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      table.set({ rows: run.kernels.filter(k => words.every(w => k.title.toLowerCase().includes(w))) });
    } });
  const choose = element("details.choose", {}, element("summary.button", {}, "Columns"),
    element("div", {}, all.filter(c => c.optional).map(c => element("label", {}, element("input", { type: "checkbox", checked: on.has(c),
      change: event => { if (event.target.checked) on.add(c); else on.delete(c); table.set({ columns: chosen() }); } }), " ", c.title))));
  if (!run.kernels.length) return [element("h1", {}, "Kernels"), element("p.empty", {}, "No kernel was traced. rocprofv3 --kernel-trace does.")];
  const longest = [...run.kernels].sort((a, b) => b.total - a.total).filter(k => k.most > k.least).slice(0, 6);
  return [
    element("h1", {}, "Kernels"),
    element("p.lead", {}, "Times are ", chip(run.time), " times. A name leads to the page of the kernel."),
    cautions(run),
    tableCard(["", filter, chip(run.time), chip("exact"), spacer(), choose, table.save], table.box),
    longest.length ? card(["How times are distributed", chip(run.time)], element("div.columns", {}, longest.map(k => smallHistogram(k)))) : null,
  ];
}

function tableCard(title, box) {
  const c = card(title, box);
  c.classList.add("long");
  return c;
}

/* ---- distribution ---- */

function binEdge(k, i) {
  const n = k.histogram.length;
  return k.logarithmic ? k.least * (k.most / k.least) ** (i / n) : k.least + (k.most - k.least) * i / n;
}

function smallHistogram(k) {
  const n = k.histogram.length, most = Math.max(...k.histogram), width = 400, height = 70;
  const bars = k.histogram.map((count, i) => count ? drawn("rect", { x: i * width / n + 0.5, width: width / n - 1, fill: "var(--accent)",
    y: height - Math.max(2, count / most * height), height: Math.max(2, count / most * height) },
    drawn("title", {}, `${countText(count)} × ${timeText(binEdge(k, i))} to ${timeText(binEdge(k, i + 1))}`)) : null);
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", height: "70", preserveAspectRatio: "none", role: "img",
                             "aria-label": `distribution of the times of ${k.title}` }, bars);
  return element("div", {}, element("div", { style: { display: "flex", gap: "8px", alignItems: "center", marginBottom: "6px" } },
    element("span", { style: { overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }, title: k.title }, kernelLink(k)), spacer(),
    button("SVG", () => saveSvg("distribution.svg", svg))), svg, element("div.legend", { style: { justifyContent: "space-between", marginTop: "2px" } },
    element("span", {}, timeText(k.least)), element("span", {}, `${countText(k.calls)} launches${k.logarithmic ? ", logarithmic" : ""}`),
    element("span", {}, timeText(k.most))));
}

function histogramCard(k) {
  const box = element("div.chart"), n = k.histogram.length;
  const xs = k.histogram.map((_, i) => binEdge(k, i)), bars = uPlot.paths.bars({ size: [0.95, 60], align: 1 });
  const png = chart(box, () => ({ height: 220, legend: { show: false }, cursor: { drag: { x: false } },
    scales: { x: { time: false, distr: k.logarithmic ? 3 : 1, range: () => [k.least || 1, Math.max(k.most, k.least + 1)] },
              y: { range: (_, low, high) => [0, high * 1.08 || 1] } },
    axes: [axis({ values: (_, ticks) => ticks.map(t => t === null ? "" : timeText(t)), space: 90 }),
           axis({ label: "launches", values: (_, ticks) => ticks.map(t => Number.isInteger(t) ? countText(t) : "") })],
    series: [{}, { paths: bars, fill: colour("--accent"), stroke: colour("--accent"), width: 0, points: { show: false } }],
    hooks: { setCursor: [u => {
      const i = u.cursor.idx, at = u.over.getBoundingClientRect();
      if (i === null || i === undefined || u.cursor.left < 0) showTip();
      else showTip({ clientX: at.left + u.cursor.left, clientY: at.top + u.cursor.top },
        [`${countText(k.histogram[i])} launches`, `${timeText(xs[i])} to ${timeText(binEdge(k, i + 1))}`]);
    }] } }), [xs, k.histogram]);
  return card(["Distribution of its times", chip(k.run.time), spacer(), png], box);
}

/* Returns the launches that the timeline contains, in the order of time. */
function overTimeCard(k) {
  const at = [], length = [];
  for (const lane of k.run.lanes) {
    if (lane.track.kind !== "queue") continue;
    const e = eventsOf(lane);
    for (let i = 0; i < lane.count; i++)
      if (e.name[i] === k.name) { at.push(e.start[i]); length.push(e.length[i]); }
  }
  if (at.length < 3) return null;
  const order = at.map((_, i) => i).sort((a, b) => at[a] - at[b]), most = 4000, step = Math.ceil(order.length / most);
  const shown = order.filter((_, i) => i % step === 0), box = element("div.chart");
  const png = chart(box, () => ({ height: 220, legend: { show: false }, cursor: { drag: { x: false } },
    scales: { x: { time: false }, y: { range: (_, low, high) => [0, high * 1.08 || 1] } },
    axes: [axis({ values: (_, ticks) => ticks.map(timeText), space: 90 }), axis({ values: (_, ticks) => ticks.map(timeText), size: 74 })],
    series: [{}, { stroke: colour("--accent"), paths: () => null, points: { show: true, size: 5, fill: colour("--accent") } }] }),
    [shown.map(i => at[i]), shown.map(i => length[i])]);
  return card([`Each launch over the run${step > 1 ? ` (one of ${step})` : ""}`, chip(k.run.time), spacer(), png], box);
}

/* ---- the page of a kernel ---- */

function kernelSection(index) {
  const run = report.run, k = run.kernels[index];
  if (!k) return [element("p.empty", {}, "There is no such kernel.")];
  const l = k.launch, other = otherRun(run)?.byName.get(k.title);
  return [
    element("p", { style: { margin: "0 0 4px" } }, element("a", { href: "#/kernels" }, "← Kernels")),
    element("h1.mono", { style: { fontSize: "18px" } }, k.title),
    element("p.lead", {}, `${plural(k.calls, "launch", "launches")}, ${percentText(k.share)} of the time of all kernels `, chip(run.time)),
    element("div.tiles", {}, tile(timeText(k.total), "in total", run.time), tile(timeText(k.mean), "mean", run.time),
      tile(timeText(k.p50), "median", run.time), tile(timeText(k.p95), "95 % are below", run.time),
      tile(timeText(k.least), "shortest", run.time), tile(timeText(k.most), "longest", run.time)),
    other ? kernelDifferenceCard(k, other) : null,
    element("div.columns", {}, k.most > k.least ? histogramCard(k) : null, k.calls ? overTimeCard(k) : null),
    element("div.columns", {}, launchCard(k), l ? resourceCard(k) : null),
    memoryCard(k),
    countersCard(k),
    sourceCard(k),
    element("p", {}, button("Show the longest launch in the timeline", () => showLongest(k))),
  ];
}

function launchCard(k) {
  if (!k.launches.length) return null;
  const t = sortableTable({ name: "launches", sort: 3, most: 10, rows: k.launches, columns: [
    { title: "Grid", kind: "text", value: l => sizeText(l.gridX, l.gridY, l.gridZ) },
    { title: "Group", kind: "text", value: l => sizeText(l.groupX, l.groupY, l.groupZ) },
    { title: "Calls", value: l => l.calls, show: l => countText(l.calls) },
    { title: "Total", value: l => l.total, show: l => timeText(l.total), csv: "Total (ns)" },
    { title: "Mean", value: l => l.total / l.calls, show: l => timeText(l.total / l.calls), csv: "Mean (ns)" },
    { title: "LDS", value: l => l.lds, show: l => bytesText(l.lds) }] });
  return card(["Launches by size", chip(k.run.time), spacer(), t.save], t.box);
}

function resourceCard(k) {
  const l = k.launch, waves = Math.ceil(l.groupX * l.groupY * l.groupZ / lanesOfLaunch(k.run, l));
  const groups = Math.ceil(l.gridX / l.groupX) * Math.ceil(l.gridY / l.groupY) * Math.ceil(l.gridZ / l.groupZ);
  const o = k.occupancy;
  return card(["What a launch takes", chip("exact")], facts([
    ["Workgroups", `${countText(groups)} of ${countText(l.groupX * l.groupY * l.groupZ)} work-items, ${plural(waves, "wave", "waves")} each`],
    ["Vector registers", l.agprs ? `${l.vgprs} and ${l.agprs} for accumulation` : String(l.vgprs)],
    ["Scalar registers", String(l.sgprs)],
    ["LDS", `${bytesText(l.lds)} a workgroup`],
    ["Scratch", l.scratch ? `${bytesText(l.scratch)} a work-item` : "none"],
    ["Occupancy", o ? `${o.waves} of ${o.most} waves of a SIMD, limited by ${o.limit}` : l.limit ?? "not known"],
  ]));
}

function countersCard(k) {
  const rows = [...k.values].map(([title, v]) => ({ title, ...v, about: k.run.counters.find(c => c.title === title) }));
  if (!rows.length) return null;
  const other = otherRun(k.run)?.byName.get(k.title);
  const t = sortableTable({ name: "counters", sort: 0, down: false, rows, columns: [
    { title: "Counter", kind: "text", value: r => r.title, show: r => element("span", { title: nameOf(r.about.expression) || undefined }, r.title) },
    { title: "Mean of a launch", value: r => r.mean, show: r => countText(r.mean) },
    ...(other ? [{ title: `In ${otherRun(k.run).letter}`, value: r => valueOf(other, r.title), show: r => countText(valueOf(other, r.title)) }] : []),
    { title: "Least", value: r => r.least, show: r => countText(r.least) },
    { title: "Most", value: r => r.most, show: r => countText(r.most) },
    { title: "Class", kind: "text", value: r => r.about.class, show: r => chip(r.about.class) ?? "" },
    { title: "What it counts", kind: "text", value: r => nameOf(r.about.description) }] });
  return tableCard(["Counters", spacer(), t.save], t.box);
}

function showLongest(k) {
  let best = null;
  for (const lane of k.run.lanes) {
    if (lane.track.kind !== "queue") continue;
    const e = eventsOf(lane);
    for (let i = 0; i < lane.count; i++)
      if (e.name[i] === k.name && (!best || e.length[i] > best.length)) best = { length: e.length[i], number: lane.first + i };
  }
  if (best) goToEvent(best.number);
}
