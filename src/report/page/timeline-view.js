/* timeline-view.js - the timeline's section: pointer, wheel, keys, search, selection. */

let timeline = null; /* the timeline that is shown */

function timelineSection() {
  const run = report.run;
  if (!run.held) return [element("h1", {}, "Timeline"), element("p.empty", {}, "No record has a time.")];
  const view = new TimelineView(run);
  timeline = view;
  return [element("h1", {}, "Timeline"), element("p.lead", {}, "Kernels and copies ", chip(run.time), run.time === "measured" ? "" : [", the host ", chip("measured")]), cautions(run), view.card, element("p.lead", {},
    "Drag to move, pinch or Ctrl with the wheel to zoom, Shift and drag to measure, click for more. Keys: w s a d, f, m, n, ?")];
}

class TimelineView {
  constructor(run) {
    this.run = run;
    this.painter = new TimelinePainter(run);
    this.ruler = element("canvas.ruler");
    this.sheet = element("canvas.sheet", { tabindex: 0, role: "img", "aria-label": "timeline; what is selected is described below" });
    this.room = element("div");
    this.box = element("div.view", {}, this.sheet, this.room);
    this.detail = element("div.detail", { "aria-live": "polite" }, "Nothing is selected.");
    this.search = element("input#search", { type: "search", placeholder: "Search kernels and calls ( / )", "aria-label": "search the timeline",
                                            input: () => this.find(), keydown: event => { if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1); } });
    this.found = element("span.lead", { style: { margin: 0 } });
    this.measuring = this.toggle("Measure", false, on => { this.sheet.classList.toggle("measuring", on); });
    const arrows = this.toggle("Launches", true, on => { this.painter.arrows = on; });
    const streams = this.toggle("By stream", false, on => { this.painter.byStream = on; this.painter.lay(); this.resize(); });
    this.card = element("div.card", {}, element("div.title", {}, this.search, button("‹", () => this.step(-1), { title: "one before (N)" }),
      button("›", () => this.step(1), { title: "next (n)" }), this.found, spacer(), button("−", () => this.zoom(1.6), { title: "zoom out (s)" }),
      button("+", () => this.zoom(1 / 1.6), { title: "zoom in (w)" }), button("All", () => this.show(0, run.span), { title: "the whole run (f)" }),
      this.measuring.node, arrows.node, streams.node, button("PNG", () => savePng("timeline.png", this.ruler, this.sheet))),
      element("div.timeline", {}, this.ruler, this.box), this.detail);
    this.pointers = new Map();
    this.listen();
    redraws.add(() => { if (this.sheet.isConnected) { this.painter.colours(); this.resize(); } });
  }

  toggle(text, on, change) {
    const node = button(text, () => set(node.getAttribute("aria-pressed") !== "true"), { "aria-pressed": String(on) });
    const set = value => { node.setAttribute("aria-pressed", String(value)); change(value); this.draw(); };
    return { node, set, get on() { return node.getAttribute("aria-pressed") === "true"; } };
  }

  resize() {
    if (!this.sheet.isConnected || !this.box.clientWidth) return;
    const p = this.painter, most = Math.min(innerHeight * 0.66, 900);
    if (!p.ink) p.colours();
    const high = Math.min(p.height, most);
    this.sheet.style.height = `${high}px`;
    this.room.style.height = `${Math.max(p.height - high, 0)}px`;
    p.width = this.sheet.clientWidth;
    this.draw();
  }

  draw() {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      if (!this.sheet.isConnected || !this.painter.width || !this.painter.ink) return;
      this.painter.sheet(this.sheet, this.box.scrollTop);
      this.painter.ruler(this.ruler);
      /* describes the canvas for screen readers */
      this.sheet.setAttribute("aria-description", `from ${this.painter.begin} to ${this.painter.end} ns`);
    });
  }

  show(begin, end) { this.painter.clamp(begin, end); this.draw(); }
  zoom(factor, x) { this.painter.zoom(factor, x); this.draw(); }

  listen() {
    const sheet = this.sheet;
    this.box.addEventListener("scroll", () => this.draw());
    for (const canvas of [sheet, this.ruler]) canvas.addEventListener("wheel", event => this.wheel(event), { passive: false });
    sheet.addEventListener("pointerdown", event => this.down(event));
    sheet.addEventListener("pointermove", event => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) sheet.addEventListener(end, event => this.up(event));
    sheet.addEventListener("pointerleave", event => showTip(event));
    sheet.addEventListener("dblclick", event => this.zoomTo(this.under(event)?.number));
    this.ruler.addEventListener("pointerdown", event => {
      this.ruler.setPointerCapture(event.pointerId);
      this.painter.measure = [this.painter.time(event.offsetX), this.painter.time(event.offsetX)];
    });
    this.ruler.addEventListener("pointermove", event => {
      if (!this.ruler.hasPointerCapture(event.pointerId) || !this.painter.measure) return;
      this.painter.measure[1] = this.painter.time(event.offsetX);
      this.draw();
    });
    this.ruler.addEventListener("pointerup", () => this.endMeasure());
  }

  under(event) { return this.painter.at(event.offsetX, event.offsetY, this.box.scrollTop); }

  wheel(event) {
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 160))), event.offsetX);
    else if (sideways) { this.painter.pan(sideways); this.draw(); }
    else return;
    event.preventDefault();
  }

  down(event) {
    this.pointers.set(event.pointerId, event);
    this.sheet.setPointerCapture(event.pointerId);
    this.moved = false;
    this.from = { x: event.offsetX, y: event.offsetY };
    if (event.shiftKey || this.measuring.on) {
      const at = this.painter.time(event.offsetX);
      this.painter.measure = [at, at];
      this.marking = true;
    }
    showTip();
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) { this.hover(event); return; }
    const [first, second] = [...this.pointers.values()];
    if (Math.hypot(event.offsetX - this.from.x, event.offsetY - this.from.y) > 4) this.moved = true;
    if (second) {
      const other = first.pointerId === event.pointerId ? second : first, middle = (event.offsetX + other.offsetX) / 2;
      const apart = Math.abs(event.offsetX - other.offsetX), was = Math.abs(before.offsetX - other.offsetX);
      if (apart > 4 && was > 4) this.painter.zoom(was / apart, middle);
    } else if (this.marking) {
      this.painter.measure[1] = this.painter.time(event.offsetX);
    } else if (this.moved) {
      this.sheet.classList.add("dragging");
      this.painter.pan(before.offsetX - event.offsetX);
      if (event.pointerType === "mouse") this.box.scrollTop -= event.clientY - before.clientY;
    }
    this.pointers.set(event.pointerId, event);
    this.draw();
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    this.sheet.classList.remove("dragging");
    if (this.marking) this.endMeasure();
    else if (!this.moved && event.type === "pointerup") this.click(event);
    this.marking = false;
  }

  /* A measured range without length is dropped. */
  endMeasure() {
    const [from, to] = this.painter.measure ?? [0, 0];
    if (Math.abs(to - from) < 2 * this.painter.perPixel) this.painter.measure = null;
    else this.tellMeasure(Math.min(from, to), Math.max(from, to));
    this.draw();
  }

  tellMeasure(from, to) {
    let kernels = 0;
    for (const lane of this.run.lanes) {
      if (lane.track.kind !== "queue") continue;
      const { start } = eventsOf(lane);
      kernels += firstAfter(start, to) - firstAfter(start, from);
    }
    this.detail.replaceChildren(element("b", {}, `${timeText(to - from)} measured`), ` from ${timeText(from)} to ${timeText(to)}; ${countText(kernels)} kernels begin in it. `,
      button("Zoom to it", () => this.show(from, to)), " ", button("Clear", () => { this.painter.measure = null; this.draw(); }));
  }

  click(event) {
    const found = this.under(event);
    if (found?.number !== undefined) this.select(found.number);
    else if (found?.row && !found.row.head && event.offsetX < this.painter.gutter) {
      found.row.folded = !found.row.folded;
      this.painter.place();
      this.resize();
    } else this.select(-1);
  }

  hover(event) {
    const found = this.under(event);
    if (event.pointerType !== "mouse" || found?.number === undefined) { showTip(); return; }
    const f = eventFacts(this.run, found.number);
    showTip(event, [nameOf(f.name), found.count > 1 ? `and ${countText(found.count - 1)} shorter beside it: zoom in` : timeText(f.length),
                    `at ${timeText(f.start)}`]);
  }

  select(number) {
    this.painter.selected = number;
    const f = number >= 0 ? eventFacts(this.run, number) : null;
    this.detail.replaceChildren(...(f ? this.describe(f) : ["Nothing is selected."]));
    this.draw();
  }

  describe(f) {
    const launched = launchedBy(this.run, f.number), rows = [["Starts", `${f.start.toLocaleString("en-US")} ns`], ["Takes", `${timeText(f.length)} (${f.length.toLocaleString("en-US")} ns)`]];
    if (f.track.kind === "queue") {
      const l = this.run.launches[f.extra];
      rows.push(["Grid", sizeText(l.gridX, l.gridY, l.gridZ)], ["Group", sizeText(l.groupX, l.groupY, l.groupZ)], ["Stream", nameOf(f.category)]);
      if (f.link >= 0) rows.push(["After its launch", timeText(f.start - eventFacts(this.run, f.link).start)]);
    } else if (f.track.kind === "copies") rows.push(["Bytes", bytesText(f.extra)], ["Rate", f.length ? `${digits(f.extra / f.length)} GB/s` : ""], ["Stream", nameOf(f.category)]);
    else if (f.track.kind === "memory") rows.push(["Bytes", bytesText(f.extra)]);
    else rows.push(["Kind", nameOf(f.category)]);
    rows.push(["On", trackTitle(this.run, f.track)]);
    const kernel = f.track.kind === "queue" ? this.run.byName.get(nameOf(f.name)) : null;
    return [element("div", {}, element("b", {}, nameOf(f.name)), " ", f.track.kind === "queue" ? chip(this.run.time) : chip("measured")),
      element("dl.facts", {}, rows.filter(r => r[1]).map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
      element("p", { style: { margin: "8px 0 0", display: "flex", gap: "8px", flexWrap: "wrap" } }, button("Zoom to it", () => this.zoomTo(f.number)),
        kernel ? element("a.button", { href: kernelHref(kernel) }, "Page of the kernel") : null,
        f.link >= 0 ? button("To its launch", () => this.goTo(f.link)) : null,
        launched.length ? button(`To what it launched${launched.length > 1 ? ` (${launched.length})` : ""}`, () => this.goTo(launched[0])) : null)];
  }

  zoomTo(number) {
    if (number === undefined || number < 0) return;
    const f = eventFacts(this.run, number), margin = Math.max(f.length * 0.6, 50);
    this.show(f.start - margin, f.start + f.length + margin);
    this.select(number);
    this.scrollTo(number);
  }

  /* Selects an event and scrolls to it; zooms only if it would not be visible at this zoom. */
  goTo(number) {
    const f = eventFacts(this.run, number), p = this.painter, length = p.end - p.begin;
    if (f.start < p.begin || f.start + f.length > p.end) {
      const shown = Math.max(f.length * 2, Math.min(length, this.run.span));
      p.clamp(f.start + f.length / 2 - shown / 2, f.start + f.length / 2 + shown / 2);
    }
    this.select(number);
    this.scrollTo(number);
  }

  scrollTo(number) {
    const point = this.painter.pointOf(number, 0), high = this.box.clientHeight;
    if (point && (point.y < this.box.scrollTop + LANE || point.y > this.box.scrollTop + high - LANE)) this.box.scrollTop = point.y - high / 2;
    this.draw();
  }

  find() {
    const word = this.search.value.trim().toLowerCase(), names = report.data.names;
    this.hits = null;
    this.painter.matches = word ? new Set(names.map((n, i) => n.toLowerCase().includes(word) ? i : -1).filter(i => i >= 0)) : null;
    if (word) {
      this.hits = [];
      for (const lane of this.run.lanes) {
        const { name, start } = eventsOf(lane);
        for (let i = 0; i < name.length; i++) if (this.painter.matches.has(name[i])) this.hits.push([start[i], lane.first + i]);
      }
      this.hits.sort((a, b) => a[0] - b[0]);
    }
    this.found.textContent = word ? `${countText(this.hits.length)} found` : "";
    this.hit = -1;
    this.draw();
  }

  /* Searches for the word, as if it had been typed. */
  look(word) {
    this.search.value = word;
    this.find();
    this.step(1);
  }

  step(by) {
    if (!this.hits?.length) return;
    if (this.hit < 0 && by > 0) this.hit = this.hits.findIndex(([start]) => start >= this.painter.begin) - 1;
    this.hit = (this.hit + by + this.hits.length) % this.hits.length;
    this.found.textContent = `${countText(this.hit + 1)} of ${countText(this.hits.length)}`;
    this.goTo(this.hits[this.hit][1]);
  }

  key(event) {
    const actions = {
      w: () => this.zoom(1 / 1.4), s: () => this.zoom(1.4), a: () => this.painter.pan(-120), d: () => this.painter.pan(120),
      ArrowLeft: () => this.painter.pan(-120), ArrowRight: () => this.painter.pan(120), "+": () => this.zoom(1 / 1.4), "-": () => this.zoom(1.4),
      f: () => this.show(0, this.run.span), n: () => this.step(1), N: () => this.step(-1), m: () => this.measuring.set(!this.measuring.on),
      Enter: () => this.zoomTo(this.painter.selected), Escape: () => { this.painter.measure = null; this.select(-1); },
    };
    const action = actions[event.key];
    if (!action) return false;
    action();
    this.draw();
    return true;
  }
}

function goToEvent(number) {
  location.hash = "#/timeline";
  setTimeout(() => timeline?.zoomTo(number), 50);
}
