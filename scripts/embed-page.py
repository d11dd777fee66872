#!/usr/bin/env python3
"""Makes a C file of the report's page: embed-page.py PAGE_DIRECTORY LIBRARY_DIRECTORY OUTPUT

What stands before and behind the data becomes report_page_head and report_page_tail. The page's policy names
the hashes of its own scripts, so that a browser runs no other, and lets nothing be loaded from anywhere.
"""
import base64
import hashlib
import os
import sys

SCRIPTS = ["data", "words", "parts", "overview", "kernels", "compare", "timeline", "timeline-view", "roofline", "ranks", "memory",
           "source", "main"]  # ORDER: what is used while a file is read stands before it
LETTERS_A_LINE = 2000


def read(directory, name):
    with open(os.path.join(directory, name), encoding="utf-8") as f:
        return f.read()


def hash_of(script):
    return "'sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() + "'"


def c_array(name, text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("?", "\\?")
    lines, at = [], 0
    while at < len(escaped):
        end = min(at + LETTERS_A_LINE, len(escaped))
        while escaped[end - 1] == "\\":  # an escape is not cut
            end += 1
        lines.append(f'    "{escaped[at:end]}"')
        at = end
    return f"extern const char {name}[];\nconst char {name}[] =\n" + "\n".join(lines) + ";\n"


page, library, output = sys.argv[1:]
script = '"use strict";\n' + "\n".join(read(page, name + ".js") for name in SCRIPTS)
script = "(() => {\n" + script + "})();\n"
library_script = read(library, "uPlot.iife.min.js")
policy = ("default-src 'none'; base-uri 'none'; form-action 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src "
          + hash_of(script) + " " + hash_of(library_script))
html = read(page, "page.html")
for key, text in {"policy": policy, "style": read(library, "uPlot.min.css") + read(page, "style.css"), "library": library_script,
                  "licence": read(library, "LICENSE"),
                  "script": script}.items():
    html = html.replace("{" + key + "}", text)
head, tail = html.split("{data}")
with open(output, "w", encoding="utf-8") as f:
    f.write(c_array("report_page_head", head) + c_array("report_page_tail", tail))
