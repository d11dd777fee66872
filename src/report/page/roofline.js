/* roofline.js - the rates that kernels reach, beside those that memories and units allow.
 *
 * Work and bytes come from AMD's counters; peaks follow from the agent's properties and
 * from the rates in its generation's data sheet, unless measured ones were given. */

const ROOF_TEXT = { hbm: "HBM", l2: "L2", l1: "L1", lds: "LDS", f64: "FP64", f32: "FP32", f16: "FP16", mfma_f64: "MFMA FP64",
                    mfma_f32: "MFMA FP32", mfma_xf32: "MFMA XF32", mfma_f16: "MFMA FP16", mfma_bf16: "MFMA BF16", mfma_f8: "MFMA FP8",
                    mfma_i8: "MFMA INT8", mfma_f4: "MFMA FP4" };
const MEMORIES = ["hbm", "l2", "l1", "lds"];
const MEMORY_HUE = { hbm: "--bad", l2: "--exact", l1: "--cache", lds: "--timing" };

/* GB/s and GFLOP/s: {value, measured}. The agent's sheet has operations of a compute unit in a clock, and bytes in a clock: l1 and lds
 * of a compute unit, l2 of a die. */
function roofsOf(run) {
  const agent = run.agents.find(a => a.gpu), f = agent?.facts ?? {}, sheet = agent?.sheet ?? {}, roofs = {};
  const clock = (f.max_engine_clk_fcompute ?? 0) / 1000, bank = f.mem_banks?.[0];
  for (const [roof, rate] of Object.entries(sheet)) {
    const units = roof === "l2" ? f.num_xcc || 1 : f.cu_count ?? 0;
    if (rate * units * clock) roofs[roof] = { value: rate * units * clock };
  }
  if (bank?.width && bank.mem_clk_max && agent.transfers) roofs.hbm = { value: bank.width / 8 * agent.transfers * bank.mem_clk_max / 1000 };
  ROOF_TEXT.hbm = agent?.transfers === 16 ? "GDDR6" : "HBM"; /* transfers in a clock, as the driver counts clocks, depend on the type of memory */
  for (const [roof, value] of Object.entries(report.data.roofs)) roofs[roof] = { value, measured: true };
  return roofs;
}

/* A counter by its name, as a hardware counter or as the sum that is one of AMD's metrics; gfx942
 * calls EA EA0. */
function counted(k, name) {
  return valueOf(k, name) ?? valueOf(k, `${name}_sum`) ?? (name.includes("TCC_EA_") ? counted(k, name.replace("TCC_EA_", "TCC_EA0_")) : undefined);
}

const sumOf = (k, names) => names.reduce((sum, n) => sum === undefined || counted(k, n) === undefined ? undefined : sum + counted(k, n), 0);

/* What SQ_INSTS_VALU_MFMA_MOPS_* call a type, and the roof above it. Products of 6 bits are counted with those of 4 bits, and reach half
 * of that roof at most. */
const MATRIX_TYPES = { F16: "mfma_f16", BF16: "mfma_bf16", F32: "mfma_f32", F64: "mfma_f64", XF32: "mfma_xf32", F8: "mfma_f8", I8: "mfma_i8",
                       F6F4: "mfma_f4" };

/* Operations of a launch, by unit, those of 8-bit integers among them; undefined for a unit whose
 * counters are not all there. */
function workOf(k) {
  const work = {}, lanes = lanesOfLaunch(k.run, k.launch);
  for (const type of ["F16", "F32", "F64"]) {
    const plain = sumOf(k, ["ADD", "MUL", "TRANS"].map(o => `SQ_INSTS_VALU_${o}_${type}`)), fused = counted(k, `SQ_INSTS_VALU_FMA_${type}`);
    if (plain !== undefined && fused !== undefined) work[type.toLowerCase()] = lanes * (plain + 2 * fused);
  }
  for (const [type, unit] of Object.entries(MATRIX_TYPES)) {
    const operations = counted(k, `SQ_INSTS_VALU_MFMA_MOPS_${type}`);
    if (operations !== undefined) work[unit] = 512 * operations;
  }
  const all = Object.values(work);
  return all.length ? { ...work, all: all.reduce((a, b) => a + b, 0) } : undefined;
}

