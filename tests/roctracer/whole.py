#!/usr/bin/env python3
"""Standard output of a program that ends with 0 is a file's text. usage: whole.py FILE COMMAND..."""
import difflib
import subprocess
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    expected = f.read()
done = subprocess.run(sys.argv[2:], capture_output=True, text=True, timeout=100)
if done.returncode != 0 or done.stdout != expected:
    sys.exit("".join(difflib.unified_diff(expected.splitlines(True), done.stdout.splitlines(True), "expected", "got"))
             + f"status {done.returncode}\n{done.stderr}")
