"""Databases as AMD's tools write them, made here from what is known of these files: no part of the product had a
hand in them. Tables, columns, ids and texts are those of the schema's first version, or of 3.0.3.

    path = amd.make("run.db", "3.0.3")
"""
import json
import sqlite3

GUID = "0199f2ac-5b1e-7c3d-8a4f-6b2d9e1f0a35"
SUFFIX = "_" + GUID.replace("-", "_")
PID, NODE = 4711, 1234567
START = 81_234_567_890_123  # ns of the boot clock

# A column's type is INTEGER unless another is given; ! is NOT NULL. All but the first have id and guid.
ORIGIN, WHERE = "nid!, pid!", "nid!, pid!, tid"
TABLES = {
    "metadata": "tag TEXT!, value TEXT!",
    "string": "string TEXT! UNIQUE",
    "info_node": "hash BIGINT! UNIQUE, machine_id TEXT! UNIQUE, system_name TEXT, hostname TEXT, release TEXT, version TEXT, "
                 "hardware_name TEXT, domain_name TEXT",
    "info_process": "nid!, ppid, pid!, init BIGINT, fini BIGINT, start BIGINT, end BIGINT, command TEXT, environment JSONB!, extdata",
    "info_thread": "nid!, ppid, pid!, tid!, name TEXT, start BIGINT, end BIGINT, extdata",
    "info_agent": f"{ORIGIN}, type TEXT, absolute_index, logical_index, type_index, uuid, name TEXT, model_name TEXT, "
                  "vendor_name TEXT, product_name TEXT, user_name TEXT, extdata",
    "info_queue": f"{ORIGIN}, name TEXT, extdata",
    "info_stream": f"{ORIGIN}, name TEXT, extdata",
    "info_pmc": f"{ORIGIN}, agent_id, target_arch TEXT, event_code INT, instance_id, name TEXT!, symbol TEXT!, description TEXT, "
                "long_description TEXT, component TEXT, units TEXT, value_type TEXT, block TEXT, expression TEXT, is_constant, "
                "is_derived, extdata",
    "info_code_object": f"{ORIGIN}, agent_id, uri TEXT, load_base BIGINT, load_size BIGINT, load_delta BIGINT, storage_type TEXT, extdata",
    "info_kernel_symbol": f"{ORIGIN}, code_object_id!, kernel_name TEXT, display_name TEXT, kernel_object, kernarg_segment_size, "
                          "kernarg_segment_alignment, group_segment_size, private_segment_size, sgpr_count, arch_vgpr_count, "
                          "accum_vgpr_count, extdata",
    "track": "nid!, pid, tid, name_id, extdata",
    "event": "category_id, stack_id, parent_stack_id, correlation_id, call_stack JSONB!, line_info JSONB!, extdata",
    "arg": "event_id!, position!, type TEXT!, name TEXT!, value TEXT, extdata",
    "pmc_event": "event_id, pmc_id!, value REAL, extdata",
    "region": f"{WHERE}!, start BIGINT!, end BIGINT!, name_id!, event_id, extdata",
    "sample": "track_id!, timestamp BIGINT!, event_id, extdata",
    "kernel_dispatch": f"{WHERE}, agent_id!, kernel_id!, dispatch_id!, queue_id!, stream_id!, start BIGINT!, end BIGINT!, "
                       "private_segment_size, group_segment_size, workgroup_size_x!, workgroup_size_y!, workgroup_size_z!, "
                       "grid_size_x!, grid_size_y!, grid_size_z!, region_name_id, event_id, extdata",
    "memory_copy": f"{WHERE}, start BIGINT!, end BIGINT!, name_id!, dst_agent_id, dst_address, src_agent_id, src_address, size!, "
                   "queue_id, stream_id, region_name_id, event_id, extdata",
    "memory_allocate": f"{WHERE}, agent_id, type TEXT, level TEXT, start BIGINT!, end BIGINT!, address, size!, queue_id, stream_id, "
                       "event_id, extdata",
}
# what later versions add
LATER = {
    "info_pmc": "spm_support",
    "pmc_event": "sample_id, xcc, shader_engine, instance",
    "kernel_dispatch": "graph_exec_id, graph_node_id",
    "memory_copy": "graph_exec_id, graph_node_id",
    "graph_launch": f"{WHERE}, agent_id, queue_id, start BIGINT!, end BIGINT!, graph_exec_id!, kernel_dispatch_count!, event_id, extdata",
}
JOINS = ("JOIN rocpd_event E ON E.id = {0}.event_id AND E.guid = {0}.guid JOIN rocpd_info_process P ON P.id = {0}.pid AND P.guid = "
         "{0}.guid JOIN rocpd_info_thread T ON T.id = {0}.tid AND T.guid = {0}.guid")
