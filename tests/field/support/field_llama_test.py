"""What scripts/field-llama fetches, builds and keeps, and what it says. Commands of ours stand for apt's, for cmake and ninja,
and for those that make a root and enter it. usage: field_llama_test.py SCRIPTS"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

KEPT = "/var/cache/field-llama"
GGML = KEPT + "/ggml-0.27.0-1"
OWN = KEPT + "/own-0.27.0-1-"
PRODUCTS = "#\nmi300x\tgfx942\t-\nmi355x\tgfx950\t-\n"
# what is in the root is below the tree here
INSIDE = ['root=${0%/*}/../roots/$1', "shift", "for word; do",
          '    set -- "$@" "$(printf %s "$word" | sed "s,/var/cache,$root&,g")"', "    shift", "done", 'exec "$@"']
NOTE = 'echo "${0##*/} $*" >>"${0%/*}/../ran"'
NINJA = [NOTE, 'case " $* " in', '*" -n "*) [ -e "$2/bin" ] || printf "%s Building HIP object\\n" 1 2 3 ;;',
         '*) mkdir -p "$2/bin" && : >"$2/bin/libggml-hip.so" ;;', "esac"]
SOURCE = ['[ "$*" = "--no-check -x ggml_0.27.0-1.dsc new" ] || exit 1',
          "mkdir -p new/src/ggml-hip && : >new/src/ggml-hip/CMakeLists.txt"]
WAITS = "field-llama: waits for another run, which has ggml's source in hand\n"
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
        # the binary package was built twice, and its version has an epoch
        self.tool("dpkg-query", 'case "$*" in *source:Version*) printf 1:0.27.0-1 ;; *) printf 1:0.27.0-1+b1 ;; esac')
        self.tool("hipconfig", "echo /of/hip")
        self.tool("apt-get", NOTE)
        self.tool("dpkg-source", *SOURCE)
        self.tool("cmake", NOTE + '; echo "with $HIPCXX" >>"${0%/*}/../ran"', 'mkdir -p "$4" && : >"$4/build.ninja"')
        self.tool("ninja", *NINJA)

    def tool(self, name, *lines):
        command(f"{self.folder}/commands/{name}", *lines)

    def start(self, gpu, **variables):
        return subprocess.Popen([self.folder + "/scripts/field-llama", gpu], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env={"PATH": f"{self.folder}/commands:{os.environ['PATH']}",
                                                "FIELD_ROOTS": self.folder + "/roots", **variables})

    def runs(self, *gpus, **variables):
        """The script's runs, all at a time, and the commands that they ran."""
        ran = self.folder + "/ran"
        with open(ran, "w"):
            pass
        runs = []
        for started in [self.start(gpu, **variables) for gpu in gpus]:
            out, err = started.communicate(timeout=40)
            runs.append(subprocess.CompletedProcess(started.args, started.returncode, out, err))
        with open(ran) as file:
            return runs, file.read().splitlines()

    def run(self, gpu="mi300x", **variables):
        (run,), ran = self.runs(gpu, **variables)
        return run, ran

    def there(self, path):
        return os.path.exists(self.root + path)


def builds(folder):
    """Runs that build, in one root after another."""
    tree = Tree(folder)
    run, ran = tree.run()
    assert run.returncode == 0 and run.stdout == f"{GGML}.gfx942/bin/libggml-hip.so\n", run
    assert run.stderr.startswith("field-llama: 3 files of ggml 0.27.0-1 are to be compiled for gfx942: some "), run
    assert any(line.startswith("apt-get ") and line.endswith(" source -qq --download-only ggml=1:0.27.0-1")
               for line in ran), ran
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

    # what cmake was told by an older script is not what it is told now
    with open(f"{tree.root}{GGML}.gfx942/options", "a") as file:
        file.write("-DGGML_NATIVE=ON\n")
    for commands in ({"cmake", "with", "ninja"}, {"ninja"}):
        run, ran = tree.run(LLAMA_FA="0")
        assert run.returncode == 0 and {line.split()[0] for line in ran} == commands, (run, ran)


