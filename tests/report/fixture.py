"""Databases to make reports of: the product's schema, filled here with what never changes."""
import json
import os
import sqlite3

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HOSTILE = '<img src=x onerror="window.caught=1"></script><script>window.caught=1</script>`${window.caught=1}'
GPU = {"cu_count": 8, "simd_per_cu": 4, "max_engine_clk_fcompute": 1700, "num_xcc": 1, "lds_size_in_kb": 64,
       "mem_banks": [{"width": 4096, "mem_clk_max": 1600, "size_in_bytes": 8589934592}]}
KERNELS = ["matmul_tiled(float const*, float*, int)", "void reduce_sum<256>(int const*, int*)", "transpose(float*)", HOSTILE]
PER_KERNEL = {"SQ_INSTS_VALU_ADD_F32": 1000, "SQ_INSTS_VALU_MUL_F32": 500, "SQ_INSTS_VALU_TRANS_F32": 0, "SQ_INSTS_VALU_FMA_F32": 20000,
              "TCC_EA_RDREQ": 4096, "TCC_EA_RDREQ_32B": 96, "TCC_EA_WRREQ": 2048, "TCC_EA_WRREQ_64B": 2000,
              "TCC_EA_RDREQ_DRAM": 4000, "TCC_EA_WRREQ_DRAM": 2048, "TCP_TOTAL_CACHE_ACCESSES": 90000, "TCP_TCC_READ_REQ": 9000,
              "TCP_TCC_WRITE_REQ": 2100, "TCP_TCC_ATOMIC_WITH_RET_REQ": 0, "TCP_TCC_ATOMIC_WITHOUT_RET_REQ": 16, "TCC_HIT": 7000,
              "TCC_MISS": 4116, "SQ_LDS_IDX_ACTIVE": 52000, "SQ_LDS_BANK_CONFLICT": 4000, "SQC_DCACHE_REQ": 900, "SQC_DCACHE_HITS": 880,
              "SQC_ICACHE_REQ": 5000, "SQC_ICACHE_HITS": 4990, "SQC_TC_DATA_READ_REQ": 20, "SQC_TC_INST_REQ": 10}
START = 5_000_000_000