CATEGORY = "(SELECT string FROM rocpd_string X WHERE X.id = E.category_id AND X.guid = E.guid) AS category"
VIEWS = {
    "regions": f"R.id, R.guid, {CATEGORY}, S.string AS name, R.nid, P.pid, T.tid, R.start, R.end, R.end - R.start AS duration, R.event_id, "
               "E.stack_id, E.parent_stack_id, E.correlation_id AS corr_id, E.extdata FROM rocpd_region R JOIN rocpd_string S ON S.id = "
               "R.name_id AND S.guid = R.guid " + JOINS.format("R"),
    "kernels": f"D.id, D.guid, T.tid, {CATEGORY}, S.string AS region, K.display_name AS name, D.nid, P.pid, D.start, D.end, D.end - "
               "D.start AS duration, E.stack_id FROM rocpd_kernel_dispatch D JOIN rocpd_string S ON S.id = D.region_name_id AND S.guid = "
               "D.guid JOIN rocpd_info_kernel_symbol K ON K.id = D.kernel_id AND K.guid = D.guid " + JOINS.format("D"),
    "memory_copies": f"M.id, M.guid, {CATEGORY}, M.nid, P.pid, T.tid, M.start, M.end, M.end - M.start AS duration, S.string AS name, M.size, "
                     "A.absolute_index AS dst_agent_abs_index, B.absolute_index AS src_agent_abs_index FROM rocpd_memory_copy M JOIN "
                     "rocpd_string S ON S.id = M.name_id AND S.guid = M.guid JOIN rocpd_info_agent A ON A.id = M.dst_agent_id AND A.guid = "
                     "M.guid JOIN rocpd_info_agent B ON B.id = M.src_agent_id AND B.guid = M.guid " + JOINS.format("M"),
}
GPU = {"size": 296, "node_id": 1, "logical_node_id": 1, "cpu_cores_count": 0, "cu_count": 104, "simd_count": 416, "simd_per_cu": 4,
       "max_waves_per_simd": 8, "max_slots_scratch_cu": 32, "wave_front_size": 64, "lds_size_in_kb": 64, "num_xcc": 1,
       "num_shader_banks": 8, "gfx_target_version": 90010, "max_engine_clk_fcompute": 1700, "max_engine_clk_ccompute": 3500,
       "capability": {"ASICRevision": 1}, "fw_version": {"uCode": 80}, "workgroup_max_dim": {"x": 1024, "y": 1024, "z": 1024},
       "mem_banks_count": 1, "mem_banks": [{"heap_type": 1, "flags": 0, "width": 4096, "mem_clk_max": 1600, "size_in_bytes": 68702699520}],
       "caches": [{"level": 1, "size": 16}, {"level": 2, "size": 8192}]}
KERNELS = {12: ("_Z3addPfS_i.kd", "add(float*, float*, int)", 8), 13: ("_Z4gemmILi16EEvPKfPf.kd", "void gemm<16>(float const*, float*)", 128),
           14: ("__amd_rocclr_copyBuffer.kd", "__amd_rocclr_copyBuffer", 16)}
# of one instance of a dispatch of gemm; how many instances
COUNTERS = {"SQ_WAVES": (64, 8), "SQ_INSTS_VALU_FMA_F32": (4096, 8), "SQ_INSTS_VALU_ADD_F32": (0, 8), "SQ_INSTS_VALU_MUL_F32": (0, 8),
            "SQ_INSTS_VALU_TRANS_F32": (0, 8), "TCC_EA_RDREQ": (32, 32), "TCC_EA_RDREQ_32B": (0, 32), "TCC_EA_WRREQ": (16, 32),
            "TCC_EA_WRREQ_64B": (16, 32), "TCC_HIT": (300, 32), "TCC_MISS": (100, 32), "SQ_LDS_BANK_CONFLICT": (500, 8),
            "SQ_LDS_IDX_ACTIVE": (2000, 8), "GRBM_GUI_ACTIVE": (9000, 1)}


