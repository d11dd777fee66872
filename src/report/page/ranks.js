/* ranks.js - the ranks of a job side by side: heat map, kernels over ranks, the slowest rank, and the
 * page of one rank. Everything is drawn from bins and sums of each rank, not from records. */

const RANK = ["rank", "pid", "host", "gpu", "file", "shown", "first", "last", "kernel", "copy", "busy", "waiting", "launches", "bytes",
              "dropped", "unclosed", "shift", "binFirst", "bins", "at", "kernelsAt", "numbers", "kernelCount"];
const STATES = [["busy", "kernels and copies", "--accent"], ["waiting", "waiting: in MPI, or for the GPU while it has nothing to do", "--wait"],
                ["idle", "neither", "--line"]];
const ABSENCES = { damaged: "cannot be read", twice: "has a process that another one has", version: "has another version of the schema" };

function prepareRanks(run) {
  const ranks = run.ranks;
  ranks.rows = rowsOf(RANK, ranks.rows);
  const several = new Map();
  ranks.rows.forEach(r => several.set(r.rank, (several.get(r.rank) ?? 0) + 1));
  ranks.rows.forEach((r, index) => {
    r.index = index;
    r.title = r.rank < 0 ? `process ${r.pid}` : several.get(r.rank) > 1 ? `rank ${r.rank} (process ${r.pid})` : `rank ${r.rank}`;
    r.length = r.last - r.first;
    r.idle = Math.max(ranks.span - r.busy - r.waiting, 0);
    r.hostTime = Math.max(r.length - r.busy - r.waiting, 0);
    r.own = ranks.waits ? r.length - r.waiting : r.busy; /* as in src/report/ranks.c */
    r.totals = new Map();
    const numbers = new Uint32Array(r.numbers), values = new Float64Array(3 * r.kernelCount);
    readColumn(readColumn(r.kernelsAt, numbers), values);
    r.kernels = numbers;
    for (let i = 0; i < values.length; i += 3) r.totals.set(values[i], { calls: values[i + 1], total: values[i + 2] });
  });
  ranks.sorted = [...ranks.rows].sort((a, b) => a.rank - b.rank || a.index - b.index);
  ranks.active = ranks.rows.filter(r => r.bins);
  ranks.slowest = ranks.active.length ? ranks.rows[ranks.slowest] : null;
  ranks.repeated = [...several].filter(([rank, count]) => rank >= 0 && count > 1).map(([rank]) => rank);
  ranks.gpus = [...new Set(ranks.rows.map(r => nameOf(r.gpu)).filter(Boolean))];
}

const rankHref = r => `#/rank/${r.index}`;
const rankLink = r => element("a", { href: rankHref(r) }, r.title);
const UNCLOSED = "killed, or left by _exit: its records are read as far as they go";
const unclosedChip = r => r.unclosed ? element("span.chip.unclosed", { title: UNCLOSED }, "did not end") : null;

/* Parts of the time of each bin, as bytes. */
function partsOf(rank) {
  const n = rank.bins, part = i => report.columns.subarray(rank.at + i * n, rank.at + (i + 1) * n);
  return { kernel: part(0), copy: part(1), waiting: part(2), most: part(3) };
}

/* Returns the quantile: the value that this share of the sorted values does not exceed. */
function percentile(sorted, share) { return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)]; }

/* ---- cautions ---- */

/* Returns numbers as text, with consecutive ones as ranges. */
function rangesText(numbers) {
  const parts = [];
  for (let i = 0; i < numbers.length; i++) {
    const first = numbers[i];
    while (numbers[i + 1] === numbers[i] + 1) i++;
    parts.push(first === numbers[i] ? String(first) : `${first}–${numbers[i]}`);
  }
  return parts.length > 12 ? `${parts.slice(0, 12).join(", ")} and so on` : parts.join(", ");
}

