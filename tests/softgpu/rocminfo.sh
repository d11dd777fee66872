#!/bin/sh
# rocminfo.sh SOFTGPU DIRECTORY - what AMD's own tool prints about the GPU is the expected text.
# The host's own agent differs from machine to machine and is left out.
set -eu
"$1" rocminfo | sed -n '/^Agent 2/,$p' | sed 's/ *$//' | diff -u "$2/rocminfo.expected" -
