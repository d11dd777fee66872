#!/usr/bin/env python3
"""rocprofv3 report of the ranks of a job, in a browser: ranks.py BUILD CASE[,CASE...]

Each rank is one process of known times: 100 us of nothing, a call that launches, 400 us of a kernel, an exchange of MPI until 900 us,
and 50 us of a copy. So every figure of the page is known.
"""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # pylint: disable=wrong-import-position
import fixture  # pylint: disable=wrong-import-position
from page import CELLS, PROGRAM, TEXT, TRIES, check, clean, equal, report, run  # pylint: disable=wrong-import-position

US = 1000
# opening: a third of a second where nothing else runs; the suite runs beside others
FILE_MOST, OPENING_MOST_MS, RESIDENT_MOST_KB = 10 << 20, 3000, 128 * 1024
RATIO_MOST = 40  # 1,024 ranks for 64 are 16 in proportion, 256 by the square; processor time of a loaded host varies
HEAT = "document.querySelector('section:not([hidden]) canvas.heat')"


def rank_db(path, rank, ranks, kernel=400, begin=0, host="node0", work=True, product=None, mpi=True, unclosed=None):
    """The database of a rank; `kernel`: microseconds of its kernel."""
    d = fixture.Database(path, pid=5000 + rank, command="./solve", soft=False)
    d.put("rocpd_metadata", tag="rank", value=str(rank))
    d.put("rocpd_metadata", tag="ranks", value=str(ranks))
    if unclosed is not None:
        d.put("rocpd_metadata", tag="unclosed", value=str(unclosed))
    d.db.execute(f'UPDATE "rocpd_info_node{d.uuid}" SET hostname = ?', (host,))
    if product:
        d.db.execute(f'UPDATE "rocpd_info_agent{d.uuid}" SET product_name = ? WHERE type = \'GPU\'', (product,))
    d.kernel(1, "force(float*)")
    d.kernel(2, "rare(int*)")
    d.call("hipInit", begin * US, (begin + 10) * US)
    if work:
        launched = d.call("hipLaunchKernel", 90 * US, 95 * US)
        d.dispatch(1, 100 * US, (100 + kernel) * US, launched)
    d.call("roctxThreadRangeA", 5 * US, 960 * US, "MARKER_CORE_RANGE_API", "step")
    if mpi:
        d.call("MPI_Allreduce", (100 + kernel) * US, 900 * US, "MPI")
    if work:
        d.copy(900 * US, 950 * US, 1 << 20)
    d.call("hipDeviceSynchronize", 905 * US, 1000 * US)
    return d.done()


def job(directory, count=20, size=None, **odd):
    """So many ranks, four to a host; `odd`: by "r<rank>", what is different there. A rank whose value is None has no database."""
    for rank in range(count):
        more = odd.get(f"r{rank}", {})
        if more is not None:
            os.makedirs(f"{directory}/node{rank // 4}", exist_ok=True)
            rank_db(f"{directory}/node{rank // 4}/{rank}.db", rank, size or count, host=more.pop("host", f"node{rank // 4}"), **more)
    return directory


def pixel(b, x, y):
    """[red, green, blue] at these shares of the picture's width and height."""
    return b.run("(c => { const x = new OffscreenCanvas(c.width, c.height).getContext('2d', { willReadFrequently: true }); x.drawImage(c, 0, 0);"
                 f"return [...x.getImageData(c.width * {x}, c.height * {y}, 1, 1).data].slice(0, 3); }})({HEAT})")


def table(b, first):
    """The rows of the table whose first head this is."""
    return b.run("(t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.innerText.trim())))([...document.querySelectorAll("
                 f"'section:not([hidden]) table')].find(t => t.tHead.innerText.trim().startsWith('{first}')))")


