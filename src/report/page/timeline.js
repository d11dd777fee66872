/* timeline.js - the timeline's rows and how they are drawn.
 *
 * Of each lane, the level whose bins are a pixel or less is drawn, with at most one rectangle for each
 * pixel, so that the work of a frame depends on the width of the screen and not on the run. */

const LANE = 18, GAP = 6, HEAD = 24, THIN = 5;
const HUES = ["#3d7fd9", "#d9673d", "#3aa676", "#b0569f", "#c79a1e", "#5b6fd0", "#cf4d5f", "#3d9fae", "#8a8f3a", "#8d63c4", "#b3743a", "#4d8f4d"];
const CALL_HUES = [[/HIP_RUNTIME/, "#5b8fb8"], [/HIP_COMPILER/, "#88a9c2"], [/HSA/, "#9fb0bd"], [/MARKER|ROCTX/i, "#9a6fb5"],
                   [/RCCL/, "#b88a5b"], [/OMPT/, "#7fa37a"]];

/* Rows from top to bottom: for each process its queues, copies, memory and threads. */
function timelineRows(run, byStream) {
  const order = { queue: 0, stream: 0, copies: 1, memory: 2, host: 3 }, rows = [];
  run.processes.forEach((p, process) => {
    if (p.pass) return;
    let tracks = run.tracks.filter(t => t.process === process && t.lanes.length);
    if (byStream) tracks = [...streamTracks(run, tracks), ...tracks.filter(t => t.kind === "memory" || t.kind === "host")];
    if (!tracks.length) return;
    rows.push({ head: true, title: `${rankText(p)}${shellName(nameOf(p.command))} · process ${p.pid}` });
    tracks.sort((a, b) => order[a.kind] - order[b.kind] || a.id - b.id)
      .forEach(track => rows.push({ track, title: trackTitle(run, track), lanes: track.lanes, folded: false }));
  });
  return rows;
}

const rankText = p => p.settings.mpi_size > 1 ? `rank ${p.settings.mpi_rank} · ` : "";

function shellName(command) { return command.split(" ")[0].split("/").pop() || command; }

function trackTitle(run, track) {
  const agent = run.agents[track.agent], gpus = run.agents.filter(a => a.gpu && a.process === track.process);
  const of = gpus.length > 1 && agent ? ` · GPU ${gpus.indexOf(agent)}` : "";
  if (track.kind === "queue") return `${nameOf(track.name) || `Queue ${track.id}`}${of}`;
  if (track.kind === "stream") return nameOf(track.name) || "no stream";
  if (track.kind === "copies") return `Copy ${copyText(nameOf(track.name))}${of}`;
  if (track.kind === "memory") return `${nameOf(track.name) === "ALLOC" ? "Allocations" : nameOf(track.name) === "FREE" ? "Frees" : nameOf(track.name).toLowerCase()}${agent ? ` · ${agent.gpu ? "GPU" : "CPU"}` : ""}`;
  return `Thread ${track.id} ${nameOf(track.name)}`;
}

/* Rows of streams, made from the kernels and copies of queues when they are first shown. */
function streamTracks(run, tracks) {
  const streams = new Map();
  for (const track of tracks.filter(t => t.kind === "queue" || t.kind === "copies"))
    for (const lane of track.lanes) {
      const e = eventsOf(lane);
      for (let i = 0; i < lane.count; i++) {
        if (!streams.has(e.category[i])) streams.set(e.category[i], []);
        streams.get(e.category[i]).push({ start: e.start[i], length: e.length[i], number: lane.first + i });
      }
    }
  return [...streams].map(([name, events], id) => {
    const track = { kind: "stream", process: tracks[0].process, name, id, agent: -1 };
    track.lanes = lanesOf(events.sort((a, b) => a.start - b.start || b.length - a.length), track);
    return track;
  });
}

