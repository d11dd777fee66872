#!/bin/sh
# The old command line on softgpu: files with everything that varies taken out, then its refusals.
# usage: rocprof.sh PROGRAM ROCPROF...
program=$1
shift
command=$*
rocprof() { $command "$@"; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
unset ROCP_METRICS
show() { # queue-index, pid, tid and sig to obj, then times, are not the same in each run
    awk -F, -v OFS=, 'NR > 1 { split("5 6 7 16 17", k, " "); for (i in k) $k[i] = "-"
        for (i = 18; i <= NF; i++) if ($i ~ /^[0-9]+$/) $i = "ns" } { print }' "$1"
}
printf '# two runs\npmc : SQ_WAVES VALUInsts # waves\npmc: TCC_REQ[3] SQ_INSTS_VALU\n' >two.txt
rocprof -i two.txt --gpu soft --timestamp on --stats --basenames on "$program"
echo "status $?"
sed 's/TCC_REQ\[3\]/TCC_REQ[3]/; s/,[0-9.]*,\(128\|176\)\.0000000000,/,N,\1.0000000000,/' two.csv >masked
show masked
awk -F, 'NR > 1 { $3 = $4 = $5 = "-" } { print }' two.stats.csv | sort
printf 'pmc: SQ_WAVES\nrange: 1:2\nkernel: add scale\ngpu: 0\n' >one.txt
rocprof -i one.txt --gpu soft --basenames on -o named.csv "$program" >/dev/null
show named.csv
echo '<metric name=SQ_WAVES,GRBM_COUNT kernel="scale" ></metric>' >own.xml
rocprof -i own.xml --gpu soft --basenames on "$program" >/dev/null
show own.csv | sed 's/,[0-9.]*$/,N/'
rocprof --gpu soft --basenames on --stats -o times.csv "$program" >/dev/null
show times.csv
rocprof --gpu soft --list-basic | grep -c '^ *block '
rocprof --gpu soft --list-derived | grep -A1 ' VALUInsts '
printf 'pmc: SQ_WAVEZ\n' >wrong.txt
rocprof -i wrong.txt --gpu soft "$program"
echo "status $?"
printf 'counters: SQ_WAVES\n' >bad.txt
rocprof -i bad.txt --gpu soft "$program"
printf 'kernel: %02000d\n' 1 >long.txt
rocprof -i long.txt --gpu soft "$program"
# processes that leave their results as the tool does, in the order of their numbers
rocprof --gpu soft -o all.csv sh -c 'for n in $(seq 300); do
    printf "0\t%s\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tm\tn\to\t1\t2\t3\t4\tkernel\n" "$n" >"$ROCP_OUTPUT_DIR/${n}_results.txt"
done'
sed -n '2p;301p;$=' all.csv
rocprof -i nothing.txt --gpu soft "$program"
rocprof -i two.txt -o result --gpu soft "$program"
rocprof --hip-trace "$program"
rocprof --timestamp maybe "$program"
rocprof --gpu soft sh -c 'exit 7'
echo "status $?"
rocprof --gpu soft ./nothing
echo "status $?"
rocprof --gpu soft
rocprof --version
