"""findings.py SOURCE [--fails]: the tables of docs/findings.md name every rule of findings, and no other, and so do the causes.

Rules are rows of src/results/finding_rules.c; what is in backquotes in a table of the page is a rule or an option.
--fails: a rule more is wanted, and a rule that the page names is taken away; both are found."""
import pathlib
import re
import sys


def rules_of(tree):
    return set(re.findall(r'^    \{"([a-z0-9-]+)",', (tree / "src/results/finding_rules.c").read_text(), re.M))


def wrong(tree, rules):
    rows = [line for line in (tree / "docs/findings.md").read_text().splitlines() if line.startswith("|")]
    told = {name for row in rows for name in re.findall(r"`([a-z0-9-]+)`", row) if not name.startswith("--")}
    table = re.search(r"causes\[\] = \{\n(.*?)\n\};", (tree / "src/results/finding_groups.c").read_text(), re.S).group(1)
    causes = {name for text in re.findall(r'"([^"]*)"', table) for name in text.split()}
    return ([f"the tables of docs/findings.md do not name {name}" for name in sorted(rules - told)] +
            [f"docs/findings.md names {name}, which is no rule" for name in sorted(told - rules)] +
            [f"finding_groups.c names {name}, which is no rule" for name in sorted(causes - rules)])


def main():
    tree = pathlib.Path(sys.argv[1])
    rules = rules_of(tree)
    if sys.argv[2:] == ["--fails"]:
        found = wrong(tree, rules - {"few-waves"} | {"another"})
        return 0 if found == ["the tables of docs/findings.md do not name another", "docs/findings.md names few-waves, which is no rule",
                              "finding_groups.c names few-waves, which is no rule"] else f"found: {found}"
    problems = wrong(tree, rules)
    print("\n".join(problems) or f"{len(rules)} rules")
    return 1 if problems or len(rules) < 25 else 0


if __name__ == "__main__":
    sys.exit(main())
