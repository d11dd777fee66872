#!/usr/bin/env python3
"""--hip-graph-trace and --hip-event-trace on softgpu, with AMD's own HIP: every launch of a graph with its kernels,
every barrier of an event, alike in all formats; the program does not notice.

usage: graphs.py ROCPROFV3 PROGRAM"""
import collections
import csv
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROCPROFV3, PROGRAM = map(os.path.abspath, sys.argv[1:3])
ROCPD = os.path.join(os.path.dirname(ROCPROFV3), "rocpd")
RECORD, WAIT = 1, 2
LAUNCHES = [(1, 3), (2, 1), (1, 3), (3, 1)]  # graph and its kernels, in order
# A launch of the first graph has a copy behind its kernels, which newer runtimes have a kernel of their own do.
NODES = [[(graph, n + 1) for n in range(kernels)] for graph, kernels in LAUNCHES]


class GraphsTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def profile(self, *options):
        """Addresses of the events by name."""
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-d", self.folder.name, "-o", "out", *options, "--",
                               PROGRAM], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, *events, last = done.stdout.splitlines()
        self.assertEqual((first, last), ("7", "in order"), done.stdout)
        counts = re.findall(r"(\d+) records received, (\d+) written, (\d+) dropped, (\d+) filtered", done.stderr)
        for received, written, dropped, filtered in (map(int, c) for c in counts):
            self.assertEqual((received, dropped), (written + filtered, 0))
        return {name: int(place, 16) for name, place in map(str.split, events)}

    def find(self, name):
        (path,) = glob.glob(f"{self.folder.name}/**/{name}", recursive=True)
        return path

    def json(self):
        with open(self.find("out_results.json")) as file:
            return json.load(file)["rocprofiler-sdk-tool"][0]

    def rows(self, name):
        with open(self.find(f"out_{name}.csv")) as file:
            return list(csv.DictReader(file))

    def names(self, data, records):
        kinds = data["strings"]["buffer_records"]
        return [kinds[r["kind"]]["operations"][r["operation"]] for r in records]

    def calls(self, data, *names):
        calls = data["buffer_records"]["hip_api"]
        return [c for c, name in zip(calls, self.names(data, calls)) if name in names]

    def check_launches(self, graphs):
        self.assertEqual([g["graph_exec_id"]["handle"] for g in graphs], [graph for graph, _ in LAUNCHES])
        for graph, (number, kernels) in zip(graphs, LAUNCHES):
            self.assertIn(graph["kernel_dispatch_count"] - kernels, (0, 1) if number == 1 else (0,))

    def check_graphs(self, data):
        graphs = data["buffer_records"]["hip_graph"]
        self.check_launches(graphs)
        self.assertEqual(set(self.names(data, graphs)), {"HIP_GRAPH_OPERATION_EXEC_LAUNCH"})
        self.assertEqual({g["size"] for g in graphs}, {96})
        gpus = {a["id"]["handle"] for a in data["agents"] if a["type"] == 2}
        self.assertTrue({g["agent_id"]["handle"] for g in graphs} <= gpus)
        for graph, call in zip(graphs, self.calls(data, "hipGraphLaunch"), strict=True):
            self.assertEqual(graph["correlation_id"], call["correlation_id"])
            self.assertTrue(call["start_timestamp"] <= graph["start_timestamp"] <= graph["end_timestamp"] <=
                            call["end_timestamp"])
        nodes = {g["correlation_id"]["internal"]: [] for g in graphs}
        others = 0
        kernels = sorted(data["buffer_records"]["kernel_dispatch"], key=lambda k: k["dispatch_info"]["dispatch_id"])
        for kernel in kernels:
            node = kernel["graph_exec_id"]["handle"], kernel["graph_node_id"]["handle"]
            if kernel["correlation_id"]["internal"] in nodes:
                nodes[kernel["correlation_id"]["internal"]].append(node)
                self.assertEqual(kernel["stream_id"]["handle"], 1)
            else:
                self.assertEqual(node, (0, 0))
                others += 1
        for graph, own, expected in zip(graphs, nodes.values(), NODES):
            self.assertEqual(len(own), graph["kernel_dispatch_count"])
            self.assertEqual(own[:len(expected)], expected)
        self.assertGreaterEqual(others, 7)

    def check_events(self, data, events):
        records = data["buffer_records"]["hip_event"]
        self.assertEqual(self.names(data, records), ["HIP_EVENT_" + ("", "RECORD", "WAIT")[r["operation"]]
                                                     for r in records])
        self.assertEqual({r["size"] for r in records}, {88})
        by = collections.Counter((r["operation"], r["hip_event_handle"]) for r in records)
        # an event may be where one was before, and the runtime may leave a wait out that is over
        expected = collections.Counter()
        for name, count in (("first", 3), ("second", 3), ("quiet", 3)):
            expected[RECORD, events[name]] += count
        self.assertEqual({k: n for k, n in by.items() if k[0] == RECORD}, dict(expected))
        self.assertEqual({h for operation, h in by if operation == WAIT}, {events["first"]})
        self.assertTrue(1 <= by[WAIT, events["first"]] <= 3, by)
        api = {c["correlation_id"]["internal"]: name for name in ("hipEventRecord", "hipStreamWaitEvent")
               for c in self.calls(data, name)}
        seen = collections.Counter(r["correlation_id"]["internal"] for r in records)
        self.assertEqual(set(seen.values()), {1}) # also of those that share a barrier
        for r in records:
            self.assertLessEqual(r["start_timestamp"], r["end_timestamp"])
            wait = r["operation"] == WAIT
            self.assertEqual(api[r["correlation_id"]["internal"]], "hipStreamWaitEvent" if wait else "hipEventRecord")
            self.assertEqual(wait, r["queue_id"]["handle"] != r["source_queue_id"]["handle"])
            self.assertEqual(r["stream_id"]["handle"], 2 if wait or r["hip_event_handle"] == events["second"] else 1)
        # behind the kernel that the first stream ran before
        kernels = data["buffer_records"]["kernel_dispatch"]
        symbols = {k["kernel_id"]: k["truncated_kernel_name"] for k in data["kernel_symbols"]}
        ends = sorted(k["end_timestamp"] for k in kernels if "linger" in symbols[k["dispatch_info"]["kernel_id"]])
        waits = sorted(r["end_timestamp"] for r in records if r["operation"] == WAIT)
        if len(waits) == len(ends):
            for end, wait in zip(ends, waits):
                self.assertLessEqual(end, wait)

    def test_all_formats(self):
        otf2 = shutil.which("otf2-print") and "otf2" in subprocess.run(
            [ROCPROFV3, "--help"], capture_output=True, text=True, timeout=60).stdout
        events = self.profile("--hip-trace", "--kernel-trace", "--memory-copy-trace", "-f", "json", "csv", "rocpd",
                              "pftrace", *(["otf2"] if otf2 else []))
        data = self.json()
        self.check_graphs(data)
        self.check_events(data, events)
        copies = data["buffer_records"]["memory_copy"]
        self.assertTrue({(c["graph_exec_id"]["handle"], c["graph_node_id"]["handle"]) for c in copies} <=
                        {(0, 0), (1, 4)})
        self.check_tables(data)
        self.check_database(data)
        with open(self.find("out_results.pftrace"), "rb") as file:
            trace = file.read()
        for text in (b"hip_graph", b"Graph Execution", b"graph_exec_id", b"hip_event", b"HIP_EVENT_WAIT",
                     b"EVENTS of Agent"):
            self.assertIn(text, trace)
        if otf2:
            said = subprocess.run(["otf2-print", self.find("out_results.otf2")], capture_output=True, text=True,
                                  timeout=60).stdout
            found = collections.Counter(re.findall(r'\("category" <0>; STRING; "(hip_graph|hip_event)"', said))
            self.assertEqual(found, {"hip_graph": 4, "hip_event": len(data["buffer_records"]["hip_event"])})
            nodes = [int(n) for n in re.findall(r'\("graph_node_id" <2>; UINT64; (\d+)\)', said)]
            self.assertEqual(sorted(n for n in nodes if n < 4), sorted(n for launch in NODES for _, n in launch))

    def check_tables(self, data):
        graphs, events = data["buffer_records"]["hip_graph"], data["buffer_records"]["hip_event"]
        self.assertEqual([(r["Kind"], int(r["Graph_Exec_Id"]), int(r["Kernel_Dispatch_Count"]),
                           int(r["Correlation_Id"])) for r in self.rows("graph_launch_trace")],
                         [("HIP_GRAPH", g["graph_exec_id"]["handle"], g["kernel_dispatch_count"],
                           g["correlation_id"]["internal"]) for g in graphs])
        self.assertEqual([(r["Operation"], int(r["Event_Handle"], 16), int(r["Queue_Id"]), int(r["Source_Queue_Id"]),
                           int(r["Start_Timestamp"])) for r in self.rows("hip_event_trace")],
                         [(name, e["hip_event_handle"], e["queue_id"]["handle"], e["source_queue_id"]["handle"],
                           e["start_timestamp"]) for name, e in zip(self.names(data, events), events)])

    def check_database(self, data):
        path = self.find("out_results.db")
        graphs, events = data["buffer_records"]["hip_graph"], data["buffer_records"]["hip_event"]
        with sqlite3.connect(path) as database:
            self.assertEqual(database.execute("SELECT graph_exec_id, kernel_dispatch_count, stack_id, start, end, name "
                                              "FROM graph_launches ORDER BY start").fetchall(),
                             [(g["graph_exec_id"]["handle"], g["kernel_dispatch_count"],
                               g["correlation_id"]["internal"], g["start_timestamp"], g["end_timestamp"],
                               "Graph Execution") for g in graphs])
            self.assertEqual(database.execute("SELECT name, hip_event_handle, queue_id, source_queue_id, stream_id, "
                                              "stack_id FROM hip_events ORDER BY start, id").fetchall(),
                             [(name, e["hip_event_handle"], e["queue_id"]["handle"], e["source_queue_id"]["handle"],
                               e["stream_id"]["handle"], e["correlation_id"]["internal"])
                              for name, e in zip(self.names(data, events), events)])
            self.assertEqual(database.execute("SELECT graph_exec_id, graph_node_id FROM kernels WHERE graph_exec_id "
                                              "<> 0 AND graph_node_id < 4 ORDER BY dispatch_id").fetchall(),
                             [node for launch in NODES for node in launch])
        # the same once more, from the database alone
        def convert(name, *formats):
            done = subprocess.run([ROCPD, "convert", "-i", path, "-f", *formats, "-d", self.folder.name + "/again", "-o",
                                   "again"], capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
        convert("again", "csv", "json")
        with open(self.find("again_hip_event_trace.csv")) as file:
            self.assertEqual(len(list(csv.DictReader(file))), len(events))
        with open(self.find("again_graph_launch_trace.csv")) as file:
            self.assertEqual([int(r["Graph_Exec_Id"]) for r in csv.DictReader(file)], [g for g, _ in LAUNCHES])
        with open(self.find("again*.json")) as file:
            again = json.load(file)["rocprofiler-sdk-tool"][0]["buffer_records"]
        for section, keys in (("hip_graph", ("graph_exec_id", "kernel_dispatch_count", "start_timestamp")),
                              ("hip_event", ("operation", "hip_event_handle", "source_queue_id", "stream_id")),
                              ("kernel_dispatch", ("graph_exec_id", "graph_node_id"))):
            self.assertEqual([[r[k] for k in keys] for r in again[section]],
                             [[r[k] for k in keys] for r in data["buffer_records"][section]])

    def test_alone(self):
        """Each option without any other: nothing else is recorded."""
        self.profile("--hip-graph-trace", "-f", "json")
        records = {k: r for k, r in self.json()["buffer_records"].items() if r}
        self.assertEqual(list(records), ["hip_graph"])
        self.check_launches(records["hip_graph"])
        self.profile("--hip-event-trace", "-f", "json", "-d", self.folder.name + "/events")
        with open(self.find("events/out_results.json")) as file:
            data = json.load(file)["rocprofiler-sdk-tool"][0]
        records = {k: r for k, r in data["buffer_records"].items() if r}
        self.assertEqual(list(records), ["hip_event"])
        self.assertEqual(sum(r["operation"] == RECORD for r in records["hip_event"]), 9)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