function rankCautions(run) {
  const ranks = run.ranks, notes = [];
  if (ranks.missing.length) notes.push(element("p.note.bad.missing", {},
    `${ranks.missing.length} of ${plural(ranks.size, "rank is", "ranks are")} missing: ${rangesText(ranks.missing)}. Sums are without them.`));
  if (ranks.absents.length) notes.push(element("p.note.bad.absent", {},
    `${plural(ranks.absents.length, "database was", "databases were")} left out: `, ranks.absents.slice(0, 12).map(([file, why], i) =>
      [i ? ", " : "", element("code", {}, nameOf(file)), ` ${ABSENCES[nameOf(why)] ?? nameOf(why)}`]), ranks.absents.length > 12 ? " and so on." : "."));
  if (ranks.repeated.length) notes.push(element("p.note.repeated", {}, `More than one process is rank ${rangesText(ranks.repeated)}: `,
    "runs of several jobs, or several runs of one, lie in the same folder."));
  const without = ranks.sorted.filter(r => !r.bins);
  if (without.length) notes.push(element("p.note", {}, `${without.slice(0, 12).map(r => r.title).join(", ")}${without.length > 12 ? " and so on" : ""}: no record.`));
  const unclosed = ranks.sorted.filter(r => r.unclosed);
  if (unclosed.length) notes.push(element("p.note.bad.unclosed", {}, `${unclosed.slice(0, 12).map(r => r.title).join(", ")}${unclosed.length > 12 ? " and so on" : ""} did not end: ${UNCLOSED}.`));
  if (ranks.gpus.length > 1) notes.push(element("p.note.gpus", {}, `Ranks have different GPUs: ${ranks.gpus.join(", ")}. Their times cannot be compared as they are.`));
  const clocks = { measured: `Clocks of the nodes were measured (--sync-clocks): times are right within ${timeText(ranks.clockError)}.`,
                   mpi: `Clocks of the nodes were compared by messages and collectives of MPI: times are right within ${timeText(ranks.clockError)}.`,
                   day: `Times of several nodes are laid over one another by each node's time of day: they are as far off as NTP lets it be${ranks.clockError
                     ? `, which is ${timeText(ranks.clockError)} at most, as the kernels state` : ""}.`,
                   unknown: "Nothing relates the clocks of some nodes: their times cannot be compared with those of the others." };
  if (clocks[ranks.clock]) notes.push(element("p.note.clock", {}, clocks[ranks.clock]));
  return notes;
}

/* ---- the overview of all ranks ---- */

function manyNote(run) {
  const shown = run.ranks.rows.filter(r => r.shown).sort((a, b) => b.own - a.own);
  return element("p.note.many", {}, `Tables of kernels, calls and copies have the sums of all ${run.ranks.rows.length} ranks. The timeline, sizes of launches, counters, `,
    "medians of single launches and their distributions are of ", shown.map((r, i) => [i ? ", and of " : "", rankLink(r), r === run.ranks.slowest ? ", the slowest" : ", a median one"]), ".");
}

function rankTiles(run) {
  const { rows, active, span } = run.ranks, sum = key => rows.reduce((all, r) => all + r[key], 0), busy = medianOf(active, r => r.busy);
  return element("div.tiles", {},
    tile(countText(rows.length), "ranks", "exact"),
    tile(timeText(span), "first to last record", "measured"),
    tile(percentText(busy / Math.max(span, 1)), "of the time the median rank's GPU was busy", run.time),
    tile(countText(sum("launches")), `launches of ${plural(run.kernels.length, "kernel", "kernels")}`, "exact"),
    tile(bytesText(sum("bytes")), "copied", "exact"),
    tile(countText(run.records), "records", "exact"));
}

/* Shows how the time of all ranks is divided. */
function rankParts(run) {
  return STATES.map(([key, text, variable]) => [text.split(":")[0], run.ranks.rows.reduce((all, r) => all + r[key], 0), variable]);
}

/* ---- the heat map ---- */

/* Returns sums of a rank's bins for each of `width` parts of the job's time: busy and waiting shares. */
function rankShares(rank, width, span) {
  const busy = new Float32Array(width), waiting = new Float32Array(width), { kernel, copy, waiting: wait } = partsOf(rank);
  const step = 2 ** rank.shift * width / span;
  for (let i = 0; i < rank.bins; i++) {
    const from = rank.binFirst * width / span + i * step, to = from + step;
    const b = Math.min(kernel[i] + copy[i], 255) / 255, w = wait[i] / 255;
    for (let x = Math.max(Math.floor(from), 0); x < Math.min(to, width); x++) {
      const part = Math.min(to, x + 1) - Math.max(from, x);
      busy[x] += b * part;
      waiting[x] += w * part;
    }
  }
  return { busy, waiting };
}