function lanesOf(events, track) {
  const lanes = [];
  for (const e of events) {
    const free = lanes.find(l => l.until <= e.start) ?? (lanes.push({ list: [], until: 0 }), lanes[lanes.length - 1]);
    free.list.push(e);
    free.until = e.start + e.length;
  }
  return lanes.map(({ list }, lane) => ({ track, lane, count: list.length, levels: [], borrowed: list.map(e => e.number),
    rects: { start: Float64Array.from(list, e => e.start), length: Float64Array.from(list, e => e.length) } }));
}

/* Returns an event's number in the run, by its index in a lane. */
const numberAt = (lane, at) => lane.borrowed ? lane.borrowed[at] : lane.first + at;

/* Returns the rectangles to draw, for a number of nanoseconds per pixel: {start, length, event?, count?}. */
function rectsFor(lane, perPixel) {
  if (lane.borrowed) return lane.rects;
  let best = null;
  for (const level of lane.levels) if (2 ** level.shift <= perPixel) best = level;
  return best ? rectsOf(best) : eventsOf(lane);
}

function firstAfter(values, value) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

/* Returns name and kind of the event that a rectangle represents. */
function eventFacts(run, number) {
  const found = findEvent(run, number);
  if (!found) return null;
  const { lane, at } = found, e = eventsOf(lane);
  return { number, lane, track: lane.track, start: e.start[at], length: e.length[at], name: e.name[at], extra: e.extra[at],
           category: e.category[at], link: e.link[at] - 1 };
}

const hueCache = new Map();
function hueOf(kind, name, category) {
  const key = kind === "host" ? category + 0.5 : name;
  let hue = hueCache.get(key);
  if (hue) return hue;
  if (kind === "host") hue = CALL_HUES.find(([pattern]) => pattern.test(nameOf(category)))?.[1] ?? "#8b98a5";
  else if (kind === "memory") hue = "#8f8a6a";
  else {
    let hash = 7;
    for (const letter of nameOf(name)) hash = (hash * 31 + letter.codePointAt(0)) >>> 0;
    hue = kind === "copies" ? ["#d08a2e", "#2e9fd0", "#8f9f2e"][hash % 3] : HUES[hash % HUES.length];
  }
  hueCache.set(key, hue);
  return hue;
}

/* Returns the step (1, 2 or 5 times a power of 10) between marks, given their approximate distance in pixels. */
function tickStep(perPixel, pixels) {
  const raw = perPixel * pixels, power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map(f => f * power).find(s => s >= raw);
}

class TimelinePainter {
  constructor(run) {
    this.run = run;
    this.begin = 0;
    this.end = run.span;
    this.matches = null; /* names that a search has found */
    this.selected = -1;
    this.measure = null; /* [from, to] */
    this.arrows = true;
    this.byStream = false;
    this.lay();
  }

  lay() {
    this.rows = timelineRows(this.run, this.byStream);
    this.place();
  }

  /* Computes the position of each row. */
  place() {
    let y = 0;
    for (const row of this.rows) {
      row.y = y;
      row.lane = row.folded ? THIN : LANE;
      row.height = row.head ? HEAD : Math.max(row.lanes.length * row.lane, row.folded ? 14 : 0) + GAP;
      y += row.height;
    }
    this.height = y + 8;
  }

  get gutter() { return this.width < 600 ? 96 : 200; }
  get perPixel() { return (this.end - this.begin) / Math.max(this.width - this.gutter, 1); }
  x(time) { return this.gutter + (time - this.begin) / this.perPixel; }
  time(x) { return this.begin + (x - this.gutter) * this.perPixel; }

  clamp(begin, end) {
    const span = this.run.span, margin = span * 0.02, least = 20;
    let length = Math.min(Math.max(end - begin, least), span + 2 * margin);
    begin = Math.min(Math.max(begin, -margin), span + margin - length);
    this.begin = begin;
    this.end = begin + length;
  }

  zoom(factor, x) {
    const at = this.time(x ?? (this.width + this.gutter) / 2), length = (this.end - this.begin) * factor;
    if (length < 20 && factor < 1) return;
    this.clamp(at - (at - this.begin) * factor, at - (at - this.begin) * factor + length);
  }

  pan(pixels) { this.clamp(this.begin + pixels * this.perPixel, this.end + pixels * this.perPixel); }

