#!/usr/bin/env python3
"""rocprofv3 report in a browser: report.py BUILD CASE[,CASE...]

Cases that are run together have pages of their own in one browser, whose start takes longer than most cases do.
Databases are made by fixture.py, so that every figure and every picture is known. pictures/*.txt are what the
sections looked like when a person looked at them: mean brightness of 32 by 20 parts.
  report.py BUILD pictures --keep   takes them anew
"""
import csv
import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "results")]
import amd  # pylint: disable=wrong-import-position
import browser  # pylint: disable=wrong-import-position
import fixture  # pylint: disable=wrong-import-position
import frames  # pylint: disable=wrong-import-position
from page import (CELLS, DETAIL, HEADS, PROGRAM, SEEN, SHEET, TEXT, TRIES, check, clean, equal, report,  # pylint: disable=wrong-import-position
                  run)

CONTROL, SHIFT = 2, 8
TEMPLATE_MOST, OPENING_MOST = 250 * 1024, 3000
SECONDS_OF_100000 = 1


# ---- what is in the page ----

def case_page(directory):
    path, _ = report(directory, fixture.demo(f"{directory}/a.db", counted=True, lost=7))
    with open(path, encoding="utf-8") as f:
        text = f.read()
    data = re.search('id="data">([A-Za-z0-9+/=]*)<', text).group(1)
    check(len(text) - len(data) <= TEMPLATE_MOST, "the page without data has", len(text) - len(data), "bytes")
    check("caught" not in text and "matmul" not in text, "a name stands in the page's own text")
    check("default-src 'none'" in text and "http" not in re.sub(r"http-equiv|http://www\.w3\.org/\S+|https://github\.com/leeoniya/uPlot", "", text),
          "the page knows an address")


# ---- sections ----

def case_sections(directory):
    path, _ = report(directory, fixture.demo(f"{directory}/a.db", counted=True, modelled=True, lost=7))
    with browser.Browser() as b:
        b.open(path)
        text = b.run(TEXT)
        for words in ("demo --size 128", "testhost", "2026-01-02 03:04:05 UTC", "libamdhip64.so.6.4", "AMD Instinct MI210", "7 records were lost", "timing model", "hipLaunchKernel",
                      "one step:", "host → device", "1 MiB"):
            check(words in text, "no", words, "in", text)
        found = b.run("[...document.querySelectorAll('.finding h3')].map(h => h.innerText)")
        check(found[0].startswith("Records are missing"), found)
        check(any("matmul_tiled" in f and "VGPRs" not in f for f in found) or len(found) > 1, found)
        equal(b.run("getComputedStyle(document.querySelector('.note.bad')).color"), "rgb(192, 37, 45)")
        equal(b.run("[...document.querySelectorAll('.tile')].filter(t => !t.querySelector('.chip')).length"), 0)
        b.go("#/kernels")
        rows = b.run(CELLS)[0]
        equal([r[1] for r in rows], ["10"] * 4)
        kernel = [r for r in rows if r[0] == "matmul_tiled"][0]
        # 1500 ns times 1, 1.8, 1.6, 1.4, 1.2, and that again
        equal(kernel[2:9], ["21 µs", kernel[3], "2.10 µs", "2.10 µs", "2.70 µs", "1.50 µs", "2.70 µs"])
        equal(kernel[9:14], ["4096", "256", "128", "16", "2 KiB"])
        equal(kernel[15:17], ["4 of 8", "VGPRs"])
        for section in ("#/timeline", "#/roofline", "#/kernel/0", "#/kernel/3"):
            b.go(section)
            check(len(b.run(TEXT)) > 100, "nothing in", section)
        # 64 (1000 + 500 + 2 20000) operations in 2.1 µs; bytes of HBM 64 4000 + 32 96 + 64 2000 + 32 48
        b.go("#/roofline")
        row = [r for r in b.run(CELLS)[0] if r[0] == "matmul_tiled"][0]
        equal((row[1], row[2], row[4]), (f"{round(64 * 41500 / 2100):,}", "FP32", f"{64 * 41500 / (64 * 6000 + 32 * 144):.2f}"))
        check("peaks by data sheet" in b.run(TEXT).replace("\n", " "), b.run(TEXT))
        b.go("#/kernel/0")
        chart = b.run("document.querySelector('svg.memory').textContent")
        for words in ("read 253 KiB", "write 127 KiB", "63.0 % hit", "7.69 % conflicts", "90.0 % hit", "97.8 % hit"):
            check(words in chart, "no", words, "in", chart)
        check("exact" in b.run(TEXT) and "cache model" in b.run(TEXT), "the page of a kernel names no classes")
        clean(b, path)


def case_findings(directory):
    """Each finding has a way to what it rests on, and a click goes there: to the kernel's page, to its calls or copies found in
    the timeline, to the caution that it repeats."""
    d = fixture.Database(f"{directory}/a.db")
    d.kernel(1, fixture.KERNELS[0], vgprs=128)
    for i in range(60):
        d.call("hipMemcpy", i * 10_000, i * 10_000 + 3000)
        d.copy(i * 10_000 + 500, i * 10_000 + 2500, 4096)
        d.dispatch(1, i * 10_000 + 4000, i * 10_000 + 5000, d.call("hipLaunchKernel", i * 10_000 + 3000, i * 10_000 + 3900), lds=16384)
    d.call("hipModuleLoadData", 600_000, 700_000)
    d.lost(3)
    path, _ = report(directory, d.done())
    titles = "[...document.querySelectorAll('.finding h3')].map(h => h.innerText.split(' (')[0])"
    seen = set()
    with browser.Browser(height=500) as b:
        b.open(path)
        b.run("document.querySelector('button.more')?.click()")
        for n in range(len(b.run(titles))):
            b.go("#/overview")
            title, link = b.run(f"(f => [f.querySelector('h3').innerText, f.querySelector('a').innerText])(document.querySelectorAll('.finding')[{n}])")
            b.run(f"document.querySelectorAll('.finding')[{n}].querySelector('a').id = 'way{n}'")
            b.click(f"#way{n}")
            b.settle()
            where, shown = b.run("location.hash"), b.run(TEXT)
            seen.add(link)
            if link == "the kernel":
                equal((where, b.run("document.querySelector('section:not([hidden]) h1').innerText")), ("#/kernel/0", fixture.KERNELS[0]))
            elif link == "in the timeline":
                subject = b.run("document.querySelector('#search').value")
                check(where == "#/timeline" and subject in title, where, subject, title)
                b.wait("/1 of 60/.test(document.querySelector('section:not([hidden])').innerText)")
                check(b.run(DETAIL).startswith(subject), b.run(DETAIL))
            elif link == "above":
                note = "p.losses" if "missing" in title else "p.times"
                box = b.run(f"(r => [r.top, r.bottom])(document.querySelector('section:not([hidden]) {note}').getBoundingClientRect())")
                check(where == "#/overview" and 0 <= box[0] < box[1] <= 500, title, box)
            else:
                equal((link, where), ("the timeline", "#/timeline"))
                check("Search" in b.run("document.querySelector('#search').placeholder"), shown)
        equal(seen, {"the kernel", "in the timeline", "above", "the timeline"})
        clean(b, path)