function bytesOf(k) {
  const c = name => counted(k, name), reads = c("TCC_EA_RDREQ"), small = c("TCC_EA_RDREQ_32B"), writes = c("TCC_EA_WRREQ"), large = c("TCC_EA_WRREQ_64B");
  const active = c("SQ_LDS_IDX_ACTIVE"), conflicts = c("SQ_LDS_BANK_CONFLICT"), looks = c("TCP_TOTAL_CACHE_ACCESSES");
  const requests = sumOf(k, ["TCP_TCC_READ_REQ", "TCP_TCC_WRITE_REQ", "TCP_TCC_ATOMIC_WITH_RET_REQ", "TCP_TCC_ATOMIC_WITHOUT_RET_REQ"]);
  const read = reads === undefined || small === undefined ? undefined : 64 * (reads - small) + 32 * small;
  const written = writes === undefined || large === undefined ? undefined : 32 * (writes - large) + 64 * large;
  return { read, written, hbm: read === undefined || written === undefined ? undefined : read + written,
           l2: requests === undefined ? undefined : 64 * requests, l1: looks === undefined ? undefined : 64 * looks,
           lds: active === undefined || conflicts === undefined ? undefined : 128 * (active - conflicts) };
}

/* Which clock the times of the runs with counters are on; undefined if they say nothing about a
 * GPU. */
function roofTime(run) {
  return run.processes.find(p => p.counted && p.time !== "host")?.time;
}

function roofPoints(run, roofs) {
  return run.kernels.map(k => {
    const work = workOf(k), bytes = bytesOf(k), time = k.countedTotal / k.countedCalls;
    if (!work?.all || !time) return null;
    const rate = work.all / time, unit = Object.keys(work).filter(u => u !== "all").reduce((a, b) => work[a] >= work[b] ? a : b);
    const intensity = Object.fromEntries(MEMORIES.map(m => [m, bytes[m] ? work.all / bytes[m] : undefined]));
    const limits = [[unit, roofs[unit]?.value], ...MEMORIES.map(m => [m, intensity[m] && roofs[m] && intensity[m] * roofs[m].value])]
      .filter(([, value]) => value);
    const limit = limits.length ? limits.reduce((a, b) => a[1] <= b[1] ? a : b) : undefined;
    return { k, work, rate, unit, intensity, limit };
  }).filter(Boolean);
}

const ROOFLINE_COUNTERS = "SQ_INSTS_VALU_{ADD,MUL,FMA,TRANS}_{F16,F32,F64} SQ_INSTS_VALU_MFMA_MOPS_{F16,BF16,F32,F64} TCC_EA_{RDREQ,RDREQ_32B,WRREQ,WRREQ_64B} " +
  "TCP_TOTAL_CACHE_ACCESSES TCP_TCC_{READ,WRITE,ATOMIC_WITH_RET,ATOMIC_WITHOUT_RET}_REQ SQ_LDS_{IDX_ACTIVE,BANK_CONFLICT}";

