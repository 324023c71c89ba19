#!/bin/sh
# Compiles up to a dozen test files in one go, so that Catch2 and the headers they share are read once: a file by itself takes 3 to 7
# seconds, in a room half a second to one.
#   room.sh OBJECT.o "COMPILER FLAGS" FILE.cpp…
# It writes OBJECT.cpp, which includes each file in a namespace of its own, since helpers of two files may have the same name;
# everything that they include comes before (but for a whole program, which one of them includes). If names are ambiguous all the same, a line says so, and each file is compiled alone. The
# compiler's warnings are also in OBJECT.o.log.
set -u
object=$1 compile=$2
shift 2
base=${object%.o}
mkdir -p "$(dirname "$object")"
{
    sed -n 's/^#include [<"].*/&/p' "$@" | awk '!/_program\.hpp/ && !seen[$0]++'
    for file in "$@"; do printf 'namespace room_%s {\n#include "%s"\n}\n' "$(basename "$file" .cpp)" "$file"; done
} >"$base.$$.cpp" && mv "$base.$$.cpp" "$base.cpp" || exit
whole() { sh lib/build/whole.sh "$@"; }
# shellcheck disable=SC2086
whole "$object" $compile -c "$base.cpp" -MT "$object" -MF NEW.deps -o NEW 2>"$object.log" && { cat "$object.log" >&2; exit 0; }
echo "$base: these tests do not compile together: $(grep -m 1 'error' "$object.log")" >&2
parts='' && : >"$object.log" && folder=$base.$$.parts && mkdir -p "$folder" && trap 'rm -rf "$folder"' EXIT
for file in "$@"; do
    part=$folder/$(basename "$file" .cpp).o
    # shellcheck disable=SC2086
    $compile -c "$file" -MT "$object" -o "$part" 2>"$part.log" || { cat "$part.log" >&2; exit 1; }
    cat "$part.log" >&2 && cat "$part.log" >>"$object.log"
    parts="$parts $part"
done
cat "$folder"/*.d >"$base.d"
# shellcheck disable=SC2086
whole "$object" ld -r $parts -o NEW
