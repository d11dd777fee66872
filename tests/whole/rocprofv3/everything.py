#!/usr/bin/env python3
"""One run with everything on: JSON files have every object and key that AMD's have, in their order, and
every view of the database has rows where there is something to show.

usage: everything.py ROCPROFV3 PROGRAM KEYS [unittest arguments]
"""
import csv
import glob
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu

ROCPROFV3, PROGRAM, KEYS = sys.argv[1:4]

# Where each object stands: a path of keys, [] for the elements of an array.
WHERE = {
    "tool: node": ["metadata.node"],
    "tool: config (output keys)": ["metadata.config"],
    "tool: agent": ["agents[]"],
    "HSA_ENGINE_VERSION": ["agents[].sdma_fw_version"],
    "HSA_ENGINE_ID": ["agents[].fw_version"],
    "HSA_CAPABILITY": ["agents[].capability"],
    "rocprofiler_dim3_t": ["agents[].workgroup_max_dim", "agents[].grid_max_dim",
                           "host_functions[].thread_ids", "host_functions[].block_ids",
                           "host_functions[].block_dims", "host_functions[].grid_dims",
                           "buffer_records.kernel_dispatch[].dispatch_info.workgroup_size",
                           "buffer_records.kernel_dispatch[].dispatch_info.grid_size"],
    "rocprofiler_agent_mem_bank_t": ["agents[].mem_banks[]"],
    "HSA_MEMORYPROPERTY": ["agents[].mem_banks[].flags"],
    "rocprofiler_agent_cache_t": ["agents[].caches[]"],
    "HsaCacheType": ["agents[].caches[].type"],
    "rocprofiler_agent_io_link_t": ["agents[].io_links[]"],
    "HSA_LINKPROPERTY": ["agents[].io_links[].flags"],
    "rocprofiler_agent_runtime_visiblity_t": ["agents[].runtime_visibility"],
    "rocprofiler_uuid_t": ["agents[].uuid"],
    "rocprofiler_agent_id_t": ["agents[].id", "buffer_records.memory_copy[].src_agent_id"],
    "tool: counter": ["counters[]"],
    "rocprofiler_counter_record_dimension_instance_info_t": ["counters[].instances[]"],
    "rocprofiler_counter_dimension_info_t": ["counters[].instances[].dimensions[]"],
    "rocprofiler_counter_record_dimension_info_t": ["counters[].dimensions[]",
                                                    "strings.counters.dimension_ids[]"],
    "tool: name table entry": ["strings.callback_records[]", "strings.buffer_records[]"],
    "rocprofiler_callback_tracing_code_object_load_data_t": ["code_objects[]"],
    "tool: kernel symbol": ["kernel_symbols[]"],
    "tool: host function": ["host_functions[]"],
    "rocprofiler_address_t": ["kernel_symbols[].kernel_address",
                              "host_functions[].host_function", "host_functions[].modules",
                              "buffer_records.memory_allocation[].address"],
    "tool: domain statistics": ["summary[].stats"],
    "tool: statistics": ["summary[].stats.operations[].value"],
    "tool: counter record": ["callback_records.counter_collection[]"],
    "rocprofiler_dispatch_counting_service_data_t":
        ["callback_records.counter_collection[].dispatch_data"],
    "tool: counter value": ["callback_records.counter_collection[].records[]"],
    "rocprofiler_counter_id_t": ["callback_records.counter_collection[].records[].counter_id"],
    "tool: kernel dispatch record": ["buffer_records.kernel_dispatch[]"],
    "rocprofiler_kernel_dispatch_info_t": ["buffer_records.kernel_dispatch[].dispatch_info"],
    "rocprofiler_queue_id_t": ["buffer_records.kernel_dispatch[].dispatch_info.queue_id"],
    "rocprofiler_stream_id_t": ["buffer_records.kernel_dispatch[].stream_id"],
    "rocprofiler_async_correlation_id_t": ["buffer_records.kernel_dispatch[].correlation_id"],
    "rocprofiler_correlation_id_t": ["buffer_records.hip_api[].correlation_id"],
    "tool: hip api record": ["buffer_records.hip_api[]"],
    "sdk::serialization::buffer_tracing_args": ["buffer_records.hip_api[].args[]"],
    "rocprofiler_hip_api_retval_t": ["buffer_records.hip_api[].retval"],
    "rocprofiler_buffer_tracing_hsa_api_record_t": ["buffer_records.hsa_api[]"],
    "rocprofiler_buffer_tracing_marker_api_record_t": ["buffer_records.marker_api[]"],
    "tool: memory copy record": ["buffer_records.memory_copy[]"],
    "tool: memory allocation record": ["buffer_records.memory_allocation[]"],
    "rocprofiler_buffer_tracing_scratch_memory_record_t": ["buffer_records.scratch_memory[]"],
}

