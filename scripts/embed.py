#!/usr/bin/env python3
"""Makes a C file that holds a text file: embed.py TEXT NAME OUTPUT"""
import sys

text, name, output = sys.argv[1:]
with open(text, encoding="utf-8") as f:
    lines = f.read().splitlines()
with open(output, "w", encoding="utf-8") as f:
    f.write(f"extern const char {name}[];\nconst char {name}[] =\n")
    for line in lines:
        escaped = line.replace("\\", "\\\\").replace('"', '\\"')
        f.write(f'    "{escaped}\\n"\n')
    f.write("    ;\n")