/* Returns [red, green, blue] of a colour of the theme. */
function rgbOf(variable) {
  const text = colour(variable), wide = text.length === 4 ? [...text.slice(1)].map(c => c + c).join("") : text.slice(1);
  return [0, 2, 4].map(i => parseInt(wide.slice(i, i + 2), 16));
}

const HEAT_TALL = 720, HEAT_ROW_MOST = 18;

function heatCard(run) {
  const ranks = run.ranks, rows = ranks.sorted, canvas = element("canvas.heat", { role: "img",
    "aria-label": `what each of ${rows.length} ranks did when` });
  const box = element("div.heatbox", {}, canvas);
  let shares = null, width = 0, tall = 1;
  function draw() {
    if (!box.isConnected || !box.clientWidth) return;
    if (width !== Math.floor(box.clientWidth)) {
      width = Math.floor(box.clientWidth);
      shares = rows.map(r => rankShares(r, width, Math.max(ranks.span, 1)));
    }
    tall = Math.max(1, Math.min(HEAT_ROW_MOST, Math.floor(HEAT_TALL / rows.length)));
    canvas.width = width;
    canvas.height = tall * rows.length;
    const c = canvas.getContext("2d"), image = c.createImageData(width, canvas.height);
    const [busy, waiting, idle] = STATES.map(([, , variable]) => rgbOf(variable));
    for (let y = 0; y < canvas.height; y++) {
      const s = shares[Math.floor(y / tall)], thin = tall > 4 && y % tall === tall - 1;
      for (let x = 0, at = 4 * y * width; x < width; x++, at += 4) {
        const b = thin ? 0 : Math.min(s.busy[x], 1), w = thin ? 0 : Math.min(s.waiting[x], 1 - b);
        for (let k = 0; k < 3; k++) image.data[at + k] = busy[k] * b + waiting[k] * w + idle[k] * (1 - b - w);
        image.data[at + 3] = thin ? 0 : 255;
      }
    }
    c.putImageData(image, 0, 0);
  }
  const at = event => {
    const r = canvas.getBoundingClientRect(), x = Math.min(Math.max(Math.floor(event.clientX - r.left), 0), width - 1);
    const row = Math.min(Math.max(Math.floor((event.clientY - r.top) / tall), 0), rows.length - 1);
    return { rank: rows[row], x, s: shares[row] };
  };
  canvas.addEventListener("mousemove", event => {
    if (!shares) return;
    const { rank, x, s } = at(event);
    showTip(event, [`${rank.title}${nameOf(rank.host) ? ` on ${nameOf(rank.host)}` : ""}`, `at ${timeText(x * ranks.span / width)}`,
                    `busy ${percentText(Math.min(s.busy[x], 1))}, waiting ${percentText(Math.min(s.waiting[x], 1))}`]);
  });
  canvas.addEventListener("mouseleave", () => showTip());
  canvas.addEventListener("click", event => { if (shares) location.hash = rankHref(at(event).rank); });
  redraws.add(draw);
  requestAnimationFrame(draw);
  const legend = element("div.legend", {}, STATES.map(([, text, variable]) => element("span", {},
    element("i", { style: { background: `var(${variable})` } }), text)), spacer(), element("span", {}, `0 to ${timeText(ranks.span)}; ${rows[0].title} on top`));
  return card(["Ranks over time", chip(run.time), spacer(), button("PNG", () => savePng("ranks.png", canvas), { title: "save the picture as PNG" })], box, legend);
}

/* ---- kernels over ranks ---- */

const FAR = 3, FAR_LEAST = 0.05, NAMED = 5;

/* How a kernel's time in a rank is distributed over the ranks that have run kernels. */
function kernelSpread(run, kernel) {
  const rows = run.ranks.active.filter(r => r.totals.size).map(r => ({ rank: r, total: r.totals.get(kernel.index)?.total ?? 0 }))
    .sort((a, b) => a.total - b.total);
  const sorted = rows.map(r => r.total), at = share => percentile(sorted, share);
  const s = { kernel, rows, median: at(0.5), low: at(0.05), high: at(0.95), least: sorted[0], most: sorted.at(-1) };
  /* an outlier is further from the quartiles than three times their distance, by a clear margin */
  const reach = Math.max(FAR * (at(0.75) - at(0.25)), FAR_LEAST * s.median);
  s.far = rows.filter(r => r.total < at(0.25) - reach || r.total > at(0.75) + reach).sort((a, b) => Math.abs(b.total - s.median) - Math.abs(a.total - s.median));
  return s;
}