# Objects that others are made of, under their own names in the list.
PARTS = """(common api record)
    rocprofiler_agent_v0_t rocprofiler_counter_info_v0_t rocprofiler_counter_info_v1_t
    rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t
    rocprofiler_buffer_tracing_hip_api_ext_record_t rocprofiler_buffer_tracing_kernel_dispatch_record_t
    rocprofiler_buffer_tracing_memory_copy_record_t rocprofiler_buffer_tracing_memory_allocation_record_t
    """.strip().split("\n")
PARTS = {PARTS[0]} | set(" ".join(PARTS[1:]).split())

# Objects that no JSON file of rocprofv3 has a place for: callbacks, intercepted tables, templates;
# and records of what a plain HIP program does not do, whose sections are then empty.
NOWHERE = ("rocprofiler_callback_tracing_", "rocprofiler_buffer_tracing_", "rocprofiler_pc_",
           "rocprofiler_rccl_", "rocprofiler_rocdecode_", "rocprofiler_rocjpeg_", "rocprofiler::sdk",
           "rocprofiler_dispatch_counting_service_record_t", "rocprofiler_context_id_t", "hsa_",
           "rocprofiler_hsa_api_retval_t", "rocprofiler_marker_api_retval_t",
           "rocprofiler_counter_record_t", "rocprofiler_hip_api_",
           "tool: pc sample", "tool: config (own keys)")
VIEWS = """busy code_objects counters_collection events_args kernel_symbols kernels memory_allocations
    memory_copies pmc_events pmc_info processes region_args regions regions_and_samples sample_regions
    samples scratch_memory threads top top_kernels""".split()


def at(value, path):
    """All values at the path."""
    if not path:
        return [value]
    head, _, rest = path.partition(".")
    if not head.endswith("[]"):
        return at(value[head], rest)
    return [found for element in value[head[:-2]] for found in at(element, rest)]


# Keys that releases since the one of KEYS have, and the key that they stand behind.
NODE = ["graph_exec_id", "graph_node_id"]
NEWER = {("rocprofiler_counter_info_v1_t", "is_derived"): ["spm_support"],
         ("tool: kernel dispatch record", "stream_id"): NODE,
         ("tool: memory copy record", "stream_id"): NODE,
         ("tool: config (own keys)", "counter_collection"): ["spm_counter_collection"],
         ("tool: config (own keys)", "rocjpeg_api_trace"): ["rocshmem_api_trace", "hipfile_api_trace",
                                                            "hip_graph_trace", "hip_event_trace"]}