def own_sources(folder):
    """Sources of LLAMA_SOURCE: each has a folder of its own, and nothing in it but its files."""
    tree = Tree(folder)
    names = []
    for name, files in (("one", {"a": "1"}), ("two", {"b": "2"}), ("changed", {"b": "3"})):
        own = folder + ("/one" if name == "one" else "/two")
        os.makedirs(own + "/src/ggml-hip", exist_ok=True)
        shutil.copy(__file__, own + "/src/ggml-hip/CMakeLists.txt")
        for file, text in files.items():
            with open(f"{own}/{file}", "w") as to:
                to.write(text)
        os.makedirs(f"{tree.root}{KEPT}/new/src")  # a run was killed while it copied
        with open(f"{tree.root}{KEPT}/new/src/half", "w"):
            pass
        run, ran = tree.run(LLAMA_SOURCE=own)
        assert run.returncode == 0 and run.stdout.startswith(OWN), run
        assert not any(line.startswith("apt-get") for line in ran), ran
        names.append(run.stdout.removesuffix(".gfx942/bin/libggml-hip.so\n"))
        there = glob.glob("**", root_dir=tree.root + names[-1], recursive=True)
        assert set(there) == {"src", "src/ggml-hip", "src/ggml-hip/CMakeLists.txt", *files}, there
        assert os.path.exists(f"{tree.root}{names[-1]}/src/ggml-hip/CMakeLists.txt") and not tree.there(KEPT + "/new")
        again, ran = tree.run(LLAMA_SOURCE=own)
        assert (again.stdout, again.stderr, {line.split()[0] for line in ran}) == (run.stdout, "", {"ninja"}), (again, ran)
    assert len(set(names)) == 3, names


def together(folder):
    """Runs for two GPUs at a time: one fetches the source, the other waits for it and takes it."""
    tree = Tree(folder)
    tree.tool("apt-get", NOTE, 'case "$*" in *" source "*) mkdir busy || exit 1; sleep 0.5; rmdir busy ;; esac')
    runs, ran = tree.runs("mi300x", "mi355x")
    assert [run.returncode for run in runs] == [0, 0] and {run.stdout for run in runs} == {
        f"{GGML}.{name}/bin/libggml-hip.so\n" for name in ("gfx942", "gfx950")}, runs
    assert sum(" source " in line for line in ran if line.startswith("apt-get")) == 1, ran
    assert not tree.there(GGML + "/new") and sum(WAITS in run.stderr for run in runs) == 1, runs


def refusals(folder):
    """Runs that do not, each with one line that says why."""
    tree = Tree(folder)

    def refused(status, said, **variables):
        run, _ = tree.run(**variables)
        assert (run.returncode, run.stdout, run.stderr) == (status, "", said + "\n"), run

    refused(2, "field-llama: GPU mi999: softgpu --list-gpus shows which there are", gpu="mi999")
    refused(2, f"field-llama: LLAMA_SOURCE: {folder} is no source of ggml", LLAMA_SOURCE=folder)

    tree.tool("apt-get", f'case "$*" in *" source "*) echo "{MISSING}"; echo "E: Failed to fetch some archives."; exit 100 ;; esac')
    refused(2, "field-llama: LLAMA_FA: no is neither 0 nor 1", LLAMA_FA="no")
    refused(3, "field-llama: the source package ggml 1:0.27.0-1 cannot be had from http://mirror.example/debian: " + MISSING +
            ". LLAMA_SOURCE=FOLDER takes ggml's source from there")
    assert not tree.there(GGML)
    tree.tool("apt-get")  # the next run has it
    tree.tool("dpkg-source", "mkdir new", "echo no room", "exit 1")  # stopped half way
    refused(1, "field-llama: the source package ggml 1:0.27.0-1 cannot be unpacked: no room "
            f"(log: {tree.root}{KEPT}/fetch.log)")
    assert not tree.there(GGML)
    tree.tool("dpkg-source", *SOURCE)

    for line in ("a.cu:1: error: what is x", "ninja: fatal: no room"):
        tree.tool("ninja", 'case " $* " in *" -n "*) exit ;; esac', f'echo "{line}"', "exit 1")
        refused(1, f"{line}\nfield-llama: ggml's back end could not be built (log: {tree.root}{GGML}.gfx942.log)")
    tree.tool("ninja", *NINJA)
    run, ran = tree.run()
    assert run.returncode == 0 and not any(line.startswith(("apt-get", "cmake")) for line in ran), (run, ran)

    command(folder + "/scripts/field-root", "echo field-root: not here >&2", "exit 3")
    refused(3, "field-root: not here")


for part in (builds, own_sources, together, refusals):
    with tempfile.TemporaryDirectory() as place:
        part(place)