  /* Returns the row, lane and event at a point of the sheet; null if there is none. */
  at(x, y, scroll) {
    const row = this.rows.find(r => y + scroll >= r.y && y + scroll < r.y + r.height);
    if (!row || row.head) return row ? { row } : null;
    const lane = row.lanes[Math.floor((y + scroll - row.y) / row.lane)];
    if (!lane || x < this.gutter) return { row };
    const rects = rectsFor(lane, this.perPixel), time = this.time(x), slack = 1.5 * this.perPixel;
    const i = firstAfter(rects.start, time + slack) - 1;
    if (i < 0 || rects.start[i] + rects.length[i] < time - slack) return { row };
    return { row, lane, number: numberAt(lane, rects.event ? rects.event[i] : i), count: rects.count?.[i] ?? 1 };
  }

  ruler(canvas) {
    const draw = this.prepare(canvas), { width, height } = this.size(canvas);
    draw.font = "11px system-ui, sans-serif";
    draw.textBaseline = "middle";
    const step = tickStep(this.perPixel, 110);
    for (let t = Math.ceil(this.begin / step) * step; t <= this.end; t += step) {
      const x = Math.round(this.x(t)) + 0.5;
      if (x < this.gutter) continue;
      draw.fillStyle = this.ink.line;
      draw.fillRect(x, height - 8, 1, 8);
      draw.fillStyle = this.ink.soft;
      draw.fillText(this.tickText(t, step), x + 4, height / 2);
    }
    draw.fillStyle = this.ink.panel;
    draw.fillRect(0, 0, this.gutter, height);
    draw.fillStyle = this.ink.soft;
    draw.fillText(`${timeText(this.end - this.begin)} shown`, 10, height / 2);
    this.drawMeasure(draw, height, true);
  }

  /* Returns a time as text, with as many digits as the step needs. */
  tickText(time, step) {
    const [scale, unit] = Math.abs(this.end) >= 1e9 && step >= 1e6 ? [1e9, "s"] : step >= 1e4 ? [1e6, "ms"] : step >= 10 ? [1e3, "µs"] : [1, "ns"];
    return `${(time / scale).toLocaleString("en-US", { maximumFractionDigits: Math.max(0, Math.ceil(-Math.log10(step / scale))) })} ${unit}`;
  }

  size(canvas) { return { width: canvas.clientWidth, height: canvas.clientHeight }; }

  prepare(canvas) {
    const ratio = window.devicePixelRatio || 1, { width, height } = this.size(canvas);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const draw = canvas.getContext("2d", { alpha: false });
    draw.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw.fillStyle = this.ink.lane;
    draw.fillRect(0, 0, width, height);
    return draw;
  }

  colours() {
    this.ink = Object.fromEntries(["ink", "soft", "line", "panel", "mark", "lane", "accent", "bad"].map(n => [n, colour(`--${n}`)]));
    hueCache.clear();
  }

  sheet(canvas, scroll) {
    const draw = this.prepare(canvas), { width, height } = this.size(canvas);
    draw.font = "11px system-ui, sans-serif";
    draw.textBaseline = "middle";
    this.visible = [];
    this.grid(draw, height);
    for (const row of this.rows) {
      const y = row.y - scroll;
      if (y + row.height < 0 || y > height) continue;
      if (!row.head) row.lanes.forEach((lane, i) => this.lane(draw, lane, y + i * row.lane, row.lane, width));
    }
    if (this.arrows) this.drawArrows(draw, scroll);
    this.drawMeasure(draw, height);
    draw.fillStyle = this.ink.panel;
    draw.fillRect(0, 0, this.gutter, height);
    for (const row of this.rows) if (row.y - scroll + row.height > 0 && row.y - scroll < height) this.label(draw, row, row.y - scroll, width);
    draw.fillStyle = this.ink.line;
    draw.fillRect(this.gutter - 1, 0, 1, height);
  }