def case_roofs(directory):
    """Of the host's times of kernels the roofline has no points; counters have columns in the table of kernels."""
    path, _ = report(directory, fixture.demo(f"{directory}/a.db", counted=True))
    with browser.Browser() as b:
        b.open(path)
        b.go("#/roofline")
        equal(b.run(CELLS), [])
        check("SOFTGPU_TIME=model" in b.run(TEXT), b.run(TEXT))
        b.go("#/kernels")
        b.run("[...document.querySelectorAll('section:not([hidden]) details input')].filter(i => !i.checked).forEach(i => i.click())")
        heads = b.run(HEADS)
        check(set(fixture.PER_KERNEL) <= set(heads), heads)
        # of two instances, a half each
        row = [r for r in b.run(CELLS)[0] if r[0] == "matmul_tiled"][0]
        equal(row[heads.index("TCC_HIT")], "7,000")
        clean(b, path)


def case_gpus(directory):
    """A store of each GPU: its own waves and peaks; of one that nobody knows, none."""
    # units, MHz, lanes of a wave, memory's bits and MHz, its name; GFLOP/s of f32, GB/s: by hand, of the data sheets
    gpus = {"gfx900": (64, 1500, 64, 2048, 945, "HBM", 12288, 483.84), "gfx906": (60, 1725, 64, 4096, 1000, "HBM", 13248, 1024),
            "gfx908": (120, 1502, 64, 4096, 1200, "HBM", 23070.72, 1228.8), "gfx90a": (104, 1700, 64, 4096, 1600, "HBM", 22630.4, 1638.4),
            "gfx942": (304, 2100, 64, 8192, 1300, "HBM", 163430.4, 5324.8), "gfx950": (256, 2400, 64, 8192, 1900, "HBM", 157286.4, 7782.4),
            "gfx1030": (80, 2250, 32, 256, 1000, "GDDR6", 23040, 512), "gfx1100": (96, 2500, 32, 384, 1249, "GDDR6", 61440, 959.232),
            "gfx1201": (64, 2970, 32, 256, 1258, "GDDR6", 48660.48, 644.096), "gfx9999": (64, 2000, 32, 256, 1000, "", None, None)}
    # what the matrix unit is counted by, its roof and GFLOP/s of it, by hand: units * clock * rate
    matrices = {"gfx90a": ("I8", "MFMA INT8", 181043.2), "gfx942": ("F8", "MFMA FP8", 2614886.4), "gfx950": ("F6F4", "MFMA FP4", 10066329.6)}
    work = ["SQ_INSTS_VALU_ADD_F32", "SQ_INSTS_VALU_MUL_F32", "SQ_INSTS_VALU_TRANS_F32", "SQ_INSTS_VALU_FMA_F32"]
    reads = ["TCC_EA_RDREQ", "TCC_EA_RDREQ_32B", "TCC_EA_WRREQ", "TCC_EA_WRREQ_64B"]
    with browser.Browser() as b:
        for gpu, (units, clock, lanes, width, memory, name, f32, bandwidth) in gpus.items():
            facts = {"cu_count": units, "max_engine_clk_fcompute": clock, "num_xcc": 1, "wave_front_size": lanes,
                     "mem_banks": [{"width": width, "mem_clk_max": memory}]}
            d = fixture.Database(f"{directory}/{gpu}.db", soft=False, gpu=gpu, facts=facts)
            for i, counter in enumerate(work + reads):
                d.counter(i + 1, counter)
            # each takes 1 us: one does 20,000 fused operations of a wave, another 100 of them, and reads 64,000 bytes; the last has
            # 300,000 times 512 operations of the matrix unit
            kernels = [("works", (0, 0, 0, 20000)), ("reads", (0, 0, 0, 100, 1000, 0, 0, 0))]
            if gpu == "gfx1100":  # one that was compiled for waves of 64, on a pair of units
                kernels.append(("broad", (0, 0, 0, 20000)))
            if gpu in matrices:
                d.counter(9, f"SQ_INSTS_VALU_MFMA_MOPS_{matrices[gpu][0]}")
                kernels.append(("multiplies", (0,) * 8 + (300000,)))
            for kernel, (called, values) in enumerate(kernels, 1):
                d.kernel(kernel, called, facts={"wave_size": 64, "wgp_mode": 1} if called == "broad" else None)
                event = d.dispatch(kernel, 2000 * kernel, 2000 * kernel + 1000, d.call("hipLaunchKernel", 2000 * kernel - 100, 2000 * kernel - 50))
                for i, value in enumerate(values):
                    d.value(event, i + 1, value)
            path, _ = report(directory, d.done())
            b.open(path)
            b.go("#/roofline")
            rows = {r[0]: (r[-2], float(r[-1].split()[0]) if f32 else r[-1]) for r in b.run(CELLS)[0]}
            if f32:
                expected = {"works": ("FP32", 100 * lanes * 40 / f32), "reads": (name, 100 * 64 / bandwidth)}
                if gpu in matrices:
                    expected["multiplies"] = (matrices[gpu][1], 100 * 153600 / matrices[gpu][2])
                if gpu == "gfx1100":
                    expected["broad"] = ("FP32", 2 * expected["works"][1])
                for kernel, (roof, share) in expected.items():
                    check(rows[kernel][0] == roof and abs(rows[kernel][1] / share - 1) < 0.01, gpu, kernel, rows, expected)
            else:
                equal(rows, {"works": ("", "–"), "reads": ("", "–")})
            b.go("#/kernel/0")
            check(f"{256 // lanes} waves each" in b.run(TEXT), gpu, b.run(TEXT))
            check(("8 of 8 waves of a SIMD" if gpu in ("gfx90a", "gfx942", "gfx950") else "8 of 10 waves of a SIMD" if lanes == 64 and f32 else
                   "not known: the database lacks the size of the kernel's waves" if f32 else f"not known for {gpu}") in b.run(TEXT), gpu, b.run(TEXT))
            if gpu == "gfx1100":
                b.go("#/kernel/2")
                check("4 waves each" in b.run(TEXT) and "of 16 waves of a SIMD" in b.run(TEXT), gpu, b.run(TEXT))
            clean(b, path)


