#!/usr/bin/env python3
"""The recipes of packaging/ agree with the tree: recipes.py SOURCE_DIR

Spack's is executed with stand-ins for Spack's own modules; of Apptainer's the sections are read, the scripts by a shell.
"""
import re
import subprocess
import sys
import types

source = sys.argv[1]


def expect(got, wanted, what=""):
    if got != wanted:
        sys.exit(f"{what}\ngot      {got}\nexpected {wanted}")


def read(name):
    with open(f"{source}/{name}", encoding="utf-8") as f:
        return f.read()


def recipe():
    """What the recipe says, and its class."""
    said = {}
    package = types.ModuleType("spack.package")
    for directive in ("depends_on", "version", "variant", "license", "conflicts", "maintainers"):
        setattr(package, directive, lambda *words, _name=directive, **more: said.setdefault(_name, []).append((words, more)))
    cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    cmake.CMakePackage = type("CMakePackage", (), {
        "define": lambda self, name, value: f"-D{name}={'ON' if value is True else 'OFF' if value is False else value}"})
    modules = {"spack": types.ModuleType("spack"), "spack.package": package, cmake.__name__: cmake}
    for name in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        modules[name] = types.ModuleType(name)
    sys.modules.update(modules)
    place = "packaging/spack/spack_repo/crocprof/packages/crocprof/package.py"
    names = {}
    exec(compile(read(place), place, "exec"), names)  # pylint: disable=exec-used
    return said, names["Crocprof"]


class Spec(dict):
    """Of a package with an MPI, or without."""

    def __init__(self, mpi):
        super().__init__({"mpi": types.SimpleNamespace(name=mpi, prefix=types.SimpleNamespace(include="/mpi/include"))})
        self.mpi = mpi

    def satisfies(self, what):
        return what == "+mpi" and self.mpi is not None


def spack():
    said, kind = recipe()
    needs = {re.split("[@+]", words[0])[0] for words, _ in said["depends_on"]}
    # a library that the tree is linked with is a dependency; names are Spack's
    names = {"yaml": "libyaml", "zlib": "zlib-api"}
    linked = {names.get(name, name) for name in re.findall(r"^crocprof_outside\((\w+)", read("cmake/outside.cmake"), re.M)}
    expect(sorted(linked - needs), [])
    texts = read("CMakeLists.txt") + read("src/mpi/CMakeLists.txt")
    for mpi, wanted in ((None, []), ("openmpi", ["-DOPENMPI_INCLUDE=/mpi/include"]),
                        ("mpich", ["-DMPICH_INCLUDE=/mpi/include"]), ("mvapich-plus", ["-DMPICH_INCLUDE=/mpi/include"])):
        package = kind()
        package.spec = Spec(mpi)
        got = package.cmake_args()
        expect(got, ["-DCROCPROF_TESTS=OFF", *wanted])
        for option in got:
            expect(option[2:].split("=")[0] in texts, True, option)
    minimum = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", texts).group(1)
    expect(f"cmake@{minimum}:" in [words[0] for words, _ in said["depends_on"]], True)
    expect(re.search(r"namespace: (\w+)", read("packaging/spack/spack_repo/crocprof/repo.yaml")).group(1), "crocprof")


def apptainer():
    sections = dict(re.findall(r"^%(\w+)\n(.*?)(?=^%|\Z)", read("packaging/apptainer/crocprof.def"), re.M | re.S))
    version = re.search(r"project\(crocprof VERSION ([\d.]+)", read("CMakeLists.txt")).group(1)
    archive, place = sections["files"].split()
    expect(archive, f"build/crocprof-{version}-x86_64.tar.zst")
    expect(place in sections["post"], True)
    for name in ("post", "environment", "runscript", "test"):
        subprocess.run(["sh", "-n"], input=sections[name], text=True, check=True)
    for program in re.findall(r"/bin/(\S+)", sections["test"]):
        expect(any(f"TARGETS {target} " in read(f"src/{room}/CMakeLists.txt") for room, target in
                   (("cli", program), ("softgpu/cli", program + "_cli"))), True, program)


spack()
apptainer()
print("the recipes agree with the tree")