function spreadPicture(s) {
  const width = 160, height = 16, x = value => 4 + (width - 8) * (s.most ? value / s.most : 0);
  return drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `from ${timeText(s.least)} to ${timeText(s.most)}` },
    drawn("line", { x1: x(s.least), x2: x(s.most), y1: 8, y2: 8, stroke: "var(--line)" }),
    drawn("rect", { x: x(s.low), width: Math.max(x(s.high) - x(s.low), 1), y: 4, height: 8, fill: "var(--accent-soft)", stroke: "var(--accent)" }),
    drawn("line", { x1: x(s.median), x2: x(s.median), y1: 2, y2: 14, stroke: "var(--ink)" }),
    s.far.map(f => drawn("circle", { cx: x(f.total), cy: 8, r: 2.5, fill: "var(--bad)" }, drawn("title", {}, `${f.rank.title}: ${timeText(f.total)}`))));
}

function farText(s) {
  return [s.far.slice(0, NAMED).map((f, i) => [i ? ", " : "", rankLink(f.rank), s.median ? ` ${digits(f.total / s.median)}×` : ` ${timeText(f.total)}`]),
          s.far.length > NAMED ? ` and ${s.far.length - NAMED} more` : ""];
}

function spreadCard(run) {
  const rows = run.kernels.filter(k => k.calls).map(k => kernelSpread(run, k)).filter(s => s.rows.length);
  if (!rows.length) return null;
  const time = (title, key) => ({ title, value: s => s[key], show: s => timeText(s[key]), csv: `${title} (ns)` });
  const t = sortableTable({ name: "kernels-over-ranks", rows, sort: 1, most: 20, columns: [
    { title: "Kernel", kind: "name", value: s => s.kernel.title, show: s => kernelLink(s.kernel) },
    time("Median", "median"), time("5 %", "low"), time("95 %", "high"), time("Least", "least"), time("Most", "most"),
    { title: "Over ranks", kind: "text", value: s => s.most - s.least, show: spreadPicture, note: "the box holds 90 % of the ranks, the line is the median, dots are far out" },
    { title: "Far out", kind: "text", value: s => s.far.map(f => f.rank.title).join(" "), show: farText, note: "ranks beyond three times the distance of the quartiles" }] });
  return card(["Time of each kernel over ranks", chip(run.time), spacer(), t.save], t.box);
}

/* ---- messages ---- */

const TALK_CELL_MOST = 24, TALK_TALL = 640;

/* Returns the ranks of the group that begins with this one. */
function groupTitle(ranks, first) {
  const last = Math.min(first + ranks.talkRanks, Math.max(ranks.size, ranks.rows.length)) - 1;
  return last > first ? `ranks ${first}–${last}` : `rank ${first}`;
}

