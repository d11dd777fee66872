"""rocprofv3-avail of GPUs that this machine does not have: avail.py BUILD SOURCE [CASE ...].

Whole outputs, and of every GPU its counters against the tables below share, read here by scripts/counter_tables.py."""
import json, os, subprocess, sys, unittest

BUILD, SOURCE = map(os.path.abspath, sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path.insert(0, SOURCE + "/scripts")
from counter_tables import Facts, rows  # noqa: E402

FACTS = Facts(SOURCE + "/share")
PRODUCTS = [row for row in rows(SOURCE + "/share/gpus/products.tsv") if row["gpu"] in FACTS.gpus]
NO_TYPES = {"gpus", "l1", "lds", "l2", "memory"}  # columns that are no types of operations
RATES = rows(SOURCE + "/share/gpus/rates.tsv")
GPUS = " ".join(FACTS.gpus)
# what every catalogue has, whatever is defined
STANDING = {"MAX_WAVE_SIZE": "wave_front_size", "SIMD_NUM": "simd_count", "CU_NUM": "simd_count/simd_per_cu",
            "SE_NUM": "array_count/simd_arrays_per_engine", "XCC_NUM": "num_xcc"}


def avail(*words):
    """Status, standard output and standard error. No driver is asked, so no software GPU is loaded, which would say so."""
    done = subprocess.run([BUILD + "/bin/rocprofv3-avail", *words], capture_output=True, text=True, timeout=60,
                          env={"PATH": os.environ["PATH"], **{k: v for k, v in os.environ.items() if "SAN_" in k}})
    return done.returncode, done.stdout, done.stderr


def error(text):
    return f"rocprofv3-avail: error: {text}\n"


class Tables(unittest.TestCase):
    """What the tables say of every GPU and product."""

    def told(self, *words):
        status, out, err = avail(*words)
        self.assertEqual((status, err), (0, ""))
        gpus = json.loads(out)["gpus"]
        self.assertEqual(len(gpus), 1)
        return gpus[0]

    def test_counters_of_every_gpu(self):
        for gpu in FACTS.gpus:
            told = {c["name"]: c for c in self.told("--gpu", gpu, "--json", "info", "--pmc")["counters"]}
            counted = {c["counter"]: c["block"] for c in FACTS.counters_of(gpu)}
            derived = {m["metric"]: m["formula"] for m in FACTS.metrics_of(gpu)}
            self.assertEqual({n: c["block"] for n, c in told.items() if c["kind"] == "hardware"}, counted, gpu)
            found = {n: c["expression"] for n, c in told.items() if c["kind"] == "derived"}
            for name, expression in STANDING.items():
                self.assertEqual(found.pop(name) if name not in derived else expression, expression)
            self.assertEqual(found, derived, gpu)
            for name, counter in told.items():
                self.assertTrue(counter["description"], name)
                self.assertTrue(counter["dimensions"], name)
                self.assertNotIn("class", counter)

    def test_products(self):
        for row in PRODUCTS:
            told = self.told("--gpu", row["name"].upper(), "--json", "list", "--agent")
            properties = told["properties"]
            self.assertNotIn("counters", told)
            self.assertEqual((told["name"], told["product"]), (row["gpu"], row["product"]))
            self.assertEqual([told.get(key) for key in ("clock_mhz", "memory_gb", "bandwidth_gb_s")],
                             [None if row[key] == "-" else float(row[key]) for key in ("clock", "memory", "bandwidth")])
            rates = next(r for r in RATES if row["gpu"] in r["gpus"].split(","))
            self.assertEqual(told["peak_gop_s"], {type: int(row["units"]) * int(row["clock"]) * int(rate) / 1000
                                                  for type, rate in rates.items() if type not in NO_TYPES and rate != "-"})
            self.assertEqual([properties[key] for key in ("num_xcc", "num_shader_banks", "simd_arrays_per_engine", "cu_count")],
                             [int(row[key]) for key in ("xccs", "engines", "arrays", "units")])

    def test_dimensions(self):
        for product, counter, dims in (
                ("mi300x", "SQ_WAVES", {"XCC": 8, "SHADER_ENGINE": 4, "INSTANCE": 1}),
                ("gfx1100", "SQ_WAVES", {"SHADER_ENGINE": 6, "SHADER_ARRAY": 2, "WGP": 4}),
                ("rx9060xt", "GL2C_HIT", {"INSTANCE": 16}), ("gfx1201", "GL2C_HIT[3]", {"INSTANCE": 1})):
            told = self.told("--gpu", product, "--json", "info", "--pmc", counter)["counters"]
            self.assertEqual([c["name"] for c in told], [counter])
            self.assertEqual(told[0]["dimensions"], {"DIMENSION_" + dim: n for dim, n in dims.items()})


class Texts(unittest.TestCase):
    """Whole outputs."""

    def test_list(self):
        status, out, err = avail("--gpu", "gfx1201", "list")
        self.assertEqual((status, err), (0, ""))
        lines = out.splitlines()
        self.assertEqual(lines[:4], ["GPU                           :\t0", "Name                          :\tgfx1201",
                                     "PMC                           :", ""])
        names = " ".join(lines[4:]).split()
        wanted = {c["counter"] for c in FACTS.counters_of("gfx1201")} | {m["metric"] for m in FACTS.metrics_of("gfx1201")}
        wanted |= set(STANDING)
        self.assertEqual(set(names[-len(wanted):]), wanted)  # properties of the agent come first

    def test_info(self):
        self.assertEqual(avail("--gpu", "gfx1030", "info", "--pmc", "TA_FLAT_LOAD_WAVEFRONTS", "GPUBusy"), (0, """\
GPU:0
Name:gfx1030
Counter_Name        :\tTA_FLAT_LOAD_WAVEFRONTS
Description         :\tFlat/global/scratch loads
Block               :\tTA
Dimensions          :\tDIMENSION_SHADER_ENGINE[0:3]\tDIMENSION_INSTANCE[0:15]


Counter_Name        :\tGPUBusy
Description         :\tPercent of clocks in which the GPU is active
Expression          :\t100*reduce(GRBM_GUI_ACTIVE,max)/reduce(GRBM_COUNT,max)
Dimensions          :\tDIMENSION_INSTANCE[0:0]


""", ""))

    def test_together(self):
        self.assertEqual(avail("--gpu", "gfx1100", "pmc-check", "SQ_WAVES", "GL2C_HIT"), (
            0, "Following input counters can be collected together on GPU:0\tSQ_WAVES\tGL2C_HIT\n", ""))
        self.assertEqual(avail("--gpu", "gfx1100", "pmc-check", "--quiet", "SQ_WAVES", "GL2C_HIT"), (0, "", ""))

    def test_not_together(self):
        wanted = ["TA_TA_BUSY", "TA_BUFFER_LOAD_WAVEFRONTS", "SQ_WAVES", "TA_BUFFER_STORE_WAVEFRONTS"]
        why = error("GPU 0 (gfx1201): the counters cannot be collected together: 3 counters of block TA are wanted, 2 available; "
                    "2 passes would do, limit 1: TA_TA_BUSY TA_BUFFER_LOAD_WAVEFRONTS SQ_WAVES | TA_BUFFER_STORE_WAVEFRONTS")
        self.assertEqual(avail("--gpu", "rx9070", "pmc-check", *wanted), (1, "", why))
        status, out, err = avail("--gpu", "rx9070", "--json", "pmc-check", *wanted)
        self.assertEqual((status, err), (1, why))
        self.assertEqual(json.loads(out), {"gpus": [{
            "index": 0, "name": "gfx1201", "product": "Radeon RX 9070", "counters": wanted, "together": False,
            "passes": [wanted[:3], wanted[3:]]}]})

    def test_json_of_a_check(self):
        status, out, err = avail("--gpu", "mi355x", "--json", "pmc-check", "GRBM_COUNT")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(json.loads(out), {"gpus": [{
            "index": 0, "name": "gfx950", "product": "Instinct MI355X", "counters": ["GRBM_COUNT"], "together": True,
            "passes": [["GRBM_COUNT"]]}]})


class Refusals(unittest.TestCase):
    def refused(self, status, text, *words):
        self.assertEqual(avail(*words), (status, "", error(text)))

    def test_unknown_gpu(self):
        names = " ".join(row["name"] for row in PRODUCTS)
        self.refused(2, f"--gpu: 'nonsense' is none of: auto real soft, no GPU: {GPUS}, and no product: {names}; "
                     "the path of a profile has a slash in it",
                     "--gpu", "nonsense", "list")

    def test_no_profile(self):
        for path, why in (("/nowhere/own.profile", "No such file or directory"), ("/tmp", "Is a directory")):
            self.refused(125, f"--gpu: the profile {path}: {why}", "--gpu", path, "list")

    def test_gpu_without_counters(self):
        for word, gpu in (("gfx803", "gfx803"), ("rx580", "gfx803"), ("gfx90c", "gfx90c")):
            self.refused(2, f"--gpu: no counters of {gpu} are known; they are of: {GPUS}", "--gpu", word, "list")

    def test_counter_of_another_gpu(self):
        self.refused(1, "counter 'TCC_HIT' does not exist: 'rocprofv3-avail list' shows those that do", "--gpu", "gfx1100",
                     "pmc-check", "TCC_HIT")
        self.refused(1, "counter 'GL2C_HITS' does not exist: did you mean GL2C_HIT?", "--gpu", "gfx1100", "--json", "pmc-check",
                     "GL2C_HITS")

    def test_program_counters(self):
        """What AMD's driver offers of each GPU: two ways of MI300, host traps of MI200 and gfx12, nothing of other Radeons."""
        traps = ["Method:host_trap", "Unit:time", "Minimum_Interval:1", f"Maximum_Interval:{2**64 - 1}", "Flags:none"]
        clocks = ["Method:stochastic", "Unit:cycles", "Minimum_Interval:256", f"Maximum_Interval:{2**31}", "Flags:interval pow2"]
        for gpu, name, ways in (("mi210", "gfx90a", traps), ("mi300x", "gfx942", traps + clocks),
                                ("mi355x", "gfx950", traps + clocks), ("rx9070xt", "gfx1201", traps)):
            for command, expected in (("info", ["GPU:0", f"Name:{name}", "configs:", *ways]),
                                      ("list", ["Agents supporting PC Sampling", "GPU:0", f"Name:{name}"])):
                status, said, _ = avail("--gpu", gpu, command, "--pc-sampling")
                told = [":".join(part.strip() for part in line.split(":")) for line in said.splitlines() if line]
                self.assertEqual((status, told), (0, expected))
        for gpu, name in (("rx6800", "gfx1030"), ("gfx1100", "gfx1100"), ("strixhalo", "gfx1151"), ("mi100", "gfx908")):
            status, said, told = avail("--gpu", gpu, "info", "--pc-sampling")
            self.assertEqual((status, said), (0, ""))
            self.assertIn(f"AMD's driver cannot sample program counters of {name}", told)
            status, said, told = avail("--gpu", gpu, "list", "--pc-sampling")
            self.assertEqual((status, said.strip()), (0, "Agents supporting PC Sampling"))
            self.assertIn(f"AMD's driver cannot sample program counters of {name}", told)

    def test_device(self):
        self.refused(1, "there is no GPU 1: this machine has 1", "--gpu", "gfx1100", "-d", "1", "list")

    def test_sampling(self):
        for words in (("info", "--spm-config"), ("pmc-check", "--spm", "SQ_WAVES")):
            self.refused(2, "--gpu mi300x: how counters can be sampled is asked of the GPU's driver, so of the GPUs of this machine alone",
                         "--gpu", "mi300x", *words)
        self.refused(2, "--json: there is no such form of --pc-sampling and --spm-config", "--json", "list", "--pc-sampling")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
