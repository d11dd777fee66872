"""Databases made by hand, row by row, for the tests of what reads results: everything in them is known.

    db = Database("a.db", SCHEMA)
    db.dispatch("scale(float*)", start=0, end=1000, counters={"SQ_WAVES": 4})
    db.region("hipMalloc", 0, 10)
    db.close()
"""
import json
import os
import re
import sqlite3

PRELOAD = "/lib/softgpu/libsoftgpu-preload.so"
COUNTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../include/softgpu/instruction_counts.h")


class Database:
    def __init__(self, path, schema, soft=True, pid=7, gpu="gfx90a", model="mi210", agent=None, command="app",
                 metadata=None):
        self.path, self.pid, self.next, self.strings, self.rows = path, pid, {}, {}, {}
        self.guid = f"00000000-0000-7000-8000-{pid:012d}"
        self.suffix = "_" + self.guid.replace("-", "_")
        with open(schema, encoding="utf-8") as f:
            text = f.read()
        self.db = sqlite3.connect(path)
        self.db.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN;" +
                              text.replace("{uuid}", self.suffix).replace("{guid}", self.guid) + "COMMIT;")
        for tag, value in {"schema_version": "3.0.3", "uuid": self.suffix, "guid": self.guid,
                           **(metadata or {})}.items():
            self.put("metadata", tag=tag, value=str(value))
        self.put("info_node", id=1, hash=1, machine_id="m", hostname="host")
        self.put("info_process", id=pid, nid=1, pid=pid, start=0, end=10**9, command=command,
                 environment=json.dumps({"LD_PRELOAD": PRELOAD} if soft else {}))
        self.put("info_thread", id=pid, nid=1, pid=pid, tid=pid)
        self.put("info_agent", id=0, nid=1, pid=pid, type="CPU", absolute_index=0, name="cpu")
        self.put("info_agent", id=1, nid=1, pid=pid, type="GPU", absolute_index=1, name=gpu, model_name=model,
                 extdata=json.dumps({"cu_count": 8, "simd_count": 32, "simd_per_cu": 4, "max_slots_scratch_cu": 32,
                                     "max_waves_per_simd": 8, "wave_front_size": 64, **(agent or {})}))
        self.put("info_code_object", id=1, nid=1, pid=pid, agent_id=1)
        self.kernels, self.counters, self.queues, self.streams = {}, {}, set(), set()
        self.counted_tables = False
        self.text("")

    def put(self, table, **row):
        names = ", ".join(f'"{k}"' for k in row)
        return self.db.execute(f'INSERT INTO "rocpd_{table}{self.suffix}" ({names}) VALUES '
                               f'({", ".join("?" * len(row))})', list(row.values())).lastrowid

    def number(self, table):
        self.next[table] = self.next.get(table, 0) + 1
        return self.next[table]

    def text(self, word):
        if word not in self.strings:
            self.strings[word] = self.put("string", string=word)
        return self.strings[word]

    def event(self, category, stack=0):
        return self.put("event", category_id=self.text(category), stack_id=stack or self.number("stack"),
                        parent_stack_id=0, correlation_id=0)

    def kernel(self, name, symbol=None, vgprs=8, agprs=0, sgprs=16, lds=0, scratch=0, facts=None):
        if name not in self.kernels:
            self.kernels[name] = self.put(
                "info_kernel_symbol", nid=1, pid=self.pid, code_object_id=1,
                kernel_name=symbol or re.sub(r"\W.*", "", name), display_name=name, group_segment_size=lds,
                private_segment_size=scratch, sgpr_count=sgprs, arch_vgpr_count=vgprs, accum_vgpr_count=agprs,
                extdata=json.dumps(facts or {}))
        return self.kernels[name]

    def counter(self, name, description="", expression=""):
        if name not in self.counters:
            self.counters[name] = self.put("info_pmc", nid=1, pid=self.pid, agent_id=1, target_arch="GPU", name=name,
                                           symbol=name, description=description, expression=expression)
        return self.counters[name]

    def dispatch(self, name, start=0, end=1000, counters=None, lds=0, scratch=0, group=64, grid=6400, stream=1,
                 queue=1, stack=0, **code):
        for number, known, table in ((queue, self.queues, "queue"), (stream, self.streams, "stream")):
            if number not in known:
                known.add(number)
                self.put("info_" + table, id=number, nid=1, pid=self.pid, name=f"{table} {number}")
        event = self.event("KERNEL_DISPATCH", stack)
        self.put("kernel_dispatch", nid=1, pid=self.pid, tid=self.pid, agent_id=1, kernel_id=self.kernel(name, **code),
                 dispatch_id=self.number("dispatch"), queue_id=queue, stream_id=stream, start=start, end=end,
                 private_segment_size=scratch, group_segment_size=lds, workgroup_size_x=group, workgroup_size_y=1,
                 workgroup_size_z=1, grid_size_x=grid, grid_size_y=1, grid_size_z=1, region_name_id=self.text(""),
                 event_id=event)
        for counter, value in (counters or {}).items():
            self.put("pmc_event", event_id=event, pmc_id=self.counter(counter), value=value)

    def region(self, name, start, end, category="HIP_RUNTIME_API_EXT", stack=0, arguments=None):
        event = self.event(category, stack)
        self.put("region", nid=1, pid=self.pid, tid=self.pid, start=start, end=end, name_id=self.text(name),
                 event_id=event)
        for position, (key, value) in enumerate((arguments or {}).items()):
            self.put("arg", event_id=event, position=position, type="", name=key, value=str(value))

    def copy(self, kind, size, start, end, stream=1, stack=0):
        to_device = kind == "HOST_TO_DEVICE"
        if stream not in self.streams:
            self.streams.add(stream)
            self.put("info_stream", id=stream, nid=1, pid=self.pid, name=f"stream {stream}")
        self.put("memory_copy", nid=1, pid=self.pid, tid=self.pid, start=start, end=end,
                 name_id=self.text("MEMORY_COPY_" + kind), src_agent_id=0 if to_device else 1,
                 dst_agent_id=1 if to_device else 0, size=size, stream_id=stream,
                 event_id=self.event("MEMORY_COPY", stack))

    def counted(self, name, rows, dispatches=1, lost=0, modelled=0, spills=0, places=("user_file", "user_line"), items=0):
        """Counts of a kernel's instructions, each a dictionary: its address, text, place and counts. `items`: of its waves,
        which older databases do not say (None)."""
        with open(COUNTS, encoding="utf-8") as f:
            counts = re.findall(r"^    X\((\w+), ", f.read(), re.M)
        fields = ["dispatch_id", "range", "code_object_id", "address", "text", "file", "line", "inlined", *places, "loop_depth"] + counts
        if not self.counted_tables:
            self.counted_tables = True
            for table, columns in (("instruction", ["kernel_id"] + fields),
                                   ("counted", ["kernel_id", "dispatch_id", "range", "dispatches", "waves", "lost",
                                                "modelled"]),
                                   ("kernel_code", ["kernel_id", "vgpr_spills"] + ["wave_items"] * (items is not None))):
                self.db.execute(f'CREATE TABLE crocprof_{table}{self.suffix} (id INTEGER PRIMARY KEY, guid TEXT DEFAULT '
                                f"'{self.guid}', {', '.join(columns)})")
                self.db.execute(f"CREATE VIEW crocprof_{table} AS SELECT * FROM crocprof_{table}{self.suffix}")
        kernel = self.kernel(name)
        self.db.execute(f"INSERT INTO crocprof_counted{self.suffix} (kernel_id, dispatches, lost, modelled) VALUES "
                        "(?, ?, ?, ?)", (kernel, dispatches, lost, modelled))
        facts = {"kernel_id": kernel, "vgpr_spills": spills, **({} if items is None else {"wave_items": items})}
        self.db.execute(f"INSERT INTO crocprof_kernel_code{self.suffix} ({', '.join(facts)}) VALUES "
                        f"({', '.join('?' * len(facts))})", tuple(facts.values()))
        for number, row in enumerate(rows):
            row = {"kernel_id": kernel, "code_object_id": 1, "address": 256 + 4 * number, "loop_depth": 0,
                   **dict.fromkeys(counts[:13], 0), **row}
            self.db.execute(f"INSERT INTO crocprof_instruction{self.suffix} ({', '.join(row)}) VALUES "
                            f"({', '.join('?' * len(row))})", list(row.values()))

    def allocation(self, size, start=0, end=1, kind="ALLOC"):
        self.put("memory_allocate", nid=1, pid=self.pid, tid=self.pid, agent_id=1, type=kind, level="REAL", start=start,
                 end=end, address=4096, size=size, event_id=self.event("MEMORY_ALLOCATION"))

    def close(self):
        self.db.commit()
        self.db.close()
        return self.path
