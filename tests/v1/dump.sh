#!/bin/sh
# ROCP_DUMP_CODEOBJ: what lies in $TMPDIR afterwards. usage: dump.sh PROGRAM ARGUMENT...
TMPDIR=$(mktemp -d) || exit 2
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
"$@"
echo "$(ls "$TMPDIR" | grep -c '^rocprofiler') files"
ROCP_DUMP_CODEOBJ=1 "$@"
for file in "$TMPDIR"/rocprofiler-[0-9]*-[0-9]*.co; do
    if strings "$file" | grep -q -x '_Z3addPKfPf\.kd' && strings "$file" | grep -q -x '_Z5scalePff\.kd'
    then
        echo "the program's code object: $(head -c 4 "$file" | tail -c 3)"
    fi
done
