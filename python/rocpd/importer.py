"""Opening of databases that rocprofv3 writes: one, or several as if they were one."""
import os
import sqlite3


def execute_statement(conn, statement, is_script=False):
    """Runs a statement, or several, and returns the cursor."""
    return conn.executescript(statement) if is_script else conn.execute(statement)


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def _views(conn):
    """(name, SQL) of the views of the attached database, in the order in which they were made."""
    return conn.execute("SELECT name, sql FROM part.sqlite_master WHERE type = 'view'").fetchall()


def _open_one(path):
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    return sqlite3.connect(path)


def _open_several(paths):
    """A temporary database with the rows of all files, which are attached and copied one after another; a temporary
    view of each table, and the other views over those.
    """
    conn = sqlite3.connect("")
    made, others = [], []
    for number, path in enumerate(paths):
        if not os.path.exists(path):
            raise FileNotFoundError(path)
        conn.execute("ATTACH DATABASE ? AS part", (path,))
        for view, sql in _views(conn):
            if not view.startswith("rocpd_"):
                if number == 0:
                    others.append(sql)
                continue
            name = _quoted(view)
            if view in made:
                conn.execute(f"INSERT INTO main.{name} SELECT * FROM part.{name}")
            else:
                conn.execute(f"CREATE TABLE main.{name} AS SELECT * FROM part.{name}")
                made.append(view)
        conn.commit()
        conn.execute("DETACH DATABASE part")
    for name in map(_quoted, made):
        conn.execute(f"CREATE TEMP VIEW {name} AS SELECT * FROM main.{name}")
    for sql in others:
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