  grid(draw, height) {
    const step = tickStep(this.perPixel, 110);
    draw.fillStyle = this.ink.mark;
    for (let t = Math.ceil(this.begin / step) * step; t <= this.end; t += step) draw.fillRect(Math.round(this.x(t)), 0, 1, height);
  }

  label(draw, row, y, width) {
    if (row.head) {
      draw.fillStyle = this.ink.mark;
      draw.fillRect(0, y, width, row.height - 4);
      draw.fillStyle = this.ink.ink;
      draw.font = "600 12px system-ui, sans-serif";
      draw.fillText(row.title, 10, y + (row.height - 4) / 2, width - 20);
      draw.font = "11px system-ui, sans-serif";
      return;
    }
    draw.fillStyle = this.ink.line;
    draw.fillRect(0, y + row.height - GAP / 2, width, 1);
    draw.fillStyle = this.ink.soft;
    draw.fillText(row.folded ? "▸" : "▾", 8, y + Math.min(row.height - GAP, LANE) / 2);
    draw.fillStyle = this.ink.ink;
    draw.fillText(fit(row.title, this.gutter - 30), 20, y + Math.min(row.height - GAP, LANE) / 2);
  }

  lane(draw, lane, y, height, width) {
    const rects = rectsFor(lane, this.perPixel), { start, length } = rects, events = lane.borrowed ? null : eventsOf(lane);
    const high = height > THIN ? height - 2 : height - 1, perPixel = this.perPixel, begin = this.begin, gutter = this.gutter;
    let i = Math.max(firstAfter(start, begin) - 1, 0), until = -Infinity, last = "";
    for (; i < start.length; i++) {
      let x = gutter + (start[i] - begin) / perPixel;
      if (x > width) break;
      let end = x + length[i] / perPixel;
      if (end < until + 0.5 || end < gutter) continue; /* hidden by a pixel that is drawn already */
      if (end - x < 1) end = x + 1;
      const at = rects.event ? rects.event[i] : i, facts = events ? null : eventFacts(this.run, numberAt(lane, at));
      const name = events ? events.name[at] : facts.name, category = events ? events.category[at] : facts.category;
      const found = !this.matches || this.matches.has(name);
      const hue = found ? hueOf(events ? lane.track.kind : facts.track.kind, name, category) : this.ink.line;
      if (x < gutter) x = gutter;
      if (x < until) x = until;
      if (hue !== last) draw.fillStyle = last = hue;
      draw.fillRect(x, y, Math.max(end - x, 0.5), high);
      until = end;
      if (this.visible.length < 400 && !rects.event) this.visible.push(numberAt(lane, at));
      if (end - x > 26 && height > THIN) {
        draw.fillStyle = found ? "#fff" : this.ink.soft;
        const room = Math.min(end, width) - x - 6;
        draw.fillText(fit(label(nameOf(name)), room), x + 4, y + high / 2 + 0.5, room);
        last = "";
      }
    }
    const chosen = this.selected >= 0 ? this.placeOf(lane) : -1;
    if (chosen >= 0) this.frame(draw, lane, chosen, y, high);
  }

  /* Returns the index in the lane of the selected event, or -1. */
  placeOf(lane) {
    if (lane.borrowed) return lane.borrowed.indexOf(this.selected);
    const at = this.selected - lane.first;
    return at >= 0 && at < lane.count ? at : -1;
  }

  frame(draw, lane, at, y, high) {
    const e = lane.borrowed ? lane.rects : eventsOf(lane), x = this.x(e.start[at]), width = Math.max(e.length[at] / this.perPixel, 3);
    draw.strokeStyle = this.ink.ink;
    draw.lineWidth = 2;
    draw.strokeRect(x - 1, y - 1, width + 2, high + 2);
  }

  /* Returns the middle of the left edge of an event, in the sheet. */
  pointOf(number, scroll) {
    const f = eventFacts(this.run, number);
    for (const row of f ? this.rows : [])
      for (let i = 0; !row.head && i < row.lanes.length; i++) {
        const lane = row.lanes[i], at = lane.borrowed ? lane.borrowed.indexOf(number) : lane === f.lane ? 0 : -1;
        if (at >= 0) return { x: this.x(f.start), end: this.x(f.start + f.length), y: row.y + i * row.lane + row.lane / 2 - scroll };
      }
    return null;
  }