class Database:
    """One process on a software GPU, or, without `soft`, on a real one."""

    def __init__(self, path, pid=4242, command="./demo --size 128", soft=True, modelled=False, gpu="gfx90a", facts=GPU):
        if os.path.exists(path):
            os.remove(path)
        self.path, self.pid, self.guid = path, pid, f"00000000-0000-4000-8000-{pid:012d}"
        self.uuid = "_" + self.guid.replace("-", "_")
        self.db, self.names = sqlite3.connect(path), {}
        self.db.execute("PRAGMA synchronous = OFF")
        with open(f"{SOURCE}/src/output/rocpd_schema.sql", encoding="utf-8") as f:
            self.db.executescript(f.read().replace("{uuid}", self.uuid).replace("{guid}", self.guid))
        self.put("rocpd_metadata", tag="schema_version", value="3.0.3")
        self.put("rocpd_metadata", tag="clock_boottime_ns", value=str(START))
        self.put("rocpd_metadata", tag="clock_realtime_ns", value=str(1767323045_000_000_000))
        self.put("rocpd_metadata", tag="runtimes", value="libamdhip64.so.6.4, libhsa-runtime64.so.1.14")
        self.put("rocpd_info_node", id=1, hash=1, machine_id="m", hostname="testhost", system_name="Linux", release="6.1", hardware_name="x86_64")
        variables = {"LD_PRELOAD": "/usr/lib/softgpu/libsoftgpu-preload.so"} if soft else {}
        self.put("rocpd_info_process", id=pid, nid=1, pid=pid, ppid=1, start=START, end=START, command=command, environment=json.dumps(variables))
        self.put("rocpd_info_thread", id=pid, nid=1, pid=pid, tid=pid, name="main")
        self.put("rocpd_info_agent", id=1, nid=1, pid=pid, type="GPU", absolute_index=1, name=gpu, product_name="AMD Instinct MI210" if gpu == "gfx90a" else f"A {gpu}",
                 model_name="mi210" + (" (model time)" if modelled else ""), extdata=json.dumps(facts))
        self.put("rocpd_info_agent", id=0, nid=1, pid=pid, type="CPU", absolute_index=0, name="cpu", product_name="A CPU")
        for i in (1, 2):
            self.put("rocpd_info_queue", id=i, nid=1, pid=pid, name=f"Queue {i}")
            self.put("rocpd_info_stream", id=i, nid=1, pid=pid, name=f"Stream {i}")
        self.put("rocpd_info_code_object", id=1, nid=1, pid=pid, agent_id=1)
        self.text("")
        self.event, self.stack = 0, 0

    def put(self, table, **row):
        columns = ", ".join(f'"{c}"' for c in row)
        self.db.execute(f'INSERT INTO "{table}{self.uuid}" ({columns}) VALUES ({", ".join("?" * len(row))})', list(row.values()))

    def text(self, value):
        if value not in self.names:
            self.names[value] = len(self.names) + 1
            self.put("rocpd_string", id=self.names[value], string=value)
        return self.names[value]

    def kernel(self, number, name, vgprs=32, symbol=None, facts=None):
        self.put("rocpd_info_kernel_symbol", id=number, nid=1, pid=self.pid, code_object_id=1, kernel_name=symbol or name, display_name=name,
                 sgpr_count=16, arch_vgpr_count=vgprs, accum_vgpr_count=0, extdata=json.dumps(facts or {}))

    def add_event(self, category, message=None):
        self.event += 1
        self.stack += 1
        self.put("rocpd_event", id=self.event, category_id=self.text(category), stack_id=self.stack, parent_stack_id=0, correlation_id=0,
                 extdata=json.dumps({"message": message}) if message else "{}")
        return self.event

    def call(self, name, start, end, category="HIP_RUNTIME_API_EXT", message=None):
        self.put("rocpd_region", nid=1, pid=self.pid, tid=self.pid, start=START + start, end=START + end, name_id=self.text(name),
                 event_id=self.add_event(category, message))
        return self.stack

    def dispatch(self, kernel, start, end, launched=None, queue=1, grid=(4096, 1, 1), group=(256, 1, 1), lds=0):
        event = self.add_event("KERNEL_DISPATCH")
        if launched:
            self.db.execute(f'UPDATE "rocpd_event{self.uuid}" SET stack_id = ? WHERE id = ?', (launched, event))
        row = dict(zip(("grid_size_x", "grid_size_y", "grid_size_z", "workgroup_size_x", "workgroup_size_y", "workgroup_size_z"), grid + group))
        self.put("rocpd_kernel_dispatch", nid=1, pid=self.pid, tid=self.pid, agent_id=1, kernel_id=kernel, dispatch_id=event, queue_id=queue,
                 stream_id=queue, start=START + start, end=START + end, private_segment_size=0, group_segment_size=lds, region_name_id=1,
                 event_id=event, **row)
        return event

    def copy(self, start, end, size):
        self.put("rocpd_memory_copy", nid=1, pid=self.pid, tid=self.pid, start=START + start, end=START + end,
                 name_id=self.text("MEMORY_COPY_HOST_TO_DEVICE"), dst_agent_id=1, src_agent_id=0, size=size, stream_id=1,
                 event_id=self.add_event("MEMORY_COPY"))

    def counter(self, number, name):
        self.put("rocpd_info_pmc", id=number, nid=1, pid=self.pid, agent_id=1, target_arch="GPU", name=name, symbol=name,
                 description=f"what {name} counts", value_type="ABS")

    def value(self, event, counter, value):
        self.put("rocpd_pmc_event", event_id=event, pmc_id=counter, value=value)

    def code(self, kernel):
        """The product's own tables: instructions with counts of two dispatches, and a source."""
        facts = "kernel_id INTEGER, dispatch_id INTEGER, address INTEGER, text TEXT, function TEXT, file TEXT, line INTEGER, user_file TEXT, user_line INTEGER, loop_depth INTEGER"
        guid = f"guid TEXT DEFAULT '{self.guid}'"
        self.db.execute(f'CREATE TABLE "crocprof_instruction{self.uuid}" (id INTEGER PRIMARY KEY, {guid}, {facts}, issued INTEGER, wait_vector INTEGER)')
        self.db.execute(f'CREATE TABLE "crocprof_source{self.uuid}" (id INTEGER PRIMARY KEY, {guid}, path TEXT, text TEXT)')
        for view in ("crocprof_instruction", "crocprof_source"):
            self.db.execute(f'CREATE VIEW "{view}" AS SELECT * FROM "{view}{self.uuid}"')
        for dispatch in (1, 2):
            for i, (text, line, depth, issued, wait) in enumerate((("s_load_dwordx4 s[0:3], s[4:5], 0x0", 2, 0, 80, 0), ("v_fma_f32 v0, v1, v2, v0", 3, 1, 320, 0),
                                                                   ("global_load_dword v3, v4, s[0:1]", 3, 1, 320, 250), ("s_endpgm", None, 0, 80, 0))):
                self.put("crocprof_instruction", kernel_id=kernel, dispatch_id=dispatch, address=4096 + 8 * i, text=text, function="f",
                         file=("/opt/rocm/include/hip/fma.h" if i == 1 else "/src/demo.hip") if line else None, line=90 if i == 1 else line,
                         user_file="/src/demo.hip" if line else None, user_line=line, loop_depth=depth, issued=issued, wait_vector=wait)
        self.put("crocprof_source", path="/src/demo.hip", text=f"__global__ void f(){HOSTILE}\n{{ load\n  fma; }}")

    def lost(self, records):
        self.put("rocpd_metadata", tag="records_dropped", value=str(records))

    def spoil(self, value):
        """The text in place of every one that is shown, of every table."""
        texts = {"string": ["string"], "info_node": ["hostname", "system_name", "release"], "info_process": ["command"], "info_thread": ["name"],
                 "info_agent": ["name", "product_name", "model_name"], "info_queue": ["name"], "info_stream": ["name"],
                 "info_kernel_symbol": ["kernel_name", "display_name"], "info_pmc": ["name", "description", "block", "expression"]}
        for table, columns in texts.items():
            for column in columns:  # numbered, as some have to differ
                self.db.execute(f'UPDATE "rocpd_{table}{self.uuid}" SET "{column}" = ? || id WHERE "{column}" <> \'\'', (value,))
        self.db.execute(f'UPDATE "rocpd_metadata{self.uuid}" SET value = ? WHERE tag = \'runtimes\'', (value,))

    def done(self):
        self.db.commit()
        self.db.close()
        return self.path