def case_kernels(directory):
    """Sort, filter, columns, CSV, the hostile name."""
    path, _ = report(directory, fixture.demo(f"{directory}/a.db"))
    names = "[...document.querySelectorAll('section:not([hidden]) td.name')].map(c => c.innerText)"
    with browser.Browser() as b:
        b.open(path)
        b.key("2")
        equal(b.run(HEADS), ["Kernel", "Calls", "Total", "Share", "Mean", "p50", "p95", "Min", "Max", "Grid", "Group", "VGPRs", "SGPRs", "LDS", "Scratch",
                             "Occupancy", "Limited by"])
        before = b.run(names)
        equal(len(before), 4)
        equal(before[0], "transpose")
        b.click("section:not([hidden]) th:nth-child(3) button")
        equal(b.run(names), before[::-1])
        b.click("section:not([hidden]) th:nth-child(1) button")
        equal(b.run("document.querySelector('section:not([hidden]) th[aria-sort]').innerText"), "Kernel")
        b.key("/")
        b.type("REDUCE")
        equal(b.run(names), ["reduce_sum"])
        b.run("document.querySelector('#filter').value = 'onerror'")
        b.run("document.querySelector('#filter').dispatchEvent(new Event('input'))")
        equal(b.run("document.querySelector('section:not([hidden]) td.name').title"), fixture.HOSTILE)
        b.click("section:not([hidden]) td.name a")
        equal(b.run("document.querySelector('section:not([hidden]) h1').innerText"), fixture.HOSTILE)
        b.run("URL.createObjectURL = blob => { window.saved = blob.text(); return 'blob:none'; }; HTMLAnchorElement.prototype.click = () => {};")
        b.go("#/kernels")
        b.run("[...document.querySelectorAll('section:not([hidden]) button')].find(x => x.textContent === 'CSV').click()")
        lines = b.run("window.saved").splitlines()
        check(lines[0].startswith("Kernel,Calls,Total (ns),Share,Mean (ns)"), lines[0])
        clean(b, path)


def case_timeline(directory):
    """Zoom, search, what is selected and what launched it, measuring."""
    path, _ = report(directory, fixture.demo(f"{directory}/a.db"))
    shown = "(() => { const c = document.querySelector('canvas.ruler'); return c.toDataURL(); })()"
    with browser.Browser() as b:
        b.open(path)
        b.key("3")
        x, y = b.middle("canvas.sheet")
        whole = b.run(shown)
        b.wheel(x, y, -600, CONTROL)
        check(b.run(shown) != whole, "the wheel does not zoom")
        b.key("f")
        equal(b.run(shown), whole)
        b.key("/")
        b.type("reduce")
        check("10 found" in b.run(TEXT), b.run(TEXT))
        b.key("Enter")
        check("reduce_sum" in b.run(DETAIL) and "After its launch\n6 µs" in b.run(DETAIL), b.run(DETAIL))
        b.run("[...document.querySelectorAll('.detail button')].find(x => x.textContent === 'To its launch').click()")
        check(b.run(DETAIL).startswith("hipLaunchKernel"), b.run(DETAIL))
        b.run("[...document.querySelectorAll('.detail button')].find(x => x.textContent.startsWith('To what')).click()")
        check("reduce_sum" in b.run(DETAIL), b.run(DETAIL))
        b.run("document.activeElement.blur()")
        b.key("f")
        b.drag(x - 200, y, x + 200, y, SHIFT)
        found = re.match(r"([\d.]+) (µs|ms) measured", b.run(DETAIL))
        check(found and abs(float(found.group(1)) * (1000 if found.group(2) == "ms" else 1) - 900 * 400 / (b.run(f"{SHEET}.clientWidth") - 200)) < 12,
              b.run(DETAIL))
        high = b.run(f"{SHEET}.clientHeight")
        b.run("[...document.querySelectorAll('button')].find(x => x.textContent === 'By stream').click()")
        b.settle()
        check(b.run(f"{SHEET}.clientHeight") < high, "streams take as many rows as queues and copies")
        clean(b, path)


