#!/bin/sh
# A host that shows no caches of its processors, as some virtual machines: the runtime finds the
# processor, with the caches that the C library knows, and the GPU. usage: caches.sh LAUNCHER
launcher=$1
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/empty"
# hidden COMMAND...: with an empty folder in the place of each processor's caches, where there are any
hidden() {
    unshare --mount sh -c 'empty=$1; shift
        for caches in /sys/devices/system/cpu/cpu[0-9]*/cache; do
            [ ! -d "$caches" ] || mount --bind "$empty" "$caches" || exit 77
        done
        exec "$@"' hidden "$work/empty" "$@"
}
if [ -e /sys/devices/system/cpu/cpu0/cache/index0 ]; then
    hidden true 2>/dev/null || { echo "skipped: nothing may be mounted here"; exit 77; }
    hidden "$launcher" rocminfo >"$work/out" 2>"$work/err"
else
    "$launcher" rocminfo >"$work/out" 2>"$work/err"
fi
status=$?
bytes=$(getconf LEVEL1_DCACHE_SIZE)
[ "${bytes:-0}" -gt 0 ] || bytes=32768
grep -q gfx90a "$work/out" && [ $status = 0 ] &&
    [ "$(sed -n 's/^ *L1: *\([0-9]*\)(.*/\1/p' "$work/out" | head -n 1)" = "$bytes" ] && exit 0
echo "status $status, $bytes bytes expected"
cat "$work/err"
grep -A 3 'Cache Info' "$work/out"
exit 1
