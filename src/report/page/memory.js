/* memory.js - draws how a kernel's bytes move between registers, caches and memory. */

const MEMORY_COUNTERS = "TCP_TOTAL_CACHE_ACCESSES TCP_TCC_{READ,WRITE,ATOMIC_WITH_RET,ATOMIC_WITHOUT_RET}_REQ TCC_HIT TCC_MISS " +
  "TCC_EA_{RDREQ,RDREQ_32B,RDREQ_DRAM,WRREQ,WRREQ_64B,WRREQ_DRAM} SQC_{DCACHE,ICACHE}_{REQ,HITS} SQC_TC_{INST,DATA_READ}_REQ SQ_LDS_{IDX_ACTIVE,BANK_CONFLICT}";

const part = (some, all) => some === undefined || !all ? undefined : some / all;
const times = (count, bytes) => count === undefined ? undefined : count * bytes;

/* Returns the bytes that a launch moves between memories, and the hit rate of each cache. */
function memoryOf(k) {
  const c = name => counted(k, name), b = bytesOf(k), hits = c("TCC_HIT"), misses = c("TCC_MISS");
  const looks = c("TCP_TOTAL_CACHE_ACCESSES"), down = sumOf(k, ["TCP_TCC_READ_REQ", "TCP_TCC_ATOMIC_WITH_RET_REQ", "TCP_TCC_ATOMIC_WITHOUT_RET_REQ"]);
  const conflicts = part(c("SQ_LDS_BANK_CONFLICT"), c("SQ_LDS_IDX_ACTIVE"));
  return {
    lds: b.lds, conflicts, l1: b.l1, l1Hit: down === undefined ? undefined : part(Math.max(looks - down, 0), looks),
    l2Read: times(c("TCP_TCC_READ_REQ"), 64), l2Written: times(c("TCP_TCC_WRITE_REQ"), 64),
    l2Hit: misses === undefined || hits === undefined ? undefined : part(hits, hits + misses),
    scalar: times(c("SQC_DCACHE_REQ"), 64), scalarHit: part(c("SQC_DCACHE_HITS"), c("SQC_DCACHE_REQ")), scalarDown: times(c("SQC_TC_DATA_READ_REQ"), 64),
    code: times(c("SQC_ICACHE_REQ"), 64), codeHit: part(c("SQC_ICACHE_HITS"), c("SQC_ICACHE_REQ")), codeDown: times(c("SQC_TC_INST_REQ"), 64),
    read: b.read, written: b.written,
    dramRead: b.read && part(c("TCC_EA_RDREQ_DRAM"), c("TCC_EA_RDREQ")) !== undefined ? b.read * part(c("TCC_EA_RDREQ_DRAM"), c("TCC_EA_RDREQ")) : undefined,
    dramWritten: b.written && part(c("TCC_EA_WRREQ_DRAM"), c("TCC_EA_WRREQ")) !== undefined ? b.written * part(c("TCC_EA_WRREQ_DRAM"), c("TCC_EA_WRREQ")) : undefined,
  };
}

function memoryCard(k) {
  if (!k.values.size) return null;
  const m = memoryOf(k);
  if (Object.values(m).every(v => v === undefined)) return card("Memory", element("p", {}, "The chart of the memories needs other counters than were collected: ",
    element("code", {}, `--pmc ${MEMORY_COUNTERS}`)));
  const svg = memoryDrawing(k, m);
  const kinds = [...new Set(k.run.counters.filter(c => /^(TC[CP]_|SQC_|SQ_LDS)/.test(c.title) && c.class).map(c => c.class))];
  return card(["Memory: bytes of a launch, and what hits", kinds.map(chip), spacer(), button("SVG", () => saveSvg("memory.svg", svg))], element("div.scroll", {}, svg));
}

function memoryDrawing(k, m) {
  const ink = { fill: "var(--ink)", "font-family": "system-ui, sans-serif" }, parts = [];
  const most = Math.max(...[m.lds, m.l1, m.scalar, m.code, m.l2Read, m.l2Written, m.read, m.written].filter(v => v !== undefined), 1);
  const text = (x, y, words, more = {}) => parts.push(drawn("text", { x, y, "font-size": 12.5, ...ink, ...more }, words));

  function box(x, y, width, height, title, lines) {
    parts.push(drawn("rect", { x, y, width, height, rx: 8, fill: "var(--mark)", stroke: "var(--line)" }));
    text(x + width / 2, y + 21, title, { "font-weight": 600, "text-anchor": "middle", "font-size": 13.5 });
    lines.filter(Boolean).forEach((line, i) => text(x + width / 2, y + 40 + 17 * i, line, { "text-anchor": "middle", fill: "var(--soft)" }));
  }

  function arrow(x0, x1, y, bytes, words, both = false) {
    const known = bytes !== undefined, width = known && bytes ? 1.5 + 5 * Math.sqrt(bytes / most) : 1;
    const stroke = known ? "var(--accent)" : "var(--line)", head = 5 + width, tip = Math.sign(x1 - x0) * head;
    parts.push(drawn("line", { x1: both ? x0 + tip : x0, x2: x1 - tip, y1: y, y2: y, stroke, "stroke-width": width, "stroke-dasharray": known ? "none" : "4 4" }));
    const point = (x, back) => parts.push(drawn("path", { d: `M${x} ${y}l${-back} ${-head * 0.7}v${head * 1.4}z`, fill: stroke }));
    point(x1, tip);
    if (both) point(x0, -tip);
    text((x0 + x1) / 2, y - 7 - width / 2, `${words} ${bytesText(bytes)}`, { "text-anchor": "middle", "font-size": 12 });
  }

  const hit = (rate, word = "hit") => rate === undefined ? `${word}: –` : `${percentText(rate)} ${word}`;
  box(10, 20, 120, 400, "Compute units", [plural(k.countedCalls || k.calls, "launch", "launches")]);
  const rows = [[20, "LDS", [hit(m.conflicts, "conflicts")], m.lds, undefined, false], [125, "Vector L1", [hit(m.l1Hit)], m.l1],
                [230, "Scalar cache", [hit(m.scalarHit)], m.scalar, m.scalarDown], [335, "Instructions", [hit(m.codeHit)], m.code, m.codeDown]];
  rows.forEach(([y, title, lines, bytes]) => {
    box(290, y, 150, 85, title, lines);
    arrow(130, 290, y + 45, bytes, "", title === "LDS" || title === "Vector L1");
  });
  box(610, 125, 120, 295, "L2", [hit(m.l2Hit)]);
  arrow(610, 440, 150, m.l2Read, "read");
  arrow(440, 610, 192, m.l2Written, "write");
  arrow(610, 440, 275, m.scalarDown, "read");
  arrow(610, 440, 380, m.codeDown, "read");
  box(880, 125, 110, 295, "Fabric", []);
  arrow(880, 730, 220, m.read, "read");
  arrow(730, 880, 320, m.written, "write");
  box(1130, 125, 100, 295, "HBM", []);
  arrow(1130, 990, 220, m.dramRead, "read");
  arrow(990, 1130, 320, m.dramWritten, "write");
  return drawn("svg", { class: "memory", viewBox: "0 0 1240 440", role: "img", "aria-label": `bytes through the memories of ${k.title}` }, parts);
}