def case_keys(directory):
    """Each key that the help lists does what it says; what can be clicked can be reached by Tab and pressed."""
    path, _ = report(directory, fixture.demo(f"{directory}/a.db", counted=True, modelled=True), fixture.demo(f"{directory}/b.db", pid=4343))
    with browser.Browser() as b:
        b.open(path)
        for number, section in enumerate(("overview", "kernels", "timeline", "roofline", "compare")):
            b.key(str(number + 1))
            equal(b.run("document.querySelector('section:not([hidden])').id"), section)
        b.key("?")
        told = b.run("[...document.querySelectorAll('#help kbd')].map(k => k.innerText)")
        equal(told, ["1 … 5", "/", "t", "w s, + −", "a d, ← →", "f", "m, Shift and drag", "n N", "Enter", "Esc"])
        b.run("document.getElementById('help').close()")
        b.key("3")
        whole = b.run(SEEN)
        for there, back in (("w", "s"), ("+", "-")):
            before = b.run(SEEN)
            b.key(there)
            check(b.run(SEEN)[1] < before[1], there, "does not zoom in", before, b.run(SEEN))
            b.key(there)
            b.key(back)
            check(before[1] > b.run(SEEN)[1] > 0, back, "does not zoom out")
        for there, back in (("d", "a"), ("ArrowRight", "ArrowLeft")):
            before = b.run(SEEN)
            b.key(there)
            check(b.run(SEEN)[0] > before[0], there, "does not move on")
            b.key(back)
            check(abs(b.run(SEEN)[0] - before[0]) < 2, back, "does not move back")
        b.key("f")
        equal(b.run(SEEN), whole)
        b.key("/")
        b.type("transpose")
        b.run("document.activeElement.blur()")
        for key, place in (("n", "1 of 10"), ("n", "2 of 10"), ("N", "1 of 10"), ("N", "10 of 10")):
            b.key(key)
            check(place in b.run(TEXT), key, "does not lead to", place)
        check(b.run(DETAIL).startswith("transpose"), b.run(DETAIL))
        b.key("f")
        b.key("Enter")
        check(b.run(SEEN)[1] < whole[1] / 10, "Enter does not zoom to what is selected")
        b.key("Escape")
        check(not b.run(DETAIL).startswith("transpose"), "Esc selects something")
        b.key("m")
        equal(b.run("document.querySelector('canvas.sheet').classList.contains('measuring')"), True)
        b.key("t")
        equal(b.run("document.documentElement.dataset.theme"), "dark")
        # Tab comes to a table's header, Enter sorts
        b.key("2")
        b.run("document.querySelector('#filter').focus()")
        for _ in range(20):
            b.key("Tab")
            if b.run("document.activeElement.innerText") == "Calls":
                break
        b.key("Enter")
        equal(b.run("document.querySelector('section:not([hidden]) th[aria-sort]').innerText"), "Calls")
        equal(b.run("getComputedStyle(document.activeElement).outlineStyle"), "solid")
        clean(b, path)


def case_names(directory):
    """Names that were cut: instances of a template are kernels of their own, in tables, on pages, in the timeline, as findings."""
    d = fixture.Database(f"{directory}/a.db")
    for size in (1, 2):
        d.kernel(size, "sum", vgprs=64 * size, symbol=f"_Z3sumILi{size}EEvPf.kd")
    d.kernel(3, "once", symbol="_Z4oncePf.kd")
    for i in range(6):
        d.dispatch(1 + i % 3, i * 1000, i * 1000 + 100 * (1 + i % 3))
    path, _ = report(directory, d.done())
    with browser.Browser() as b:
        b.open(path)
        b.go("#/kernels")
        equal({r[0]: r[1:3] + r[11:12] for r in b.run(CELLS)[0]}, {"void sum<1>(float*)": ["2", "200 ns", "64"], "void sum<2>(float*)": ["2", "400 ns", "128"],
                                                                  "once": ["2", "600 ns", "32"]})
        b.go("#/overview")
        b.run("[...document.querySelectorAll('.finding')].find(f => f.innerText.includes('Registers limit')).querySelector('a').id = 'way'")
        b.click("#way")
        equal(b.run("document.querySelector('section:not([hidden]) h1').innerText"), "void sum<2>(float*)")
        b.go("#/timeline")
        b.key("/")
        b.type("sum<2>")
        check("2 found" in b.run(TEXT), b.run(TEXT))
        clean(b, path)


def case_hostile(directory):
    """Markup in every text that a database can have, and in its path: it is shown, and does nothing."""
    there = f"{directory}/{fixture.HOSTILE.replace('/', '')[:100]}"
    os.mkdir(there)
    a, other = (fixture.demo(f"{there}/{n}.db", counted=True, modelled=True, code=True, pid=p, spoiled=fixture.HOSTILE) for n, p in (("a", 4242), ("b", 4343)))
    path, _ = report(directory, a, other)
    drawn = "(p => { const f = p.fillText; p.fillText = function (t, ...a) { (window.texts ??= []).push(t); f.call(this, t, ...a); }; })(CanvasRenderingContext2D.prototype)"
    with browser.Browser() as b:
        b.open(path)
        b.run(drawn)
        for where in ("overview", "kernels", "timeline", "roofline", "compare", "kernel/0", "kernel/3"):
            b.go(f"#/{where}")
            check(where in ("timeline", "roofline") or "onerror" in b.run(TEXT), where, "shows no name")
            equal(b.run("document.querySelectorAll('section img, section script').length"), 0)
        b.go("#/overview")
        check(there in b.run(TEXT), b.run(TEXT))
        b.key("3")
        b.key("/")
        b.type("onerror")
        check("found" in b.run(TEXT), "nothing of this name is found")
        check(any("onerror" in t for t in b.run("window.texts")), "no track of this name is drawn")
        clean(b, path)