def case_many(directory):
    """Twenty ranks: the picture, the slowest, the kernel over ranks, the table, a rank's page."""
    folder = job(f"{directory}/job", r7={"kernel": 600}, r11={"work": False})
    path, _ = report(directory, folder)
    busy, wait, idle = [14, 122, 85], [224, 161, 60], [223, 227, 232]
    with browser.Browser(1280, 1000) as b:
        b.open(path)
        b.run("document.documentElement.dataset.theme = 'light'")
        text = b.run(TEXT)
        for words in ("20 ranks · 5 hosts", "20\nranks", "sums of all 20 ranks", "rank 7, the slowest", "a median one"):
            check(words in text, "no", words, "in", text)
        check(b.run(f"!!{HEAT}"), "no picture in the overview")
        check("A rank gives its GPU no work" in text and "rank 7 is 1.5 times the median in force" in text, text)
        calls = {r[0]: r[1:3] for r in table(b, "Call or range")}
        equal((calls["step"], calls["MPI_Allreduce"], "roctxThreadRangeA" in calls), (["20", "19.1 ms"], ["20", "7.80 ms"], False))
        b.go("#/kernels")
        equal([r[:3] for r in b.run(CELLS)[0]], [["force", "19", "7.80 ms"]])
        b.go("#/ranks")
        text = b.run(TEXT)
        check("rank 7 works 750 µs and waits 250 µs; the median works 550 µs. Most of it: kernels, +200 µs (1.50×), above all force, +200 µs (1.50×)."
              in text, text)
        # 19 ranks with a kernel: their median is 400 us; rank 7 is far out
        equal([r[:6] + r[7:] for r in table(b, "Kernel\tMedian")], [["force", "400 µs", "400 µs", "600 µs", "400 µs", "600 µs", "rank 7 1.50×"]])
        # the picture: rows of ranks from above, time from left to right
        row = lambda rank: (rank + 0.4) / 20  # noqa: E731
        for rank, share, should in ((3, 0.05, idle), (3, 0.3, busy), (3, 0.7, wait), (7, 0.6, busy), (7, 0.8, wait), (11, 0.7, wait), (11, 0.3, idle), (3, 0.925, busy)):
            is_ = pixel(b, share, row(rank))
            check(all(abs(x - y) <= 12 for x, y in zip(is_, should)), "rank", rank, "at", share, "is", is_, "not", should)
        rows = {r[0]: r for r in table(b, "Rank\tHost")}
        # a rank: kernel 400 us, copy 50; MPI waits 400, the last call 50 behind the copy; the host has the first 100
        equal(rows["rank 3"], ["rank 3", "node0", "AMD Instinct MI210", "1", "400 µs", "50 µs", "450 µs", "100 µs", "100 µs", "0 ns", "1 ms", "1 MiB", "0"])
        equal(rows["rank 11"][3:9], ["0", "0 ns", "0 ns", "495 µs", "505 µs", "505 µs"])
        # sorted by the time of kernels, most first
        b.run("[...document.querySelectorAll('section:not([hidden]) th button')].filter(x => x.innerText.trim() === 'Kernels').at(-1).click()")
        equal(table(b, "Rank\tHost")[0][0], "rank 7")
        # a click on a row of the picture leads to the rank's page
        b.run("scrollTo(0, 0)")
        box = b.run(f"(r => [r.left, r.top, r.width, r.height])({HEAT}.getBoundingClientRect())")
        b.click_at(box[0] + box[2] / 2, box[1] + box[3] * row(3))
        b.settle()
        text = b.run(TEXT)
        for words in ("Rank 3\n", "node0 · AMD Instinct MI210 · process 5003", f"rocprofv3 report {folder}/node0/3.db", "Against the median rank"):
            check(words in text, "no", words, "in", text)
        equal([r[:3] for r in table(b, "Kernel\tHere")], [["force", "400 µs", "400 µs"]])
        b.go("#/rank/7")
        text = b.run(TEXT)
        check("+200 µs (1.50×)" in text and "Its records are in the timeline" in text, text)
        b.go("#/timeline")
        check("Search" in b.run("document.querySelector('#search').placeholder"), "no timeline")
        clean(b, path)


def case_few(directory):
    """Of few ranks the timeline has all records, and the section is there; of processes that are no ranks, it is not."""
    odd = {f"r{rank}": {"mpi": False, "kernel": 600 if rank == 2 else 400} for rank in range(4)}
    folder = job(f"{directory}/job", count=4, **odd)
    path, _ = report(directory, folder)
    with browser.Browser() as b:
        b.open(path)
        check("sums of all" not in b.run(TEXT) and "4 processes" in b.run(TEXT), b.run(TEXT))
        b.go("#/ranks")
        equal([r[0] for r in table(b, "Rank\tHost")], [f"rank {n}" for n in range(4)])
        # without calls of MPI nobody knows who waits
        check("rank 2 keeps its GPU busy for 650 µs, the median for 450 µs (--mpi-trace says who waits for whom)" in b.run(TEXT), b.run(TEXT))
        clean(b, path)
        fixture.demo(f"{directory}/a.db")
        path, _ = report(directory, fixture.demo(f"{directory}/b.db", pid=4343), f"{directory}/a.db", options=("--together",))
        b.open(path)
        check("Ranks" not in b.run("document.querySelector('#tabs').innerText"), "a section of ranks")


