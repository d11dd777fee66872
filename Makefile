# Thin front of the CMake build; see CONTRIBUTING.md for what each target does.
BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
TYPE   ?= RelWithDebInfo
# Ninja, where it is installed, starts no process but compilers and linkers: make asks CMake for each target what has changed.
NINJA  = $(if $(shell command -v ninja),-G Ninja)

.PHONY: all deps demo demo-llama test test-fast test-long test-clients test-faults test-field fuzz fuzz-isa bench bench-field bench-fleet silicon prove-check check-asan check-tsan install deb bundle clean format

all: $(BUILD)/CMakeCache.txt
	@cmake --build $(BUILD) -j $(JOBS)

$(BUILD)/CMakeCache.txt:
	@cmake -S . -B $(BUILD) $(NINJA) -DCMAKE_BUILD_TYPE=$(TYPE) $(CMAKE_ARGS)

deps:
	@scripts/install-deps

# GPU=rx7900xtx: the same on that GPU, in a field root where Debian 12's HIP does not know it (as root; 3 GB at the first time).
demo: deps
	@$(MAKE) --no-print-directory all
	@GPU='$(GPU)' scripts/demo $(BUILD)

# llama.cpp of a newer Debian on softgpu, in a field root: downloads about a gigabyte at the first time. GPU=mi100: on that.
# GPU=mi300x, and whatever else Debian's has no code for: with a back end that scripts/field-llama builds, of ggml's source
# package, if the mirror has its files (docs/field.md), or of LLAMA_SOURCE=FOLDER; LLAMA_BACKEND=FILE: with a libggml-hip.so that
# is there. See scripts/demo-llama.
demo-llama: deps
	@$(MAKE) --no-print-directory all
	@GPU='$(GPU)' LLAMA_BACKEND='$(LLAMA_BACKEND)' LLAMA_SOURCE='$(LLAMA_SOURCE)' LLAMA_FA='$(LLAMA_FA)' scripts/demo-llama $(BUILD)

# Each question once, or what matches TESTS, for which what these tests need is built.
test: deps
	@$(MAKE) --no-print-directory $(if $(value TESTS),$(BUILD)/CMakeCache.txt,all)
	@scripts/run-tests $(BUILD) '$(value TESTS)'

# All tests: what make test asks on further levels of optimisation, GPUs and sizes, too.
test-long: deps
	@$(MAKE) --no-print-directory all
	@scripts/run-tests $(BUILD) --long

# What needs no hipcc and no software GPU: minutes, with the building.
test-fast: deps
	@$(MAKE) --no-print-directory $(BUILD)/CMakeCache.txt
	@scripts/run-tests $(BUILD) --fast

# The whole suite and the field programs in a root of another Debian suite; see tests/field/README.md.
# SET=all: with every case that the programs have, which takes hours. GPU=mi300x: the suite and what can on that GPU.
# PATIENCE=4: limits of time four times as long, for a machine that has other things to do.
SUITE ?= forky
SET ?= full
PATIENCE ?= 1
test-field: deps
	@scripts/run-field '$(SUITE)' $(if $(GPU),--gpu '$(GPU)') --set '$(SET)' --tests '$(value TESTS)' --programs '$(value FIELD)' --patience '$(PATIENCE)'

# PAPI and LIKWID of Debian's newer suites against this tree, their own tests on softgpu: client and result.
CLIENTS ?= papi likwid
test-clients: deps
	@$(MAKE) --no-print-directory all
	@python3 tests/oracle/clients/clients.py $(BUILD) $(CLIENTS)

# Everything that can fail, failing, one call after the other; kills and small disks. A choice of it is
# in `test`. SEED: of the random moments, as an earlier report has printed it.
test-faults: deps
	@$(MAKE) --no-print-directory all
	@scripts/run-faults $(BUILD) $(if $(SEED),--seed $(SEED)) $(if $(EVERY),--every)

bench: deps
	@$(MAKE) --no-print-directory all
	@scripts/run-bench $(BUILD)