def case_tracks(directory):
    """Rows of the timeline: each process with its threads, queues, copies and allocations; or its streams. Down to nanoseconds.
    Arrows from a launch to its kernel, and none if they are not wanted."""
    paths = []
    for rank, pid in enumerate((4242, 4343)):
        d = fixture.Database(f"{directory}/{rank}.db", pid=pid, command="./solve")
        d.db.execute(f'UPDATE "rocpd_info_process{d.uuid}" SET extdata = ?', (json.dumps({"mpi_rank": rank, "mpi_size": 2}),))
        d.kernel(1, "sum")
        d.call("roctxRangePushA", 0, 90_000, "MARKER_CORE_RANGE_API", "step")
        d.copy(1000, 5000, 64)
        for i in range(4):
            d.dispatch(1, 10_000 * i + 2000, 10_000 * i + 4000, d.call("hipLaunchKernel", 10_000 * i + 500, 10_000 * i + 900), queue=1 + i % 2)
        paths.append(d.done())
    path, _ = report(directory, *paths, options=("--together",))
    hook = """for (const what of ['fillText', 'quadraticCurveTo', 'bezierCurveTo']) { const p = CanvasRenderingContext2D.prototype, f = p[what];
        p[what] = function (...a) { window.texts.push(what === 'fillText' ? a[0] : 'arrow'); return f.apply(this, a); }; }"""

    def texts():
        b.run("window.texts = []")
        b.key("f")
        return b.run("window.texts")
    with browser.Browser(1280, 1000) as b:
        b.open(path)
        b.run("window.texts = []; " + hook)
        b.key("3")
        shown = " | ".join(texts())
        for words in ("rank 0 · solve · process 4242", "rank 1 · solve · process 4343", "Queue 1", "Queue 2", "main", "host → device"):
            check(words in shown, "no", words, "in", shown)
        check("Stream 1" not in shown, shown)
        b.run("[...document.querySelectorAll('button')].find(x => x.textContent === 'By stream').click()")
        shown = " | ".join(texts())
        check("Stream 1" in shown and "Queue 2" not in shown, shown)
        b.run("[...document.querySelectorAll('button')].find(x => x.textContent === 'By stream').click()")
        b.key("/")
        b.type("sum")
        b.key("Enter")
        b.run("document.activeElement.blur()")
        check("arrow" in texts(), "no arrow from the launch")
        b.run("[...document.querySelectorAll('button')].find(x => x.textContent === 'Launches').click()")
        check("arrow" not in texts(), "an arrow that nobody wants")
        for _ in range(25):
            b.key("w")
        check(b.run(SEEN)[1] <= 100, "it does not come down to nanoseconds", b.run(SEEN))
        clean(b, path)


def case_compare(directory):
    a, other = fixture.demo(f"{directory}/a.db"), fixture.demo(f"{directory}/b.db", scale=1.5, pid=4343)
    path, _ = report(directory, a, other)
    with browser.Browser() as b:
        b.open(path)
        b.key("5")
        whole, kernels = b.run(CELLS)[:2]
        equal([r[3] for r in whole if r[0] == "Launches"], ["0 % (0)"])
        equal({r[5] for r in kernels}, {"+50 %", "+50.0 %"})
        equal(b.run("getComputedStyle(document.querySelector('section:not([hidden]) .worse')).color"), "rgb(192, 37, 45)")
        b.click("#switch button:last-child")
        b.go("#/kernel/0")
        check("In A and in B" in b.run(TEXT), b.run(TEXT))
        clean(b, path)


def case_options(directory):
    """Measured peaks; what is wrong is told with its place. The theme; keys."""
    database = fixture.demo(f"{directory}/a.db", counted=True, modelled=True)
    with open(f"{directory}/roofs", "w", encoding="utf-8") as f:
        f.write("# measured\nhbm 1000\n  f32\t20   # GFLOP/s\n\n")
    path, _ = report(directory, database, options=("--roof", f"{directory}/roofs"))
    for text, told in (("hbm fast", "1: hbm: 'fast' is no rate above 0"), ("\nl3 5", "2: no roof is called 'l3'"), ("l2", "1: l2: '' is no rate above 0")):
        with open(f"{directory}/wrong", "w", encoding="utf-8") as f:
            f.write(text)
        done = subprocess.run([PROGRAM, "report", "--roof", f"{directory}/wrong", database], capture_output=True, text=True, check=False)
        equal((done.returncode, done.stderr.strip()), (2, f"rocprofv3: error: {directory}/wrong:{told}"))
    for words, status, told in ((["--events", "0"], 2, "--events: '0' is no number above 0"), ([f"{directory}/none"], 1, "none"), (["--nothing"], 2, "--nothing")):
        done = subprocess.run([PROGRAM, "report", *words, "-o", f"{directory}/never.html"], capture_output=True, text=True, check=False)
        equal(done.returncode, status)
        check(told in done.stderr, done.stderr)
    check(not os.path.exists(f"{directory}/never.html"), "a page was made of nothing")
    with browser.Browser() as b:
        b.open(path)
        b.key("4")
        check("peaks as measured" in b.run(TEXT).replace("\n", " "), b.run(TEXT))
        # of 20 GFLOP/s that were measured, the nearest roof of all
        rows = b.run(CELLS)[0]
        equal({r[8] for r in rows}, {"FP32"})
        theme = "document.documentElement.dataset.theme"
        before = b.run(theme)
        b.key("t")
        check(b.run(theme) != before, "t changes nothing")
        b.key("?")
        check(b.run("document.getElementById('help').open"), "? shows no keys")
        b.run("document.getElementById('help').close()")
        clean(b, path)


