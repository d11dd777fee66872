#!/usr/bin/env python3
"""The module rocpd on databases of two runs. usage: databases.py BUILD_DIR PROGRAM"""
import csv
import ctypes.util
import json
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading

build, program = map(os.path.abspath, sys.argv[1:])
sys.dont_write_bytecode = True
sys.path.insert(0, build + "/lib/python3/site-packages")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import rocpd  # noqa: E402
import suite_gpu  # noqa: E402
from rocpd import output_config, query, schema, summary, time_window  # noqa: E402
from rocpd.__main__ import main  # noqa: E402

COUNT = "SELECT name, COUNT(*) FROM kernels GROUP BY name ORDER BY name"


def expect(got, wanted):
    if got != wanted:
        sys.exit(f"got      {got}\nexpected {wanted}")


def raises(kind, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind:
        return True
    return False


def one_and_both(one, both):
    single = rocpd.execute(one, COUNT).fetchall()
    expect(len(single) > 0, True)
    expect(both.execute(COUNT).fetchall(), [(name, 2 * count) for name, count in single])
    # joins over views of several databases keep to rows of one of them; runtimes may call more or less
    with rocpd.connect(both.filenames[1]) as other:
        expect(both.execute("SELECT COUNT(*) FROM regions").fetchone()[0],
               sum(data.execute("SELECT COUNT(*) FROM regions").fetchone()[0] for data in (one, other)))
    expect([agent.name for agent in rocpd.read_agents(one, "type = 'GPU'")], [suite_gpu.ARCH])
    expect((len(rocpd.read_processes(both)), len(rocpd.read_nodes(one))), (2, 1))
    expect(len(rocpd.read_threads(one, "pid = tid")) <= len(rocpd.read_threads(one)), True)
    expect(raises(ValueError, rocpd.connect, sqlite3.connect(":memory:")), True)
    expect(raises(ValueError, rocpd.connect, []), True)
    expect(raises(FileNotFoundError, rocpd.connect, "nothing.db"), True)
    again = rocpd.connect(one)
    expect((again.connection is one.connection, again.filenames), (True, one.filenames))


def windows(path):
    with rocpd.connect(path) as data:
        first, last = time_window.get_min_max_time(data)
        begins = [row[0] for row in data.execute("SELECT start FROM kernels ORDER BY start")]
        middle = begins[len(begins) // 2]
        expect(time_window.percentages2timestamp(data, "0%", "100%", middle, None), [first, last, middle, None])
        time_window.apply_time_window(data, start=middle)
        expect([row[0] for row in data.execute("SELECT start FROM kernels ORDER BY start")],
               [begin for begin in begins if begin >= middle])
        expect(data.window, {"start": middle, "inclusive": "true"})
    expect(time_window.get_time_filter(True, 1, 2), '"start" >= 1 AND "end" <= 2')
    expect(time_window.get_time_filter(False, 1, None), '"end" >= 1')


def queries_and_summaries(data):
    rows = query.export_sqlite_query(data, COUNT)
    expect(json.loads(query.export_sqlite_query(data, COUNT, (), "json")),
           [{"name": name, "COUNT(*)": count} for name, count in rows])
    expect(query.export_sqlite_query(data, "SELECT 'a|b' AS x", (), "md"), "| x |\n| --- |\n| a\\|b |\n")
    expect(raises(ValueError, query.export_sqlite_query, data, COUNT, (), "pdf"), True)
    views = summary.create_summary_views(data) + summary.create_summary_region_views(data)
    expect("summary_kernel_dispatch" in views and set(views) <= set(summary.get_temp_view_names(data)), True)
    by_name = {row[0]: row[1:4] for row in data.execute("SELECT * FROM summary_kernel_dispatch")}
    for name, count in rows:
        total = data.execute('SELECT SUM("end" - "start") FROM kernels WHERE name = ?', (name,)).fetchone()[0]
        expect(by_name[name], (count, total, total / count))
    domains = dict(data.execute(f'SELECT "name", "calls" FROM {summary.create_domain_view(data)}'))
    expect(domains["KERNEL_DISPATCH"], sum(count for _, count in rows))


def conversions(path, directory):
    config = output_config.output_config(output_path=directory + "/%tag%", output_file="p")
    os.environ["ROCPD_TEST"] = "here"
    expect(rocpd.format_path("%env{ROCPD_TEST}%-$ENV{ROCPD_TEST}-%tag%", "t"), "here-here-t")
    expect(raises(AttributeError, config.update, nothing=1), True)
    config.update(output_path=directory + "/out")
    expect(rocpd.write_csv(rocpd.connect(path), config), True)
    with open(directory + "/out/p_kernel_trace.csv", newline="", encoding="utf-8") as f:
        traced = len(list(csv.DictReader(f)))
    with rocpd.connect(path) as data:
        expect(traced, data.execute("SELECT COUNT(*) FROM kernels").fetchone()[0])
    expect(rocpd.write_perfetto(rocpd.connect(path), output_path=directory + "/out", output_file="p"), True)
    expect(os.path.getsize(directory + "/out/p_results.pftrace") > 0, True)
    expect(main(["convert", "-i", path, "-f", "csv", "-d", directory + "/by_main", "-o", "m"]), 0)
    expect(os.path.exists(directory + "/by_main/m_kernel_trace.csv"), True)
    expect(main([]), 2)
    expect(main(["--help"]), 0)


# every option of AMD's rocpd commands, with words that it takes; {} is a new directory
AMD_OPTIONS = """
convert -f csv --kernel-rename --agent-index-value absolute -o x -d {} --start 0% --end 100% --inclusive T
convert --output-format CSV OTF2 perfetto --output-file x --output-path {} --agent-index-value type-relative
convert -f pftrace -d {} --perfetto-backend inprocess --perfetto-buffer-fill-policy discard --perfetto-buffer-size 9
convert -f pftrace -d {} --perfetto-shmem-size-hint 9 --group-by-queue --inclusive false
query --query SELECT+1 --format CSV -o x -d {}
query --query SELECT+1 --format pdf --script {}/script -o x -d {}
query --query SELECT+1 --format dashboard --template-path {}/template --script {}/script -o x -d {}
summary -f csv -o x -d {}
summary --format json --output-file x --output-path {} --domain-summary --summary-by-rank --region-categories HIP HSA
summary -f md -d {} --region-categories NONE --start 0% --end 100%
merge -o x -d {}
package -d {} --copy
"""


def options(path, directory):
    for number, line in enumerate(AMD_OPTIONS.strip().splitlines()):
        if "--format pdf" in line and not ctypes.util.find_library("cairo"):
            continue  # nothing draws pages
        where = f"{directory}/options{number}"
        os.mkdir(where)
        for name, text in (("template", "<b>{{table}}</b>"), ("script", "CREATE TEMP TABLE t (a);")):
            with open(f"{where}/{name}", "w", encoding="utf-8") as f:
                f.write(text)
        command, *words = line.replace("{}", where).split()
        done = subprocess.run([sys.executable, "-m", "rocpd", command, "-i", path,
                               *[word.replace("+", " ") for word in words]], capture_output=True, text=True,
                              timeout=60, env={**os.environ, "PYTHONPATH": build + "/lib/python3/site-packages"})
        expect((line, done.returncode, "usage:" in done.stderr), (line, 0, False))
        made = len(os.listdir(where)) > 2 or os.path.isdir(where + ".rpdb")
        expect((line, made), (line, True))
    version = subprocess.run([build + "/bin/rocpd", "--version"], capture_output=True, text=True, check=True).stdout
    for flag in ("-v", "--version"):
        expect(subprocess.run([sys.executable, "-m", "rocpd", flag], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": build + "/lib/python3/site-packages"}).stdout, version)


def mail(path, directory):
    """A result is sent to a server that speaks as little SMTP as there can be."""
    received = []

    def serve(listener):
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as lines:
            connection.sendall(b"220 here\r\n")
            text = False
            for line in lines:
                received.append(line.decode().rstrip())
                if text and line != b".\r\n":
                    continue
                text = line.upper().startswith(b"DATA")
                connection.sendall(b"354 go on\r\n" if text else b"221 bye\r\n" if line[:4].upper() == b"QUIT"
                                   else b"250 yes\r\n")
                if line[:4].upper() == b"QUIT":
                    return

    for more, attached in (((), "x.html"), (("--zip-attachments",), "x.html.zip")):
        received.clear()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = threading.Thread(target=serve, args=(listener,))
            server.start()
            expect(main(["query", "-i", path, "--query", "SELECT 4711", "--format", "html", "-o", "x", "-d", directory,
                         "--email-to", "a@here,b@here", "--email-from", "c@here", "--email-subject", "Found",
                         "--smtp-server", "127.0.0.1", "--smtp-port", str(listener.getsockname()[1]),
                         "--inline-preview", *more]), 0)
            server.join(30)
        expect([line.lower() for line in received if line.lower().startswith("rcpt")],
               ["rcpt to:<a@here>", "rcpt to:<b@here>"])
        expect(("Subject: Found" in received, any(f'filename="{attached}"' in line for line in received)), (True, True))
    expect(raises(ValueError, main, ["query", "-i", path, "--query", "SELECT 1", "--email-to", "a@here"]), True)


def schemas():
    made = schema.RocpdSchema(guid="0-1")
    connection = sqlite3.connect(":memory:")
    made.write_schema(connection)
    names = {name for name, in connection.execute("SELECT name FROM sqlite_master")}
    expect({"rocpd_string_0_1", "rocpd_string", "kernels", "regions"} <= names, True)
    expect(connection.execute("SELECT COUNT(*) FROM kernels").fetchone(), (0,))
    expect(raises(ValueError, schema.load_schema, "sqlite3", "nothing"), True)


with tempfile.TemporaryDirectory(prefix="crocprof-python-") as directory:
    paths = []
    for name in "ab":
        subprocess.run([build + "/bin/rocprofv3", "--gpu", "soft", "--sys-trace", "-f", "rocpd", "-d", directory, "-o",
                        name, "--", program], check=True, capture_output=True, timeout=100)
        paths.append(f"{directory}/{name}_results.db")
    with rocpd.connect(paths[0]) as one, rocpd.connect(paths) as both:
        one_and_both(one, both)
        queries_and_summaries(one)
    windows(paths[0])
    windows(paths)
    conversions(paths[0], directory)
    options(paths[0], directory)
    mail(paths[0], directory + "/mail")
schemas()
