/* compare.js - two runs side by side; kernels are matched by their names. */

function otherRun(run) { return report.runs.length === 2 ? report.runs[1 - run.index] : null; }

/* Shows the change of a number for which less is better. */
function change(before, after, show) {
  if (!before && !after) return "–";
  if (!before || !after) return before ? "only in A" : "only in B";
  const ratio = after / before - 1, kind = ratio > 0.005 ? ".worse" : ratio < -0.005 ? ".better" : "";
  return element(`span${kind}`, {}, `${ratio > 0 ? "+" : ""}${digits(100 * ratio)} %${show ? ` (${show(after - before)})` : ""}`);
}

const ratioOf = (before, after) => before && after ? after / before - 1 : undefined;

function compareSection() {
  const [a, b] = report.runs;
  const names = [...new Set([...a.byName.keys(), ...b.byName.keys()])];
  const rows = names.map(title => ({ title, a: a.byName.get(title), b: b.byName.get(title) }));
  const both = key => [r => r.a?.[key], r => r.b?.[key]];
  const time = (title, key) => {
    const [inA, inB] = both(key);
    return [{ title: `${title} A`, value: inA, show: r => timeText(inA(r)), csv: `${title} A (ns)` },
            { title: `${title} B`, value: inB, show: r => timeText(inB(r)), csv: `${title} B (ns)` },
            { title: `${title} change`, value: r => ratioOf(inA(r), inB(r)), show: r => change(inA(r), inB(r)) }];
  };
  const t = sortableTable({ name: "comparison", rows, sort: 3, wide: true, columns: [
    { title: "Kernel", kind: "name", value: r => r.title,
      show: r => element("a", { href: kernelHref(r.a ?? r.b), click: () => chooseRun(r.a ? a : b) }, (r.a ?? r.b).short) },
    { title: "Calls A", value: r => r.a?.calls, show: r => countText(r.a?.calls) },
    { title: "Calls B", value: r => r.b?.calls, show: r => countText(r.b?.calls) },
    ...time("Total", "total"), ...time("Mean", "mean"), ...time("p95", "p95")] });
  const total = run => run.kernels.reduce((sum, k) => sum + k.total, 0), calls = run => run.kernels.reduce((sum, k) => sum + k.calls, 0);
  const whole = [["Time from first to last record", a.span, b.span, timeText], ["Time with a kernel running", a.kernelTime, b.kernelTime, timeText],
                 ["Sum of kernel times", total(a), total(b), timeText], ["Time with a copy running", a.copyTime, b.copyTime, timeText],
                 ["Launches", calls(a), calls(b), countText], ["Records", a.records, b.records, countText]];
  return [
    element("h1", {}, "Comparison"),
    element("p.lead", {}, element("b", {}, "A "), a.label, " · ", element("b", {}, "B "), b.label),
    a.time !== b.time ? element("p.note.bad", {}, "Times of A are ", chip(a.time), " times, those of B ", chip(b.time), ": they cannot be compared.") :
      cautions(a),
    sidesCard("The whole", a.time, "whole", whole),
    tableCard(["Kernels", chip(a.time), spacer(), t.save], t.box),
    counterChanges(rows),
  ];
}

/* rows: [text, value in A, value in B, function that shows a value], in the order of the table. */
function sidesCard(title, time, name, rows) {
  const t = sortableTable({ name, rows: rows.map(([text, a, b, show]) => ({ text, a, b, show })), sort: AS_THEY_STAND, columns: [
    { title: "Figure", kind: "text", value: r => r.text }, { title: "A", value: r => r.a, show: r => r.show(r.a) },
    { title: "B", value: r => r.b, show: r => r.show(r.b) },
    { title: "Change", value: r => ratioOf(r.a, r.b), show: r => change(r.a, r.b, r.show) }] });
  return card([title, chip(time), chip("exact"), spacer(), t.save], t.box);
}

/* The counters that both runs have and that differ, in the order of their change, largest first. */
function counterChanges(rows) {
  const changes = [];
  for (const { title, a, b } of rows)
    for (const [counter, v] of a && b ? a.values : []) {
      const after = valueOf(b, counter);
      if (after !== undefined && after !== v.mean) changes.push({ title, short: a.short, counter, before: v.mean, after });
    }
  if (!changes.length) return null;
  const t = sortableTable({ name: "counter-changes", rows: changes, sort: 4, most: 50, columns: [
    { title: "Kernel", kind: "name", value: r => r.title, show: r => r.short },
    { title: "Counter", kind: "text", value: r => r.counter },
    { title: "A", value: r => r.before, show: r => countText(r.before) },
    { title: "B", value: r => r.after, show: r => countText(r.after) },
    { title: "Change", value: r => Math.abs(ratioOf(r.before, r.after) ?? Infinity),
      show: r => r.before ? `${r.after > r.before ? "+" : ""}${digits(100 * (r.after / r.before - 1))} %` : "from 0" }] });
  return tableCard(["Counters that differ, mean of a launch", spacer(), t.save], t.box);
}

function kernelDifferenceCard(k, other) {
  const [a, b] = k.run.index ? [other, k] : [k, other], row = (text, key, show) => [text, a[key], b[key], show];
  return sidesCard("In A and in B", k.run.time, "differences", [row("Launches", "calls", countText), row("Total", "total", timeText),
    row("Mean", "mean", timeText), row("Median", "p50", timeText), row("p95", "p95", timeText)]);
}