def columns(text):
    for column in text.split(", "):
        name, _, kind = column.partition(" ")
        if name.rstrip("!") == "extdata":
            yield "extdata JSONB NOT NULL DEFAULT '{}'"
            continue
        must, kind = "!" in column, (kind or "INTEGER").replace("!", " NOT NULL")
        yield f'"{name.rstrip("!")}" {kind}{" NOT NULL" if must and "!" in name else ""}'


def schema(version):
    tables = {name: list(columns(text)) for name, text in TABLES.items()}
    for name, text in LATER.items() if version != "3" else ():
        tables[name] = tables.get(name, []) + list(columns(text))
    for name, parts in tables.items():
        guid = [] if name == "metadata" else [f"guid TEXT NOT NULL DEFAULT '{GUID}'"]
        yield f"CREATE TABLE rocpd_{name}{SUFFIX} ({', '.join(['id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL'] + guid + parts)})"
    for name in tables:
        yield f"CREATE VIEW rocpd_{name} AS SELECT * FROM rocpd_{name}{SUFFIX}"
    for name, text in VIEWS.items():
        yield f"CREATE VIEW {name} AS SELECT {text.replace('.end', '.' + chr(34) + 'end' + chr(34))}"


class Writer:
    def __init__(self, path, version):
        self.db, self.strings, self.events = sqlite3.connect(path), {}, 0
        self.db.execute("PRAGMA synchronous = OFF")
        for statement in schema(version):
            self.db.execute(statement)

    def put(self, table, **row):
        names = ", ".join(f'"{k}"' for k in row)
        self.db.execute(f"INSERT INTO rocpd_{table}{SUFFIX} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))

    def text(self, word):
        if word not in self.strings:
            self.strings[word] = len(self.strings) + 1
            self.put("string", id=self.strings[word], string=word)
        return self.strings[word]

    def event(self, category, stack, parent=0, **extdata):
        self.events += 1
        self.put("event", id=self.events, category_id=self.text(category), stack_id=stack, parent_stack_id=parent, correlation_id=0,
                 call_stack="{}", line_info="{}", extdata=json.dumps(extdata))
        return self.events

    def region(self, number, name, start, end, category="HIP_RUNTIME_API_EXT", **extdata):
        self.put("region", id=number, nid=NODE, pid=PID, tid=PID, start=START + start, end=START + end, name_id=self.text(name),
                 event_id=self.event(category, number, **extdata))


def make_things(w, version):
    for tag, value in (("schema_version", version), ("uuid", SUFFIX), ("guid", GUID)):
        w.put("metadata", tag=tag, value=value)
    w.text("")
    w.put("info_node", id=NODE, hash=6917529027641081856, machine_id="8f1d0c", system_name="Linux", hostname="node17", release="5.15.0",
          version="#1 SMP", hardware_name="x86_64", domain_name="(none)")
    w.put("info_process", id=PID, nid=NODE, ppid=4700, pid=PID, init=START, fini=START + 10**9, start=START, end=START + 10**9,
          command="./gemm 4096", environment=json.dumps({"PATH": "/opt/rocm/bin", "LD_PRELOAD": ""}),
          extdata=json.dumps({"kernel_trace": True, "output_format": ["rocpd"]}))
    w.put("info_thread", id=PID, nid=NODE, ppid=4700, pid=PID, tid=PID)
    w.put("info_agent", id=0, nid=NODE, pid=PID, type="CPU", absolute_index=0, logical_index=0, type_index=0, uuid=0, name="AMD EPYC 7A53",
          model_name="", vendor_name="CPU", product_name="AMD EPYC 7A53", user_name="AMD EPYC 7A53", extdata=json.dumps({"node_id": 0}))
    for number in (1, 2):
        w.put("info_agent", id=number, nid=NODE, pid=PID, type="GPU", absolute_index=number, logical_index=number, type_index=number - 1,
              uuid=1234 + number, name="gfx90a", model_name="aldebaran", vendor_name="AMD", product_name="AMD Instinct MI210",
              user_name="AMD Instinct MI210", extdata=json.dumps({**GPU, "node_id": number}))
    for table, word in (("queue", "Queue"), ("stream", "Stream")):
        w.put("info_" + table, id=0, nid=NODE, pid=PID, name=f"Default {word}")
        w.put("info_" + table, id=1, nid=NODE, pid=PID, name=f"{word} 0")
    w.put("info_code_object", id=1, nid=NODE, pid=PID, agent_id=1, uri="file:///app#offset=8192&size=9000", load_base=1 << 46,
          load_size=12288, load_delta=1 << 46, extdata=json.dumps({"storage_type": 1, "memory_size": 9000}))
    for number, (symbol, name, vgprs) in KERNELS.items():
        w.put("info_kernel_symbol", id=number, nid=NODE, pid=PID, code_object_id=1, kernel_name=symbol, display_name=name, kernel_object=1 << 46,
              kernarg_segment_size=24, kernarg_segment_alignment=8, group_segment_size=0, private_segment_size=0, sgpr_count=32,
              arch_vgpr_count=vgprs, accum_vgpr_count=0, extdata=json.dumps({"formatted_kernel_name": name}))
    for agent in (1, 2):  # every counter of each GPU, collected or not
        for number, name in enumerate([*COUNTERS, "TA_BUSY_avr", "MAX_WAVE_SIZE"]):
            w.put("info_pmc", id=agent << 40 | number + 1, nid=NODE, pid=PID, agent_id=agent, target_arch="GPU", name=name, symbol=name,
                  description=f"About {name}", component="rocm", value_type="ABS", block=name.split("_")[0], expression="", is_constant=0,
                  is_derived=0, extdata=json.dumps(GPU))


def make(path, version, counted=True):
    """30 launches of two kernels in a range, copies, memory, a mark; the path."""
    w = Writer(path, version)
    make_things(w, version)
    later = {} if version == "3" else {"graph_exec_id": 0, "graph_node_id": 0}
    w.region(1, "roctxThreadRangeA", 0, 700_000, "MARKER_CORE_RANGE_API", message="solve <1>")
    w.put("track", id=1, nid=NODE, pid=PID, tid=PID, name_id=w.text("MARKER_CORE_API"))
    w.put("sample", id=2, track_id=1, timestamp=START + 500, event_id=w.event("MARKER_CORE_API", 2, message="begin"))
    w.region(3, "hipMemcpy", 1000, 50_000)
    w.put("memory_copy", id=1, nid=NODE, pid=PID, tid=PID, start=START + 10_000, end=START + 45_000, name_id=w.text("MEMORY_COPY_HOST_TO_DEVICE"),
          dst_agent_id=1, dst_address=1.8e19, src_agent_id=0, src_address=140_000_000, size=4 << 20, stream_id=0,
          event_id=w.event("MEMORY_COPY", 3, 3), **later)
    for kind, agent, size in (("ALLOC", 1, 4 << 20), ("FREE", None, 0)):
        w.put("memory_allocate", nid=NODE, pid=PID, tid=PID, agent_id=agent, type=kind, level="REAL", start=START + 600, end=START + 900,
              address=140_000_000, size=size, queue_id=0, stream_id=0, event_id=w.event("MEMORY_ALLOCATION", 4))
    for i in range(30):
        stack, at, kernel = 10 + i, 60_000 + i * 20_000, 13 if i % 3 else 12
        w.region(stack, "hipLaunchKernel", at, at + 5000)
        event = w.event("KERNEL_DISPATCH", stack, stack)
        w.put("kernel_dispatch", id=i + 1, nid=NODE, pid=PID, tid=PID, agent_id=1, kernel_id=kernel, dispatch_id=i + 1, queue_id=1, stream_id=i % 2,
              start=START + at + 6000, end=START + at + (16_000 if kernel == 13 else 8000), private_segment_size=0, group_segment_size=16384,
              workgroup_size_x=256, workgroup_size_y=1, workgroup_size_z=1, grid_size_x=256 * 128, grid_size_y=1, grid_size_z=1,
              region_name_id=w.text(""), event_id=event, **later)
        for number, (value, instances) in enumerate(COUNTERS.values() if counted and kernel == 13 else ()):
            for _ in range(instances):
                w.put("pmc_event", event_id=event, pmc_id=1 << 40 | number + 1, value=value)
    w.db.commit()
    w.db.close()
    return path
