#!/bin/sh
# Compiles several .cpp files in one go, so that the headers they share are read once.
#   together.sh sources|tests OBJECT.o COMPILER "FLAGS" FILE.cpp…
# OBJECT.cpp says how. Files of tests have a namespace each, as helpers of theirs may share a name: all that they include stands
# before. Where that brings an error or a warning, each is compiled by itself and the objects are put together; what the
# compiler says then stands in OBJECT.o.log, too.
set -u
kind=$1 object=$2 compiler=$3 flags=$4
shift 4
base=${object%.o}
case $kind in
sources) for file in "$@"; do echo "#include \"$file\""; done ;;
tests)
    sed -n 's/^#include [<"].*/&/p' "$@" | awk '!seen[$0]++'
    for file in "$@"; do
        name=$(basename "$file" .cpp)
        printf 'namespace room_%s {\n#include "%s"\n}\n' "$name" "$file"
    done ;;
esac > "$base.cpp"
# shellcheck disable=SC2086
if $compiler $flags -Werror -c "$base.cpp" -o "$object" 2> "$base.together.log"; then
    : > "$object.log"
    exit 0
fi
rm -rf "$base.parts" && mkdir -p "$base.parts"
parts=''
: > "$object.log"
for file in "$@"; do
    part=$base.parts/$(basename "$file" .cpp).o
    # shellcheck disable=SC2086
    $compiler $flags -c "$file" -o "$part" 2> "$part.log" || { cat "$part.log" >&2; exit 1; }
    cat "$part.log" >&2
    cat "$part.log" >> "$object.log"
    parts="$parts $part"
done
# A part whose source is gone must not stop make: each file also stands as a target of its own.
cat "$base.parts"/*.d | sed 's|^[^ :]*\.o:|'"$object"':|' > "$base.d"
printf '%s:\n' "$@" >> "$base.d"
# shellcheck disable=SC2086
$compiler -r -nostdlib $parts -o "$object"