/* Draws a matrix of the bytes sent between ranks: rows send, columns receive; the shade is the logarithm of the amount. */
function talkCard(run) {
  const ranks = run.ranks;
  if (!ranks.talk.length) return null;
  const groups = 1 + Math.max(...ranks.talk.map(([from, to]) => Math.max(from, to))) / ranks.talkRanks;
  const cell = Math.max(4, Math.min(TALK_CELL_MOST, Math.floor(TALK_TALL / groups))), size = cell * groups;
  const canvas = element("canvas.talk", { role: "img", "aria-label": `which of ${groups} send how much to whom`, width: size, height: size });
  const cells = new Map(ranks.talk.map(([from, to, messages, bytes]) => [from / ranks.talkRanks * groups + to / ranks.talkRanks, { from, to, messages, bytes }]));
  const most = Math.max(...ranks.talk.map(t => t[3]), 2), least = Math.min(...ranks.talk.map(t => t[3]));
  /* the smallest amount is still distinguishable from nothing */
  const share = bytes => 0.2 + 0.8 * Math.log((bytes + 1) / (least + 1)) / Math.max(Math.log((most + 1) / (least + 1)), 1e-9);
  function draw() {
    const c = canvas.getContext("2d"), line = rgbOf("--line"), accent = rgbOf("--accent");
    c.clearRect(0, 0, size, size);
    for (let at = 0; at < groups * groups; at++) {
      const t = cells.get(at), part = t ? Math.min(share(t.bytes), 1) : 0;
      c.fillStyle = `rgb(${line.map((l, k) => Math.round(l + (accent[k] - l) * part)).join(",")})`;
      c.fillRect(at % groups * cell, Math.floor(at / groups) * cell, cell - 1, cell - 1);
    }
  }
  canvas.addEventListener("mousemove", event => {
    const r = canvas.getBoundingClientRect(), x = Math.floor((event.clientX - r.left) / r.width * groups), y = Math.floor((event.clientY - r.top) / r.height * groups);
    if (x < 0 || y < 0 || x >= groups || y >= groups) return;
    const t = cells.get(y * groups + x);
    showTip(event, [`${groupTitle(ranks, y * ranks.talkRanks)} to ${groupTitle(ranks, x * ranks.talkRanks)}`,
                    t ? `${bytesText(t.bytes)} in ${plural(t.messages, "message", "messages")}` : "no message"]);
  });
  canvas.addEventListener("mouseleave", () => showTip());
  redraws.add(draw);
  draw();
  const all = ranks.talk.reduce((sum, t) => sum + t[3], 0), t = sortableTable({ name: "messages", rows: [...cells.values()], sort: 3, most: 12, columns: [
    { title: "From", value: t => t.from, show: t => groupTitle(ranks, t.from) }, { title: "To", value: t => t.to, show: t => groupTitle(ranks, t.to) },
    { title: "Messages", value: t => t.messages, show: t => countText(t.messages) }, { title: "Bytes", value: t => t.bytes, show: t => bytesText(t.bytes) }] });
  return card(["Who sends how much to whom", chip("exact"), spacer(), button("PNG", () => savePng("messages.png", canvas), { title: "save the picture as PNG" }), t.save],
    element("p.talk", {}, `${bytesText(all)} in messages of MPI of which both ends are known; collectives are not in it. Rows send, columns receive; ${
      ranks.talkRanks > 1 ? `a row is ${ranks.talkRanks} ranks, ` : ""}rank 0 is at the top and at the left; the scale is logarithmic.`),
    element("div.columns", {}, element("div.talkbox", {}, canvas), t.box));
}

/* ---- one rank against the median ---- */

const RANK_TIMES = [["Kernels", "kernel"], ["Copies", "copy"], ["Waiting", "waiting"], ["Host", "hostTime"], ["Start", "first"], ["End", "last"]];

function medianOf(rows, value) { return percentile(rows.map(value).sort((a, b) => a - b), 0.5) ?? 0; }

/* Compares the rank's values with those of the median rank, the largest difference first. */
function differences(run, rank) {
  const rows = run.ranks.active, times = RANK_TIMES.map(([title, key]) => ({ title, is: rank[key], median: medianOf(rows, r => r[key]) }));
  const kernels = run.kernels.filter(k => k.calls).map(k => ({ title: k.short, kernel: k, is: rank.totals.get(k.index)?.total ?? 0,
    median: medianOf(rows, r => r.totals.get(k.index)?.total ?? 0), calls: rank.totals.get(k.index)?.calls ?? 0,
    medianCalls: medianOf(rows, r => r.totals.get(k.index)?.calls ?? 0) }));
  kernels.sort((a, b) => Math.abs(b.is - b.median) - Math.abs(a.is - a.median));
  return { times, kernels };
}

function differenceText(is, median) { return `${is < median ? "−" : "+"}${timeText(Math.abs(is - median))}${median ? ` (${digits(is / median)}×)` : ""}`; }

function differenceTable(name, rows, link) {
  return sortableTable({ name, rows, sort: AS_THEY_STAND, most: 12, columns: [
    { title: link ? "Kernel" : "Time", kind: "name", value: d => d.title, show: d => link ? kernelLink(d.kernel) : d.title },
    { title: "Here", value: d => d.is, show: d => timeText(d.is), csv: "Here (ns)" },
    { title: "Median", value: d => d.median, show: d => timeText(d.median), csv: "Median (ns)" },
    { title: "Difference", value: d => d.is - d.median, show: d => differenceText(d.is, d.median), csv: "Difference (ns)" },
    ...(link ? [{ title: "Launches", value: d => d.calls, show: d => d.calls === d.medianCalls ? countText(d.calls) : `${countText(d.calls)} of ${countText(d.medianCalls)}` }] : [])] });
}

