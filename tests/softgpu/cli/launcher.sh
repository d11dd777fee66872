#!/bin/sh
# launcher.sh SOFTGPU PROBE - the launcher's options, errors and exit statuses, and that no folder
# is left behind. Prints a line per failure; the exit status says whether there was one.
set -u
softgpu=$1
probe=$2
failed=0

# expect STATUS TEXT COMMAND...: the command's status, and its output holds TEXT
expect() {
    status=$1 text=$2
    shift 2
    output=$("$@" 2>&1)
    got=$?
    if [ $got -ne "$status" ]; then
        echo "$*: status $got instead of $status: $output"
        failed=1
    fi
    case $output in
    *"$text"*) ;;
    *) echo "$*: no \"$text\" in: $output"; failed=1 ;;
    esac
}

# a killed program's folder is removed by the next program, once it is old enough to be sure: looked at in the end
killed=$(mktemp -d)
export XDG_RUNTIME_DIR="$killed"
{ "$softgpu" "$probe" die; } 2>/dev/null
died=$(date +%s)
[ "$(ls "$killed" | wc -l)" = 1 ] || { echo "the killed program left no folder"; failed=1; }
expect 0 "" "$softgpu" cat /sys/module/amdgpu/initstate
# on a machine that is busy it may be old already
[ "$(ls "$killed" | wc -l)" = 1 ] || [ $(($(date +%s) - died)) -ge 10 ] || { echo "a young folder was removed"; failed=1; }

runtime=$(mktemp -d)
export XDG_RUNTIME_DIR="$runtime"

expect 0 "softgpu 1." "$softgpu" --version
expect 0 "Usage: softgpu" "$softgpu" --help
expect 2 "no program is given" "$softgpu"
expect 2 '--cus: "0" is not a number from 1 to 1024' "$softgpu" --cus 0 true
expect 2 '--gpus: "nine" is not a number from 1 to 8' "$softgpu" --gpus nine true
expect 2 '--core: "foo" is none of base, avx2 and avx512' "$softgpu" --core foo true
expect 2 '--time: "foo" is none of host and model' "$softgpu" --time foo true
expect 1 "SOFTGPU_CORE=foo: " env SOFTGPU_CORE=foo "$softgpu" cat /dev/kfd
expect 1 "SOFTGPU_TIME=modell is neither host nor model" env SOFTGPU_TIME=modell "$softgpu" cat /dev/kfd
expect 1 "SOFTGPU_COUNTERS=1025 is not a whole number from 0 to 1024" env SOFTGPU_COUNTERS=1025 "$softgpu" cat /dev/kfd
expect 1 "SOFTGPU_CUS=0 is not a whole number from 1 to 1024" env SOFTGPU_CUS=0 "$softgpu" cat /dev/kfd
expect 1 "SOFTGPU_THREADS=many is not" env SOFTGPU_THREADS=many "$softgpu" cat /dev/kfd
expect 125 "standard output: No space left" sh -c '"$1" --help >/dev/full' sh "$softgpu"
expect 125 "standard output: No space left" sh -c '"$1" --version >/dev/full' sh "$softgpu"
expect 125 "standard output: No space left" sh -c '"$1" --list-profiles >/dev/full' sh "$softgpu"
if [ -z "$SANITIZED" ] && unshare -m true 2>/dev/null; then # root alone takes /proc away; sanitizers need it
    expect 0 "still here" unshare -m sh -c 'umount -l /proc; exec "$@"' sh "$softgpu" echo still here
