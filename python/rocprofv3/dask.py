"""Sums of the ranks of a job on the workers of a Dask cluster.

Each worker runs `rocprofv3 reduce` on some of the ranks; the parts, some KB a rank, are added up in a tree on the workers,
too, and only the whole comes to the client. The bytes are those of one `rocprofv3 reduce` of all ranks.

    from dask.distributed import Client
    from rocprofv3 import dask
    with Client("scheduler:8786") as client:
        dask.reduce(client, "out", "job.sums")

or `python3 -m rocprofv3.dask --scheduler ADDRESS -i out -o job.sums`. Workers need the program and the files in the same
places as the client, and nothing of this package."""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

import cloudpickle
from distributed import Client

from rocpd import _program

RUNS = ".rocprofv3" # folder of stores that are not converted


def find(inputs):
    """Databases, stores and files of sums that paths, folders and wildcards name, sorted."""
    found = set()
    for word in [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs:
        word = os.fspath(word)
        paths = [word] if os.path.exists(word) else glob.glob(word)
        if not paths:
            raise FileNotFoundError(word)
        for path in paths:
            if os.path.isdir(path) and not os.path.exists(os.path.join(path, "meta.seg")):
                found.update(glob.glob(os.path.join(glob.escape(path), "*.db")))
                found.update(os.path.dirname(p) for p in glob.glob(os.path.join(glob.escape(path), RUNS, "*", "*", "meta.seg")))
            else:
                found.add(path)
    return sorted(os.path.abspath(path) for path in found)


def _run(path, words, inputs):
    """The bytes of the sums of some inputs, and what the program has said."""
    with tempfile.TemporaryDirectory(prefix="rocprofv3-dask-") as directory:
        names = []
        for number, data in enumerate(inputs):
            if isinstance(data, bytes): # of another worker
                names.append(os.path.join(directory, f"{number}.part"))
                with open(names[-1], "wb") as f:
                    f.write(data)
            else:
                names.append(data)
        output = os.path.join(directory, "sums")
        done = subprocess.run([path, "reduce", "-j", "1", "-o", output, *words, "-i", *names], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise RuntimeError(f"rocprofv3 reduce: status {done.returncode}: {done.stderr.strip()}")
        with open(output, "rb") as f:
            return f.read()


def _groups(rows, size):
    return [rows[at:at + size] for at in range(0, len(rows), size)]


def reduce(client, inputs, output, *, group=32, fan_in=16, local=False, strict=False, options=()):
    """Writes the sums of all inputs to `output`, and returns its path.

    client: of the cluster. inputs: paths, folders, wildcards. group: inputs that a worker reads at a time. fan_in: parts that
    are added at a time. local: inputs are on the disks of the workers' nodes, of which one worker each reads all. strict: an
    input that cannot be read is an error; else it is told, counted, and left out. options: further ones of
    `rocprofv3 reduce`, as ["--truncate-kernels"]."""
    path, words = _program.find("rocprofv3"), [*options] if strict else ["--keep-going", *options]
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    try:
        if local:
            word = [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs
            hosts = {info["host"]: address for address, info in client.scheduler_info()["workers"].items()}
            parts = [client.submit(_run, path, words, [os.fspath(w) for w in word], workers=[address], pure=False)
                     for _, address in sorted(hosts.items())]
        else:
            parts = [client.submit(_run, path, words, some, pure=False) for some in _groups(find(inputs), group)]
        if not parts:
            raise FileNotFoundError(f"no databases and no records: {inputs}")
        while len(parts) > 1:
            parts = [client.submit(_run, path, words, some, pure=False) for some in _groups(parts, fan_in)]
        whole = parts[0].result()
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    with tempfile.TemporaryDirectory(prefix="rocprofv3-dask-") as directory:
        name = os.path.join(directory, "sums")
        with open(name, "wb") as f:
            f.write(whole)
        subprocess.run([path, "reduce", "-o", output, *options, "-i", name], check=True) # tells what is odd about ranks
    return output


def main(arguments=None):
    """The command line."""
    parser = argparse.ArgumentParser(prog="python3 -m rocprofv3.dask", description="Sums of many ranks on a Dask cluster.")
    parser.add_argument("--scheduler", required=True, metavar="ADDRESS", help="HOST:PORT of the scheduler")
    parser.add_argument("-i", "--input", required=True, nargs="+", metavar="PATH", help="databases, folders, wildcards")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="file of the sums")
    parser.add_argument("--group", type=int, default=32, metavar="N", help="inputs that a worker reads at a time (32)")
    parser.add_argument("--local", action="store_true", help="inputs are on the disks of the workers' nodes")
    given = parser.parse_args(arguments)
    with Client(given.scheduler) as client:
        reduce(client, given.input, given.output, group=given.group, local=given.local)


if __name__ == "__main__":
    main()
