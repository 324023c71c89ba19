#!/bin/sh
# Compiles several .cpp files in one go, so that the headers they share are read once.
#   together.sh sources|tests OBJECT.o COMPILER "FLAGS" FILE.cpp…
# It writes OBJECT.cpp, which includes them all. Each test file is in a namespace of its own, since helpers of two files may have
# the same name; everything that they include comes before. If that gives an error or a warning, each file is compiled by itself,
# the objects are combined, and the compiler's messages are also written to OBJECT.o.log.
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
# Each file is also listed as a target, so that make does not stop if a source has been removed.
cat "$base.parts"/*.d | sed 's|^[^ :]*\.o:|'"$object"':|' > "$base.d"
printf '%s:\n' "$@" >> "$base.d"
# shellcheck disable=SC2086
$compiler -r -nostdlib $parts -o "$object"
