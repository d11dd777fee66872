"""links.py SOURCE: every relative link of the pages leads to a file that is there, and to a heading of it, if it names one;
docs/README.md leads to every page. --fails: wrong links in a small tree are found."""
import pathlib, re, sys, tempfile

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page):
    """The headings of a page as links write them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    heads = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"`|\[|\]\([^)]*\)", "", h)).strip().lower().replace(" ", "-") for h in heads}


def wrong(tree):
    found, led_to = [], set()
    pages = [p for part in ("docs/*.md", "*.md", "src/**/*.md", "tests/**/*.md") for p in sorted(tree.glob(part))]
    for page in pages:
        for link in LINK.findall(page.read_text()):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if page == tree / "docs/README.md":
                led_to.add(target)
            if not target.exists():
                found.append(f"{page.relative_to(tree)}: there is no {path}")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                found.append(f"{page.relative_to(tree)}: {path or page.name} has no heading #{anchor}")
    for page in sorted((tree / "docs").glob("*.md")):
        if page.name != "README.md" and page.resolve() not in led_to:
            found.append(f"docs/README.md does not lead to {page.name}")
    return found, len(pages)


def finds_what_is_wrong():
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder).resolve()
        (tree / "docs").mkdir()
        (tree / "docs/README.md").write_text("[a](a.md) [none](none.md) [b](a.md#no-such) [good](a.md#a-heading) [web](https://x)\n")
        (tree / "docs/a.md").write_text("# A `heading`\n")
        (tree / "docs/b.md").write_text("alone\n")
        (tree / "src/room").mkdir(parents=True)
        (tree / "src/room/README.md").write_text("[up](../../docs/a.md) [too far](../docs/a.md)\n")
        return wrong(tree)[0] == ["docs/README.md: there is no none.md", "docs/README.md: a.md has no heading #no-such",
                                  "src/room/README.md: there is no ../docs/a.md", "docs/README.md does not lead to b.md"]


if __name__ == "__main__":
    if sys.argv[2:] == ["--fails"]:
        sys.exit(0 if finds_what_is_wrong() else "a wrong link was not found, or a right one was")
    problems, count = wrong(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(problems) or f"{count} pages, every link leads somewhere")
    sys.exit(1 if problems or count < 20 else 0)