function rooflineSection() {
  const run = report.run, roofs = roofsOf(run), time = roofTime(run), points = time ? roofPoints(run, roofs) : [];
  if (!points.length) return [element("h1", {}, "Roofline"), element("div.card", {}, element("p", {}, run.processes.some(p => p.counted) && !time ?
    "The kernels were counted on the software GPU in host time, which says nothing of a rate. Count them with SOFTGPU_TIME=model." :
    "A roofline needs the counters of floating-point operations and of bytes:"),
    element("p", {}, element("code", {}, `${run.soft ? "SOFTGPU_TIME=model " : ""}rocprofv3 --pmc ${ROOFLINE_COUNTERS} -- …`)))];
  const box = element("div.chart"), shown = new Set(MEMORIES.filter(m => roofs[m])), state = { over: -1 };
  let redraw = () => {};
  const png = chart(box, () => rooflineOptions(roofs, points, shown, state, u => { redraw = () => u.redraw(); }), [[0.01, 1000], [1, 1e5]]);
  const toggles = element("span.segments", {}, MEMORIES.filter(m => roofs[m]).map(m => element("button", { type: "button", "aria-pressed": "true", click: event => {
    const on = !shown.delete(m);
    if (on) shown.add(m);
    event.target.setAttribute("aria-pressed", String(on));
    redraw();
  } }, ROOF_TEXT[m])));
  const t = sortableTable({ name: "roofline", rows: points, sort: 1, columns: [
    { title: "Kernel", kind: "name", value: p => p.k.title, show: p => kernelLink(p.k) },
    { title: "GFLOP/s", value: p => p.rate, show: p => digits(p.rate) },
    { title: "Mostly", kind: "text", value: p => ROOF_TEXT[p.unit] },
    { title: "Operations of a launch", value: p => p.work.all, show: p => rateText(p.work.all, "FLOP") },
    ...MEMORIES.map(m => ({ title: `FLOP/byte ${ROOF_TEXT[m]}`, value: p => p.intensity[m], show: p => p.intensity[m] === undefined ? "–" : digits(p.intensity[m]) })),
    { title: "Nearest roof", kind: "text", value: p => p.limit ? ROOF_TEXT[p.limit[0]] : "" },
    { title: "Of it", value: p => p.limit && p.rate / p.limit[1], show: p => p.limit ? percentText(p.rate / p.limit[1]) : "–" }] });
  const kinds = Object.values(roofs), measured = kinds.some(r => r.measured), sheet = kinds.some(r => !r.measured);
  return [
    element("h1", {}, "Roofline"),
    element("p.lead", {}, "Rates are ", chip(time), ", operations and bytes as their counters; roofs are ", sheet ? ["peaks by ", chip("sheet")] : "",
      sheet && measured ? " and " : "", measured ? ["peaks as ", chip("measured")] : "", ". Each kernel has a point for each memory."),
    card(["", toggles, spacer(), png], box),
    tableCard(["Points", chip(time), spacer(), t.save], t.box)];
}

function rooflineOptions(roofs, points, shown, state, ready) {
  const units = Object.keys(roofs).filter(r => !MEMORIES.includes(r)), peak = Math.max(...units.map(u => roofs[u].value), 1);
  const intensities = points.flatMap(p => MEMORIES.map(m => p.intensity[m]).filter(Boolean));
  const low = 10 ** Math.floor(Math.log10(Math.min(0.05, ...intensities))), high = 10 ** Math.ceil(Math.log10(Math.max(200, ...intensities)));
  const floor = 10 ** Math.floor(Math.log10(Math.min(peak / 1e4, ...points.map(p => p.rate)))), top = peak * 3;
  const power = (_, ticks) => ticks.map(t => t !== null && Math.abs(Math.log10(t) - Math.round(Math.log10(t))) < 1e-9 ? digits(t) : "");
  return {
    height: Math.max(320, Math.min(innerHeight * 0.6, 560)), legend: { show: false }, cursor: { drag: { x: false, y: false }, points: { show: false } },
    scales: { x: { time: false, distr: 3, range: () => [low, high] }, y: { distr: 3, range: () => [floor, top] } },
    axes: [axis({ label: "FLOP per byte", values: power }), axis({ label: "GFLOP/s", values: power, size: 64 })],
    series: [{}, { show: true, paths: () => null, points: { show: false } }],
    hooks: { ready: [u => { ready(u); u.over.addEventListener("mousemove", event => overPoint(u, event, points, shown, state)); u.over.addEventListener("mouseleave", () => showTip()); }],
             draw: [u => drawRoofs(u, { roofs, units, points, shown, low, high, peak })] },
  };
}

