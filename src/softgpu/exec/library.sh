#!/bin/sh
# library.sh - makes the translator's library of the handlers' bitcode.
#
#   library.sh LLVM-FOLDER OUTPUT INPUT.bc...
#
# The functions are optimised as a whole, and each is marked so that linking takes only those that
# are called (linkonce_odr).
set -eu
llvm=$1
output=$2
shift 2
"$llvm/llvm-link" -o "$output.all" "$@"
# Bodies come in line however long they are. Loops over lanes must not be unrolled before they are vectors (valu.h says so
# of each); what is left of them may be, the second time.
optimise() {
    "$llvm/opt" -vectorize-slp=false -inline-threshold=10000 -passes='default<O3>' -S "$@" 2>/dev/null
}
optimise -o - "$output.all" | sed 's/llvm\.loop\.unroll\.disable/llvm.loop.vectorised/' >"$output.once"
optimise -o "$output.ll" "$output.once"
sed -E 's/^define (dso_local |hidden |internal |local_unnamed_addr )*/define linkonce_odr /' "$output.ll" |
    "$llvm/llvm-as" -o "$output.new" -
mv "$output.new" "$output"
rm -f "$output.all" "$output.once"
