"""Opening of databases that rocprofv3 writes: one, or several as if they were one."""
import os
import sqlite3

ATTACHED = 9  # databases that SQLite takes beside the main one; it is built for ten


def execute_statement(conn, statement, is_script=False):
    """Runs a statement, or several, and returns the cursor."""
    return conn.executescript(statement) if is_script else conn.execute(statement)


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def _views(conn, database):
    """(name, SQL) of the views of an attached database, in the order in which they were made."""
    return conn.execute(f"SELECT name, sql FROM {_quoted(database)}.sqlite_master WHERE type = 'view'").fetchall()


def _open_one(path):
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    return sqlite3.connect(path)


def _open_several(paths):
    """A database in memory with a temporary view of each table over all files, and the other views over those.

    As many files as SQLite attaches stay where they are; rows of the others are copied.
    """
    conn = sqlite3.connect(":memory:")
    tables, others = {}, []
    for number, path in enumerate(paths):
        if not os.path.exists(path):
            raise FileNotFoundError(path)
        name = f"db{number}"
        conn.execute(f"ATTACH DATABASE ? AS {name}", (path,))
        for view, sql in _views(conn, name):
            if not view.startswith("rocpd_"):
                if number == 0:
                    others.append((view, sql))
                continue
            source = f"{name}.{_quoted(view)}"
            if number >= ATTACHED:
                source = f"main.{_quoted(f'{view}_{number}')}"
                conn.execute(f"CREATE TABLE {source} AS SELECT * FROM {name}.{_quoted(view)}")
            tables.setdefault(view, []).append(source)
        if number >= ATTACHED:
            conn.commit()
            conn.execute(f"DETACH DATABASE {name}")
    for view, sources in tables.items():
        union = " UNION ALL ".join(f"SELECT * FROM {source}" for source in sources)
        conn.execute(f"CREATE TEMP VIEW {_quoted(view)} AS {union}")
    for _, sql in others:
        conn.execute("CREATE TEMP VIEW" + sql[sql.upper().index("VIEW") + len("VIEW"):])
    return conn


class RocpdImportData:
    """Databases that were opened: `connection` is sqlite3's, `filenames` are theirs. What this class has not,
    the connection has. `window` are the bounds that time_window has set, for conversions."""

    def __init__(self, input):  # the name of AMD's parameter
        if isinstance(input, RocpdImportData):
            self.filenames, self.connection, self.window = input.filenames, input.connection, input.window
            return
        if isinstance(input, sqlite3.Connection):
            raise ValueError("the names of databases are needed, not a connection")
        names = [input] if isinstance(input, (str, os.PathLike)) else list(input or [])
        if not names:
            raise ValueError("no databases")
        self.filenames = [os.fspath(name) for name in names]
        self.connection = _open_one(self.filenames[0]) if len(names) == 1 else _open_several(self.filenames)
        self.window = {}

    def __getattr__(self, name):
        if name == "connection":  # not opened
            raise AttributeError(name)
        return getattr(self.connection, name)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.connection.close()
        return False