def case_saved(directory):
    """Every table of every section saves itself as CSV, every chart as PNG or SVG, and all of it is what it says it is; each says
    the class of its figures."""
    a, other = (fixture.demo(f"{directory}/{n}.db", counted=True, modelled=True, code=True, pid=p, scale=s) for n, p, s in (("a", 4242, 1), ("b", 4343, 1.5)))
    path, _ = report(directory, a, other)
    cards = """[...document.querySelectorAll('section:not([hidden]) .card')].map(c => [c.querySelector('h2')?.innerText ?? '',
        c.querySelectorAll('table').length, c.querySelectorAll('canvas, svg').length, [...c.querySelectorAll('button')].map(x => x.innerText),
        [c, c.parentElement.querySelector('p.lead')].some(n => n?.querySelector('.chip'))])"""
    saved = "Promise.all(window.saved.map(async s => [s.type, s.type === 'image/png' ? (await createImageBitmap(s)).height : await s.text()]))"
    counts = {"text/csv": 0, "image/svg+xml": 0, "image/png": 0}
    with browser.Browser() as b:
        b.open(path)
        b.run("URL.createObjectURL = blob => { window.saved.push(blob); return 'blob:none'; }; HTMLAnchorElement.prototype.click = () => {};")
        for where in ("overview", "kernels", "timeline", "roofline", "compare", "kernel/0"):
            b.go(f"#/{where}")
            tables, wanted = b.run(CELLS), {"text/csv": 0, "image": 0}
            for title, own, charts, buttons, classed in b.run(cards):
                check(classed or not own + charts, where, title, "does not say what kind of figures it has")
                equal((title, sum(x.endswith("CSV") for x in buttons)), (title, own))
                # the timeline's two are one
                equal((title, sum(x in ("PNG", "SVG") for x in buttons)), (title, 1 if where == "timeline" else charts))
                wanted["text/csv"] += own
                wanted["image"] += 1 if where == "timeline" else charts
            b.run("window.saved = []; [...document.querySelectorAll('section:not([hidden]) button')].filter(x => /^(PNG|SVG|.*CSV)$/.test(x.innerText)).forEach(x => x.click())")
            b.wait(f"window.saved.length === {sum(wanted.values())}")
            files = b.run(saved)
            equal(sum(kind == "text/csv" for kind, _ in files), wanted["text/csv"])
            for kind, content in files:
                counts[kind] += 1
                if kind == "text/csv":
                    rows = list(csv.reader(content.splitlines(keepends=True)))
                    check(len(rows) > 1 and len({len(r) for r in rows}) == 1, where, content[:300])
                    check(where == "kernel/0" or len(rows) - 1 in {len(t) for t in tables}, where, "has no table of", len(rows) - 1, "rows")
                elif kind == "image/svg+xml":
                    check(ElementTree.fromstring(content).tag.endswith("svg") and "var(" not in content, content[:200])
                else:
                    check(content > 50, where, "has a picture", content, "high")
            if where == "timeline":
                check(files[0][1] > b.run(f"{SHEET}.height"), "the ruler is not in the picture")
        check(all(counts.values()) and counts["text/csv"] >= 11, counts)
        clean(b, path)


def case_together(directory):
    """Two inputs as one run: two processes, each kernel once with the calls of both; a directory says the same."""
    for d in ("r0", "r1"):
        os.mkdir(f"{directory}/{d}")
    a, other = fixture.demo(f"{directory}/r0/a.db"), fixture.demo(f"{directory}/r1/b.db", pid=4343)
    for inputs, options in (((a, other), ("--together",)), ((directory,), ())):
        path, _ = report(directory, *inputs, options=options)
        with browser.Browser() as b:
            b.open(path)
            check("2 processes" in b.run(TEXT), b.run(TEXT)[:300])
            b.key("2")
            equal([r[1] for r in b.run(CELLS)[0]], ["20"] * 4)
            clean(b, path)


def case_window(directory):
    """More records than a timeline may hold: the page says until when, and how to get all."""
    database = fixture.many(f"{directory}/m.db", 100_000)
    begin = "The timeline holds the first 30.0 ms of 150 ms: 19,996 of 100,000 records. Tables hold all. For the whole: "
    path, _ = report(directory, database, options=("--events", "20000"))
    with browser.Browser() as b:
        b.open(path)
        text = b.run(TEXT)
        check(f"{begin}rocpd convert -i {database} -f pftrace\n" in text, text[:600])
        # the trace of the same run lies beside its database
        with open(f"{directory}/m.pftrace", "wb"):
            pass
        report(directory, database, options=("--events", "20000"))
        b.open(path)
        text = b.run(TEXT)
        check(f"{begin}{directory}/m.pftrace in ui.perfetto.dev\n" in text, text[:600])
        # one of two has none
        fixture.demo(f"{directory}/other 1.db", pid=4343)
        report(directory, database, f"{directory}/other 1.db", options=("--events", "20000", "--together"))
        b.open(path)
        text = b.run(TEXT)
        check(f"For the whole: {directory}/m.pftrace in ui.perfetto.dev, and rocpd convert -i '{directory}/other 1.db' -f pftrace\n" in text, text[:600])
        clean(b, path)


def case_large(directory):
    seconds = opens_at_once(directory, 100_000)
    check(seconds <= SECONDS_OF_100000, "100,000 records take", seconds, "s of processor time")


def case_million(directory):
    opens_at_once(directory, 1_000_000)


def opens_at_once(directory, records):
    """A page of so many records opens and is drawn in time; how long it takes to make it, in seconds."""
    path, seconds = report(directory, fixture.many(f"{directory}/m.db", records))
    with browser.Browser() as b:
        took = min(b.open(path) for _ in range(TRIES))  # whatever else runs here has its pauses
        check(took <= OPENING_MOST, records, "records open in", took, "ms")
        b.key("3")
        cpu, walls = frames.measure(b)
        print(f"opened in {took} ms;", frames.told(cpu, walls))
        # 60 frames a second: what the page itself does for one fits into its time
        check(len(cpu) >= frames.FRAMES / 2, "only", len(cpu), "frames")
        check(sum(t <= frames.GOAL_MS for t in cpu) >= 0.9 * len(cpu), "frames take", [round(t, 1) for t in cpu], "ms of processor time")
        # of whatever there is, a frame draws no more than the screen has room for
        b.run("window.drawn = 0; const fill = CanvasRenderingContext2D.prototype.fillRect;"
              "CanvasRenderingContext2D.prototype.fillRect = function (...a) { window.drawn++; fill.apply(this, a); }")
        b.key("f")
        check(b.run(f"window.drawn <= 4 * {SHEET}.clientWidth"), "a frame of all draws", b.run("window.drawn"), "rectangles")
        check(b.run("window.drawn") > 500, "a frame draws nothing")
        clean(b, path)
    return seconds