function slowestCard(run) {
  const rank = run.ranks.slowest;
  if (!rank || run.ranks.active.length < 2) return null;
  const { times, kernels } = differences(run, rank), own = medianOf(run.ranks.active, r => r.own);
  const parts = times.filter(d => ["Kernels", "Copies", "Host"].includes(d.title)).sort((a, b) => (b.is - b.median) - (a.is - a.median));
  const most = parts[0], kernel = kernels.find(k => k.is > k.median);
  const why = most && most.is > most.median ? [` Most of it: ${most.title.toLowerCase()}, ${differenceText(most.is, most.median)}`,
    most.title === "Kernels" && kernel ? [", above all ", kernelLink(kernel.kernel), `, ${differenceText(kernel.is, kernel.median)}`] : "", "."] : "";
  return card(["The slowest rank", chip(run.time)], element("p.slowest", {}, rankLink(rank), run.ranks.waits ? ` works ${timeText(rank.own)} and waits ${timeText(rank.waiting)}; the median works ${timeText(own)}.` :
    ` keeps its GPU busy for ${timeText(rank.own)}, the median for ${timeText(own)} (--mpi-trace says who waits for whom).`, why),
    element("div.columns", {}, differenceTable("slowest", times).box, kernels.length ? differenceTable("slowest-kernels", kernels.slice(0, 6), true).box : null));
}

/* ---- all ranks ---- */

function rankTable(run) {
  const time = (title, key, note) => ({ title, note, value: r => r.bins ? r[key] : undefined, show: r => r.bins ? timeText(r[key]) : "–", csv: `${title} (ns)` });
  return sortableTable({ name: "ranks", rows: run.ranks.sorted, sort: 0, down: false, most: 64, wide: true, columns: [
    { title: "Rank", value: r => r.rank < 0 ? r.pid : r.rank, show: r => r.unclosed ? element("span", {}, rankLink(r), " ", unclosedChip(r)) : rankLink(r) },
    { title: "Host", kind: "text", value: r => nameOf(r.host) },
    { title: "GPU", kind: "text", value: r => nameOf(r.gpu) },
    { title: "Launches", value: r => r.launches, show: r => countText(r.launches) },
    time("Kernels", "kernel", "with a kernel running"), time("Copies", "copy", "with a copy running"),
    time("Waiting", "waiting", "in MPI or waiting for the GPU, while the GPU has nothing to do"),
    time("Host", "hostTime", "the GPU has nothing to do and the host does not wait, between the first and the last record"),
    time("Idle", "idle", "neither busy nor waiting, of the job's time"),
    time("Start", "first", "when its first record begins"), time("End", "last", "when its last record ends"),
    { title: "Copied", value: r => r.bytes, show: r => bytesText(r.bytes) },
    { title: "Lost", value: r => r.dropped, show: r => countText(r.dropped), note: "records" }] });
}

function ranksSection() {
  const run = report.run, table = rankTable(run);
  return [
    element("h1", {}, "Ranks"),
    element("p.lead", {}, `${plural(run.ranks.rows.length, "rank", "ranks")} of ${plural(new Set(run.ranks.rows.map(r => r.host)).size, "host", "hosts")}. A row of the picture leads to the page of its rank.`),
    rankCautions(run),
    heatCard(run),
    slowestCard(run),
    spreadCard(run),
    talkCard(run),
    tableCard(["Ranks", chip(run.time), chip("measured"), spacer(), table.save], table.box),
  ];
}

/* ---- the page of a rank ---- */

const RANK_LANES = [["kernel", "Kernels"], ["copy", "Copies"], ["waiting", "Waiting"]];

