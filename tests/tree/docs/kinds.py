"""kinds.py SOURCE: docs/rocprofv3.md names every file and every option of the table of what is recorded."""
import pathlib
import sys

source = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(source / "scripts"))
import settings_table  # beside the generators, which read the tables too

KIND = "id domain setting"
COLUMNS = {"DOMAIN": "id type shape category slices paradigm file writer statistics", "KIND_PLAIN": KIND, "KIND_SEEN": KIND,
           "KIND_EXTENDED": KIND, "KIND_EVENT": KIND, "KIND_WORK": KIND, "KIND_OWN": KIND, "KIND_MARKER": "id"}

page = (source / "docs/rocprofv3.md").read_text()
options = {row["id"]: row.get("option")
           for row in settings_table.rows(source / "src/trace/settings.def", settings_table.SETTINGS) if "id" in row}
rows = settings_table.rows(source / "src/trace/kinds.def", COLUMNS)
names = {row[column] for row in rows for column in ("file", "statistics") if row.get(column, "NULL") != "NULL"}
names |= {"--" + options[row["setting"]] for row in rows if "setting" in row}
missing = sorted(name for name in names if f"`{name}`" not in page and f"`{name} " not in page)
print("\n".join(f"docs/rocprofv3.md does not name {name}" for name in missing) or f"{len(names)} files and options")
sys.exit(1 if missing or len(names) < 50 else 0)
