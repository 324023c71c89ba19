#!/bin/sh
# Writes to standard output the rules that follow from the names of the files and their #include lines:
#   rules.sh BUILD "OPTION FOR COLD CODE"
# make reads them as BUILD/rules.mk, and calls this again when a file has been added, removed or changed. The comment of rules.awk
# describes these rules.
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
