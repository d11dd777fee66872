"""What the tests of the report's page share: making a page, asking what it shows, running cases. The first word of the
command line is the build tree."""
import os
import resource
import subprocess
import sys
import tempfile
import traceback

import browser

PROGRAM = f"{os.path.abspath(sys.argv[1])}/bin/rocprofv3"
TRIES = 3  # of opening a page in time: whatever else runs here has its pauses


def check(condition, *what):
    if not condition:
        asked = sys._getframe(1)
        raise SystemExit(f"{os.path.basename(asked.f_code.co_filename)}: line {asked.f_lineno}: {' '.join(map(str, what))}")


def equal(is_, should):
    check(is_ == should, f"is {is_!r}\n  not {should!r}")


def report(directory, *inputs, options=()):
    """The page's path, and the processor time of making it in seconds."""
    path = os.path.join(directory, "report.html")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([PROGRAM, "report", "-o", path, *options, *inputs], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    equal((done.returncode, done.stderr, done.stdout), (0, "", path + "\n"))
    return path, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def clean(b, path):
    """Nothing was told, nothing was fetched, nothing of the names ran."""
    equal(b.problems, [])
    equal({r for r in b.requests if not r.startswith(("about:", "blob:", "data:"))}, {f"file://{path}"})
    equal(b.run("window.caught"), None)


SHEET, DETAIL = "document.querySelector('canvas.sheet')", "document.querySelector('.detail').innerText"
# of the timeline: begin and length of what it shows, ns
SEEN = f"(([from, to]) => [+from, to - from])({SHEET}.getAttribute('aria-description').match(/[\\d.]+/g))"
TEXT = "document.querySelector('section:not([hidden])').innerText"
HEADS = "[...document.querySelectorAll('section:not([hidden]) th')].map(h => h.innerText)"
CELLS = ("[...document.querySelectorAll('section:not([hidden]) table')].map(t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => "
         "c.innerText.trim())))")


def run(cases, names):
    """Each case in a folder of its own. All are run; the program's status says whether one has failed."""
    if not browser.find():
        print("skipped: needs chromium-headless-shell or chromium")
        sys.exit(77)
    status = 0
    for name in names.split(","):
        with tempfile.TemporaryDirectory() as directory:
            try:
                cases[name](os.path.realpath(directory))
            except (Exception, SystemExit):  # pylint: disable=broad-exception-caught
                print(f"case {name}:", traceback.format_exc(), file=sys.stderr)
                status = 1
    sys.exit(status)
