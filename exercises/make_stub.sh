#!/bin/sh
# The empty exercise from the solved one: what stands between the marks becomes "not written yet".
#   exercises/make_stub.sh 05_2_xtc …    writes exercises/05_2_xtc.hpp from solutions/05_2_xtc.hpp (and so your work on it is gone)
#   exercises/make_stub.sh - FILE        prints the stub of a solution
set -eu
cd "$(dirname "$0")/.."
stub() {
    awk '
        />>> write here/ { print; match($0, /^ */); printf "%*s%s\n", RLENGTH, "", "throw NotWritten();"; skip = 1 }
        /<<< to here/ { skip = 0 }
        !skip' "$1"
}
if [ "${1:-}" = - ]; then stub "$2"; exit; fi
for name in "$@"; do
    stub "solutions/$name.hpp" >"exercises/$name.hpp.tmp"
    mv "exercises/$name.hpp.tmp" "exercises/$name.hpp"
done
