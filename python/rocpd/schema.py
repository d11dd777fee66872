"""Tables and views of the databases, from the one description that this installation has of them."""
import argparse
import os
import re
import sqlite3
import sys
import uuid as uuid_module

KINDS = ("rocpd_tables", "rocpd_indexes", "rocpd_views", "data_views", "summary_views", "marker_views")
_NAME = "share/rocprofiler-sdk-rocpd/rocpd_schema.sql"
_MARKERS = re.compile(r"marker", re.I)
_SUMMARIES = re.compile(r"^(top|busy|.*summary)", re.I)


def _statements():
    directory = os.path.dirname(os.path.realpath(__file__))
    while directory != os.path.dirname(directory):
        directory = os.path.dirname(directory)
        path = os.path.join(directory, _NAME)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                text = re.sub(r"^--.*$", "", f.read(), flags=re.M)
            return [statement.strip() + ";" for statement in text.split(";\n") if statement.strip()]
    raise FileNotFoundError(_NAME)


def _kind(statement):
    """What a statement belongs to."""
    match = re.match(r"CREATE\s+(?:TEMP\w*\s+)?(?:UNIQUE\s+)?(TABLE|INDEX|VIEW)\s+(?:IF NOT EXISTS\s+)?[\"`]?(\w+)",
                     statement, re.I)
    if not match or match[1].upper() == "TABLE":
        return "rocpd_tables"
    if match[1].upper() == "INDEX":
        return "rocpd_indexes"
    if match[2].startswith("rocpd_"):
        return "rocpd_views"
    if _MARKERS.search(match[2]):
        return "marker_views"
    return "summary_views" if _SUMMARIES.search(match[2]) else "data_views"


def load_schema(engine="sqlite3", kind="rocpd_tables", options=None, variables=None, **kwargs):
    """SQL of a kind of KINDS. Variables: uuid, the suffix of tables, and guid, the text that rows carry; options:
    "sqlite3_pragma_foreign_keys" puts that in front."""
    if engine != "sqlite3" or kind not in KINDS:
        raise ValueError(f"engine {engine}, kind {kind}: sqlite3 has {' '.join(KINDS)}")
    values = dict(variables or {}, **kwargs)
    text = "\n\n".join(statement for statement in _statements() if _kind(statement) == kind)
    for name in ("uuid", "guid"):
        text = text.replace("{" + name + "}", str(values.get(name, "")))
    return ("PRAGMA foreign_keys = ON;\n" if options == "sqlite3_pragma_foreign_keys" else "") + text + "\n"


class RocpdSchema:
    """The whole schema for one run: `uuid` sets its tables apart, `guid` is in its rows."""

    def __init__(self, uuid="", guid=""):
        guid = guid or str(uuid_module.uuid4())
        self.uuid = uuid or "_" + guid.replace("-", "_")
        self.guid = guid
        for kind in KINDS:
            setattr(self, kind, load_schema(kind=kind, uuid=self.uuid, guid=self.guid))

    def write_schema(self, connection):
        """Makes tables and views in a database."""
        for kind in KINDS:
            connection.executescript(getattr(self, kind))
        connection.commit()


def main(create=None):
    """Prints the schema, or makes a database with it."""
    if create is None:
        parser = argparse.ArgumentParser(prog="rocpd.schema", description="tables and views of the databases")
        parser.add_argument("--create", help="database to make")
        create = parser.parse_args().create
    schema = RocpdSchema()
    if not create:
        sys.stdout.write("\n".join(getattr(schema, kind) for kind in KINDS))
        return 0
    with sqlite3.connect(create) as connection:
        schema.write_schema(connection)
    return 0


if __name__ == "__main__":
    sys.exit(main())
