#!/bin/sh
# observe.sh SOFTGPU PROGRAM NARROW - --trace and --stats on a real program: the two count the same, every
# line is whole, only the wanted kernels are traced, and the program is none the wiser. NARROW: the program for an RX 6800.
set -u
softgpu=$1
program=$2
narrow=$3
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"

complain() {
    echo "$*"
    failed=1
}

# own: without what HSA says of signals that HIP keeps
own() {
    sed '/^Warning: Resource leak detected by SharedSignalPool/d'
}

# stat KERNEL FIELD: a number of a kernel's second line in the statistics (1: dispatches, 3: waves,
# 5: wave instructions)
stat() {
    awk -v name="kernel $1" -v field="$2" '$0 == name { getline; print $field }' "$work/all"
}

"$softgpu" --trace --stats --trace-file "$work/all" "$program" >"$work/out" 2>"$work/err" ||
    complain "status $?"
[ "$(cat "$work/out")" = "0 wrong" ] || complain "output: $(cat "$work/out")"
said=$(own <"$work/err")
[ -z "$said" ] || complain "on standard error: $said"

for kernel in _Z5splitPii _Z5wholePi _Z5turnsPi; do
    lines=$(grep -c "^$kernel #[0-9]* group [0-9]*,0,0 wave [01] [0-9a-f]*: [a-z]" "$work/all")
    [ "$lines" = "$(stat $kernel 5)" ] || complain "$kernel: $lines lines, $(stat $kernel 5) counted"
    ends=$(grep -c "^$kernel .*: s_endpgm$" "$work/all")
    [ "$ends" = "$(stat $kernel 3)" ] || complain "$kernel: $ends ends, $(stat $kernel 3) waves"
done
[ "$(stat _Z5splitPii 1) $(stat _Z5splitPii 3)" = "1 40" ] || complain "split: wrong numbers"
[ "$(stat _Z5wholePi 1) $(stat _Z5wholePi 3)" = "3 120" ] || complain "whole: wrong numbers"
grep -A3 '^kernel _Z5wholePi' "$work/all" | grep -q ' 64.00 of 64 lanes' ||
    complain "whole: not all lanes active"
grep -A12 '^kernel _Z5splitPii' "$work/all" | grep -Eq 'vmem.wr .* 16.00$' ||
    complain "split: its stores have not 16 lanes"

long=$(printf '%320s' | tr ' ' a)
for kernel in ${long}_one ${long}_two; do
    [ "$(stat "$kernel" 1)" = 1 ] || complain "a kernel with a long name: $(stat "$kernel" 1) dispatches"
    grep -q "^$kernel #.*: s_endpgm$" "$work/all" || complain "a kernel with a long name is not traced"
done

# what the instructions do
grep -q "^_Z5wholePi .* group 7,0,0 wave 1 starts ; exec=f* .* v0=00000040+1\*lane$" "$work/all" ||
    complain "whole: no start of wave 1"
grep -q "^_Z5splitPii .*global_store_dword" "$work/all" || complain "split: no store"
grep -q "^_Z5splitPii .* in lanes 000000000000ffff$" "$work/all" || complain "split: no lanes"

# nothing but trace and statistics; a line that others cut into would match neither
odd=$(sed '/^softgpu statistics/,$d' "$work/all" |
      grep -Ev '^[A-Za-z_0-9.]+ #[0-9]+ group [0-9]+,[0-9]+,[0-9]+ wave [0-9]+ (starts ;|[0-9a-f]+: )' | head -3)
[ -z "$odd" ] || complain "no line of a trace: $odd"

"$softgpu" --trace=whole --trace-file "$work/some" "$program" >/dev/null 2>&1 || complain "status $?"
grep -q "^_Z5wholePi" "$work/some" || complain "--trace=whole: no trace"
grep -vq "^_Z5wholePi" "$work/some" && complain "--trace=whole: more than that"

"$softgpu" --stats "$program" 2>&1 >/dev/null | grep -q "^kernel _Z5splitPii" ||
    complain "--stats: nothing on standard error"
"$softgpu" --gpu rx6800 --stats "$narrow" 2>&1 | grep -A3 '^kernel _Z5wholePi' | grep -q ' 32.00 of 32 lanes' ||
    complain "--stats: waves of 32 lanes are not said to have 32"
