"""Every counter of every product, computed twice: oracle.py VALUES COUNTER_DEFS_YAML SHARE [--fails].

VALUES (values.c) computes all of them with the counter engine, from raw values that follow from an event's number and
place. Here the same file is read with other means, each expression is evaluated on dictionaries from places to numbers,
and the places of a block are worked out from the tables of blocks and products. Names, dimensions and values must agree.
--fails: the file of definitions is changed here and there, or a product's shape; each change must be found."""
import csv, itertools, math, pathlib, re, subprocess, sys, tempfile

DIMS = ("XCC", "AID", "SHADER_ENGINE", "AGENT", "SHADER_ARRAY", "WGP", "INSTANCE")
WEIGHTS = dict(zip(DIMS, (101, 211, 307, 401, 503, 601, 701)))
TOKEN = re.compile(r"\s*([0-9.]+|[A-Za-z_]\w*|.)")
LEVELS = {"NONE": 0, "LOW_RES": 1, "HIGH_RES": 2}
FOLDS = {"sum": sum, "max": max, "min": min, "avr": lambda values: sum(values) / len(values)}


def table(path):
    with open(path, encoding="utf-8") as lines:
        return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


def definitions(path):
    """{GPU: {counter: (block, event) or expression}}, of the lines that such a file is made of."""
    found, name, gpus = {}, None, []
    for line in open(path, encoding="utf-8"):
        key, _, value = line.strip().removeprefix("- ").partition(":")
        value = value.strip().strip("'")
        if key == "name":
            name = value
        elif key == "architectures":
            gpus = []
        elif line.startswith("      - "):
            gpus.append(key)
        elif key == "block":
            block = value
        elif key in ("event", "expression"):
            for gpu in gpus:
                found.setdefault(gpu, {})[name] = value if key == "expression" else (block, int(value))
    return found