def case_amd(directory):
    """Databases as AMD's tools write them, of the first schema and of 3.0.3: every section, with its figures."""
    for version in ("3", "3.0.3"):
        path, _ = report(directory, amd.make(f"{directory}/{version}.db", version))
        with browser.Browser() as b:
            b.open(path)
            text = b.run(TEXT)
            for words in ("./gemm 4096", "node17", "AMD Instinct MI210", "LDS bank conflicts", "hipLaunchKernel", "solve <1>", "host → device", "4 MiB"):
                check(words in text, "no", words, "in", text)
            check("host time" not in text and "model" not in text.replace("cache model", ""), "times of a real GPU are not measured:", text)
            b.go("#/kernels")
            rows = {r[0]: r for r in b.run(CELLS)[0]}
            equal(rows["gemm"][1:9], ["20", "200 µs", "90.9 %", "10 µs", "10 µs", "10 µs", "10 µs", "10 µs"])
            equal((rows["gemm"][9:14], rows["gemm"][15:17]), (["32768", "256", "128", "32", "16 KiB"], ["4 of 8", "VGPRs and LDS"]))
            b.go("#/timeline")
            b.key("/")
            b.type("gemm")
            check("20 found" in b.run(TEXT), b.run(TEXT))
            b.go("#/roofline")
            # 64 lanes, 2 operations, 4096 instructions of 8 instances in 10 µs
            row = [r for r in b.run(CELLS)[0] if r[0] == "gemm"][0]
            equal(row[1:3], [f"{64 * 2 * 4096 * 8 / 10000:.0f}", "FP32"])
            b.go("#/kernels")
            b.run("[...document.querySelectorAll('section:not([hidden]) a')].find(a => a.innerText === 'gemm').click()")
            b.settle()
            chart = b.run("document.querySelector('svg.memory').textContent")
            for words in ("75 % hit", "25 % conflicts", "read 64 KiB", "write 32 KiB"):
                check(words in chart, "no", words, "in", chart)
            clean(b, path)


# name, section, theme, width, height
PICTURES = [("overview", "#/overview", "light", 1280, 900), ("overview-dark", "#/overview", "dark", 1280, 900),
            ("kernels", "#/kernels", "light", 1280, 800), ("kernel", "#/kernel/0", "light", 1280, 1500),
            ("timeline", "#/timeline", "dark", 1280, 700), ("roofline", "#/roofline", "light", 1280, 800),
            ("phone", "#/overview", "light", 390, 844), ("phone-timeline", "#/timeline", "light", 390, 844)]
DIFFERENCE_MOST = 5  # of 255, on an average: letters are not those of every machine


def case_pictures(directory):
    # The page shows the path of the database as it is given: a path from this folder is as long on every machine.
    before = os.getcwd()
    os.chdir(directory)
    try:
        look_at_pictures(directory)
    finally:
        os.chdir(before)  # the folder is removed, and other cases follow


def look_at_pictures(directory):
    os.makedirs("runs/of_pictures")
    path, _ = report(directory, fixture.demo("runs/of_pictures/a.db", counted=True, modelled=True, code=True))
    with browser.Browser() as b:
        b.open(path)
        for name, section, theme, width, height in PICTURES:
            b.size(width, height, phone=width < 600)
            b.run(f"document.documentElement.dataset.theme = '{theme}'")
            b.go(section)
            b.run("dispatchEvent(new Event('resize'))")
            b.settle()
            equal(b.run("document.documentElement.scrollWidth <= innerWidth"), True)
            seen, kept = browser.grid(b), f"{HERE}/pictures/{name}.txt"
            if sys.argv[3:] == ["--keep"]:
                os.makedirs(os.path.dirname(kept), exist_ok=True)
                with open(kept, "w", encoding="utf-8") as f:
                    f.writelines(" ".join(f"{v:.0f}" for v in seen[i:i + 32]) + "\n" for i in range(0, len(seen), 32))
            with open(kept, encoding="utf-8") as f:
                known = [float(word) for word in f.read().split()]
            apart = sum(abs(x - y) for x, y in zip(seen, known)) / len(known)
            check(len(seen) == len(known) and apart <= DIFFERENCE_MOST, name, "differs by", f"{apart:.1f}")
        clean(b, path)


def case_phone(directory):
    """Every section fits the width of a phone and is large enough to read; two fingers zoom the timeline, one moves it."""
    deep = f"{directory}/{'a_folder_' * 25}"  # commands name the databases
    os.mkdir(deep)
    path, _ = report(directory, fixture.demo(f"{deep}/a.db", counted=True, modelled=True, code=True), fixture.demo(f"{deep}/b.db", pid=4343))
    small = """[...document.querySelectorAll('section:not([hidden]) *, header *')].filter(n => n.clientWidth && [...n.childNodes].some(c => c.nodeType === 3 &&
        c.data.trim()) && !n.closest('svg') && parseFloat(getComputedStyle(n).fontSize) < 11).map(n => n.className + n.innerText)"""
    with browser.Browser(390, 844) as b:
        b.size(390, 844, phone=True)
        b.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        b.open(path)
        for where in ("overview", "kernels", "timeline", "roofline", "compare", "kernel/0"):
            b.go(f"#/{where}")
            check(b.run("document.documentElement.scrollWidth <= innerWidth"), where, "is wider than the screen")
            equal((where, b.run(small)), (where, []))
        b.go("#/timeline")
        x, y = b.middle("canvas.sheet")
        seen = b.run(SEEN)

        def touch(kind, *points):
            b.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": px, "y": py, "id": i} for i, (px, py) in enumerate(points)])
        touch("touchStart", (x - 10, y), (x + 10, y))
        for apart in (20, 40, 80):
            touch("touchMove", (x - apart, y), (x + apart, y))
        touch("touchEnd")
        b.settle()
        zoomed = b.run(SEEN)
        check(zoomed[1] < seen[1] / 2, "two fingers do not zoom", seen, zoomed)
        touch("touchStart", (x, y))
        for by in (10, 30, 60):
            touch("touchMove", (x - by, y))
        touch("touchEnd")
        b.settle()
        check(b.run(SEEN)[0] > zoomed[0] and abs(b.run(SEEN)[1] - zoomed[1]) < 2, "a finger does not move it", zoomed, b.run(SEEN))
        clean(b, path)