"$softgpu" --gpu rx6800 --trace=turns --trace-file "$work/narrow" "$narrow" >/dev/null 2>&1 || complain "narrow: status $?"
grep -q "^_Z5turnsPi .*: s_waitcnt_vscnt null, 0x0$" "$work/narrow" || complain "narrow: no line of what names no register"

# with the translator the same instructions are counted, in translated code and beside it
SOFTGPU_TRANSLATE_AFTER=1 SOFTGPU_TRANSLATE_ASIDE=0 "$softgpu" --translate on --stats --trace-file "$work/on" "$program" >"$work/out" 2>&1 ||
    complain "--translate: status $?"
# part KERNEL REGEX: the number of wave instructions in the kernel's line that the expression finds
part() {
    awk -v name="kernel $1" -v what="$2" '
        /^kernel / { inside = $0 == name }
        inside && $0 ~ what { for (k = 1; k <= NF; k++) if ($k ~ /^[0-9]+[, ]?$/) { print $k + 0; exit } }' "$work/on"
}
# left_out KERNEL: the instructions without a translation
left_out() {
    awk -v name="kernel $1" '/^kernel / { inside = $0 == name } inside && sub(/^ *of these: /, "")' "$work/on"
}
stretches=$(awk '/stretches of code translated/ { print $1 }' "$work/on")
[ -n "$stretches" ] || complain "--translate --stats: nothing on the translator"
for kernel in _Z5splitPii _Z5wholePi _Z5turnsPi; do
    all=$(awk -v name="kernel $kernel" '$0 == name { getline; print $5 }' "$work/on")
    [ "$all" = "$(stat $kernel 5)" ] || complain "$kernel: $all instructions translated or not, $(stat $kernel 5) without"
    ran=$(part $kernel '^  translated:') cold=$(part $kernel ' was not hot')
    none=$(part $kernel ' without a translation') other=$(part $kernel ' another EXEC')
    [ $((${ran:-0} + ${cold:-0} + ${none:-0} + ${other:-0})) = "$all" ] ||
        complain "$kernel: $all are not ${ran:-0}, ${cold:-0}, ${none:-0} and ${other:-0}"
    of=''
    [ $kernel = _Z5turnsPi ] && of='s_sleep 100.0 %'
    [ "$(left_out $kernel)" = "$of" ] || complain "$kernel: without a translation are '$(left_out $kernel)', not '$of'"
done
[ "${stretches:-0}" = 0 ] || grep -q '^  translated: [1-9]' "$work/on" || complain "--translate: nothing ran translated"
# without --translate there are instructions by class, for which code is watched
SOFTGPU_TRANSLATE_AFTER=1 SOFTGPU_TRANSLATE_SHARE=0 "$softgpu" --stats --trace-file "$work/by_class" "$program" >/dev/null 2>&1
grep -q '^  translated:' "$work/by_class" && complain "--stats alone: says what ran translated"
grep -q '^  class ' "$work/by_class" || complain "--stats alone: no instructions by class"
# a second run takes its code from disk
if [ "${stretches:-0}" -gt 0 ]; then
    SOFTGPU_TRANSLATE_AFTER=1 SOFTGPU_TRANSLATE_ASIDE=0 "$softgpu" --translate on --stats --trace-file "$work/on" "$program" >/dev/null 2>&1
    grep -q "^  0 stretches of code translated in .*, $stretches taken from disk" "$work/on" ||
        complain "the second run: $(grep 'stretches of code' "$work/on"), not $stretches taken from disk"
fi
# what an observer sees is interpreted
SOFTGPU_TRANSLATE_AFTER=1 SOFTGPU_TRANSLATE_ASIDE=0 "$softgpu" --translate on --trace=whole --stats --trace-file "$work/on" "$program" >/dev/null 2>&1
[ "$(part _Z5wholePi 'observers or a debugger')" = "$(stat _Z5wholePi 5)" ] || complain "whole: traced, but not interpreted"
[ "$("$softgpu" "$program" 2>&1 | own)" = "0 wrong" ] || complain "without options: more output"
exit $failed