def talking(directory, count, bytes_of):
    """A job in which each rank sends to the next one in a ring, four times."""
    os.makedirs(directory)
    for rank in range(count):
        d = fixture.Database(f"{directory}/{rank}.db", pid=5000 + rank, soft=False)
        d.put("rocpd_metadata", tag="rank", value=str(rank))
        d.put("rocpd_metadata", tag="ranks", value=str(count))

        def call(name, start, **values):
            d.call(name, start * US, (start + 5) * US, "MPI_API")
            for i, (key, value) in enumerate({"communicator": "MPI_COMM_WORLD", "rank": rank, "size": count, **values}.items()):
                d.put("rocpd_arg", event_id=d.event, position=i, type="int", name=key, value=str(value))
        for tag in range(4):
            call("MPI_Send", 10 + 20 * tag, destination=(rank + 1) % count, send_tag=tag, bytes_sent=bytes_of(rank))
            call("MPI_Recv", 20 + 20 * tag, source=(rank - 1) % count, receive_tag=tag, bytes_received=bytes_of((rank - 1) % count))
        d.done()
    return directory


def case_talk(directory):
    """The matrix of messages: of few ranks a row for each, of many one for a group."""
    canvas = "document.querySelector('section:not([hidden]) canvas.talk')"
    with browser.Browser(1280, 1000) as b:
        path, _ = report(directory, talking(f"{directory}/few", 4, lambda rank: 1 << 10 << rank))
        b.open(path)
        b.go("#/ranks")
        equal(table(b, "From\tTo"), [[f"rank {r}", f"rank {(r + 1) % 4}", "4", f"{4 << r} KiB"] for r in (3, 2, 1, 0)])
        check("60 KiB in messages of MPI of which both ends are known" in b.run(TEXT), b.run(TEXT))
        colours = b.run(f"(c => {{ const x = new OffscreenCanvas(c.width, c.height).getContext('2d', {{ willReadFrequently: true }}); x.drawImage(c, 0, 0); const at = (i, j) => [...x.getImageData((j + 0.4) * c.width / 4, (i + 0.4) * c.height / 4, 1, 1).data].join(); "
                        f"return [0, 1, 2, 3].map(i => [0, 1, 2, 3].map(j => at(i, j))); }})({canvas})")
        nothing = colours[0][0]
        equal([[c != nothing for c in row] for row in colours], [[j == (i + 1) % 4 for j in range(4)] for i in range(4)])
        equal(len({colours[i][(i + 1) % 4] for i in range(4)}), 4)
        clean(b, path)
        path, _ = report(directory, talking(f"{directory}/many", 80, lambda rank: 1024))
        b.open(path)
        b.go("#/ranks")
        # groups of two: each sends four messages to itself, and four to the next
        rows = table(b, "From\tTo")
        equal((len(rows), {tuple(r[2:]) for r in rows}), (12, {("4", "4 KiB")}))
        equal(b.run(f"{canvas}.width"), 40 * 16)
        check("a row is 2 ranks" in b.run(TEXT) and "ranks 0–1" in b.run(TEXT), b.run(TEXT))
        clean(b, path)


def case_missing(directory):
    """A rank without a database, one whose database is cut off, one that is there twice, other GPUs, and a host of a hostile name."""
    folder = job(f"{directory}/job", size=21, r5=None, r6={"product": "AMD Instinct MI300X"}, r9={"host": fixture.HOSTILE})
    os.truncate(f"{folder}/node2/8.db", 8192)
    shutil.copy(f"{folder}/node0/1.db", f"{folder}/z.db")
    path = f"{directory}/report.html"
    done = subprocess.run([PROGRAM, "report", "-o", path, folder], capture_output=True, text=True, check=False)
    equal((done.returncode, done.stdout), (0, path + "\n"))
    told = done.stderr.splitlines()
    check(len(told) == 2 and "node2/8.db: left out: " in told[0] and "z.db: left out: " in told[1] and "has the same process" in told[1], told)
    with browser.Browser() as b:
        b.open(path)
        text = b.run(TEXT)
        for words in ("3 of 21 ranks are missing: 5, 8, 20.", "2 databases were left out: ", "8.db cannot be read", "z.db has a process that another one has",
                      "Ranks have different GPUs: AMD Instinct MI210, AMD Instinct MI300X", "Not all ranks can be read"):
            check(words in text, "no", words, "in", text)
        b.go("#/ranks")
        check(fixture.HOSTILE in b.run(TEXT), "the host's name is not shown")
        clean(b, path)