function rankLanes(run, rank) {
  const canvas = element("canvas.heat", { role: "img", "aria-label": `what ${rank.title} did when` }), box = element("div.heatbox", {}, canvas), tall = 34;
  const parts = partsOf(rank), hue = (lane, i) => lane === "waiting" ? colour("--wait") : lane === "copy" ? colour("--exact") : kernelHue(i);
  const kernelAt = i => { const number = rank.kernels[parts.most[i]]; return number ? run.kernels[number - 1] : null; };
  const kernelHue = i => { const k = kernelAt(i); return k ? hueOf("queue", k.name) : colour("--accent"); };
  const scale = () => canvas.width / Math.max(rank.length, 1);
  function draw() {
    if (!box.isConnected || !box.clientWidth) return;
    canvas.width = Math.floor(box.clientWidth);
    canvas.height = tall * RANK_LANES.length;
    const c = canvas.getContext("2d");
    RANK_LANES.forEach(([lane], y) => {
      c.fillStyle = colour("--lane");
      c.fillRect(0, y * tall, canvas.width, tall - 2);
      for (let i = 0; i < rank.bins; i++) {
        if (!parts[lane][i]) continue;
        const x = (rank.binFirst - rank.first + i * 2 ** rank.shift) * scale(), high = Math.max(parts[lane][i] / 255 * (tall - 4), 1);
        c.fillStyle = hue(lane, i);
        c.fillRect(x, (y + 1) * tall - 2 - high, Math.max(2 ** rank.shift * scale(), 1), high);
      }
    });
  }
  canvas.addEventListener("mousemove", event => {
    const r = canvas.getBoundingClientRect(), at = rank.first - rank.binFirst + (event.clientX - r.left) / scale(), i = Math.floor(at / 2 ** rank.shift);
    if (i < 0 || i >= rank.bins) return;
    showTip(event, [kernelAt(i)?.short ?? "no kernel", `at ${timeText(rank.binFirst + i * 2 ** rank.shift)}, ${timeText(2 ** rank.shift)} long`,
                    RANK_LANES.map(([lane, title]) => `${title} ${percentText(parts[lane][i] / 255)}`).join(", ")]);
  });
  canvas.addEventListener("mouseleave", () => showTip());
  redraws.add(draw);
  requestAnimationFrame(draw);
  return card(["Over its time", chip(run.time), spacer(), button("PNG", () => savePng("rank.png", canvas), { title: "save the picture as PNG" })], box,
    element("div.legend", {}, RANK_LANES.map(([, title]) => element("span", {}, title)), spacer(), element("span", {}, `${timeText(rank.first)} to ${timeText(rank.last)}; the height is the share of ${timeText(2 ** rank.shift)}`)));
}

function rankSection(index) {
  const run = report.run, rank = run.ranks.rows[index], { times, kernels } = differences(run, rank), at = run.ranks.sorted.indexOf(rank);
  const beside = (step, text) => run.ranks.sorted[at + step] ? element("a", { href: rankHref(run.ranks.sorted[at + step]) }, text) : null;
  const table = differenceTable("rank-kernels", kernels, true), file = nameOf(rank.file);
  return [
    element("h1", {}, rank.title.replace(/^./, c => c.toUpperCase())),
    element("p.lead", {}, [nameOf(rank.host), nameOf(rank.gpu), `process ${rank.pid}`].filter(Boolean).join(" · "), " · ", element("a", { href: "#/ranks" }, "all ranks"), " ", beside(-1, "‹ before"), " ", beside(1, "next ›")),
    rank.unclosed ? element("p.note.bad.unclosed", {}, `This rank did not end: ${UNCLOSED}.`) : null,
    rank.dropped ? element("p.note.bad", {}, `${countText(rank.dropped)} records of this rank were lost. All counts and sums are too low.`) : null,
    rank.bins ? rankLanes(run, rank) : element("p.empty", {}, "This rank has no record."),
    rank.shown ? element("p.note", {}, "Its records are in the ", element("a", { href: "#/timeline" }, "timeline"), ".") :
      file ? element("p.note", {}, "Every record of it: ", element("code", {}, `rocprofv3 report ${shellWord(file)}`)) : null,
    element("div.columns", {}, card(["Against the median rank", chip(run.time)], differenceTable("rank", times).box),
      card("This rank", facts([["Host", nameOf(rank.host)], ["GPU", nameOf(rank.gpu)], ["Launches", countText(rank.launches)], ["Copied", bytesText(rank.bytes)],
        ["Database", file ? element("span.mono", {}, file) : ""]]))),
    kernels.length ? tableCard(["Kernels against the median rank", chip(run.time), spacer(), table.save], table.box) : null,
  ];
}
