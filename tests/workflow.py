"""Workflows of CI as the documentation has them: their scripts, to be run as they stand there, and what stands in for
commands that a test cannot have."""
import os
import re
import stat
import subprocess
import textwrap


def block(page, word):
    """The text of the page's one block ```yaml WORD."""
    with open(page, encoding="utf-8") as f:
        (text,) = re.findall(rf"^```yaml {word}\n(.*?)^```$", f.read(), re.M | re.S)
    return text


def github(text):
    """Scripts of the steps, in order."""
    steps = re.findall(r"^ +(?:- )?run: (?:\|\n((?: {10}.*\n)+)|(.+)\n)", text, re.M)
    return [re.sub(r"^ {10}", "", many, flags=re.M) or one for many, one in steps]


def gitlab(text):
    """Lines of the script, which a shell gets one after the other."""
    (lines,) = re.findall(r"^  script:\n((?:    (?:- |  ).*\n)+)", text, re.M)
    entries = re.findall(r"^    - (?:\|\n((?: {6}.*\n)+)|(.+)\n)", lines, re.M)
    return [textwrap.dedent(many).rstrip("\n") or one for many, one in entries]


def stand_in(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(path, stat.S_IRWXU)


def run(script, work, environment):
    done = subprocess.run(["bash", "-e", "-c", script], cwd=work, env=environment, capture_output=True, text=True,
                          timeout=240, check=False)
    return done.returncode, f"{script}\n{done.stdout}{done.stderr}"
