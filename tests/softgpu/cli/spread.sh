#!/bin/sh
# spread.sh SOFTGPU PROGRAM - kernels of one workgroup on four threads: --stats says whose waves idle threads have run and
# why others' were not, and the same instructions are counted as where each workgroup stays on one thread.
set -u
softgpu=$1
program=$2
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"

complain() {
    echo "$*"
    failed=1
}

# run FILE OPTION ...: the statistics are in the file
run() {
    file=$1
    shift
    "$softgpu" --threads 4 "$@" --stats --trace-file "$file" "$program" >"$work/out" 2>&1 || complain "$file: status $?"
    grep -q '^0 wrong$' "$work/out" || complain "$file: output $(cat "$work/out")"
}

# of FILE KERNEL: the kernel's part of the statistics
of() {
    awk -v name="kernel $2" '/^kernel |^translator/ { inside = $0 == name } inside' "$1"
}

unset SOFTGPU_SPREAD
# whether a helper gets a processor in time, and in the round that has the atomic operations, is the host's matter
spread() {
    of "$work/spread" _Z4tilePj | grep -q 'spread over threads: 1 workgroups .* ran waves [1-9]'
}
reason() {
    of "$work/spread" _Z4sumsPj | grep -q 'on one thread .*: 1 workgroups, atomic operations$'
}
for try in 1 2 3 4 5 6 7 8 9 10; do
    run "$work/spread" --translate on
    spread && reason && break
done
spread || complain "tile: not spread"
reason || complain "sums: no reason"

export SOFTGPU_SPREAD=0
run "$work/together" --translate on
of "$work/together" _Z4tilePj | grep -q 'on one thread .*: 1 workgroups, SOFTGPU_SPREAD is 0$' || complain "tile: SOFTGPU_SPREAD=0 is not told"
unset SOFTGPU_SPREAD
run "$work/watched"
of "$work/watched" _Z4tilePj | grep -q 'on one thread .*: 1 workgroups, observed$' || complain "tile: observers are not told"
run "$work/verified" --translate verify
of "$work/verified" _Z4tilePj | grep -q ': 1 workgroups, translations are verified$' || complain "tile: verify is not told"

for kernel in _Z4tilePj _Z4sumsPj; do
    count=$(of "$work/together" $kernel | awk 'NR == 2 { print $3, $5 }')
    for file in spread watched verified; do
        [ "$(of "$work/$file" $kernel | awk 'NR == 2 { print $3, $5 }')" = "$count" ] ||
            complain "$kernel, $file: other waves and instructions than $count"
    done
done
exit $failed
