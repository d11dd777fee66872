#!/bin/sh
# rocminfo under a tool that looks into programs: what it finds is what it finds without, and it ends
# as well. usage: under.sh LAUNCHER strace|gdb|perf|valgrind
launcher=$1 tool=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
case $tool in
strace) set -- strace -f -o "$work/log" ;;
gdb) set -- gdb -q -batch -ex run -ex 'quit $_exitcode' --args ;;
perf) set -- perf stat -o "$work/log" ;;
valgrind) set -- valgrind -q --tool=none ;;
esac
"$@" true >/dev/null 2>&1 || { echo "skipped: $tool may not do its work here"; exit 77; }
found() { grep -E '^ *(Agent|Name|Uuid|Marketing Name|Compute Unit|Pool|Size):? '; }
"$launcher" -- rocminfo | found >"$work/plain"
"$launcher" -- "$@" rocminfo >"$work/raw" 2>"$work/err"
status=$?
found <"$work/raw" >"$work/under"
grep -q gfx90a "$work/plain" && [ $status = 0 ] && diff "$work/plain" "$work/under" && exit 0
echo "status $status"
cat "$work/err"
exit 1
