#!/usr/bin/env python3
"""rocprofv3.avail and the library behind it, on the software GPU, which the module chooses by itself where softgpu
did not. usage: [softgpu --] avail.py BUILD_DIR
"""
import ctypes
import os
import subprocess
import sys

build = os.path.abspath(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, build + "/lib/python3/site-packages")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu  # noqa: E402
from rocprofv3 import avail  # noqa: E402


def expect(got, wanted):
    if got != wanted:
        sys.exit(f"got      {got}\nexpected {wanted}")


def agents():
    found = avail.get_agent_info_map()
    expect(list(found), sorted(avail.get_agent_handles()))
    expect([info["type"] for info in found.values()], [1, 2])
    gpu = list(found.values())[1]
    expect((gpu["name"], gpu["node_id"], gpu["logical_node_type_id"], gpu["gpu_index"], gpu["wave_front_size"],
            gpu["workgroup_max_dim"], gpu["id"]["handle"]),
           (suite_gpu.ARCH, 1, 0, 0, 64, {"x": 1024, "y": 1024, "z": 1024}, list(found)[1]))
    expect(len(gpu["mem_banks"]), gpu["mem_banks_count"])
    expect(len(gpu["caches"]), gpu["caches_count"])
    expect({"Data", "Instruction", "CPU", "HSACU"}, set(gpu["caches"][0]["type"]))
    expect(len(gpu["capability"]), 23)
    return list(found)[1]


def counters(gpu):
    found = avail.get_counters()
    expect(list(found), [gpu])
    by_name = {counter.name: counter for counter in found[gpu]}
    waves, hits, cores = by_name["SQ_WAVES"], by_name["TCC_HIT_sum"], by_name["cpu_cores_count"]
    expect([type(one).__name__ for one in (waves, hits, cores)], ["basic_counter", "derived_counter", "counter"])
    expect((waves.block, waves.is_hw_constant, cores.is_hw_constant), ("SQ", 0, 1))
    expect("TCC_HIT" in hits.expression, True)
    expect(sorted(waves.get_as_dict()), ["Block", "Counter_Name", "Description"])
    expect([dimension.get_as_dict()["Dimension_Instances"] for dimension in waves.dimensions if
            dimension.name == "DIMENSION_SHADER_ENGINE"], [suite_gpu.ENGINES])
    expect(f"DIMENSION_SHADER_ENGINE[0:{suite_gpu.ENGINES - 1}]" in avail.build_counter_string(waves), True)
    listed = subprocess.run([build + "/bin/rocprofv3-avail", "list", "--pmc"], capture_output=True, text=True,
                            timeout=60, check=True).stdout
    expect([name for name in by_name if name not in listed], [])
    expect(avail.check_pmc({gpu: [waves.counter_handle, hits.counter_handle]}), True)
    many = [one.counter_handle for one in found[gpu] if getattr(one, "block", None) == "SQ"]
    try:
        avail.check_pmc({gpu: many})
    except SystemExit as end:
        expect(end.code, 1)
    else:
        sys.exit(f"{len(many)} counters of SQ are said to fit")
    expect(avail.get_pc_sample_configs(), {})


def wrong_input(gpu):
    """Is told, and leaves outputs alone."""
    library = avail.get_library()
    handles = (ctypes.c_uint64 * 2)(5, 6)
    library.agent_handles(handles, 1)
    library.agent_counter_handles(handles, gpu, 2)
    expect(list(handles), [5, 6])
    text = ctypes.c_char_p(b"kept")
    nobody = 1 << 62
    library.agent_info(nobody, ctypes.byref(text))
    library.counter_block(nobody, ctypes.byref(text))
    expect(text.value, b"kept")
    expect((library.get_number_of_agent_counters(nobody), library.get_number_of_dimensions(nobody)), (0, 0))


gpu = agents()
counters(gpu)
wrong_input(gpu)
sys.path.insert(0, build + "/bin")
from rocprofv3_avail_module import avail as old_place  # noqa: E402
names = [[info["name"] for info in module.get_agent_info_map().values()] for module in (old_place, avail)]
expect(names[0], names[1])

# a child made by fork asks without disturbing its parent
child = os.fork()
if not child:
    os._exit(0 if [avail.get_agent_info(one)["type"] for one in avail.get_agent_handles()] == [1, 2] else 1)
expect(os.waitpid(child, 0)[1], 0)
expect([info["type"] for info in avail.get_agent_info_map().values()], [1, 2])
if "libsoftgpu" not in os.environ.get("LD_PRELOAD", "") and not os.path.exists("/dev/kfd"):
    real = subprocess.run([sys.executable, "-c", "from rocprofv3 import avail; avail.loadLibrary.gpu = 'real'; "
                                                 "print(avail.get_number_agents())"],
                          cwd=build + "/lib/python3/site-packages", capture_output=True, text=True, timeout=60,
                          check=True)
    expect(("no agents" in real.stderr, real.stdout), (True, "0\n"))
