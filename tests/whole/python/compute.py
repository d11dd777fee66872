#!/usr/bin/env python3
"""What rocprof-compute does, step by step: the tool library preloaded by itself, with counter definitions and
settings in variables, then its files by their columns and views. usage: compute.py BUILD_DIR PROGRAM
"""
import csv
import glob
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu

build, program = map(os.path.abspath, sys.argv[1:])
DIES = "0" if suite_gpu.XCCS == 1 else f"0:{suite_gpu.XCCS - 1}"
DEFINITIONS = f"""rocprofiler-sdk:
  counters-schema-version: 1
  counters:
    - name: SQ_WAVES
      description: Waves
      properties: []
      definitions:
        - architectures: [{suite_gpu.ARCH}]
          block: SQ
          event: 4
    - name: WAVES_TWICE
      description: Twice the waves
      properties: []
      definitions:
        - architectures: [{suite_gpu.ARCH}]
          expression: 2*reduce(SQ_WAVES,sum)
    - name: TCC_REQ[3]
      description: TCC_REQ on all XCCs and 5th channel
      properties: []
      definitions:
        - architectures: [{suite_gpu.ARCH}]
          expression: select(TCC_REQ,[DIMENSION_XCC=[{DIES}], DIMENSION_INSTANCE=[5]])
    - name: SQ_INST_LEVEL_VMEM_ACCUM
      description: what SQ_ACCUM_PREV_HIRES adds up behind SQ_INST_LEVEL_VMEM
      properties: []
      definitions:
        - architectures: [{suite_gpu.ARCH}]
          expression: accumulate(SQ_INST_LEVEL_VMEM, HIGH_RES)
"""
COUNTER_COLUMNS = {"Correlation_Id", "Dispatch_Id", "Agent_Id", "Queue_Id", "Process_Id", "Thread_Id", "Grid_Size",
                   "Kernel_Id", "Kernel_Name", "Workgroup_Size", "LDS_Block_Size", "Scratch_Size", "VGPR_Count",
                   "Accum_VGPR_Count", "SGPR_Count", "Start_Timestamp", "End_Timestamp", "Counter_Name",
                   "Counter_Value"}
VIEW_COLUMNS = ["agent_id", "guid", "stack_id", "dispatch_id", "pid", "grid_size", "workgroup_size", "lds_block_size",
                "scratch_size", "vgpr_count", "accum_vgpr_count", "sgpr_count", "kernel_name", "start", "end",
                "kernel_id", "counter_name", "value"]


def expect(got, wanted):
    if got != wanted:
        sys.exit(f"got      {got}\nexpected {wanted}")


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def profile(directory, output_format, **more):
    """Runs the program as rocprof-compute does; the one folder of files."""
    output = f"{directory}/{output_format}/out/pmc_1"
    tool = build + "/lib/rocprofiler-sdk/librocprofiler-sdk-tool.so"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ROCP", "HSA_", "LD_"))}
    # Debian's runtimes do not look for tools: the two libraries do it for them
    environment.update(LD_PRELOAD=f"{tool}:{build}/lib/librocprofiler-hip-bridge.so",
                       HSA_TOOLS_LIB=build + "/lib/librocprofiler-register.so.0", ROCPROF_COUNTER_COLLECTION="1",
                       ROCPROF_KERNEL_TRACE="1", ROCPROF_OUTPUT_FORMAT=output_format, ROCPROF_OUTPUT_PATH=output,
                       ROCPROF_COUNTERS="pmc: SQ_WAVES WAVES_TWICE TCC_REQ[3] TCC_REQ[5] SQ_INSTS_VMEM SQ_INST_LEVEL_VMEM_ACCUM", ROCPROF_AGENT_INDEX="absolute",
                       ROCPROFILER_METRICS_PATH=directory + "/definitions", **more)
    bare = subprocess.run([build + "/bin/softgpu", "--", program], capture_output=True, text=True, timeout=100)
    done = subprocess.run([build + "/bin/softgpu", "--", program], env=environment, capture_output=True, text=True,
                          timeout=100)
    expect((done.returncode, done.stdout), (bare.returncode, bare.stdout))
    expect(done.stderr.count(" dropped"), 1)
    expect([line for line in done.stderr.splitlines() if "warning" in line], [])
    expect(glob.glob(output + "/.rocprofv3/*"), [])
    hosts = os.listdir(output)
    hosts = [name for name in hosts if not name.startswith(".")]
    expect(hosts, [os.uname().nodename])
    return f"{output}/{hosts[0]}"


