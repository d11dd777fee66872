#!/usr/bin/env python3
"""rocprofv3 --att over a program whose kernel has every kind of instruction.

usage: att.py BUILD_DIR PROGRAM SOURCE SCENARIO [PRODUCT], of a GPU that softgpu has (soft). What waves executed is known by other means: from the
hardware's counters of the same kernel, from the program's own loop, from the listing of its code.
"""
import csv
import ctypes
import glob
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

build, program, source, scenario, product = (*sys.argv[1:], "soft")[:5]
WAVES, ROUNDS = 4, 5
OURS = ("--kernel-include-regex", "everything")  # newer runtimes copy by kernels of their own
environment = {k: v for k, v in os.environ.items() if not k.startswith(("ROCP", "HSA_", "LD_PRE"))}


def run(*options, status=0, arguments=()):
    """Lines of standard error; the program says what it says without a profiler."""
    done = subprocess.run([f"{build}/bin/rocprofv3", "--gpu", product, *options, "--", program, *arguments],
                          env=environment, capture_output=True, text=True, timeout=120)
    if done.returncode != status:
        sys.exit(f"{options}: status {done.returncode}, expected {status}:\n{done.stderr}")
    atomics = 256 * {("wide",): 4, ("many",): 200}.get(tuple(arguments), 2)
    if not status and done.stdout != f"everything: 256 right, {atomics} atomics\n":
        sys.exit(f"{options}: the program says {done.stdout!r}")
    return done.stderr