  /* Draws lines from calls to what they launched: for the selected event, and for all if few are
   * visible. */
  drawArrows(draw, scroll) {
    const pairs = new Map(), add = (to, from) => { if (from >= 0) pairs.set(to, from); };
    if (this.selected >= 0) {
      add(this.selected, eventFacts(this.run, this.selected)?.link ?? -1);
      launchedBy(this.run, this.selected).forEach(n => add(n, this.selected));
    }
    const some = new Set(pairs.keys());
    if (this.visible.length < 60) this.visible.forEach(n => add(n, eventFacts(this.run, n).link));
    for (const [to, from] of pairs) {
      const a = this.pointOf(from, scroll), b = this.pointOf(to, scroll);
      if (!a || !b) continue;
      draw.strokeStyle = some.has(to) ? this.ink.accent : this.ink.soft;
      draw.lineWidth = some.has(to) ? 2 : 1;
      draw.globalAlpha = some.has(to) ? 1 : 0.45;
      const bend = Math.max(Math.abs(b.x - a.x) / 2, 12);
      draw.beginPath();
      draw.moveTo(a.x, a.y);
      draw.bezierCurveTo(a.x + bend, a.y, b.x - bend, b.y, b.x, b.y);
      draw.stroke();
      draw.beginPath();
      draw.fillStyle = draw.strokeStyle;
      draw.moveTo(b.x, b.y);
      draw.lineTo(b.x - 6, b.y - 4);
      draw.lineTo(b.x - 6, b.y + 4);
      draw.fill();
      draw.globalAlpha = 1;
    }
  }

  drawMeasure(draw, height, words = false) {
    if (!this.measure) return;
    const [from, to] = [...this.measure].sort((a, b) => a - b), x = Math.max(this.x(from), this.gutter), end = this.x(to);
    draw.globalAlpha = 0.18;
    draw.fillStyle = this.ink.accent;
    draw.fillRect(x, 0, end - x, height);
    draw.globalAlpha = 1;
    draw.fillRect(x, 0, 1, height);
    draw.fillRect(end, 0, 1, height);
    if (!words) return;
    const text = timeText(to - from), wide = draw.measureText(text).width + 12, at = Math.max(Math.min((x + end) / 2 - wide / 2, this.width - wide), this.gutter);
    draw.fillRect(at, 4, wide, height - 12);
    draw.fillStyle = this.ink.panel;
    draw.fillText(text, at + 6, height / 2 - 2);
  }
}

/* "MEMORY_COPY_HOST_TO_DEVICE" as an arrow; other names as they are. */
function copyText(name) {
  const [, from, to] = /^MEMORY_COPY_(\w+)_TO_(\w+)$/.exec(name) ?? [];
  return from ? `${from.toLowerCase()} → ${to.toLowerCase()}` : name;
}

/* Returns the text inside an event's rectangle. */
const labels = new Map();
function label(name) {
  let short = labels.get(name);
  if (short === undefined) labels.set(name, short = copyText(shortName(name)));
  return short;
}

/* Returns the part of a text that fits, at about 6.3 pixels a letter. */
function fit(text, width) {
  const letters = Math.floor(width / 6.3);
  return text.length <= letters ? text : letters < 2 ? "" : text.slice(0, letters - 1) + "…";
}

/* Returns the events that a call launched. */
function launchedBy(run, number) {
  if (!run.launched) {
    run.launched = new Map();
    for (const lane of run.lanes) {
      if (lane.track.kind !== "queue" && lane.track.kind !== "copies") continue;
      const { link } = eventsOf(lane);
      for (let i = 0; i < lane.count; i++) {
        if (!link[i]) continue;
        if (!run.launched.has(link[i] - 1)) run.launched.set(link[i] - 1, []);
        run.launched.get(link[i] - 1).push(lane.first + i);
      }
    }
  }
  return run.launched.get(number) ?? [];
}