def demo(path, scale=1.0, counted=False, modelled=False, soft=True, pid=4242, lost=0, code=False, spoiled=""):
    """A run of three kernels and one of a hostile name; `scale` stretches the times of kernels."""
    d = Database(path, pid=pid, soft=soft, modelled=modelled)
    for i, name in enumerate(KERNELS):
        d.kernel(i + 1, name, vgprs=(128, 16, 24, 8)[i])
    for i, name in enumerate(PER_KERNEL if counted else ()):
        d.counter(i + 1, name)
    d.call("roctxRangePushA", 1000, 900_000, "MARKER_CORE_RANGE_API", "one step: " + HOSTILE)
    d.copy(20_000, 60_000, 1 << 20)
    at = 70_000
    for i in range(40):
        kernel = i % len(KERNELS)
        launched = d.call("hipLaunchKernel", at - 6000, at - 2000)
        length = int((1500, 4000, 9000, 700)[kernel] * (1 + i % 5 / 5) * scale)
        event = d.dispatch(kernel + 1, at, at + length, launched, queue=1 + kernel % 2, lds=2048 if kernel == 0 else 0)
        for c, value in enumerate(PER_KERNEL.values() if counted else ()):
            d.value(event, c + 1, value * (kernel + 1) / 2)  # of two instances
            d.value(event, c + 1, value * (kernel + 1) / 2)
        at += 20_000
    d.call("hipDeviceSynchronize", at, at + 30_000)
    if lost:
        d.lost(lost)
    if code:
        d.code(1)
    if spoiled:
        d.spoil(spoiled)
    return d.done()


def many(path, count):
    """So many records: half calls, half kernels on two queues, by statements alone."""
    d = Database(path)
    for i, name in enumerate(KERNELS):
        d.kernel(i + 1, name)
    call, category, launch = d.text("hipLaunchKernel"), d.text("HIP_RUNTIME_API_EXT"), d.text("KERNEL_DISPATCH")
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count // 2}) "
    u = d.uuid
    d.db.execute(f'INSERT INTO "rocpd_event{u}" (id, category_id, stack_id, parent_stack_id, correlation_id) {numbers}'
                 f"SELECT 2 * i + 1, {category}, i + 1, 0, 0 FROM n")
    d.db.execute(f'INSERT INTO "rocpd_event{u}" (id, category_id, stack_id, parent_stack_id, correlation_id) {numbers}'
                 f"SELECT 2 * i + 2, {launch}, i + 1, 0, 0 FROM n")
    d.db.execute(f'INSERT INTO "rocpd_region{u}" (nid, pid, tid, start, "end", name_id, event_id) {numbers}'
                 f"SELECT 1, {d.pid}, {d.pid}, {START} + i * 3000, {START} + i * 3000 + 900, {call}, 2 * i + 1 FROM n")
    d.db.execute(f'INSERT INTO "rocpd_kernel_dispatch{u}" (nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, "end", '
                 "private_segment_size, group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, "
                 f"grid_size_z, region_name_id, event_id) {numbers} SELECT 1, {d.pid}, {d.pid}, 1, 1 + i % 4, i, 1 + i % 2, 1 + i % 2, "
                 f"{START} + i * 3000 + 1200, {START} + i * 3000 + 1200 + 800 + i % 7 * 100, 0, 0, 256, 1, 1, 4096, 1, 1, 1, 2 * i + 2 FROM n")
    return d.done()
