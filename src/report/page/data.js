/* data.js - the data of the page: unpacking, columns, names. The format is that of pack.h. */

const report = { data: null, columns: null, runs: [], run: null };

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function unpack(text) {
  const packed = new Blob([fromBase64(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  report.data = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  report.columns = bytes.subarray(4 + length);
  report.runs = report.data.runs.map(prepareRun);
  report.run = report.runs[0];
}

/* Returns a text by its number. */
function nameOf(number) { return report.data.names[number] ?? ""; }

/* Reads `count` numbers from `at` on into an array of the kind; returns where they end. */
function readColumn(at, into, { sum = false, signed = false, from = 0 } = {}) {
  const bytes = report.columns;
  let before = from;
  for (let i = 0; i < into.length; i++) {
    let byte = bytes[at++], value = byte & 127, scale = 128;
    for (; byte > 127; scale *= 128) {
      byte = bytes[at++];
      value += (byte & 127) * scale;
    }
    if (signed) value = value % 2 ? -(value + 1) / 2 : value / 2;
    into[i] = sum ? (before += value) : value;
  }
  return at;
}

/* Events of a lane, read when they are first used. */
function eventsOf(lane) {
  if (lane.events) return lane.events;
  const n = lane.count;
  const e = { start: new Float64Array(n), length: new Float64Array(n), name: new Uint32Array(n),
              extra: new Float64Array(n), category: new Uint32Array(n), link: new Float64Array(n) };
  let at = readColumn(lane.at, e.start, { sum: true });
  at = readColumn(at, e.length);
  at = readColumn(at, e.name);
  at = readColumn(at, e.extra);
  at = readColumn(at, e.category);
  readColumn(at, e.link, { sum: true, signed: true });
  lane.events = e;
  return e;
}

function rectsOf(level) {
  if (level.rects) return level.rects;
  const n = level.count;
  const r = { start: new Float64Array(n), length: new Float64Array(n), count: new Float64Array(n),
              event: new Float64Array(n) };
  let at = readColumn(level.at, r.start, { sum: true });
  at = readColumn(at, r.length);
  at = readColumn(at, r.count);
  readColumn(at, r.event, { sum: true });
  level.rects = r;
  return r;
}

function parseObject(text) {
  try { return JSON.parse(text) ?? {}; } catch { return {}; }
}

const LAUNCH = ["kernel", "agent", "gridX", "gridY", "gridZ", "groupX", "groupY", "groupZ", "lds", "scratch",
                "vgprs", "agprs", "sgprs", "wave", "calls", "total", "limit", "waves", "most"];
const SUM = ["name", "category", "calls", "total", "least", "most", "bytes"];
const VALUE = ["kernel", "counter", "count", "sum", "least", "most"];

/* Lanes of the waves of a kernel's launch: as the kernel was compiled or, where the database lacks that, as its agent has them. */
const lanesOfLaunch = (run, l) => l?.wave || run.agents[l?.agent]?.lanes || 64;

function rowsOf(keys, rows) {
  return rows.map(values => Object.fromEntries(keys.map((key, i) => [key, values[i]])));
}

/* The run as the sections read it: rows with names in place of numbers, and references between
 * them. */
function prepareRun(run, index) {
  run.index = index;
  run.letter = "AB"[index];
  run.span = Math.max(run.end - run.begin, 1);
  run.agents.forEach(a => {
    a.facts = parseObject(nameOf(a.facts));
    a.gpu = nameOf(a.type) === "GPU";
    a.title = nameOf(a.product) || nameOf(a.name);
    a.lanes = a.facts.wave_front_size || a.wave || 64; /* lanes of a wave; AMD's databases lack the fact, and a GPU may be unknown */
  });
  run.processes.forEach(p => { p.settings = parseObject(nameOf(p.settings)); });
  run.instructions = run.instructions.map(([kernel, address, text, fn, file, line, depth, ownFile, ownLine, ...counts]) =>
    ({ kernel, address, text, function: fn, file, line, depth, ownFile, ownLine, counts }));
  run.calls = rowsOf(SUM, run.calls);
  run.copies = rowsOf(SUM, run.copies);
  run.memory = rowsOf(SUM, run.memory);
  run.launches = rowsOf(LAUNCH, run.launches);
  run.counters.forEach((c, i) => { c.index = i; c.title = nameOf(c.name); });
  const total = run.kernels.reduce((sum, k) => sum + k.total, 0) || 1;
  run.kernelTotal = total;
  run.byName = new Map();
  run.kernels.forEach((k, i) => {
    Object.assign(k, { index: i, run, title: nameOf(k.name), mean: k.calls ? k.total / k.calls : 0,
                       share: k.total / total, launches: [], values: new Map() });
    run.byName.set(k.title, k);
  });
  const alike = new Map();
  run.kernels.forEach(k => alike.set(shortName(k.title), (alike.get(shortName(k.title)) ?? 0) + 1));
  run.kernels.forEach(k => { k.short = alike.get(shortName(k.title)) === 1 ? shortName(k.title) : k.title; });
  run.launches.forEach(l => run.kernels[l.kernel].launches.push(l));
  rowsOf(VALUE, run.values).forEach(v => {
    v.mean = v.sum / v.count;
    run.kernels[v.kernel].values.set(run.counters[v.counter].title, v);
  });
  run.kernels.forEach(k => {
    k.launches.sort((a, b) => b.total - a.total);
    k.launch = k.launches[0] ?? null;
    k.occupancy = k.launch?.waves === undefined ? null : k.launch;
  });
  run.shown = run.processes.filter(p => !p.pass);
  run.time = run.shown.find(p => p.dispatches)?.time ?? "measured";
  run.soft = run.processes.some(p => p.soft);
  run.tracks.forEach((t, i) => { t.index = i; t.lanes.forEach(l => { l.track = t; }); });
  run.lanes = run.tracks.flatMap(t => t.lanes);
  run.held = run.lanes.reduce((sum, l) => sum + l.count, 0);
  if (run.ranks) prepareRanks(run);
  return run;
}

/* Returns the mean of a counter over a kernel's dispatches; undefined if it was not collected. */
function valueOf(kernel, counter) { return kernel.values.get(counter)?.mean; }

/* Returns the lane of an event, and its index there, by the event's number in the run. */
function findEvent(run, number) {
  let low = 0, high = run.lanes.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (run.lanes[middle].first <= number) low = middle; else high = middle - 1;
  }
  const lane = run.lanes[low];
  return lane && number - lane.first < lane.count ? { lane, at: number - lane.first } : null;
}
