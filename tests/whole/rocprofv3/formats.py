#!/usr/bin/env python3
"""Databases and JSON files of a real HIP program, read by sqlite3 and python's json, and compared with
the CSV files of the same run.

usage: formats.py ROCPROFV3 PROGRAM [unittest arguments]
"""
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
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu

ROCPROFV3, PROGRAM = sys.argv[1:3]
VIEWS = """busy code_objects counters_collection events_args graph_launches hip_events kernel_symbols kernels
    memory_allocations memory_copies pmc_events pmc_info processes region_args regions
    regions_and_samples sample_regions samples scratch_memory spm_counters stream_args threads top
    top_kernels""".split()


class Formats(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-formats-")

    def tearDown(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def run_it(self, *options, env=None):
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-d", self.dir, *options, "--", PROGRAM],
                              capture_output=True, text=True, timeout=120,
                              env={**os.environ, **(env or {})})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def path(self, name):
        (path,) = glob.glob(f"{self.dir}/**/*_{name}", recursive=True)
        return path

    def rows(self, name):
        with open(self.path(name + ".csv"), newline="") as f:
            return list(csv.DictReader(f))

    def sql(self, text):
        with sqlite3.connect(f"file:{self.path('results.db')}?mode=ro", uri=True) as db:
            return db.execute(text).fetchall()

    def json(self):
        with open(self.path("results.json")) as f:
            (one,) = json.load(f)["rocprofiler-sdk-tool"]
        return one

    # ---- databases

    def test_database_is_sound(self):
        done = self.run_it("-s", "-f", "rocpd")
        self.assertEqual(self.sql("PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(self.sql("PRAGMA foreign_key_check"), [])
        meta = dict(self.sql("SELECT tag, value FROM rocpd_metadata"))
        told = re.search(r"(\d+) records (received), (\d+) (written), (\d+) (dropped), (\d+) (filtered)", done.stderr)
        for count, what in zip(told.groups()[::2], told.groups()[1::2]):
            self.assertEqual(meta["records_" + what], count)
        self.assertEqual((meta["bytes_damaged"], meta["names_lost"]), ("0", "0"))
        self.assertLess(abs(int(meta["clock_realtime_ns"]) / 1e9 - time.time()), 3600)
        self.assertGreater(int(meta["clock_boottime_ns"]), 0)
        self.assertEqual(meta["schema_version"], "3.0.3")
        self.assertEqual(meta["uuid"], "_" + meta["guid"].replace("-", "_"))
        self.assertEqual(meta["guid"][14], "7") # version of the UUID
        tables = [t for (t,) in self.sql("SELECT name FROM sqlite_master WHERE type = 'table' "
                                         "AND name LIKE 'rocpd%'")]
        self.assertTrue(all(t.endswith(meta["uuid"]) for t in tables), tables)
        for table in tables:
            if "metadata" not in table:
                self.assertLessEqual(set(self.sql(f'SELECT DISTINCT guid FROM "{table}"')),
                                     {(meta["guid"],)})
        for view in VIEWS:
            self.sql(f"SELECT * FROM {view}")
        # ids go on where rows end, and are never given twice
        counted = dict(self.sql("SELECT name, seq FROM sqlite_sequence"))
        for table, text in self.sql("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name "
                                    "LIKE 'rocpd%'"):
            self.assertIn('"id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL', text)
            ((most,),) = self.sql(f'SELECT MAX(id) FROM "{table}"')
            self.assertEqual(counted.get(table), most, table)
        left = [name for _, _, files in os.walk(self.dir) for name in files]
        self.assertEqual(left, [os.path.basename(self.path("results.db"))])

    def test_indexes_are_made_of_all_rows(self):
        self.run_it("--hip-trace", "--pmc", "SQ_WAVES", "-f", "rocpd")
        ((uuid,),) = self.sql("SELECT value FROM rocpd_metadata WHERE tag = 'uuid'")
        for table in ("arg", "pmc_event", "kernel_dispatch"):
            ((*_, plan),) = self.sql(f"EXPLAIN QUERY PLAN SELECT * FROM rocpd_{table}{uuid} WHERE event_id = 2")
            self.assertIn(f"USING INDEX by_event_rocpd_{table}{uuid} (event_id=?)", plan)
            ((most,),) = self.sql(f"SELECT MAX(pageno) FROM dbstat WHERE name = 'rocpd_{table}{uuid}'")
            ((least,),) = self.sql(f"SELECT MIN(pageno) FROM dbstat WHERE name = 'by_event_rocpd_{table}{uuid}'")
            self.assertGreater(least, most)

    def test_database_has_what_csv_has(self):
        self.run_it("-s", "-f", "rocpd", "csv")
        calls = [(r["Domain"], r["Function"], int(r["Start_Timestamp"]), int(r["End_Timestamp"]),
                  int(r["Thread_Id"]), int(r["Correlation_Id"]))
                 for t in ("hip_api_trace", "hsa_api_trace") for r in self.rows(t)]
        self.assertEqual(sorted(calls), sorted(self.sql(
            "SELECT category, name, start, end, tid, stack_id FROM regions_and_samples "
            "WHERE category LIKE 'HIP%' OR category LIKE 'HSA%'")))
        kernels = [(r["Kernel_Name"], int(r["Start_Timestamp"]), int(r["End_Timestamp"]),
                    int(r["Dispatch_Id"]), int(r["Stream_Id"]), int(r["Queue_Id"]),
                    int(r["Grid_Size_X"]), int(r["Workgroup_Size_X"]), int(r["VGPR_Count"]),
                    int(r["Correlation_Id"])) for r in self.rows("kernel_trace")]
        self.assertEqual(kernels, self.sql(
            "SELECT name, start, end, dispatch_id, stream_id, queue_id, grid_x, workgroup_x, "
            "vgpr_count, stack_id FROM kernels ORDER BY start"))
        copies = [(r["Direction"], int(r["Start_Timestamp"]), int(r["End_Timestamp"]),
                   r["Source_Agent_Id"], r["Destination_Agent_Id"])
                  for r in self.rows("memory_copy_trace")]
        self.assertEqual(copies, self.sql(
            "SELECT name, start, end, 'Agent ' || src_agent_log_index, 'Agent ' || dst_agent_log_index "
            "FROM memory_copies ORDER BY start"))
        given = [(int(r["Allocation_Size"]), int(r["Address"], 16), int(r["Start_Timestamp"]))
                 for r in self.rows("memory_allocation_trace") if r["Agent_Id"]]
        self.assertEqual(given, self.sql(
            "SELECT size, address, start FROM memory_allocations WHERE type = 'ALLOC' ORDER BY start"))
        # what is taken back says whose it was
        self.assertEqual(self.sql("SELECT COUNT(*) FROM memory_allocations F WHERE type = 'FREE' AND "
                                  "agent_name IS NULL AND EXISTS (SELECT 1 FROM memory_allocations A "
                                  "WHERE A.type = 'ALLOC' AND A.address = F.address)"), [(0,)])

    def test_calls_lead_to_kernels(self):
        self.run_it("-r", "-f", "rocpd")
        pairs = self.sql("SELECT R.name, K.region FROM kernels K JOIN regions R USING (stack_id)")
        self.assertEqual(pairs, [("hipLaunchKernel", "")] * 4)
        self.assertEqual(self.sql("SELECT total_calls FROM top_kernels ORDER BY 1"), [(1,), (3,)])
        ((busy,),) = self.sql("SELECT GpuTime - (SELECT SUM(duration) FROM kernels) - (SELECT "
                              "SUM(duration) FROM memory_copies WHERE dst_agent_type = 'GPU') FROM busy "
                              "WHERE type = 'GPU'")
        self.assertEqual(busy, 0)

    def test_counters(self):
        self.run_it("--pmc", "SQ_WAVES", "SQ_INSTS_SALU", "-f", "rocpd", "csv", "json")
        rows = sorted((int(r["Dispatch_Id"]), r["Counter_Name"], float(r["Counter_Value"]))
                      for r in self.rows("counter_collection"))
        self.assertIn((1, "SQ_WAVES", 64), rows) # 4096 threads
        self.assertEqual(rows, self.sql("SELECT dispatch_id, counter_name, value FROM "
                                        "counters_collection ORDER BY 1, 2"))
        one = self.json()
        names = {c["id"]["handle"]: c["name"] for c in one["counters"]}
        sums = {}
        for record in one["callback_records"]["counter_collection"]:
            dispatch = record["dispatch_data"]["dispatch_info"]["dispatch_id"]
            for value in record["records"]:
                key = dispatch, names[value["counter_id"]["handle"]]
                sums[key] = sums.get(key, 0) + value["value"]
        self.assertEqual(rows, sorted((*key, value) for key, value in sums.items()))

    def test_process(self):
        self.run_it("-s", "-f", "rocpd", "json", env={"TEXT_WITH": 'a "quote", \\ and \n; a line'})
        ((pid, command, environment, start, end),) = self.sql(
            "SELECT pid, command, environment, start, end FROM rocpd_info_process")
        self.assertEqual(command, PROGRAM)
        self.assertEqual(json.loads(environment)["TEXT_WITH"], 'a "quote", \\ and \n; a line')
        ((first, last),) = self.sql("SELECT MIN(start), MAX(end) FROM regions")
        self.assertLessEqual(start, first)
        self.assertLessEqual(last, end)
        ((machine, host),) = self.sql("SELECT machine_id, hostname FROM processes")
        self.assertEqual(host, os.uname().nodename)
        meta = self.json()["metadata"]
        self.assertEqual((meta["pid"], meta["command"], meta["node"]["hostname"]),
                         (pid, [PROGRAM], host))
        if os.path.exists("/etc/machine-id"):
            with open("/etc/machine-id") as f:
                self.assertEqual(machine, f.read().strip() or host)

    # ---- JSON

    def test_json_has_what_csv_has(self):
        self.run_it("-s", "-f", "json", "csv")
        one = self.json()
        kinds = one["strings"]["buffer_records"]
        symbols = one["kernel_symbols"]
        records = one["buffer_records"]
        for table, section in (("hip_api_trace", "hip_api"), ("hsa_api_trace", "hsa_api")):
            self.assertEqual(
                [(r["Domain"], r["Function"], int(r["Start_Timestamp"]), int(r["End_Timestamp"]),
                  int(r["Thread_Id"]), int(r["Correlation_Id"])) for r in self.rows(table)],
                [(kinds[r["kind"]]["kind"], kinds[r["kind"]]["operations"][r["operation"]],
                  r["start_timestamp"], r["end_timestamp"], r["thread_id"],
                  r["correlation_id"]["internal"]) for r in records[section]])
        self.assertEqual(
            [(r["Kernel_Name"], int(r["Dispatch_Id"]), int(r["Grid_Size_X"]), int(r["Stream_Id"]))
             for r in self.rows("kernel_trace")],
            [(symbols[r["dispatch_info"]["kernel_id"]]["formatted_kernel_name"],
              r["dispatch_info"]["dispatch_id"], r["dispatch_info"]["grid_size"]["x"],
              r["stream_id"]["handle"]) for r in records["kernel_dispatch"]])
        self.assertEqual(len(records["memory_copy"]), len(self.rows("memory_copy_trace")))
        agents = {a["id"]["handle"]: a for a in one["agents"]}
        self.assertEqual([agents[r["dst_agent_id"]["handle"]]["name"] for r in records["memory_copy"]
                          if agents[r["dst_agent_id"]["handle"]]["type"] == 2], [suite_gpu.ARCH])

    def test_ids_have_no_gaps(self):
        self.run_it("-s", "-f", "json")
        found = set()
        for section in self.json()["buffer_records"].values():
            for record in section:
                found |= {record["correlation_id"]["internal"],
                          record["correlation_id"].get("ancestor", 0)}
        self.assertEqual(found - {0}, set(range(1, max(found) + 1)))

    def test_json_sections_agree(self):
        self.run_it("-s", "-f", "json")
        one = self.json()
        records = one["buffer_records"]
        calls = {}
        for call in records["hip_api"] + records["hsa_api"]:
            calls.setdefault(call["correlation_id"]["internal"], []).append(call)
        self.assertEqual({len(of_an_id) for of_an_id in calls.values()}, {1})
        agents = {a["id"]["handle"]: a["type"] for a in one["agents"]}
        objects = {o["code_object_id"] for o in one["code_objects"][1:]}
        for record in records["kernel_dispatch"] + records["memory_copy"]:
            (call,) = calls[record["correlation_id"]["internal"]]
            self.assertEqual(record["thread_id"], call["thread_id"])
            self.assertLessEqual(call["start_timestamp"], record["start_timestamp"])
        for record in records["kernel_dispatch"]:
            info = record["dispatch_info"]
            self.assertEqual(agents[info["agent_id"]["handle"]], 2)
            self.assertIn(one["kernel_symbols"][info["kernel_id"]]["code_object_id"], objects)
        counts = {d["domain"]: sum(o["value"]["count"] for o in d["stats"]["operations"]) for d in one["summary"]}
        for domain in ("KERNEL_DISPATCH", "HIP_API", "HSA_API", "MEMORY_COPY", "MEMORY_ALLOCATION"):
            self.assertEqual(counts[domain], len(records[domain.lower()]), domain)

    def test_names_stand_at_their_numbers(self):
        self.run_it("--kernel-trace", "-f", "json")
        one = self.json()
        kinds = one["strings"]["buffer_records"]
        # of what has no id stand empty objects
        for key, number in (("kernel_symbols", "kernel_id"), ("code_objects", "code_object_id")):
            ids = [row[number] for row in one[key]]
            self.assertEqual((ids[0], ids[1:] == list(range(1, len(ids))), set(one[key][0]) - set(one[key][1])),
                             (0, True, set()))
        self.assertEqual(kinds[1]["kind"], "HSA_CORE_API")
        self.assertEqual(kinds[1]["operations"][0], "hsa_init")
        self.assertEqual(kinds[11]["kind"], "KERNEL_DISPATCH")

    def test_summary(self):
        self.run_it("-r", "-f", "json", "csv", "--stats")
        (domain,) = [d for d in self.json()["summary"] if d["domain"] == "KERNEL_DISPATCH"]
        rows = {r["Name"]: r for r in self.rows("kernel_stats")}
        for entry in domain["stats"]["operations"]:
            row, value = rows[entry["key"]], entry["value"]
            self.assertEqual((value["count"], value["sum"], value["min"], value["max"]),
                             tuple(int(row[c]) for c in ("Calls", "TotalDurationNs", "MinNs", "MaxNs")))
            self.assertAlmostEqual(value["stddev"], float(row["StdDev"]), 4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