# softgpu's counters beside those of a real MI200, for two programs; GPU=mi300x, mi300a, mi350x or krackan2: of that, for one.
silicon: deps
	@$(MAKE) --no-print-directory all
	@scripts/build-targets $(BUILD) $(if $(GPU),silicon_dies,silicon_programs) >/dev/null
	@scripts/silicon $(BUILD) $(if $(GPU),--gpu $(GPU))

# Each wait, barrier and s_nop of the test programs left out once, under softgpu --check: a table, also in docs/check.md.
prove-check: deps
	@$(MAKE) --no-print-directory all
	@scripts/prove-check $(BUILD)

# Of the benchmarks, kernels that stand for real programs: text, and $(BUILD)/bench_gemm.json and bench_field.json.
# GPU=rx6800 (or rx6600xt; in a root of HIP 6 rx7900xtx, strixhalo, rx9070xt): on that, text alone (docs/softgpu.md).
bench-field: deps
	@$(MAKE) --no-print-directory all
	@$(if $(GPU),$(BUILD)/bench/bench_field --gpu $(GPU) --build,scripts/run-bench $(BUILD) bench_gemm bench_field)

# What it costs to read jobs of up to 1,024 ranks, beside the goals: minutes, and 12 GB in TMPDIR. FLEET: options
# of bench/fleet_costs.py. Also in $(BUILD)/fleet_costs.json.
bench-fleet: deps
	@$(MAKE) --no-print-directory all
	@scripts/build-targets $(BUILD) bench_fleet >/dev/null
	@$(BUILD)/bench/fleet_costs --json $(BUILD)/fleet_costs.json $(FLEET)

# Every reader of what comes from outside under libFuzzer: SECONDS_EACH for each.
SECONDS_EACH ?= 60
fuzz: deps
	@$(MAKE) --no-print-directory all
	@scripts/run-fuzz $(BUILD) $(SECONDS_EACH)

# Random C programs on softgpu against the host: N of them, from seed FIRST or from any.
N ?= 20
fuzz-isa: deps
	@$(MAKE) --no-print-directory all
	@python3 tests/oracle/csmith.py fuzz $(BUILD)/fuzz-isa $(N) $(FIRST) -- $(BUILD)/bin/softgpu --

check-asan: deps
	@$(MAKE) --no-print-directory BUILD=build-asan CMAKE_ARGS="-DCROCPROF_SANITIZE=address,undefined -DSOFTGPU_CORES=avx2" $(if $(value TESTS),build-asan/CMakeCache.txt,all)
	@scripts/run-tests build-asan '$(value TESTS)'

check-tsan: deps
	@$(MAKE) --no-print-directory BUILD=build-tsan CMAKE_ARGS="-DCROCPROF_SANITIZE=thread -DSOFTGPU_CORES=avx2" $(if $(value TESTS),build-tsan/CMakeCache.txt,all)
	@scripts/run-tests build-tsan '$(value TESTS)'

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX)

# build/crocprof_VERSION_ARCHITECTURE.deb
deb: all
	@cd $(BUILD) && cpack

# build/crocprof-VERSION-x86_64.tar.zst: unpacked anywhere, it runs. LEVEL of zstd.
LEVEL ?= 12
bundle: deps
	@$(MAKE) --no-print-directory all
	@scripts/build-targets $(BUILD) bundle_parts >/dev/null
	@scripts/make-bundle $(BUILD) --level $(LEVEL)

# Not what scripts/gen-sdk-headers.py writes, nor the C++ of tests.
format:
	@command -v clang-format >/dev/null || { echo "make format: no clang-format (Debian package clang-format)" >&2; exit 1; }
	@git ls-files '*.c' '*.h' ':!include/rocprofiler-sdk/*_id.h' ':!include/rocprofiler-sdk/*/api_args.h' ':!include/roctracer/hsa_prof_str.h' \
		':!tests/oracle' ':!tests/whole/hip' ':!tests/whole/spec/outside' | xargs clang-format -i

clean:
	@rm -rf build build-asan build-tsan
