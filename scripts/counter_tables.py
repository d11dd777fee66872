"""Reads the tables of facts below share: tab-separated, '#' begins a comment line, the first other line names the columns.
Used by every script that makes something of them.

numbered_rows() and rows() read any of them; the functions below them know what is where, and what holds for one GPU.
"""
import functools
import os
import sys


def numbered_rows(path):
    """(line number, {column: text}) for each row."""
    names = None
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            if line.startswith("#") or not line.strip():
                continue
            fields = line.rstrip("\n").split("\t")
            names = names or fields
            if len(fields) != len(names):
                sys.exit(f"{path}:{number}: {len(fields)} columns, expected {len(names)}")
            if fields is not names:
                yield number, dict(zip(names, fields))


def rows(path):
    return [row for _, row in numbered_rows(path)]


# Flags of blocks that softgpu does not have: outside the XCCs, behind a control register of their own, another name of SQ.
NOT_SOFT = {"mc", "aid", "alias"}
# Flags of blocks that no definition of a counter can name.
NOT_NAMED = {"alias", "unlisted"}


class Facts:
    """The tables of one share folder, each read when it is first needed."""

    def __init__(self, share):
        self.share = share

    @functools.cached_property
    def gpus(self):
        """{GPU: its row} of those whose counters are known."""
        return {row["gpu"]: row for row in rows(self.path("gpus", "architectures.tsv")) if row["family"] != "-"}

    @functools.cached_property
    def blocks(self):
        found = {}
        for row in rows(self.path("aqlprofile", "blocks.tsv")):
            found.setdefault(row["gpu"], []).append(row)
        return found

    @functools.cached_property
    def registers(self):
        return rows(self.path("aqlprofile", "registers.tsv"))

    @functools.cached_property
    def streaming(self):
        """{GPU: its row} of those whose counters can be streamed."""
        return {row["gpu"]: row for row in rows(self.path("aqlprofile", "spm.tsv"))}

    @functools.cached_property
    def delays(self):
        """{(GPU, block): the clocks of its instances, of each engine}"""
        found = {}
        for row in rows(self.path("aqlprofile", "delays.tsv")):
            for block in row["blocks"].split(","):
                engines = found.setdefault((row["gpu"], block), [])
                if int(row["engine"]) != len(engines):
                    sys.exit(f"delays.tsv: engine {row['engine']} of {row['gpu']} {block} is not in its place")
                engines.append([int(clocks) for clocks in row["clocks"].split(",")])
        return found

    @functools.cached_property
    def delay_registers(self):
        """{(family, block): register}"""
        return {(row["family"], row["block"]): row["register"]
                for row in rows(self.path("aqlprofile", "delay_registers.tsv"))}

    @functools.cached_property
    def counters(self):
        return list(numbered_rows(self.path("counters", "counters.tsv")))

    @functools.cached_property
    def metrics(self):
        return list(numbered_rows(self.path("counters", "metrics.tsv")))

    def path(self, *names):
        return os.path.join(self.share, *names)

    def refuse(self, table, line, what):
        sys.exit(f"{self.path('counters', table)}:{line}: {what}")

    def named(self, table, line, words):
        """The GPUs that a column names: a family stands for all of its GPUs."""
        found = []
        for word in words.split(","):
            of_family = [name for name, row in self.gpus.items() if row["family"] == word]
            if word not in self.gpus and not of_family:
                self.refuse(table, line, f"\"{word}\" is no GPU with counters, and no family of them")
            found += [word] if word in self.gpus else of_family
        return found

    @functools.cached_property
    def soft(self):
        """{GPU: {counter: its row of softgpu.tsv}} of the GPUs that softgpu can be."""
        found = {}
        for line, row in numbered_rows(self.path("counters", "softgpu.tsv")):
            for gpu in self.named("softgpu.tsv", line, row["gpus"]):
                if found.setdefault(gpu, {}).setdefault(row["counter"], row) is not row:
                    self.refuse("softgpu.tsv", line, f"{row['counter']} stands twice for {gpu}")
                if (gpu, row["counter"]) not in self.numbered:
                    self.refuse("softgpu.tsv", line, f"{row['counter']} is no counter of {gpu}")
        return found

    @functools.cached_property
    def numbered(self):
        """(GPU, counter) of all that there are."""
        return {(gpu, row["counter"]) for _, row, _, gpus in self.events() for gpu in gpus}

    def is_soft(self, gpu):
        return gpu in self.soft

    def blocks_of(self, gpu, hidden=NOT_NAMED):
        """Blocks whose events can be counted."""
        all_blocks = self.blocks[self.gpus[gpu]["blocks"]]
        return [block for block in all_blocks if not hidden & set(block["flags"].split(","))]

    def soft_blocks_of(self, gpu):
        """Those of them that softgpu has."""
        return self.blocks_of(gpu, NOT_SOFT)

    def registers_of(self, gpu):
        """Registers of the slots of softgpu's blocks, of instance 0."""
        names = {block["block"] for block in self.soft_blocks_of(gpu)}
        return [row for row in self.registers if row["family"] == self.gpus[gpu]["family"] and row["block"] in names and
                row["instance"] == "0"]

    def events(self):
        """(line, row, event, GPUs) for every number that a counter has, GPUs by their own names."""
        for line, row in self.counters:
            for part in row["events"].split(" "):
                event, colon, words = part.partition(":")
                if not event.isdigit() or not colon:
                    self.refuse("counters.tsv", line, f"\"{event}\" is no event number")
                yield line, row, event, self.named("counters.tsv", line, words)

    def counters_of(self, gpu):
        """Rows of its counters with event, and with class and how of softgpu, "-" where that does not count."""
        soft, none = self.soft.get(gpu, {}), {"class": "-", "how": "-"}
        return [{**row, "event": event, **soft.get(row["counter"], none)}
                for _, row, event, gpus in self.events() if gpu in gpus]

    def formulas(self):
        """(line, row, GPUs) for every formula of a metric."""
        return ((line, row, self.named("metrics.tsv", line, row["gpus"])) for line, row in self.metrics)

    def metrics_of(self, gpu):
        return [row for _, row, gpus in self.formulas() if gpu in gpus]