def case_unclosed(directory):
    """A rank that was killed is marked in the table, above it and on its own page; one that ended in order is not."""
    path, _ = report(directory, job(f"{directory}/job", count=6, r2={"unclosed": 1}, r3={"unclosed": 0}))
    why = "killed, or left by _exit: its records are read as far as they go"
    with browser.Browser() as b:
        b.open(path)
        b.go("#/ranks")
        equal([r[0] for r in table(b, "Rank\tHost")], ["rank 0", "rank 1", "rank 2 did not end", "rank 3", "rank 4", "rank 5"])
        equal(b.run("[...document.querySelectorAll('section:not([hidden]) td .unclosed')].map(x => x.title)"), [why])
        check(f"rank 2 did not end: {why}." in b.run(TEXT), b.run(TEXT))
        b.go("#/rank/2")
        check(f"This rank did not end: {why}." in b.run(TEXT), b.run(TEXT))
        b.go("#/rank/3")
        check("did not end" not in b.run(TEXT), b.run(TEXT))
        clean(b, path)


def copies(directory, count):
    """The databases of so many ranks, each with 20 times the records, by changing the guid of one."""
    d = fixture.Database(f"{directory}/one.db", pid=7, soft=False)
    d.put("rocpd_metadata", tag="rank", value="1000")
    d.put("rocpd_metadata", tag="ranks", value=str(count))
    d.kernel(1, "force(float*)")
    for i in range(40):
        at = i * 100 * US
        d.dispatch(1, at, at + 50 * US + i * 397 % 1000 * 20, d.call("hipLaunchKernel", at, at + 5 * US))
        d.call("MPI_Allreduce", at + 75 * US, at + 90 * US + i * 173 % 9 * US, "MPI")
    with open(d.done(), "rb") as f:
        data = f.read()
    for rank in range(count):
        os.makedirs(f"{directory}/{count}/{rank // 32}", exist_ok=True)
        guid = f"00000000-0000-4000-8000-{rank:012x}"
        with open(f"{directory}/{count}/{rank // 32}/{rank}.db", "wb") as f:
            f.write(data.replace(d.guid.encode(), guid.encode()).replace(d.uuid.encode(), b"_" + guid.replace("-", "_").encode())
                    .replace(b"rank1000", b"rank%04d" % rank))
    return f"{directory}/{count}"


def case_hundred(directory):
    opens_at_once(directory, 16, 128)


def case_thousand(directory):
    opens_at_once(directory, 64, 1024)


def opens_at_once(directory, few_ranks, ranks):
    """Of many ranks: a page of 10 MB at most that opens at once, made in constant memory, in proportion to the ranks."""
    few, many = copies(directory, few_ranks), copies(directory, ranks)
    seconds = {}
    for folder in (few, many):
        seconds[folder] = min(report(directory, folder)[1] for _ in range(2))
    done = subprocess.run(["/usr/bin/env", "python3", "-c", "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
                           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)", PROGRAM, "report", "-o", f"{directory}/report.html", many],
                          capture_output=True, text=True, check=True)
    check(int(done.stdout) <= RESIDENT_MOST_KB, ranks, "ranks take", done.stdout, "KiB")
    check(seconds[many] <= RATIO_MOST * ranks / few_ranks / 16 * seconds[few], few_ranks, "ranks take", seconds[few],
          "s of processor time,", ranks, seconds[many])
    path = f"{directory}/report.html"
    check(os.path.getsize(path) <= FILE_MOST, "the page has", os.path.getsize(path), "bytes")
    with browser.Browser() as b:
        took = min(b.open(path) for _ in range(TRIES))
        check(took <= OPENING_MOST_MS, ranks, "ranks open in", took, "ms")
        print(f"{os.path.getsize(path)} bytes, opened in {took} ms, {seconds[few]:.2f} and {seconds[many]:.2f} s, {int(done.stdout) // 1024} MiB")
        check(f"{ranks:,}\nranks" in b.run(TEXT), b.run(TEXT)[:400])
        b.go("#/ranks")
        equal(len(table(b, "Rank\tHost")), 64)
        b.go(f"#/rank/{ranks - 24}")
        check(b.run(TEXT).startswith("Rank ") and "Against the median rank" in b.run(TEXT), b.run(TEXT)[:200])
        clean(b, path)


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}

if __name__ == "__main__":
    run(CASES, sys.argv[2])