def in_order(values):
    """Dispatches with their counters by name: the tables have these in different orders."""
    return [(name, grid, *sorted(found)) for _, (name, grid, *found) in sorted(values.items())]


def from_csv(directory):
    folder = profile(directory, "csv")
    counters, = glob.glob(folder + "/*_counter_collection.csv")
    agents = rows_of(counters.replace("_counter_collection", "_agent_info"))
    rows = rows_of(counters)
    expect(COUNTER_COLUMNS - set(rows[0]), set())
    expect({"Node_Id", "Agent_Type", "Wave_Front_Size"} - set(agents[0]), set())
    gpus = [row["Node_Id"] for row in agents if row["Agent_Type"] == "GPU"]
    expect({row["Agent_Id"] for row in rows}, {f"Agent {node}" for node in gpus})
    expect(len(glob.glob(f"{folder}/{rows[0]['Process_Id']}_kernel_trace.csv")), 1)
    values = {}
    for row in rows:
        values.setdefault(int(row["Dispatch_Id"]), [row["Kernel_Name"], row["Grid_Size"]]).append(
            (row["Counter_Name"], float(row["Counter_Value"])))
    for _, _, *found in values.values():
        pair = dict(found)
        expect((sorted(pair), pair["WAVES_TWICE"]),
               (["SQ_INSTS_VMEM", "SQ_INST_LEVEL_VMEM_ACCUM", "SQ_WAVES", "TCC_REQ[3]", "TCC_REQ[5]", "WAVES_TWICE"], 2 * pair["SQ_WAVES"]))
        expect(pair["SQ_WAVES"] > 0, True)
        # a channel is what its definition says, not what its name would mean by itself
        expect(pair["TCC_REQ[3]"], pair["TCC_REQ[5]"])
        # rocprof-compute's latency of vector memory instructions, in clocks
        expect(100 < pair["SQ_INST_LEVEL_VMEM_ACCUM"] / pair["SQ_INSTS_VMEM"] < 10000, True)
    expect(any(dict(found)["TCC_REQ[5]"] > 0 for _, _, *found in values.values()), True)
    return in_order(values)


def from_database(directory):
    folder = profile(directory, "rocpd")
    path, = glob.glob(folder + "/*.db")
    connection = sqlite3.connect(path)
    columns = ", ".join(f'"{name}"' for name in VIEW_COLUMNS)
    rows = [dict(zip(VIEW_COLUMNS, row)) for row in
            connection.execute(f"SELECT {columns} FROM counters_collection ORDER BY dispatch_id, counter_name")]
    expect(os.path.basename(path).startswith(f"{rows[0]['pid']}_"), True)
    connection.execute("SELECT category, json_extract(extdata, '$.message'), pid, tid, stack_id, guid, start, \"end\" "
                       "FROM regions").fetchall()
    guid, = {row["guid"] for row in rows}
    tables = [name for name, in connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'rocpd_pmc_event_%'")]
    expect([name.removeprefix("rocpd_pmc_event_").replace("_", "-") for name in tables], [guid])
    values = {}
    for row in rows:
        values.setdefault(row["dispatch_id"], [row["kernel_name"], str(row["grid_size"])]).append(
            (row["counter_name"], row["value"]))
    return in_order(values)


# what rocprof-compute reads of amd-smi, from the sample that stands in for it
smi = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../samples/rocprof-compute/amd-smi")
clocks = json.loads(subprocess.run([smi, "static", "--clock", "--json"], capture_output=True, check=True).stdout)
expect(list(clocks[0]["clock"]["mem"]["frequency_levels"].values()), ["1600 MHz"])

with tempfile.TemporaryDirectory(prefix="crocprof-compute-") as directory:
    os.mkdir(directory + "/definitions")
    with open(directory + "/definitions/counter_defs.yaml", "w", encoding="utf-8") as f:
        f.write(DEFINITIONS)
    first, second = from_csv(directory), from_database(directory)
    expect(len(first) > 0, True)
    # passes are joined by the sequence of dispatches, and values are those of the definitions
    expect(second, first)
