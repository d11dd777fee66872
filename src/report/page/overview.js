/* overview.js - what ran, where and when; how the time is divided; cautions about the numbers. */

function overviewSection() {
  const run = report.run, process = run.shown[0] ?? run.processes[0];
  const command = process ? nameOf(process.command) : "";
  return [
    element("h1", {}, titleOf(command) || run.label),
    element("p.lead", {}, leadText(run)),
    cautions(run),
    tiles(run),
    findingsCard(run),
    run.ranks?.many ? heatCard(run) : null,
    element("div.columns", {}, timeCard(run), topKernelsCard(run)),
    element("div.columns", {}, headCard(run), classesCard(run)),
    element("div.columns", {}, callsCard(run), copiesCard(run)),
  ];
}

/* Returns a command without the directories of its program. */
function titleOf(command) { return command.replace(/^\S*\//, ""); }

function leadText(run) {
  const gpus = [...new Set(run.agents.filter(a => a.gpu).map(a => a.title))];
  const hosts = [...new Set(run.processes.map(p => nameOf(p.host)).filter(Boolean))];
  const ranks = run.ranks?.many ? `${run.ranks.rows.length} ranks` : "", several = run.shown.length > 1 ? `${run.shown.length} processes` : "";
  if (ranks) return [ranks, plural(new Set(run.ranks.rows.map(r => r.host)).size, "host", "hosts"), run.ranks.gpus.join(", ") + (run.soft ? " (software GPU)" : "")].filter(Boolean).join(" · ");
  return [several, gpus.join(", ") + (run.soft ? " (software GPU)" : ""),
          hosts.join(", ")].filter(Boolean).join(" · ");
}

/* Cautions that a reader needs before the numbers: losses first, in red. */
function cautions(run) {
  const notes = [], dropped = run.processes.reduce((sum, p) => sum + p.dropped, 0);
  if (dropped && !run.ranks?.many) notes.push(element("p.note.bad.losses", {}, `${countText(dropped)} records were lost: ` +
    run.processes.filter(p => p.dropped).map(p => `process ${p.pid} lost ${countText(p.dropped)}`).join(", ") +
    ". All counts and sums here are too low."));
  if (run.ranks) notes.push(...rankCautions(run));
  if (run.ranks?.many) notes.push(manyNote(run));
  if (run.windowEnd !== undefined) notes.push(element("p.note", {},
    `The timeline holds the first ${timeText(run.windowEnd - run.begin)} of ${timeText(run.span)}: ${countText(run.held)} of `,
    `${countText(run.records)} records. Tables hold all. For the whole: `, wholeRun(run)));
  if (run.time === "host") notes.push(element("p.note.times", {}, "Kernels ran on the software GPU and their times are ", chip("host"),
    " of this machine: they tell nothing of how fast a GPU would be. Counts are exact. With ", element("code", {}, "SOFTGPU_TIME=model"),
    " times come from its timing model."));
  if (run.time === "timing-model") notes.push(element("p.note", {}, "Times of kernels are ", chip("timing-model"),
    " times of the software GPU, not measured ones."));
  return notes;
}

/* Lists the traces beside the databases; for databases without one, it explains how to make it. */
function wholeRun(run) {
  const traces = run.traces.filter(t => t), without = run.files.filter((f, i) => !run.traces[i]);
  const command = without.every(f => f) ? `rocpd convert -i ${without.map(shellWord).join(" ")} -f pftrace` : "rocprofv3 -f pftrace";
  return [traces.map((t, i) => [i ? ", " : "", element("code", {}, t)]), traces.length ? " in ui.perfetto.dev" : "",
          without.length ? [traces.length ? ", and " : "", element("code", {}, command)] : ""];
}

function shellWord(text) { return /^[\w./=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`; }

function tiles(run) {
  if (run.ranks?.many) return rankTiles(run);
  const calls = run.kernels.reduce((sum, k) => sum + k.calls, 0);
  const bytes = run.copies.reduce((sum, c) => sum + c.bytes, 0);
  return element("div.tiles", {},
    tile(timeText(run.span), "first to last record", "measured"),
    tile(timeText(run.kernelTime), "with a kernel running", run.time),
    tile(percentText(run.kernelTime / run.span), "of the time the GPU was busy", run.time),
    tile(countText(calls), `${calls === 1 ? "launch" : "launches"} of ${plural(run.kernels.length, "kernel", "kernels")}`, "exact"),
    tile(bytesText(bytes), `copied in ${plural(run.copies.reduce((sum, c) => sum + c.calls, 0), "copy", "copies")}`, "exact"),
    tile(countText(run.records), "records", "exact"));
}

const FINDINGS_AT_FIRST = 6;

/* Lists the findings, the largest share of time first. The numbers are in the sentence, and on the page to which its link leads. */
function findingsCard(run) {
  const rows = run.findings.map((f, i) => element("div.finding", { hidden: i >= FINDINGS_AT_FIRST },
    element("h3", {}, nameOf(f.title), nameOf(f.subject) ? [": ", element("span.mono", {}, nameOf(f.subject))] : "", " ",
      chip(nameOf(f.kind).replace(" ", "-")), f.weight > 0 ? element("span.weight", {}, ` up to ${percentText(f.weight)} of the run’s time`) : ""),
    element("p", {}, nameOf(f.text), " ", evidenceLink(run, f)),
    element("p.advice", {}, nameOf(f.advice), " ", nameOf(f.more) ? element("code", {}, nameOf(f.more)) : "")));
  const more = button(`Show all ${rows.length}`, () => { rows.forEach(r => { r.hidden = false; }); more.remove(); }, { class: "button more" });
  return card("Findings", rows.length ? rows : element("p.empty", {}, "Nothing stands out."), rows.length > FINDINGS_AT_FIRST ? more : null);
}

const CAUTION_OF = { losses: ".note.losses", "host-times": ".note.times" };

/* Returns the link of a finding: to the kernel's page; for calls and copies, to the timeline with a
 * search for them; or to the caution that the finding repeats. */
function evidenceLink(run, finding) {
  const kernel = run.byName.get(nameOf(finding.kernel)), subject = nameOf(finding.subject), caution = CAUTION_OF[nameOf(finding.rule)];
  if (kernel) return element("a", { href: kernelHref(kernel) }, "the kernel");
  if (caution) return element("a", { href: "#/overview", click: () => document.querySelector(caution)?.scrollIntoView({ block: "center" }) }, "above");
  const known = [...run.calls, ...run.copies].some(c => nameOf(c.name) === subject);
  return known ? element("a", { href: "#/timeline", click: () => setTimeout(() => timeline?.look(subject), 50) }, "in the timeline") :
    element("a", { href: "#/timeline" }, "the timeline");
}

function timeCard(run) {
  const rest = Math.max(run.span - run.kernelTime, 0), copies = Math.min(run.copyTime, rest);
  const whole = run.ranks?.many ? run.ranks.span * run.ranks.rows.length : run.span;
  const parts = run.ranks?.many ? rankParts(run) : [["kernels", run.kernelTime, "--accent"], ["copies, at most", copies, "--exact"], ["neither", rest - copies, "--line"]];
  const bar = element("div.split", { role: "img", "aria-label": "division of the time" }, parts.map(([, time, variable]) =>
    element("i", { style: { width: `${100 * time / whole}%`, background: `var(${variable})` } })));
  const legend = element("div.legend", {}, parts.map(([text, time, variable]) => element("span", {},
    element("i", { style: { background: `var(${variable})` } }), `${text}: ${timeText(time)}, ${percentText(time / whole)}`)));
  const kinds = [...new Set(run.calls.map(c => c.category))].map(category => {
    const rows = run.calls.filter(c => c.category === category);
    return { kind: nameOf(category), calls: rows.reduce((sum, c) => sum + c.calls, 0), total: rows.reduce((sum, c) => sum + c.total, 0) };
  });
  const table = kinds.length > 0 && sortableTable({ name: "kinds", sort: 2, rows: kinds, columns: [
    { title: "Host calls", value: r => r.kind, kind: "text" },
    { title: "Calls", value: r => r.calls, show: r => countText(r.calls) },
    { title: "Total", value: r => r.total, show: r => timeText(r.total), csv: "Total (ns)" }] });
  return card(["Where the time went", chip(run.time), run.time === "measured" ? null : chip("measured"), spacer(), table && table.save], bar, legend, table ? element("div", { style: { marginTop: "14px" } }, table.box) : null);
}

function topKernelsCard(run) {
  const top = [...run.kernels].sort((a, b) => b.total - a.total).filter(k => k.total).slice(0, 8);
  if (!top.length) return card("Kernels", element("p.empty", {}, "No kernel was traced."));
  const t = sortableTable({ name: "top-kernels", rows: top, sort: 1, columns: [
    { title: "Kernel", kind: "name", value: k => k.title, show: kernelLink },
    { title: "Total", value: k => k.total, show: k => timeText(k.total), csv: "Total (ns)" },
    { title: "Share", value: k => k.share, show: k => [percentText(k.share), shareBar(k.share)] }] });
  return card(["Kernels by time", chip(run.time), spacer(), element("a", { href: "#/kernels" }, `all ${run.kernels.length}`), t.save], t.box);
}

function shareBar(part) {
  return element("span.share", { "aria-hidden": true }, element("i", { style: { width: `${100 * part}%` } }));
}

function headCard(run) {
  const rows = [];
  for (const p of run.processes) {
    rows.push([run.processes.length > 1 ? `${rankText(p)}Process ${p.pid}` : "Command", element("code", {}, nameOf(p.command))]);
    if (p.pass) rows.push(["", "counted: only its counters are used, times are of the run without"]);
  }
  const hosts = new Set(run.processes.map(p => `${nameOf(p.host)} · ${nameOf(p.system)}`));
  hosts.forEach(h => rows.push(["Host", h]));
  const gpus = new Map(run.agents.filter(a => a.gpu).map(a => [`${a.title} ${nameOf(a.name)} ${a.id}`, a]));
  gpus.forEach(a => rows.push(["GPU", gpuText(a)]));
  rows.push(["Runtimes", [...new Set(run.processes.map(p => nameOf(p.runtimes)).filter(Boolean))].join("; ")]);
  const first = run.shown.find(p => p.moment);
  if (first) rows.push(["Began", dateText((run.begin + first.moment) / 1e6)]);
  rows.push(["Length", timeText(run.span)]);
  if (run.files.some(f => f)) rows.push(["Databases", element("span.mono", {}, run.files.join(", "))]);
  rows.push(["Report", `${report.data.program}, ${dateText(report.data.made * 1000)}`]);
  return card("This run", facts(rows));
}

function gpuText(a) {
  const f = a.facts, parts = [a.title, nameOf(a.name)];
  if (f.cu_count) parts.push(`${f.cu_count} compute units`);
  if (f.max_engine_clk_fcompute) parts.push(`${countText(f.max_engine_clk_fcompute)} MHz`);
  const memory = f.mem_banks?.[0]?.size_in_bytes;
  if (memory) parts.push(bytesText(memory));
  return parts.filter(Boolean).join(" · ");
}

function classesCard(run) {
  const used = new Set(["measured", run.time, ...run.counters.filter(c => c.class).map(c => c.class), "sheet"]);
  return card("What kind of figures these are", element("dl.facts", {}, Object.keys(CLASSES).filter(k => used.has(k))
    .map(k => [element("dt", {}, chip(k)), element("dd", {}, CLASSES[k][1])])));
}

function callsCard(run) {
  if (!run.calls.length) return null;
  const t = sortableTable({ name: "calls", sort: 2, most: 12, rows: run.calls, columns: [
    { title: "Call or range", value: c => nameOf(c.name), kind: "name" },
    { title: "Calls", value: c => c.calls, show: c => countText(c.calls) },
    { title: "Total", value: c => c.total, show: c => timeText(c.total), csv: "Total (ns)" },
    { title: "Mean", value: c => c.total / c.calls, show: c => timeText(c.total / c.calls), csv: "Mean (ns)" },
    { title: "Longest", value: c => c.most, show: c => timeText(c.most), csv: "Longest (ns)" },
    { title: "Kind", value: c => nameOf(c.category), kind: "text" }] });
  return card(["Calls and ranges of the host", chip("measured"), spacer(), t.save], t.box);
}

function copiesCard(run) {
  const rows = [...run.copies, ...run.memory.map(m => ({ ...m, memory: true }))];
  if (!rows.length) return null;
  const text = c => (c.memory ? nameOf(c.name).toLowerCase() : copyText(nameOf(c.name))) +
    (c.memory && nameOf(c.category) ? ` (${nameOf(c.category).toLowerCase()})` : "");
  const t = sortableTable({ name: "copies", sort: 2, rows, columns: [
    { title: "Copy or memory", value: text, kind: "name" },
    { title: "Number", value: c => c.calls, show: c => countText(c.calls) },
    { title: "Bytes", value: c => c.bytes, show: c => bytesText(c.bytes) },
    { title: "Total", value: c => c.total, show: c => timeText(c.total), csv: "Total (ns)" },
    { title: "Rate", value: c => c.memory || !c.total ? undefined : c.bytes / c.total, csv: "Rate (GB/s)",
      show: c => c.memory || !c.total ? "" : `${digits(c.bytes / c.total)} GB/s` }] });
  return card(["Copies and memory", chip("measured"), spacer(), t.save], t.box);
}