def case_print(directory):
    """All sections are on paper; the theme is light."""
    path, _ = report(directory, fixture.demo(f"{directory}/a.db", counted=True, modelled=True))
    with browser.Browser() as b:
        b.open(path)
        b.run("document.documentElement.dataset.theme = 'dark'")
        b.call("Emulation.setEmulatedMedia", media="print")
        b.run("dispatchEvent(new Event('beforeprint'))")
        b.settle()
        shown = b.run("[...document.querySelectorAll('section')].filter(s => s.getBoundingClientRect().height > 100).map(s => s.id)")
        equal(shown, ["overview", "kernels", "timeline", "roofline"])
        equal(b.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        check(len(b.call("Page.printToPDF")["data"]) > 20000, "the PDF is empty")
        clean(b, path)


def case_source(directory):
    """Instructions and the lines they come from: heat, links, CSV; a column at a time."""
    path, _ = report(directory, fixture.demo(f"{directory}/a.db", code=True))
    card = "[...document.querySelectorAll('section:not([hidden]) .card')].find(c => c.innerText.startsWith('Source and instructions'))"
    with browser.Browser() as b:
        b.open(path)
        b.go("#/kernel/0")
        rows = b.run(f"[...{card}.querySelectorAll('.instructions tr')].map(r => [...r.cells].map(c => c.textContent))")
        equal(rows, [["160", "s_load_dwordx4 s[0:3], s[4:5], 0x0", "demo.hip:2"], ["640", "  v_fma_f32 v0, v1, v2, v0", "demo.hip:3"],
                     ["640", "  global_load_dword v3, v4, s[0:1]", "demo.hip:3"], ["160", "s_endpgm", ""]])
        lines = b.run(f"[...{card}.querySelectorAll('.lines tr')].map(r => [...r.cells].map(c => c.textContent))")
        equal(lines[1:4], [["", "1", "__global__ void f()" + fixture.HOSTILE], ["160", "2", "{ load"], ["1,280", "3", "  fma; }"]])
        equal(b.run(f"[...{card}.querySelectorAll('.instructions tr')].map(r => r.cells[2].title)"),
              ["", "inlined from /opt/rocm/include/hip/fma.h:90", "", ""])
        heat = f"[...{card}.querySelectorAll('.lines tr')].slice(1, 4).map(r => getComputedStyle(r.cells[0]).backgroundColor)"
        equal(b.run(f"{heat}[0]"), "rgba(0, 0, 0, 0)")
        equal(len(set(b.run(heat))), 3)
        b.run(f"{card}.querySelectorAll('.lines tr')[3].click()")
        equal(b.run(f"[...{card}.querySelectorAll('.instructions tr')].map(r => r.classList.contains('on'))"), [False, True, True, False])
        check("exact" in b.run(f"{card}.innerText"), "the column has no class")
        b.run(f"(() => {{ const s = {card}.querySelector('select'); s.value = '1'; s.dispatchEvent(new Event('change')); }})()")
        equal(b.run(f"[...{card}.querySelectorAll('.instructions tr')].map(r => r.cells[0].textContent)"), ["", "", "500", ""])
        check("timing model" in b.run(f"{card}.innerText"), "the column has no class")
        clean(b, path)


def case_demo(directory):
    """A real program: the page at profiling time, and one of its trace with what was counted of it."""
    program, run = sys.argv[3], [PROGRAM, "--gpu", "soft", "-o", "demo"]
    done = subprocess.run([*run, "-s", "-f", "html", "-d", f"{directory}/html", "--", program], capture_output=True, text=True, check=True)
    equal(os.listdir(f"{directory}/html"), ["demo_report.html"])
    check(f"{directory}/html/demo_report.html opens in any browser" in done.stderr, done.stderr)
    for name, words in {"trace": ["-s"], "work": ["--pmc", *[c for c in fixture.PER_KERNEL if "TCC_EA" not in c],
                                                  "TCC_EA_RDREQ", "TCC_EA_RDREQ_32B", "TCC_EA_WRREQ", "TCC_EA_WRREQ_64B"]}.items():
        subprocess.run([*run, *words, "-d", f"{directory}/both/{name}", "--", program], capture_output=True, check=True,
                       env={**os.environ, **({"SOFTGPU_TIME": "model"} if name == "work" else {})})
    path, _ = report(directory, f"{directory}/both")
    for page in (f"{directory}/html/demo_report.html", path):
        with browser.Browser() as b:
            b.open(page)
            check("hipLaunchKernel" in b.run(TEXT) and "host time" in b.run(TEXT), b.run(TEXT))
            b.go("#/kernels")
            rows = {r[0]: r[1:] for r in b.run(CELLS)[0]}
            equal((rows["jacobi_step"][0], rows["matmul_tiled"][8:10]), ("50", ["128×128", "16×16"]))
            b.go("#/timeline")
            check("Search" in b.run("document.querySelector('#search').placeholder"), "no timeline")
            clean(b, page)
            if page != path:
                b.go("#/overview")
                check("Databases" not in b.run(TEXT), "the page names databases that are gone")
                continue
            b.go("#/roofline")
            # fused multiply-adds of 128 x 128 x 128, alone
            work = {r[0]: r[3] for r in b.run(CELLS)[0]}
            equal(work["matmul_tiled"], "4.19 MFLOP")
            b.run("[...document.querySelectorAll('section:not([hidden]) a')].find(a => a.innerText === 'matmul_tiled').click()")
            b.settle()
            check("Compute units" in b.run("document.querySelector('svg.memory').textContent"), "no chart of the memories")
            clean(b, page)


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}


if __name__ == "__main__":
    run(CASES, sys.argv[2])
