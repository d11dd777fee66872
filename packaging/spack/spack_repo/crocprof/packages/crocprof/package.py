# Copyright the authors of crocprof.
#
# SPDX-License-Identifier: MIT
"""Builds crocprof from a checkout: spack dev-build crocprof@main. See docs/fleet.md."""
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Crocprof(CMakePackage):
    """The ROCm GPU profiling stack in C, binary compatible with AMD's: rocprofv3, rocpd, the profiling SDK, and a
    software GPU, which runs HIP programs where there is no AMD GPU."""

    tags = ["rocm"]

    license("MIT")

    # there is no release yet: of the folder that dev-build or `spack develop` is given
    version("main")

    variant("otf2", default=True, description="Archives of OTF2 (rocprofv3 -f otf2)")
    variant("mpi", default=True, description="Calls of MPI (rocprofv3 --mpi-trace), by the headers of the MPI here")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("xxhash", type="build")

    depends_on("sqlite@3.38:")
    depends_on("libyaml")
    depends_on("pcre2")
    depends_on("jansson")
    depends_on("zlib-api")
    # headers of the runtimes that are traced, and of the driver that softgpu stands in for
    depends_on("hip@5.2:")
    depends_on("hsa-rocr-dev@5.2:")
    depends_on("libdrm")
    # loaded by name, along the paths that Spack's compiler puts into what it links
    depends_on("elfutils")
    depends_on("zstd")
    depends_on("otf2", when="+otf2")
    depends_on("mpi", when="+mpi")

    conflicts("target=aarch64:", msg="softgpu and the calls it stands in for are those of x86-64")
    conflicts("target=ppc64le:", msg="softgpu and the calls it stands in for are those of x86-64")

    def cmake_args(self):
        args = [self.define("CROCPROF_TESTS", False)]
        if self.spec.satisfies("+mpi"):
            kind = "OPENMPI" if self.spec["mpi"].name == "openmpi" else "MPICH"
            args.append(self.define(kind + "_INCLUDE", self.spec["mpi"].prefix.include))
        return args
