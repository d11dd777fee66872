"""What a frame of the timeline costs, by the browser's own trace: zooming in and out, moving there and back.

Processor time of the page's main thread (script, style, layout, painting, handing over), from one frame to the next: it
does not depend on what else runs here. Rasterizing and showing, which a GPU does elsewhere, are threads of their own.
"""
import statistics

FRAMES = 120
GOAL_MS = 1000 / 60
SCRIPT = """new Promise(done => {
    const sheet = document.querySelector('canvas.sheet'), box = sheet.getBoundingClientRect(), times = [];
    (function step() {
      const begin = performance.now(), n = times.length, half = n % 60 < 30 ? 1 : -1;
      const how = n < 60 ? {deltaY: -40 * half, ctrlKey: true} : {deltaX: 80 * half};
      sheet.dispatchEvent(new WheelEvent('wheel', {...how, clientX: box.x + 600, clientY: box.y + 60, cancelable: true}));
      requestAnimationFrame(() => { times.push(performance.now() - begin); if (times.length < FRAMES) step(); else done(times); });
    })(); })""".replace("FRAMES", str(FRAMES))


def thread_ms(events):
    """Of each frame, the processor time of the main thread in ms."""
    begins = [e for e in events if e["name"] == "ProxyMain::BeginMainFrame"]
    main = {(e["pid"], e["tid"]) for e in begins}
    if len(main) != 1:
        raise RuntimeError(f"frames of {len(main)} threads")
    starts = sorted(e["ts"] for e in begins)
    sums = [0.0] * (len(starts) - 1)
    for e in events:
        if e["name"] != "ThreadControllerImpl::RunTask" or (e["pid"], e["tid"]) not in main or "tdur" not in e:
            continue
        frame = sum(s <= e["ts"] for s in starts) - 1
        # the task that begins the frame begins before its event does
        if e["ts"] + e["dur"] > starts[min(frame + 1, len(starts) - 1)]:
            frame += 1
        if 0 <= frame < len(sums):
            sums[frame] += e["tdur"] / 1000
    return sums


def measure(b):
    """Frames of the timeline that the browser shows: processor times of the main thread, and times from an event to its
    frame, both in ms."""
    walls, events = b.trace(["toplevel", "cc", "benchmark"], SCRIPT)
    return thread_ms(events), walls


def told(cpu, walls):
    return {"frames": len(cpu), "frame_cpu_median_ms": statistics.median(cpu), "frame_cpu_slowest_ms": max(cpu),
            "frame_wall_median_ms": statistics.median(walls), "frame_wall_slowest_ms": max(walls)}
