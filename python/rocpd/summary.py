"""Where the time went: sums by name, of each domain and of all."""
import argparse
import sys

from . import _program, output_config, query, time_window
from .importer import RocpdImportData

# domain, view, column with names
_DOMAINS = (("KERNEL_DISPATCH", "kernels", "name"), ("MEMORY_COPY", "memory_copies", "name"),
            ("MEMORY_ALLOCATION", "memory_allocations", "type"), ("SCRATCH_MEMORY", "scratch_memory", "operation"))


def get_temp_view_names(connection):
    """Names of the temporary views."""
    return [name for name, in connection.execute("SELECT name FROM sqlite_temp_master WHERE type = 'view'")]


def get_temp_view_columns(connection, view_name):
    return time_window.get_column_names(connection, view_name)


def make_temp_view_query(view_name, query):  # the name of AMD's parameter
    """SQL that makes a temporary view."""
    return f'CREATE TEMP VIEW "{view_name}" AS {query}'


def export_view(connection, view_name, export_format="console", export_path=None):
    """A view as text, also written to a file if there is a path."""
    return query.export_sqlite_query(connection, f'SELECT * FROM "{view_name}"', (), export_format, export_path)


def generate_summary_query(view, name_column="name", condition="1", by_rank=False):
    """SQL: calls and their durations in ns, by name, the most time first."""
    rank = '"pid", ' if by_rank else ""
    return (f'SELECT {rank}{name_column} AS "name", COUNT(*) AS "calls", SUM("end" - "start") AS "total_duration", '
            f'AVG("end" - "start") AS "average", MIN("end" - "start") AS "min", MAX("end" - "start") AS "max", '
            f'100.0 * SUM("end" - "start") / (SELECT SUM("end" - "start") FROM {view} WHERE {condition}) '
            f'AS "percentage" FROM {view} WHERE {condition} GROUP BY {rank}{name_column} '
            f'ORDER BY {rank}SUM("end" - "start") DESC')


def _parts(connection):
    """(domain, view, column, condition) of what these databases have."""
    for domain, view, column in _DOMAINS:
        columns = time_window.get_column_names(connection, view)
        if {"start", "end", column} <= set(columns):
            yield domain, view, column, "1"
    if time_window.get_column_names(connection, "regions"):
        for category, in connection.execute("SELECT DISTINCT category FROM regions ORDER BY category"):
            yield category, "regions", "name", "category = '" + category.replace("'", "''") + "'"


def generate_domain_query(connection, by_rank=False):
    """SQL: the same by domain."""
    rank = '"pid", ' if by_rank else ""
    parts = [f"SELECT '{domain}' AS \"name\", {rank}\"start\", \"end\" FROM {view} WHERE {condition}"
             for domain, view, _, condition in _parts(connection)]
    union = "(" + (" UNION ALL ".join(parts) or "SELECT '' AS name, 0 AS start, 0 AS end, 0 AS pid LIMIT 0") + ")"
    return generate_summary_query(union, "name", "1", by_rank)


def _create(connection, regions, by_rank):
    made = []
    for domain, view, column, condition in _parts(connection):
        if (view == "regions") == regions:
            made.append(f"summary_{domain.lower()}" + ("_by_rank" if by_rank else ""))
            time_window.create_view(connection, made[-1], generate_summary_query(view, column, condition, by_rank))
    return made


def create_summary_views(connection, by_rank=False):
    """Temporary views of the work of GPUs; their names."""
    return _create(connection, False, by_rank)


def create_summary_region_views(connection, by_rank=False):
    """Temporary views of calls and markers; their names."""
    return _create(connection, True, by_rank)


def create_domain_view(connection, by_rank=False):
    """A temporary view by domain; its name."""
    name = "summary_domain" + ("_by_rank" if by_rank else "")
    time_window.create_view(connection, name, generate_domain_query(connection, by_rank))
    return name


def generate_all_summaries(connection, domain_summary=False, summary_by_rank=False, format="console", **kwargs):
    """The text of every summary by its view's name."""
    del kwargs
    views = []
    for by_rank in (False, True) if summary_by_rank else (False,):
        views += create_summary_views(connection, by_rank) + create_summary_region_views(connection, by_rank)
        if domain_summary:
            views.append(create_domain_view(connection, by_rank))
    return {view: export_view(connection, view, format) for view in views}


def add_io_args(parser):
    return output_config.add_generic_args(parser)


def add_args(parser):
    parser.add_argument("--domain-summary", action="store_true", default=None)
    parser.add_argument("--summary-by-rank", action="store_true", default=None)
    parser.add_argument("-f", "--format", choices=["console", "csv", "html", "json", "md"], default=None)
    parser.add_argument("--region-categories", nargs="+", default=None, help="only these regions; NONE for none")
    return ["domain_summary", "summary_by_rank", "format", "region_categories"]


def process_args(args, valid_args):
    return {name: getattr(args, name) for name in valid_args if getattr(args, name, None) is not None}


def execute(input, window_args=None, **kwargs):  # the name of AMD's parameter
    """Shows or writes the summaries, as the program does; True if it succeeded."""
    data = RocpdImportData(input)
    time_window.apply_time_window(data, **(window_args or {}))
    words = []
    for name, value in kwargs.items():
        values = [] if value is True else value if isinstance(value, (list, tuple)) else [value]
        words += ["--" + name.replace("_", "-"), *map(str, values)]
    return _program.run("summary", data, *words)


def main(argv=None):
    parser = argparse.ArgumentParser(prog="rocpd.summary", description="where the time went")
    parser.add_argument("-i", "--input", nargs="+", required=True)
    valid, io, window = add_args(parser), add_io_args(parser), time_window.add_args(parser)
    args = parser.parse_args(argv)
    done = execute(args.input, window_args=time_window.process_args(args, window), **process_args(args, valid),
                   **output_config.process_generic_args(args, io))
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())