def load(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return json.load(file)


def check(truth, *what):
    if not truth:
        sys.exit(f"{scenario}: wrong: " + " ".join(str(part) for part in what))


def folders(out):
    return sorted(glob.glob(f"{out}/ui_output_agent_*_dispatch_*"))


def waves(folder):
    """All waves of a folder, as its table of contents names them."""
    names = load(folder, "filenames.json")["wave_filenames"] or {}
    found = []
    for engine, simds in names.items():
        for simd, slots in simds.items():
            for slot, numbers in slots.items():
                for number, (name, begin, end) in numbers.items():
                    check(name == f"se{engine}_sm{simd}_sl{slot}_wv{number}.json", name)
                    wave = load(folder, name)["wave"]
                    check((wave["begin"], wave["end"]) == (begin, end), name)
                    check((wave["id"], wave["simd"], wave["slot"]) == (int(number), int(simd), int(slot)), name)
                    found.append(wave)
    return found


KINDS = {"none": 0, "smem": 1, "salu": 2, "vmem": 3, "flat": 4, "lds": 5, "valu": 6, "jump": 7, "next": 8,
         "immed": 9, "message": 11}


def executed(folder):
    """Mnemonic and category of every instruction of every wave; each has a place in the code."""
    code = {row[2]: row for row in load(folder, "code.json")["code"]}
    done = []
    for wave in waves(folder):
        time = wave["begin"]
        for at, category, stall, duration, line in wave["instructions"] or []:
            check(line in code and not code[line][0].startswith(";"), "no place for", at, category, "line", line)
            check(wave["begin"] <= at and at + duration <= wave["end"] and 0 <= stall <= duration, at, duration)
            check(at >= time, "two at once:", at, time)
            time = at
            done.append((code[line][0].split(" ")[0], category))
        total = sum(duration for _, duration in wave["timeline"])
        check(total == wave["end"] - wave["begin"], "states last", total)
    return done


def counters(out):
    """Values of the second dispatch by name."""
    names = ("SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_LDS", "SQ_INSTS_MFMA",
             "SQ_INSTS_BRANCH", "SQ_INSTS_SENDMSG", "SQ_WAVES")
    values = {}
    for group in (names[:4], names[4:]):
        run("--pmc", *group, "-f", "csv", "-d", f"{out}/{group[0]}", *OURS)
        with open(glob.glob(f"{out}/{group[0]}/*/*counter_collection.csv")[0], encoding="utf-8") as file:
            for row in csv.DictReader(file):
                values[row["Counter_Name"]] = float(row["Counter_Value"])
    return values


SILENT = ("s_delay_alu", "s_wait_alu", "s_barrier_wait", "s_singleuse", "s_set_vgpr")


def told(row, line):
    """The first line from there on that is in traces: these instructions leave nothing."""
    while row[line][0].startswith(SILENT):
        line += 1
    return line


def sequences(folder):
    """Each wave goes from the first line to line as the code says: to the next, or where a branch leads. Returns how many
    lines waves have passed that are in no trace."""
    passed = 0
    code = load(folder, "code.json")["code"]
    row = {r[2]: r for r in code}
    place = {(r[4], r[5]): r[2] for r in code if not r[0].startswith(";")}
    for wave in waves(folder):
        lines = [n[4] for n in wave["instructions"]]
        kinds = [n[1] for n in wave["instructions"]]
        check(row[lines[-1]][0] == "s_endpgm", "the last is", row[lines[-1]])
        first = max(n for n in row if n < lines[0] and row[n][0].startswith(";")) + 1
        check(lines[0] == told(row, first), "the first is", row[lines[0]])
        passed += lines[0] - first
        for line, kind, then in zip(lines, kinds, lines[1:]):
            text, at, following = row[line][0], row[line][5], row.get(line + 1)
            if kind == KINDS["jump"]:
                words = int(text.split(" ")[-1])
                words -= 65536 if words > 32767 else 0
                goal = place[(row[line][4], at + 4 + 4 * words)]
            elif not re.match("s_(setpc|swappc|call)", text):
                check(following, "nothing after", row[line])
                goal = line + 1
            else:
                continue
            check(then == told(row, goal), "after", row[line], "comes", row[then])
            passed += then - goal
    return passed


def everything():
    """Every instruction has its place, as many of each kind as were counted; n of n."""
    with tempfile.TemporaryDirectory() as out:
        for which in ((), ("again",)):
            base = f"{out}/{len(which)}"
            run("--att", "--att-target-cu", "0", "-d", base, "-f", "json", *OURS, arguments=which)
            check(len(folders(base)) == 2, folders(base))
            for folder in folders(base):
                done = executed(folder)
                sequences(folder)
                check(len(waves(folder)) == WAVES, "waves")
                kinds = {name: sum(category == number for _, category in done)
                         for name, number in KINDS.items()}
                check(not kinds["none"] and all(kinds[k] for k in KINDS if k != "none"), kinds)
        counted = counters(out)
        named = lambda pattern: sum(bool(re.match(pattern, name)) for name, _ in done)  # noqa: E731
        done = executed(folders(f"{out}/0")[0])
        kinds = {name: sum(category == number for _, category in done) for name, number in KINDS.items()}
        branches = kinds["jump"] + kinds["next"] + named("s_(setpc|swappc|call)")
        for name, value in (("SQ_INSTS_VALU", kinds["valu"]), ("SQ_INSTS_LDS", named("ds_")),
                            ("SQ_INSTS_SMEM", kinds["smem"]), ("SQ_INSTS_MFMA", named("v_mfma")),
                            ("SQ_INSTS_SALU", kinds["salu"] - named("s_(setpc|swappc|call)")),
                            ("SQ_INSTS_BRANCH", branches), ("SQ_INSTS_SENDMSG", kinds["message"]),
                            ("SQ_WAVES", WAVES)):
            check(counted[name] == value, name, counted[name], "in the trace", value)
        print(f"{len(done)} of {len(done)} instructions of {WAVES} waves")


def narrow():
    """Of a GPU of workgroup processors a trace has the waves of one SIMD. Those of all four, of 32 lanes, have executed as many
    instructions of each kind as were counted, and all have places. What leaves no token is in the code between them."""
    with tempfile.TemporaryDirectory() as out:
        done, there, passed = [], 0, 0
        for simd in range(4):
            base = f"{out}/{simd}"
            run("--att", "--att-target-cu", "0", "--att-simd-select", hex(simd), "-d", base, *OURS)
            check(len(folders(base)) == 2, folders(base))
            done += executed(folders(base)[0])
            passed += sequences(folders(base)[0])
            check({w["simd"] for w in waves(folders(base)[0])} == {simd}, "SIMD", simd)
            there += len(waves(folders(base)[0]))
            occupancy = load(folders(base)[0], "occupancy.json")
            check([e[4] for e in occupancy["0"]].count(1) == 2 * WAVES, "waves on all SIMDs", occupancy["0"])
        check(there == 2 * WAVES, there, "waves")
        names, values = ("SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_LDS", "SQ_WAVE32_INSTS", "SQ_WAVES"), {}
        run("--pmc", *names, "-f", "csv", "-d", f"{out}/pmc", *OURS)
        with open(glob.glob(f"{out}/pmc/*/*counter_collection.csv")[0], encoding="utf-8") as file:
            for row in csv.DictReader(file):
                values[row["Counter_Name"]] = float(row["Counter_Value"])
        kinds = {name: sum(category == number for _, category in done) for name, number in KINDS.items()}
        named = lambda pattern: sum(bool(re.match(pattern, name)) for name, _ in done)  # noqa: E731
        check(not kinds["none"] and kinds["jump"] and kinds["next"], kinds)
        silent = values["SQ_WAVE32_INSTS"] - len(done)
        for name, value in (("SQ_INSTS_VALU", kinds["valu"]), ("SQ_INSTS_LDS", named("ds_")), ("SQ_INSTS_SMEM", kinds["smem"]),
                            ("SQ_INSTS_SALU", kinds["salu"] - named("s_(setpc|swappc|call)")), ("SQ_WAVES", 2 * WAVES)):
            check(values[name] == value, name, values[name], "in the traces", value)
        check(silent == passed, silent, "instructions without a token, the code has", passed)
        print(f"{len(done)} of {int(values['SQ_WAVE32_INSTS'])} instructions of {there} waves")


def leaves(tree, path=""):
    """Names in the folder by path."""
    found = {}
    for element, below in tree.items():
        if isinstance(below, dict):
            found.update(leaves(below, f"{path}/{element}"))
        else:
            found[f"{path}/{element}"] = below
    return found


def files():
    """Names and contents of all files, by each other and by the source."""
    with tempfile.TemporaryDirectory() as out:
        run("--att", "--att-target-cu", "0", "-d", out, "-f", "json", "-o", "name", *OURS)
        ui = folders(out)
        agent, dispatch = re.search(r"agent_(\d+)_dispatch_(\d+)$", ui[0]).groups()
        strings = load(out, "name_results.json")["rocprofiler-sdk-tool"][0]["strings"]
        listed = [os.path.basename(p) for p in strings["att_filenames"]]
        second = folders(out)[1].rsplit("_", 1)[1]
        check(listed == [f"name_{agent}_shader_engine_0_{n}.att" for n in (dispatch, second)], listed)
        for path in strings["att_filenames"] + strings["code_object_snapshot_filenames"]:
            check(os.path.getsize(path) > 0, path)
        with open(strings["code_object_snapshot_filenames"][0], "rb") as file:
            check(file.read(4) == b"\x7fELF", "no ELF file")
        code = load(ui[0], "code.json")
        check(code["header"].split(", ")[2] == "LineNumber", code["header"])
        rows = code["code"]
        check([r[2] for r in rows] == list(range(len(rows))), "line numbers")
        check(rows[0][0].startswith("; ") and rows[1][2] == 1, rows[0])
        with open(f"{out}/stats_ui_output_agent_{agent}_dispatch_{dispatch}.csv", encoding="utf-8") as file:
            table = list(csv.reader(file))
        check(table[0] == "CodeObj Vaddr Instruction Hitcount Latency Stall Idle Source".split(), table[0])
        ordered = sorted(rows, key=lambda r: (r[4], r[5], not r[0].startswith(";")))
        check(table[1:] == [[str(r[4]), str(r[5]), r[0], *map(str, r[6:10]), r[3] or ""] for r in ordered],
              "the statistics are not the listing's")
        hits = sum(r[6] for r in rows)
        check(hits == len(executed(ui[0])), "hits", hits)
        with open(source, encoding="utf-8") as file:
            text = file.read()
        loop = 1 + text[:text.index("sum += shared[(lane + i) % LANES]")].count("\n")
        reads = [r[6] for r in rows if r[0].startswith("ds_read_b32") and (r[3] or "").endswith(f"kernels.hip:{loop}")]
        check(reads == [WAVES * ROUNDS], "the loop reads", reads)
        copies = leaves(load(ui[0], "snapshots.json")["/"])
        path = next(r[3] for r in rows if r[0].startswith("ds_read_b32")).rsplit(":", 1)[0]
        check(path in copies and os.path.basename(path) == "kernels.hip", path, copies)
        with open(os.path.join(ui[0], copies[path]), encoding="utf-8") as file:
            check(file.read() == text, "the copy of the source")
        occupancy = load(ui[0], "occupancy.json")
        check(occupancy["dispatches"]["1"].startswith("_Z10everything"), occupancy["dispatches"])
        check([e[4] for e in occupancy["0"]].count(1) == WAVES == [e[4] for e in occupancy["0"]].count(0), "waves")
        data = load(ui[0], "shaderdata_0_0.json")["records"]
        check([d[1] for d in data] == [0x1234] * WAVES, "words", data)
        names = load(ui[0], "filenames.json")
        check((names["gfxip"], names["gfxv"], names["thread_trace"]) == (9, "vega", True), names)
        check(len(load(ui[0], "realtime.json")["SE0"]) == 2, "clocks")
        waits = [w for wave in waves(ui[0]) for w in wave["waitcnt"]]
        check(any(awaited for _, awaited in waits), "waits")
        for line, awaited in waits:
            check(rows[line][0].startswith("s_waitcnt"), rows[line])
            for memory, _ in awaited:
                check(re.match("global|flat|buffer|scratch|ds_|s_", rows[memory][0]), rows[memory])


def engines():
    """A workgroup on each of two engines: both are traced, and do the same."""
    with tempfile.TemporaryDirectory() as out:
        run("--att", "--att-target-cu", "0", "--att-shader-engine-mask", "0x3", "-d", out, *OURS, arguments=("wide",))
        check(len(folders(out)) == 2, folders(out))
        for folder in folders(out):
            check(len(waves(folder)) == 2 * WAVES, "waves")
            executed(folder)
            sequences(folder)
            names = load(folder, "filenames.json")["wave_filenames"]
            check(sorted(names) == ["0", "1"], "engines", names)
            done = {engine: sorted(len(load(folder, wave[0])["wave"]["instructions"]) for slots in simds.values()
                                   for numbers in slots.values() for wave in numbers.values())
                    for engine, simds in names.items()}
            check(done["0"] == done["1"], "instructions of each engine's waves", done)


def full():
    """A buffer that is too small for 200 kernels has the first of them; the loss is told."""
    with tempfile.TemporaryDirectory() as out:
        text = run("--att", "--att-target-cu", "0", "--att-buffer-size", "0x60000", "--att-consecutive-kernels",
                   "199", "-d", out, *OURS, arguments=("many",))
        for said in ("a thread trace is cut: the trace buffer of shader engine 0", "wave incomplete"):
            check(said in text, "not told:", said, text)
        check(len(folders(out)) == 1, folders(out))
        there = waves(folders(out)[0])
        check(10 * WAVES < len(there) < 200 * WAVES, len(there), "waves")
        code = {row[2]: row for row in load(folders(out)[0], "code.json")["code"]}
        whole = [w for w in there if w["instructions"] and code[w["instructions"][-1][4]][0] == "s_endpgm"]
        check(len(there) - WAVES <= len(whole) < len(there), len(whole), "of", len(there), "waves end")


def instructions(folder):
    return sum(len(wave["instructions"] or []) for wave in waves(folder))


def options():
    """Each option does what it says."""
    def trace(*more, expected=2):
        out = tempfile.mkdtemp(dir=top)
        text = run("--att", "-d", out, *more, *(() if "--kernel-exclude-regex" in more else OURS))
        check(len(folders(out)) == expected, more, folders(out), text)
        return out, text

    with tempfile.TemporaryDirectory() as top:
        out, text = trace("--att-target-cu", "0x5", "--att-simd-select", "0xF")
        check(not instructions(folders(out)[0]), "nobody is on unit 5")
        check("GPU 0 has no compute unit 5" in text, text)
        out, text = trace()
        check(executed(folders(out)[0]) and "has no compute unit" not in text, "a unit that exists, if none is named")
        check(len(load(folders(out)[0], "occupancy.json")["0"]) == 2 * WAVES, "waves on other units")
        out, _ = trace("--att-target-cu", "0", "--att-simd-select", "1")
        check({w["simd"] for w in waves(folders(out)[0]) if w["instructions"]} == {0}, "SIMDs")
        out, _ = trace("--att-shader-engine-mask", "0x3", "--att-buffer-size", "0x1000000")
        check(len(glob.glob(f"{out}/*/*_shader_engine_1_*.att")) == 2, "two engines")
        _, text = trace("--att-target-cu", "0", "--att-buffer-size", "0x60000")
        check("wave incomplete" not in text, text)
        out, _ = trace("--att-target-cu", "0", "--att-no-detail")
        check(not instructions(folders(out)[0]), "no detail")
        out, _ = trace("--att-target-cu", "0", "--kernel-iteration-range", "[2]", expected=1)
        check(executed(folders(out)[0]), folders(out))
        trace("--kernel-exclude-regex", ".", expected=0)
        out, _ = trace("--att-target-cu", "0", "--att-consecutive-kernels", "1", expected=1)
        check(len(waves(folders(out)[0])) == 2 * WAVES, "both kernels in one trace")
        executed(folders(out)[0])
        out, _ = trace("--att-target-cu", "0", "--att-no-intercept", expected=1)
        check(len(waves(folders(out)[0])) >= 2 * WAVES, "from first to last")
        out, _ = trace("--att-target-cu", "0", "--att-perfcounters", "sq_insts_valu SQ_WAVES:f", "SQ_INSTS_SALU",
                       "--att-perfcounter-ctrl", "2", "--kernel-iteration-range", "[1]", expected=1)
        done = [category for _, category in executed(folders(out)[0])]
        samples = load(folders(out)[0], "se0_perfcounter.json")["data"]
        sums = [sum(row[i] for row in samples) for i in (1, 2, 3, 4)]
        named = sum(name.startswith(("s_setpc", "s_swappc", "s_call")) for name, _ in executed(folders(out)[0]))
        check(sums == [done.count(KINDS["valu"]), WAVES, done.count(KINDS["salu"]) - named, 0], "samples", sums)
        check(len({row[0] for row in samples}) > 10 and not any((row[0] - samples[0][0]) % 64 for row in samples),
              "every 64 clocks", samples[:3])
        check(load(folders(out)[0], "filenames.json")["counter_names"] ==
              ["SQ_INSTS_VALU", "SQ_WAVES", "SQ_INSTS_SALU"], "names of counters")
        out, _ = trace("--att-target-cu", "1", "--att-activity", "16", "--att-perfcounter-target-only")
        check(not os.path.exists(os.path.join(folders(out)[0], "se0_perfcounter.json")), "unit 1 does nothing")
        trace("--att-gpu-index", "0", "--att-serialize-all", "--att-resource-mode", "hsa")
        _, text = trace("--att-gpu-index", "7", expected=0)
        check("no GPU is chosen" in text, text)
        out, text = trace("--att-gpu-index", "0,9999")
        check(text.count("Invalid GPU Device Index: 9999\n") == 1 and "Index: 0" not in text, text)


def counted():
    """Counters of kernels that are traced: both are what each alone is, however many runs the counters take."""
    counters = ("SQ_WAVES", "SQ_INSTS_VALU", "TCC_REQ")

    def values(directory):
        found = {}
        for path in glob.glob(f"{directory}/**/*counter_collection.csv", recursive=True):
            with open(path, newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    found[int(row["Dispatch_Id"]), row["Counter_Name"]] = float(row["Counter_Value"])
        return found

    with tempfile.TemporaryDirectory() as top:
        run("--att", "-d", f"{top}/traced", *OURS)
        listing = [executed(folder) for folder in folders(f"{top}/traced")]
        for name, more in (("once", ("--pmc", *counters)),
                           ("runs", ("--replay-mode", "kernel", "--kernel-replay-beta-enabled", "--pmc", *counters[:2],
                                     "--pmc", counters[2]))):
            run(*more, "-f", "csv", "-d", f"{top}/{name}-counted", *OURS)
            alone = values(f"{top}/{name}-counted")
            check(len(alone) == 2 * len(counters), name, alone)
            text = run("--att", *more, "-f", "csv", "-d", f"{top}/{name}", *OURS)
            check("error" not in text, text)
            check(values(f"{top}/{name}") == alone, name, values(f"{top}/{name}"), alone)
            check([executed(folder) for folder in folders(f"{top}/{name}")] == listing, name, "other instructions")
            if name == "once":  # a trace of the device, which lies around all packets of both kernels
                run("--att", "--att-consecutive-kernels", "1", *more, "-f", "csv", "-d", f"{top}/batch", *OURS)
                check(values(f"{top}/batch") == alone, "batch", values(f"{top}/batch"), alone)
                both = [sorted(sum(parts, [])) for parts in (map(executed, folders(f"{top}/batch")), listing)]
                check(both[0] == both[1], "batch", len(both[0]), len(both[1]))


def refusals():
    """What does not go together is refused before anything runs."""
    for words, said in ((("--att-target-cu", "1"), "--att-target-cu needs --att"),
                        (("--att", "--att-target-cu", "16"), "16 is not from 0 to 15"),
                        (("--att", "--att-target-cu", "one"), "'one' is no whole number"),
                        (("--att", "--att-simd-select", "0x10"), "not from 0 to 15"),
                        (("--att", "--att-shader-engine-mask", "0"), "not from 1 to"),
                        (("--att", "--att-activity", "17"), "17 is not from 1 to 16"),
                        (("--att", "--att-perfcounter-ctrl", "3"), "need each other"),
                        (("--att", "--att-perfcounters", "SQ_WAVES"), "need each other"),
                        (("--att", "--att-activity", "3", "--att-perfcounter-ctrl", "3"), "exclude each other"),
                        (("--att", "--pmc", "SQ_WAVES", "--att-activity", "3"), "exclude each other"),
                        (("--att", "--pmc", "SQ_WAVES", "--att-perfcounters", "SQ_WAVES", "--att-perfcounter-ctrl", "3"),
                         "exclude each other"),
                        (("--att", "--echo", "--att-library-path", "/nonexistent"),
                         "no librocprof-trace-decoder.so in or below"),
                        (("--att", "--att-consecutive-kernels", "1", "--selected-regions"), "exclude each other"),
                        (("--att", "--att-gpu-index", "x"), "no list of numbers"),
                        (("--att", "--att-library-path", "/nonexistent"), "no librocprof-trace-decoder.so in or below")):
        text = run(*words, status=2)
        check(said in text, words, text)


def service():
    """The SDK's service under a tool of its own: kernels, the time between, the whole program."""
    preload = f"{build}/lib/softgpu/libsoftgpu-preload.so:{build}/lib/librocprofiler-hip-bridge.so"
    # newer runtimes' own kernels are in code objects, too
    for mode, said in (("dispatch", r"([2-9]) traces, \1 asked, \d+ waves"),
                       ("between", r"[1-9] traces, 0 asked, \d+ waves"),
                       ("whole", r"1 traces, 0 asked, \d+ waves")):
        done = subprocess.run(
            [f"{build}/bin/softgpu", "--", "env", f"LD_PRELOAD={preload}", program],
            env={**environment, "TRACE_TOOL": mode, "LD_LIBRARY_PATH": f"{build}/lib",
                 "ROCP_TOOL_LIBRARIES": f"{build}/tests/whole/att/libtrace_tool.so",
                 "HSA_TOOLS_LIB": f"{build}/lib/librocprofiler-register.so.0"},
            capture_output=True, text=True, timeout=100)
        lines = done.stdout.splitlines()
        check(lines[:1] == ["everything: 256 right, 512 atomics"] and
              re.fullmatch(f"0 failed; {said}, all found, 0 infos", lines[1]), mode, done.stdout, done.stderr)
        check(int(re.search(r"(\d+) waves", lines[1]).group(1)) >= 2 * WAVES, lines[1])


def decoder():
    """The decoder by itself, with its own disassembler: the same waves as in the viewer's folder; then
    the launch alone, cut out of the trace."""
    with tempfile.TemporaryDirectory() as out:
        run("--att", "--att-target-cu", "0", "-d", out, "-o", "name", *OURS)
        library = ctypes.CDLL(f"{build}/lib/librocprof-trace-decoder.so")
        handle, call = ctypes.c_uint64(), lambda name, *a: getattr(library, f"rocprof_trace_decoder_{name}")(*a)
        check(call("create_handle", ctypes.byref(handle)) == 0, "create")
        for path in glob.glob(f"{out}/name_*_code_object_id_*.out"):
            with open(path, "rb") as file:
                elf = file.read()
            number = ctypes.c_uint64(int(path.rsplit("_", 1)[1][:-4]))
            check(call("codeobj_load", handle, number, ctypes.c_uint64(0), ctypes.c_uint64(0), elf,
                       ctypes.c_uint64(len(elf))) == 0, "load", path)
        with open(sorted(glob.glob(f"{out}/name_*_shader_engine_0_*.att"))[0], "rb") as file:
            trace = file.read()
        found, events = [], []

        @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)
        def take(kind, records, count, _):
            if kind == 3:  # a wave: size and place of its instructions of 32 bytes
                _, begin, end, _, n, _, insts = struct.unpack("<16sqqQQQQ", ctypes.string_at(records, 64))
                words = struct.unpack(f"<{4 * n}Q", ctypes.string_at(insts, 32 * n))
                found.append((begin, end, [(words[i + 2], words[i + 3]) for i in range(0, 4 * n, 4)]))
            if kind == 10:  # a dispatch: where it stands
                events.append(struct.unpack("<Q", ctypes.string_at(records + 56, 8))[0])
            return 0

        check(call("parse", handle, trace, ctypes.c_uint64(len(trace)), take, None) == 0, "parse")
        code = {r[2]: (r[5], r[4]) for r in load(folders(out)[0], "code.json")["code"]}
        seen = [(w["begin"], w["end"], [code[n[4]] for n in w["instructions"]]) for w in waves(folders(out)[0])]
        check(sorted(found) == sorted(seen), "not the viewer's waves")
        check(len(events) == 1, "dispatches", events)
        where = events.pop()
        check(call("quick_scan", handle, ctypes.c_uint64(0), trace, ctypes.c_uint64(len(trace)), take, None) == 0 and
              events == [where], "scan", events, where)
        room = ctypes.create_string_buffer(len(trace) + 4096)
        size = ctypes.c_uint64(len(room))
        check(call("build_standalone", handle, ctypes.c_uint64(0), trace, ctypes.c_uint64(len(trace)),
                   ctypes.c_uint64(where), ctypes.c_uint64(len(trace)), room, ctypes.byref(size)) == 0, "cut")
        whole = [places for _, _, places in sorted(found)]
        found.clear()
        check(call("parse", handle, room.raw[:size.value], size, take, None) == 0, "parse what was cut")
        check([places for _, _, places in sorted(found)] == whole, "what was cut has other waves")
        check(call("destroy_handle", handle) == 0, "destroy")


def region():
    """Of a program that resumes tracing for one of its three kernels: that kernel, in one trace."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([f"{build}/bin/rocprofv3", "--gpu", "soft", "--att", "--att-target-cu", "0",
                               "--selected-regions", "-d", out, "--", program, "regions"],
                              env=environment, capture_output=True, text=True, timeout=100)
        check(not done.returncode and len(folders(out)) == 1, done.stderr, folders(out))
        check(folders(out)[0].endswith("_dispatch_1") and len(waves(folders(out)[0])) == 1, folders(out))
        names = load(folders(out)[0], "occupancy.json")["dispatches"]
        check([name for name in names.values() if name != "unknown"] == ["_Z3addPff"], names)
        executed(folders(out)[0])


{"everything": everything, "narrow": narrow, "files": files, "options": options, "counted": counted, "refusals": refusals,
 "service": service, "region": region, "engines": engines, "full": full, "decoder": decoder}[scenario]()