fi
expect 0 "mi210        AMD Instinct MI210" "$softgpu" --list-profiles
expect 0 "mi250x       AMD Instinct MI250X" "$softgpu" --list-gpus
expect 2 '--partition: "foo" is none of spx, dpx, tpx, qpx and cpx' "$softgpu" --partition foo true
expect 1 "SOFTGPU_PARTITION: foo is none of spx" env SOFTGPU_PARTITION=foo "$softgpu" cat /dev/kfd
expect 1 "SOFTGPU_PARTITION: cpx needs a multiple of 2 XCCs, and mi210 has 1" "$softgpu" --partition cpx cat /dev/kfd
expect 125 "--trace-file /nowhere/trace: No such file" "$softgpu" --trace-file /nowhere/trace true
expect 127 "nosuchprogram: No such file" "$softgpu" nosuchprogram
expect 126 "Permission denied" "$softgpu" /etc/passwd
expect 7 "" "$softgpu" -- sh -c 'exit 7'
expect 0 "a --gpus b" "$softgpu" echo a --gpus b
expect 1 "nope.profile: No such file" "$softgpu" --profile nope cat /dev/kfd
expect 1 "; there are krackan2, m" "$softgpu" --gpu nope cat /dev/kfd
# the option comes before the variables, SOFTGPU_GPU before SOFTGPU_PROFILE
expect 0 mi210 env SOFTGPU_GPU=nope "$softgpu" --profile mi210 cat /sys/class/kfd/kfd/topology/nodes/1/name
expect 0 mi210 env SOFTGPU_PROFILE=nope "$softgpu" --gpu mi210 cat /sys/class/kfd/kfd/topology/nodes/1/name
expect 0 mi210 env SOFTGPU_GPU=mi210 SOFTGPU_PROFILE=nope "$softgpu" cat /sys/class/kfd/kfd/topology/nodes/1/name
expect 0 mi250x "$softgpu" --gpu mi250x cat /sys/class/kfd/kfd/topology/nodes/2/name
# has NAME FILE "LINE ..." OPTION...: the topology's file of that GPU has the lines
has() {
    name=$1 file=/sys/class/kfd/kfd/topology/nodes/$2 lines=$3
    shift 3
    text=$("$softgpu" --gpu "$name" "$@" cat "$file")
    echo "$lines" | while read -r line; do
        echo "$text" | grep -qx "$line" || { echo "$name $*: no \"$line\" in $file"; exit 1; }
    done || failed=1
}
# what captures of the topology of real ones have
has mi300x 1/properties "simd_count 1216
array_count 32
cu_per_simd_array 10
cwsr_size 23203840
ctl_stack_size 12288
gfx_target_version 90402
device_id 29857
num_sdma_xgmi_engines 14
max_engine_clk_fcompute 2100
num_xcc 8" --cus 304
has mi350x 1/properties "simd_count 1024
cwsr_size 22687744
ctl_stack_size 12288
lds_size_in_kb 160
device_id 30112
gfx_target_version 90500
max_engine_clk_fcompute 2200" --cus 256
# parts of a GPU: those of MI300A are six at most, and two would not have the same dies
has mi300x 8/properties "simd_count 4
array_count 1
num_xcc 1
num_sdma_engines 2
num_sdma_xgmi_engines 0" --partition cpx
expect 1 "SOFTGPU_PARTITION: dpx needs a multiple of 4 XCCs, and mi300a has 6" "$softgpu" --gpu mi300a --partition dpx cat /dev/kfd
expect 1 "SOFTGPU_PARTITION: 2 GPUs of 8 parts each, and 8 parts are the most" "$softgpu" --gpu mi300x --gpus 2 --partition cpx cat /dev/kfd
# an APU: its memory is the host's, and its link to the processor is none of PCI Express
has mi300a 1/io_links/0/properties "type 11
weight 13"
has mi300a 1/mem_banks/0/properties "$("$softgpu" grep -h size_in_bytes /sys/class/kfd/kfd/topology/nodes/0/mem_banks/0/properties)"
expect 0 "simd_count 440" "$softgpu" --gpu mi250x --cus 110 cat /sys/class/kfd/kfd/topology/nodes/1/properties
expect 1 "17 compute units cannot be shared" "$softgpu" --cus 17 cat /dev/kfd
expect 0 "simd_count 416" "$softgpu" --cus 104 cat /sys/devices/virtual/kfd/kfd/topology/nodes/1/properties
expect 0 "node_from 3" "$softgpu" --gpus 3 cat /sys/class/kfd/kfd/topology/nodes/3/io_links/0/properties
expect 0 "libnothing.so:" env LD_PRELOAD=/nowhere/libnothing.so "$softgpu" sh -c 'echo $LD_PRELOAD'

# the GPU's memory is a file to the kernel, but none that a limit on files counts
expect 0 "live" sh -c 'ulimit -S -f 1 && exec "$@"' sh "$softgpu" cat /sys/module/amdgpu/initstate
expect 0 "" sh -c 'ulimit -S -f 1 && exec "$@"' sh "$softgpu" sh -c ': <>/dev/kfd && [ "$(ulimit -f)" = 1 ]'


if [ -n "$(ls "$runtime")" ]; then
    echo "left behind: $(ls "$runtime")"
    failed=1
fi

export XDG_RUNTIME_DIR="$killed"
left=$((died + 12 - $(date +%s)))
[ $left -le 0 ] || sleep $left
expect 0 "live" "$softgpu" cat /sys/module/amdgpu/initstate
[ "$(ls "$killed" | wc -l)" = 0 ] || { echo "the killed program's folder is still there"; failed=1; }

rm -rf "$runtime" "$killed"
exit $failed
