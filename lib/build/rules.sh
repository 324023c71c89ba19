#!/bin/sh
# Writes, to standard output, the part of the rules that follows from which files there are and what they include:
#   rules.sh BUILD "OPTION FOR COLD CODE"
# make reads it as BUILD/rules.mk, and calls this again when a file has come, gone or changed. rules.awk says what is written.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
export LC_ALL=C
{
    sed -n '/^[^#]/s/^/cold /p' lib/build/cold.txt
    find lib chapters exercises/learn tests -name '*.cpp' | sort | sed 's/^/source /'
    grep -rE --include='*.cpp' --include='*.hpp' '^#include "[^"]*"' lib chapters exercises solutions tests |
        sed 's/^\([^:]*\):#include "\([^"]*\)".*/includes \1 \2/'
} | awk -v build="$build" -v cold_option="$2" -f lib/build/rules.awk || exit 1
