#!/bin/sh
# rocminfo.sh SOFTGPU DIRECTORY - what AMD's own tool prints about the GPU is the expected text: of
# rocminfo-1.N.expected, that with the greatest N that is no greater than the HSA runtime's extension
# version (old runtimes do not tell it: 0). The host's own agent differs from machine to machine and
# is left out.
set -eu
text=$("$1" rocminfo)
version=$(echo "$text" | sed -n 's/^Runtime Ext Version: *1\.//p')
newest=0
for file in "$2"/rocminfo-1.*.expected; do
    n=${file##*/rocminfo-1.}
    n=${n%.expected}
    [ "$n" -le "${version:-0}" ] && [ "$n" -ge "$newest" ] && newest=$n
done
echo "$text" | sed -n '/^Agent 2/,$p' | sed 's/ *$//' | diff -u "$2/rocminfo-1.$newest.expected" -
