"""A part of the time of databases: what is outside is left out of views and of conversions."""
import argparse
import re

_BOUNDS = ("start", "start_marker", "end", "end_marker", "inclusive")


def get_min_max_time(connection):
    """The first start and the last end of anything that lasts, in ns; (0, 0) if there is nothing."""
    bounds = []
    for view in ("kernels", "memory_copies", "memory_allocations", "scratch_memory", "regions"):
        if get_column_names(connection, view):
            bounds.append(connection.execute(f'SELECT MIN("start"), MAX("end") FROM {view}').fetchone())
    bounds = [(first, last) for first, last in bounds if first is not None]
    return (min(first for first, _ in bounds), max(last for _, last in bounds)) if bounds else (0, 0)


def percentages2timestamp(connection, *values):
    """Each bound in ns: a number, or a part of the time as in 25%."""
    first, last = get_min_max_time(connection)
    return [first + int((last - first) * float(value[:-1]) / 100)
            if isinstance(value, str) and value.endswith("%") else None if value is None else int(value)
            for value in values]


def get_marker_timestamp(connection, marker, end=False):
    """When the first marker with this text begins, or ends."""
    column = '"end"' if end else '"start"'
    row = connection.execute(f"SELECT {column} FROM regions WHERE category LIKE 'MARKER%' AND "
                             "(name = ? OR json_extract(extdata, '$.message') = ?) ORDER BY \"start\" LIMIT 1",
                             (marker, marker)).fetchone()
    if row is None:
        raise ValueError(f"no marker {marker}")
    return row[0]


def markers2timestamp(connection, start_marker=None, end_marker=None):
    """(start, end) in ns; None for a bound without a marker."""
    return (get_marker_timestamp(connection, start_marker) if start_marker else None,
            get_marker_timestamp(connection, end_marker, end=True) if end_marker else None)


def is_using_markers(args):
    return bool(getattr(args, "start_marker", None) or getattr(args, "end_marker", None))


def get_time_filter(inclusive, start_time, end_time):
    """A condition on columns start and end: what lies in the window, or (not inclusive) reaches into it."""
    first, last = ('"start"', '"end"') if inclusive else ('"end"', '"start"')
    return " AND ".join([f"{first} >= {start_time}"] * (start_time is not None) +
                        [f"{last} <= {end_time}"] * (end_time is not None)) or "1"


def get_timestamp_filter(inclusive, start_time, end_time):
    """The same for a column timestamp."""
    del inclusive  # a moment does not reach into anything
    return get_time_filter(True, start_time, end_time).replace('"start"', '"timestamp"').replace('"end"',
                                                                                                '"timestamp"')


def get_column_names(conn, table_name):
    """Columns of a table or view; none if there is no such."""
    return [row[1] for row in conn.execute(f'PRAGMA table_info("{table_name}")')]


def create_view(connection, view_name, query):
    """Makes a temporary view, in the place of one with the name."""
    connection.execute(f'DROP VIEW IF EXISTS temp."{view_name}"')
    connection.execute(f'CREATE TEMP VIEW "{view_name}" AS {query}')


def apply_time_window(connection, start=None, end=None, start_marker=None, end_marker=None, inclusive=True):
    """Narrows the views with a start and an end; `connection` is a RocpdImportData. The window in ns."""
    if start is None and end is None and not start_marker and not end_marker:
        return None, None
    first, last = percentages2timestamp(connection, start, end)
    marked = markers2timestamp(connection, start_marker, end_marker)
    first, last = marked[0] if first is None else first, marked[1] if last is None else last
    narrowed = get_time_filter(inclusive, first, last)
    views = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'view' UNION ALL "
                               "SELECT name, sql FROM sqlite_temp_master WHERE type = 'view'").fetchall()
    for view, sql in views:
        if not view.startswith("rocpd_") and {"start", "end"} <= set(get_column_names(connection, view)):
            body = re.split(r"\bAS\b", sql, maxsplit=1, flags=re.I)[1]
            create_view(connection, view, f"SELECT * FROM ({body}) WHERE {narrowed}")
    connection.window = {name: value for name, value in
                         (("start", first), ("end", last), ("inclusive", "true" if inclusive else "false"))
                         if value is not None}
    return first, last


def add_args(parser):
    """Adds the options of a window; their names."""
    parser.add_argument("--start", help="ns, or N%% of the time")
    parser.add_argument("--end", help="ns, or N%% of the time")
    parser.add_argument("--start-marker")
    parser.add_argument("--end-marker")
    parser.add_argument("--inclusive", type=lambda word: word.lower() in ("1", "on", "t", "true", "y", "yes"),
                        default=None)
    return list(_BOUNDS)


def process_args(args, valid_args):
    return {name: getattr(args, name) for name in valid_args if getattr(args, name, None) is not None}


def execute(input_rpd, **kwargs):
    """Narrows opened databases, and returns them."""
    apply_time_window(input_rpd, **kwargs)
    return input_rpd


def main(argv=None):
    """Prints the window of databases in ns."""
    from .importer import RocpdImportData
    parser = argparse.ArgumentParser(prog="rocpd.time_window", description="the time of databases")
    parser.add_argument("-i", "--input", nargs="+", required=True)
    valid = add_args(parser)
    args = parser.parse_args(argv)
    with RocpdImportData(args.input) as data:
        window = apply_time_window(data, **process_args(args, valid))
        first, last = get_min_max_time(data)
        print(*(first if window[0] is None else window[0], last if window[1] is None else window[1]))
    return 0