function drawRoofs(u, { roofs, units, points, shown, low, high, peak }) {
  const c = u.ctx, ratio = devicePixelRatio || 1, x = v => u.valToPos(v, "x", true), y = v => u.valToPos(v, "y", true);
  c.save();
  c.beginPath();
  c.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  c.clip();
  c.font = `${11 * ratio}px system-ui, sans-serif`;
  const line = (x0, y0, x1, y1, ink) => { c.strokeStyle = ink; c.lineWidth = 1.5 * ratio; c.beginPath(); c.moveTo(x(x0), y(y0)); c.lineTo(x(x1), y(y1)); c.stroke(); };
  const taken = [];
  for (const unit of [...units].sort((a, b) => roofs[b].value - roofs[a].value)) {
    const { value } = roofs[unit], same = taken.find(t => Math.abs(Math.log(t.value / value)) < 0.02);
    if (same) { same.text += `, ${ROOF_TEXT[unit]}`; continue; }
    taken.push({ value, text: ROOF_TEXT[unit] });
  }
  const fastest = Math.max(...MEMORIES.filter(m => roofs[m] && shown.has(m)).map(m => roofs[m].value), 1e-9);
  for (const { value, text } of taken) {
    line(Math.max(low, value / fastest), value, high, value, colour("--soft"));
    c.fillStyle = colour("--soft");
    c.textAlign = "right";
    c.fillText(`${text} ${rateText(value * 1e9, "FLOP/s")}`, u.bbox.left + u.bbox.width - 6 * ratio, y(value) - 5 * ratio);
  }
  c.textAlign = "left";
  for (const [i, m] of MEMORIES.entries()) {
    if (!roofs[m] || !shown.has(m)) continue;
    const ink = colour(MEMORY_HUE[m]), { value } = roofs[m];
    line(low, low * value, peak / value, peak, ink);
    const at = low * 1.15, angle = Math.atan2(y(at * 10 * value) - y(at * value), x(at * 10) - x(at));
    const from = 3 ** i * Math.max(at, u.posToVal(u.bbox.height / ratio, "y") * 1.3 / value);
    c.save();
    c.translate(x(from), y(from * value) - 6 * ratio);
    c.rotate(angle);
    c.fillStyle = ink;
    c.fillText(`${ROOF_TEXT[m]} ${rateText(value * 1e9, "B/s")}`, 0, 0);
    c.restore();
  }
  for (const p of points) for (const m of MEMORIES) {
    if (!shown.has(m) || !p.intensity[m]) continue;
    c.fillStyle = colour(MEMORY_HUE[m]);
    c.strokeStyle = colour("--panel");
    c.lineWidth = 1.5 * ratio;
    c.beginPath();
    c.arc(x(p.intensity[m]), y(p.rate), 5 * ratio, 0, 7);
    c.fill();
    c.stroke();
  }
  c.restore();
}

function overPoint(u, event, points, shown) {
  let best = null;
  for (const p of points) for (const m of MEMORIES) {
    if (!shown.has(m) || !p.intensity[m]) continue;
    const apart = Math.hypot(u.valToPos(p.intensity[m], "x") - event.offsetX, u.valToPos(p.rate, "y") - event.offsetY);
    if (apart < 14 && (!best || apart < best.apart)) best = { apart, p, m };
  }
  showTip(event, best && [best.p.k.short, `${digits(best.p.rate)} GFLOP/s, ${digits(best.p.intensity[best.m])} FLOP per byte of ${ROOF_TEXT[best.m]}`,
    best.p.limit ? `${percentText(best.p.rate / best.p.limit[1])} of the nearest roof, ${ROOF_TEXT[best.p.limit[0]] ?? "FP32"}` : ""]);
}
