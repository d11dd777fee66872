/* words.js - numbers and times as readable text. */

function timeText(ns) {
  if (ns === undefined || ns === null || Number.isNaN(ns)) return "–";
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]], size = Math.abs(ns);
  for (const [scale, unit] of units)
    if (size >= scale) return `${digits(ns / scale)} ${unit}`;
  return `${digits(ns)} ns`;
}

const plural = (count, one, more) => `${countText(count)} ${count === 1 ? one : more}`;

/* Returns a number with three significant digits. */
function digits(value) {
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en-US");
  if (size >= 100 || value === Math.round(value)) return String(Math.round(value));
  return value.toFixed(size >= 10 ? 1 : 2);
}

function countText(value) {
  if (value === undefined || value === null || Number.isNaN(value)) return "–";
  return value.toLocaleString("en-US", { maximumFractionDigits: Math.abs(value) < 100 && value % 1 ? 2 : 0 });
}

function scaled(value, units, step) {
  let i = 0;
  for (; Math.abs(value) >= step && i + 1 < units.length; i++) value /= step;
  return `${digits(value)} ${units[i]}`;
}

function bytesText(value) {
  return value === undefined || Number.isNaN(value) ? "–" : scaled(value, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
}

function rateText(value, unit) { return scaled(value, ["", "k", "M", "G", "T", "P"].map(p => p + unit), 1000); }

function dateText(milliseconds) { return `${new Date(milliseconds).toISOString().replace("T", " ").slice(0, 19)} UTC`; }

function percentText(part) { return Number.isFinite(part) ? `${digits(100 * part)} %` : "–"; }

function sizeText(x, y, z) { return z > 1 ? `${x}×${y}×${z}` : y > 1 ? `${x}×${y}` : String(x); }

/* Returns an explanation of a class of numbers. */
const CLASSES = {
  "measured": ["measured", "by the clock or the counters of the hardware"],
  "host": ["host time", "the software GPU's kernels take host time: it tells nothing of a GPU"],
  "exact": ["exact", "follows from what was executed, the same on every host"],
  "cache-model": ["cache model", "from the software GPU's model of the caches, the same on every host"],
  "timing-model": ["timing model", "from the software GPU's model of its clocks, the same on every host"],
  "sheet": ["data sheet", "what the GPU could do at most, by its data sheet"],
  "unavailable": ["always 0", "the software GPU never counts this"],
};