class Everything(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix="rocprofv3-everything-")
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-s", "--pmc", "SQ_WAVES", "GPU_UTIL",
                               "--output-config", "-f", "json", "rocpd", "csv", "-d", cls.dir, "-o", "all", "--", PROGRAM],
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0 and "LOST" not in done.stderr, done.stderr
        # runtimes before ROCm 6 do not tell of scratch memory
        cls.scratch = bool(glob.glob(f"{cls.dir}/**/all_scratch_memory_trace.csv", recursive=True))
        cls.out = os.path.dirname(cls.path("all_results.json"))
        with open(cls.path("all_results.json")) as f:
            (cls.one,) = json.load(f)["rocprofiler-sdk-tool"]
        cls.db = sqlite3.connect(f"file:{cls.path('all_results.db')}?mode=ro", uri=True)
        cls.keys = {}
        with open(KEYS, newline="") as f:
            for row in csv.DictReader((line for line in f if line[0] != "#"), delimiter="\t"):
                cls.keys.setdefault(row["object"], []).append((row["key"], row["condition"]))
                for newer in NEWER.get((row["object"], row["key"]), ()):
                    cls.keys[row["object"]].append((newer, ""))

    @classmethod
    def tearDownClass(cls):
        cls.db.close()
        shutil.rmtree(cls.dir, ignore_errors=True)

    @classmethod
    def path(cls, name):
        (path,) = glob.glob(f"{cls.dir}/**/{name}", recursive=True)
        return path

    def rows(self, name):
        with open(self.path(f"all_{name}.csv"), newline="") as f:
            return list(csv.DictReader(f))

    def keys_of(self, name):
        """(key, condition) of an object, with those that it takes over from others."""
        found = []
        for key, condition in self.keys[name]:
            if key.startswith("(keys of "):
                of = key[len("(keys of "):-1].split(",")[0]
                found += self.keys_of(of if of in self.keys else f"({of})")
            else:
                found.append((key.split(" (")[0], condition))
        return found

    # ---- JSON

    def test_every_object_is_known(self):
        for name in self.keys:
            self.assertTrue(name in WHERE or name in PARTS or name.startswith(NOWHERE), name)

    def test_keys_in_order(self):
        for name, paths in WHERE.items():
            expected = self.keys_of(name)
            for path in paths:
                if "scratch_memory" in path and not self.scratch:
                    continue
                found = at(self.one, path)
                self.assertTrue(found, f"{name}: nothing at {path}")
                for value in found:
                    here = list(value)
                    wanted = [k for k, condition in expected if k in here or not condition]
                    if name == "tool: agent" and value["type"] == 1: # of CPUs
                        wanted.remove("gpu_index")
                    self.assertEqual(here, wanted, f"{name} at {path}")

    def test_sections(self):
        self.assertEqual(list(self.one), [
            "metadata", "agents", "counters", "strings", "code_objects", "kernel_symbols",
            "host_functions", "summary", "callback_records", "buffer_records"])
        filled = {key for key, records in self.one["buffer_records"].items() if records}
        self.assertEqual(filled - {"scratch_memory", "kfd"}, {"kernel_dispatch", "hip_api", "hsa_api",
                                                       "marker_api", "memory_copy",
                                                       "memory_allocation"})
        self.assertEqual("scratch_memory" in filled, self.scratch)
        kinds = self.one["strings"]["callback_records"]
        self.assertEqual((kinds[1]["kind"], kinds[1]["operations"][0]), ("HSA_CORE_API", "hsa_init"))

    def test_agents_have_their_parts(self):
        for agent in self.one["agents"]:
            for part in ("mem_banks", "caches", "io_links"):
                self.assertEqual(agent[part + "_count"], len(agent[part]))
            self.assertEqual(len(agent["uuid"]["bytes"]), 16)
        (gpu,) = [a for a in self.one["agents"] if a["name"] == suite_gpu.ARCH]
        self.assertGreaterEqual(sum(bank["size_in_bytes"] for bank in gpu["mem_banks"]), 1 << 30)
        self.assertEqual(gpu["runtime_visibility"]["hip"], 1)

    def test_values_lie_in_dimensions(self):
        (waves,) = [c for c in self.one["counters"] if c["name"] == "SQ_WAVES"]
        sizes = {d["name"]: d["instance_size"] for d in waves["dimensions"]}
        places = {tuple(d["index"] for d in i["dimensions"]) for i in waves["instances"]}
        count = 1
        for size in sizes.values():
            count *= size
        self.assertEqual(len(places), count)
        for place in places:
            self.assertTrue(all(0 <= n < size for n, size in zip(place, sizes.values())), place)

    def test_host_functions(self):
        """Each kernel of the program has what stands for it on the host, at its place in the array."""
        functions, symbols = self.one["host_functions"], self.one["kernel_symbols"]
        self.assertEqual((functions[0]["host_function_id"], functions[0]["device_function"]), (0, ""))
        self.assertEqual([f["host_function_id"] for f in functions], list(range(len(functions))))
        launched = {r["dispatch_info"]["kernel_id"] for r in self.one["buffer_records"]["kernel_dispatch"]}
        self.assertTrue({n for n in launched if not symbols[n]["kernel_name"].startswith("__amd_")} <=
                        {f["kernel_id"] for f in functions})
        # by its name, as the linker knows it, less what the loader adds, which are whole pages
        listed = subprocess.run(["nm", PROGRAM], capture_output=True, text=True, check=True).stdout.splitlines()
        places = {row.split()[2]: int(row.split()[0], 16) for row in listed if len(row.split()) == 3}
        for f in functions[1:]:
            kernel = symbols[f["kernel_id"]]
            self.assertEqual((f["size"], f["device_function"] + ".kd", f["code_object_id"], f["workgroup_size"]),
                             (120, kernel["kernel_name"], kernel["code_object_id"], 0))
            self.assertEqual([f[f"{form}_host_function_name"] for form in ("formatted", "demangled", "truncated")],
                             [kernel[f"{form}_kernel_name"] for form in ("formatted", "demangled", "truncated")])
            self.assertEqual(f["host_function"]["handle"] % 4096, places[f["device_function"]] % 4096)
            self.assertEqual(f["thread_limit"], 0xffffffff)  # none
            self.assertNotEqual(f["modules"]["handle"], 0)

    def arguments(self, function):
        """Arguments of the calls of a function, in the order of time."""
        operations = self.one["strings"]["buffer_records"]
        return [{a["name"]: a["value"] for a in r["args"]} for r in self.one["buffer_records"]["hip_api"]
                if operations[r["kind"]]["operations"][r["operation"]] == function]

    def test_arguments(self):
        copies = self.arguments("hipMemcpy")
        self.assertEqual([(c["sizeBytes"], c["kind"]) for c in copies], [("1024", "DeviceToHost")] * 2)
        given = self.arguments("hipMalloc")
        self.assertEqual([g["size"] for g in given], ["1024"] * 2)
        taken = self.arguments("hipFree")
        self.assertEqual([c["src"] for c in copies], [t["ptr"] for t in taken])
        operations = self.one["strings"]["buffer_records"][21]["operations"]
        self.assertEqual({r["retval"]["uint64_t_retval"] & 0xffffffff
                          for r in self.one["buffer_records"]["hip_api"]
                          if operations[r["operation"]] in ("hipMalloc", "hipMemcpy")}, {0})

    def test_settings(self):
        config = self.one["metadata"]["config"]
        self.assertEqual((config["output_path"], config["output_file"]), (self.out, "all"))
        self.assertEqual([config[f + "_output"] for f in "csv json pftrace otf2 rocpd".split()],
                         [True, True, False, False, True])
        with open(self.path("all_config.json")) as f:
            (file,) = json.load(f)["rocprofiler-sdk-tool"]
        self.assertEqual(list(file), ["metadata"])
        self.assertEqual(list(file["metadata"]), ["pid", "init_time", "fini_time", "config", "command",
                                                  "build_spec", "environment"])
        keys = self.keys_of("tool: config (own keys)") + self.keys_of("tool: config (output keys)")
        own = file["metadata"]["config"]
        self.assertEqual(list(own), [key for key, _ in keys])
        self.assertEqual({key: own[key] for key in config}, config)
        self.assertEqual((own["counters"], own["kernel_trace"], own["truncate"],
                          own["summary_unit"]), (["SQ_WAVES", "GPU_UTIL"], True, False, "nsec"))
        self.assertEqual(file["metadata"]["command"], [PROGRAM])
        ((extdata,),) = self.sql("SELECT extdata FROM rocpd_info_process")
        self.assertEqual(json.loads(extdata), own)

    # ---- the database

    def sql(self, text):
        return self.db.execute(text).fetchall()

    def test_views_have_rows(self):
        for view in VIEWS:
            if view == "scratch_memory" and not self.scratch:
                continue
            self.assertGreater(self.sql(f"SELECT COUNT(*) FROM {view}")[0][0], 0, view)
        self.assertEqual(self.sql("PRAGMA foreign_key_check"), [])

    def test_database_has_the_same_arguments(self):
        found = {}
        for stack, position, type_, name, value in self.sql(
                "SELECT stack_id, arg_position, arg_type, arg_name, arg_value FROM events_args "
                "WHERE stack_id != 0 " # what the driver tells of belongs to no call
                "ORDER BY stack_id, arg_position"):
            found.setdefault(stack, []).append({"type": type_, "name": name, "value": value})
            self.assertEqual(position, len(found[stack]) - 1)
        self.assertEqual(found, {r["correlation_id"]["internal"]: r["args"]
                                 for r in self.one["buffer_records"]["hip_api"] if r["args"]})

    def test_threads_have_names(self):
        names = dict(self.sql("SELECT tid, name FROM rocpd_info_thread"))
        ((pid,),) = self.sql("SELECT pid FROM rocpd_info_process")
        self.assertEqual(names[pid], os.path.basename(PROGRAM)[:15])
        launching = self.sql("SELECT DISTINCT tid FROM kernels")
        self.assertEqual({names[tid] for (tid,) in launching} - {names[pid]}, {"worker of all"})

    # ---- CSV stays what it is

    def test_csv_shows_the_same_calls(self):
        kinds = self.one["strings"]["buffer_records"]
        self.assertEqual([(r["Domain"], r["Function"]) for r in self.rows("hip_api_trace")],
                         [(kinds[r["kind"]]["kind"], kinds[r["kind"]]["operations"][r["operation"]])
                          for r in self.one["buffer_records"]["hip_api"]])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