class Product:
    """One product with its definitions; value() of a name is {place: number}, a place being a tuple of (dimension, position)."""

    def __init__(self, row, arch, blocks, counters):
        number = {key: int(row[key]) for key in ("xccs", "engines", "arrays", "units")}
        simds, slots = int(arch["simds"]), int(arch["slots"])
        self.shape, self.blocks, self.counters = number, blocks, counters
        self.known = {"simd_count": number["units"] * simds, "simd_per_cu": simds, "num_xcc": number["xccs"],
                      "cu_count": number["units"], "array_count": number["engines"] * number["arrays"],
                      "simd_arrays_per_engine": number["arrays"], "wave_front_size": int(arch["waves"].split(",")[0]),
                      "max_waves_per_simd": slots, "num_shader_banks": number["engines"],
                      "XCC_NUM": number["xccs"], "SIMD_NUM": number["units"] * simds, "CU_NUM": number["units"],
                      "SE_NUM": number["engines"], "MAX_WAVE_SIZE": int(arch["waves"].split(",")[0])}
        self.done, self.places = {}, {}

    def extents(self, block):
        """{dimension: how many}: the block's place, and how many instances it has there."""
        of, flags = self.shape, block["flags"].split(",")
        several, instances, found = of["xccs"] > 1, int(block["instances"]), {}
        level = ("gpu", "se", "sa", "wgp").index(block["scope"])
        arrays = of["engines"] * of["arrays"]
        if "cu" in flags:
            instances = min(instances, math.ceil(of["units"] / arrays) + 1)
        if "aid" in flags and several and instances > 1:
            found["AID"], instances = instances, 1
        elif several and "aid" not in flags:
            found["XCC"] = of["xccs"]
        if level > 0:
            found["SHADER_ENGINE"] = of["engines"] // of["xccs"]
        if level > 1:
            found["SHADER_ARRAY"] = of["arrays"]
        if level > 2:
            found["WGP"] = max(1, math.ceil(of["units"] // 2 / arrays))
        if level < 3 or instances > 1:
            found["INSTANCE"] = instances
        return found

    def weighed(self, block):
        """[(place, what the place adds to a raw value)], worked out once: a block has hundreds of counters."""
        if block not in self.places:
            extents = self.extents(self.blocks[block])
            each = [[(dim, position) for position in range(extents[dim])] for dim in DIMS if dim in extents]
            self.places[block] = [(place, sum(WEIGHTS[dim] * position for dim, position in place))
                                  for place in itertools.product(*each)]
        return self.places[block]

    def raw(self, block, event, level):
        first = 17 * event + 1009 * int(self.blocks[block]["id"]) + 4001 * level
        return {place: (first + weight) % 8191 + 1.0 for place, weight in self.weighed(block)}

    def value(self, name):
        if name not in self.done:
            what = self.counters.get(name)
            if what is None:
                self.done[name] = {(("INSTANCE", 0),): float(self.known[name])}
            elif isinstance(what, tuple):
                self.done[name] = self.raw(*what, 0)
            else:
                self.done[name] = Expression(self, what).value
        return self.done[name]


def extent(value):
    found = {}
    for place in value:
        for dim, position in place:
            found[dim] = max(found.get(dim, 0), position + 1)
    return found


def combine(operation, left, right):
    """Place by place; a single number fits all, and a dimension that one side lacks is repeated."""
    if len(left) > 1 and len(right) > 1:
        both = {**extent(left), **extent(right)}
        dims = [dim for dim in DIMS if dim in both]
        places = [tuple(zip(dims, at)) for at in itertools.product(*(range(both[dim]) for dim in dims))]
    else:
        places = list(left if len(left) > 1 or len(right) == 1 else right)

    def numbers(value):
        """Those that belong to the places."""
        if len(value) == 1:
            return itertools.repeat(next(iter(value.values())))
        own = extent(value)
        if all(dim in own for dim, _ in places[0]):
            return map(value.__getitem__, places)
        return (value[tuple((dim, position) for dim, position in place if dim in own)] for place in places)
    return {place: operation(a, b) for place, a, b in zip(places, numbers(left), numbers(right))}


class Expression:
    """A recursive descent over the text."""

    def __init__(self, product, text):
        self.product, self.tokens = product, TOKEN.findall(text) + [""]
        self.value = self.total()
        assert self.tokens == [""], f"{text}: {self.tokens} is left"

    def take(self, *wanted):
        assert not wanted or self.tokens[0] in wanted, f"{self.tokens[0]} instead of {wanted}"
        return self.tokens.pop(0)

    def total(self):
        value = self.factor()
        while self.tokens[0] in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            value = combine(lambda a, b: a + sign * b, value, self.factor())
        return value

    def factor(self):
        value = self.atom()
        while self.tokens[0] in ("*", "/"):
            if self.take() == "*":
                value = combine(lambda a, b: a * b, value, self.atom())
            else:
                value = combine(lambda a, b: a / b if b else 0.0, value, self.atom())
        return value

    def atom(self):
        token = self.take()
        if token == "(":
            value = self.total()
            self.take(")")
        elif token == "-":
            value = {place: -number for place, number in self.atom().items()}
        elif token == "reduce":
            self.take("(")
            numbers = list(self.total().values())
            self.take(",")
            value = {(("INSTANCE", 0),): float(FOLDS[self.take()](numbers))}
            self.take(")")
        elif token == "accumulate":
            self.take("(")
            block, event = self.product.counters[self.take()]
            self.take(",")
            value = self.product.raw(block, event, LEVELS[self.take()])
            self.take(")")
        elif token[0].isdigit():
            value = {(("INSTANCE", 0),): float(token)}
        else:
            value = self.product.value(token)
        return value


def problems(program, yaml, defined, share, products):
    """yaml: what the engine reads; defined: what definitions() has read."""
    archs = {row["gpu"]: row for row in table(share / "gpus/architectures.tsv")}
    blocks = {}
    for row in table(share / "aqlprofile/blocks.tsv"):
        blocks.setdefault(row["gpu"], {})[row["block"]] = row
    missing = {gpu for gpu, row in archs.items() if row["family"] != "-"} ^ set(defined)
    if missing:
        yield f"GPUs with counters, or with definitions, but not both: {sorted(missing)}"
    for row in products:
        arch = archs[row["gpu"]]
        if arch["family"] == "-":
            continue
        product = Product(row, arch, blocks[arch["blocks"]], defined[row["gpu"]])
        done = subprocess.run([program, yaml, row["name"]], capture_output=True, text=True)
        if done.returncode or done.stderr:
            yield f"{row['name']}: status {done.returncode}, {done.stderr}"
        lines = dict(line.split("\t", 1) for line in done.stdout.splitlines())
        absent = set(product.counters) - set(lines)
        if absent:
            yield f"{row['name']}: {sorted(absent)[0]} and {len(absent) - 1} more are not there"
        for name in set(product.counters) & set(lines):
            wanted = product.value(name)
            shape = extent(wanted) or {"INSTANCE": 1}
            dims = "".join(f"DIMENSION_{dim}={shape[dim]} " for dim in DIMS if dim in shape)
            got_dims, got = lines[name].split("\t")
            numbers = [float(word) for word in got.split()]
            if got_dims != dims:
                yield f"{row['name']}: {name} has {got_dims}, expected {dims}"
            elif not all(math.isclose(a, b, rel_tol=1e-12) for a, b in zip(numbers, wanted.values(), strict=True)):
                yield f"{row['name']}: {name} is {numbers[:3]}, expected {list(wanted.values())[:3]}"


def finds_what_is_wrong(program, yaml, share):
    """Each change of the file reaches the engine alone, each of a product's shape the oracle alone."""
    text, right = yaml.read_text(), definitions(yaml)
    two = [row for row in table(share / "gpus/products.tsv") if row["name"] in ("rx7900xtx", "strixhalo")]
    with tempfile.TemporaryDirectory() as folder:
        other = pathlib.Path(folder) / "counter_defs.yaml"
        for old, new in (("reduce(GL2C_HIT,sum)", "reduce(GL2C_HIT,max)"), ("400*reduce", "401*reduce"),
                         ("      event: 42\n", "      event: 43\n"), ("- gfx1151\n", "- gfx9\n")):
            assert old in text
            other.write_text(text.replace(old, new))
            if not list(problems(program, other, right, share, two)):
                return f"{old} changed to {new} was not found"
    for change in ({"engines": "5"}, {"arrays": "1"}, {"units": "48"}, {"gpu": "gfx1030"}):
        if not list(problems(program, yaml, right, share, [{**two[0], **change}])):
            return f"{change} was not found"
    return None


if __name__ == "__main__":
    program, yaml, share = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    if sys.argv[4:] == ["--fails"]:
        sys.exit(finds_what_is_wrong(program, yaml, share))
    wrong = list(problems(program, yaml, definitions(yaml), share, table(share / "gpus/products.tsv")))
    print("\n".join(wrong[:40]) or "every counter of every product is what its expression says")
    sys.exit(1 if wrong else 0)
