"""What scripts/field-llama fetches, builds and keeps, and what it says. Commands of ours stand for apt's, for cmake and ninja,
and for those that make a root and enter it. usage: field_llama_test.py SCRIPTS"""
import os
import shutil
import subprocess
import sys
import tempfile

KEPT = "/var/cache/field-llama"
GGML = KEPT + "/ggml-0.27.0-1"
OWN = KEPT + "/own-0.27.0-1"
PRODUCTS = "#\nmi300x\tgfx942\t-\nmi355x\tgfx950\t-\n"
# what is in the root is below the tree here
INSIDE = ['root=${0%/*}/../roots/$1', "shift", "for word; do",
          '    set -- "$@" "$(printf %s "$word" | sed "s,/var/cache,$root&,g")"', "    shift", "done", 'exec "$@"']
NOTE = 'echo "${0##*/} $*" >>"${0%/*}/../ran"'
NINJA = [NOTE, 'case " $* " in', '*" -n "*) [ -e "$2/bin" ] || printf "%s Building HIP object\\n" 1 2 3 ;;',
         '*) mkdir -p "$2/bin" && : >"$2/bin/libggml-hip.so" ;;', "esac"]
SOURCE = "mkdir -p new/src/ggml-hip && : >new/src/ggml-hip/CMakeLists.txt"
MISSING = "E: Failed to fetch ggml_0.27.0-1.dsc  404  Not Found"


def command(path, *lines):
    with open(path, "w") as file:
        file.write("\n".join(["#!/bin/sh", *lines, ""]))
    os.chmod(path, 0o755)


class Tree:
    """A source tree with the script, and a root that exists."""

    def __init__(self, folder):
        self.folder = folder
        self.root = folder + "/roots/experimental"
        for name in ("roots/experimental/etc/apt", "scripts", "commands", "share/gpus"):
            os.makedirs(f"{folder}/{name}")
        shutil.copy(os.path.join(sys.argv[1], "field-llama"), folder + "/scripts")
        with open(folder + "/share/gpus/products.tsv", "w") as file:
            file.write(PRODUCTS)
        with open(self.root + "/etc/apt/sources.list", "w") as file:
            file.write("deb http://mirror.example/debian sid main\ndeb http://mirror.example/debian experimental main\n")
        command(folder + "/scripts/field-root")
        command(folder + "/scripts/in-field", *INSIDE)
        self.tool("dpkg-query", "printf 0.27.0-1")
        self.tool("hipconfig", "echo /of/hip")
        self.tool("apt-get", NOTE)
        self.tool("dpkg-source", SOURCE)
        self.tool("cmake", NOTE + '; echo "with $HIPCXX" >>"${0%/*}/../ran"', 'mkdir -p "$4" && : >"$4/build.ninja"')
        self.tool("ninja", *NINJA)

    def tool(self, name, *lines):
        command(f"{self.folder}/commands/{name}", *lines)

    def run(self, gpu="mi300x", **variables):
        """The script's run, and the commands that it ran."""
        ran = self.folder + "/ran"
        with open(ran, "w"):
            pass
        run = subprocess.run([self.folder + "/scripts/field-llama", gpu], capture_output=True, text=True, timeout=40,
                             env={"PATH": f"{self.folder}/commands:{os.environ['PATH']}",
                                  "FIELD_ROOTS": self.folder + "/roots", **variables})
        with open(ran) as file:
            return run, file.read().splitlines()

    def there(self, path):
        return os.path.exists(self.root + path)


def builds(folder):
    """Runs that build, in one root after another."""
    tree = Tree(folder)
    run, ran = tree.run()
    assert run.returncode == 0 and run.stdout == f"{GGML}.gfx942/bin/libggml-hip.so\n", run
    assert run.stderr.startswith("field-llama: 3 files of ggml 0.27.0-1 are to be compiled for gfx942: some "), run
    assert any(line.startswith("apt-get ") and line.endswith(" source -qq --download-only ggml=0.27.0-1") for line in ran), ran
    assert any(line.startswith("cmake ") and "-DCMAKE_HIP_ARCHITECTURES=gfx942" in line and "-DGGML_CUDA_FA=OFF" in line
               for line in ran) and "with /of/hip/clang++" in ran, ran
    with open(tree.root + KEPT + "/sources.list") as file:
        assert file.read() == ("deb-src http://mirror.example/debian sid main\n"
                               "deb-src http://mirror.example/debian experimental main\n")

    run, ran = tree.run()  # again: nothing is fetched, configured or announced
    assert run.returncode == 0 and run.stderr == "" and {line.split()[0] for line in ran} == {"ninja"}, (run, ran)

    for gpu, variables, name, switch in (("mi300x", {"LLAMA_FA": "1"}, "gfx942-fa", "ON"), ("mi355x", {}, "gfx950", "OFF")):
        run, ran = tree.run(gpu, **variables)  # of the same source
        assert run.returncode == 0 and run.stdout == f"{GGML}.{name}/bin/libggml-hip.so\n", run
        assert not any(line.startswith("apt-get") for line in ran), ran
        assert any(line.startswith("cmake ") and f"-DGGML_CUDA_FA={switch}" in line for line in ran), ran

    own = folder + "/own"
    os.makedirs(own + "/src/ggml-hip")
    shutil.copy(__file__, own + "/src/ggml-hip/CMakeLists.txt")
    run, ran = tree.run(LLAMA_SOURCE=own)
    assert run.returncode == 0 and run.stdout == f"{OWN}.gfx942/bin/libggml-hip.so\n", run
    assert tree.there(OWN + "/src/ggml-hip/CMakeLists.txt") and not any(line.startswith("apt-get") for line in ran), ran


def refusals(folder):
    """Runs that do not, each with one line that says why."""
    tree = Tree(folder)

    def refused(status, said, **variables):
        run, _ = tree.run(**variables)
        assert (run.returncode, run.stdout, run.stderr) == (status, "", said + "\n"), run

    refused(2, "field-llama: GPU mi999: softgpu --list-gpus shows which there are", gpu="mi999")
    refused(2, f"field-llama: LLAMA_SOURCE: {folder} is no source of ggml", LLAMA_SOURCE=folder)

    tree.tool("apt-get", f'case "$*" in *" source "*) echo "{MISSING}"; echo "E: Failed to fetch some archives."; exit 100 ;; esac')
    refused(3, "field-llama: the source package ggml 0.27.0-1 cannot be had from http://mirror.example/debian: " + MISSING +
            ". LLAMA_SOURCE=FOLDER takes ggml's source from there")
    assert not tree.there(GGML)
    tree.tool("apt-get")  # the next run has it
    tree.tool("dpkg-source", "mkdir new", "exit 1")  # stopped half way
    assert tree.run()[0].returncode == 3 and not tree.there(GGML)
    tree.tool("dpkg-source", SOURCE)

    tree.tool("ninja", 'case " $* " in *" -n "*) exit ;; esac', 'echo "a.cu:1: error: what is x"', "exit 1")
    refused(1, f"a.cu:1: error: what is x\nfield-llama: ggml's back end could not be built (log: {tree.root}{GGML}.gfx942.log)")
    tree.tool("ninja", *NINJA)
    run, ran = tree.run()
    assert run.returncode == 0 and not any(line.startswith(("apt-get", "cmake")) for line in ran), (run, ran)

    command(folder + "/scripts/field-root", "echo field-root: not here >&2", "exit 3")
    refused(3, "field-root: not here")


for part in (builds, refusals):
    with tempfile.TemporaryDirectory() as place:
        part(place)
