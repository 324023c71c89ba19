#!/bin/sh
# Mutation run: plants well-known bugs one by one and checks that the tests detect each of them.
#   make mutants                    tries all of tests/mutants/*.txt, then the wrong answers to the exercises (exercises.sh)
#   make mutants ONLY=sampling      tries those of tests/mutants/sampling.txt
#   make mutants ONLY=kinds         tries mistakes of seven kinds, which kinds.awk puts into the solutions (SEED=1 COUNT=20: of each kind)
#   make mutants ONLY=exercises     tries only the wrong answers; ONLY=05_2: of one exercise; ONLY="05 11_1": of a chapter and an exercise
# A file lists mutants. Each has five or six lines, and an empty line after them:
#   mutant: what the bug is
#   file: the source it is planted in (a header of a chapter, or a .cpp of lib or a chapter)
#   test: the test file to build
#   with: the .cpp files to compile again, if they include the mutated header and the test does not (optional)
#   from: text that occurs exactly once in the source, in one line
#   to: the text that replaces it
# The compiler finds a mutated header before the original. A mutated .cpp file is linked in place of the library's.
# make passes BUILD, the commands to compile a test and to link (COMPILE_TEST, LINK), the library (LIBRARY) and LIBS.
set -u
only=${1:-${ONLY:-}}
# A compiler cache does not see that a mutated file is found before the original.
CCACHE_DISABLE=1 export CCACHE_DISABLE
case $only in
exercises) exec sh tests/mutants/exercises.sh ;;
kinds) exec sh tests/mutants/exercises.sh kinds ;;
[0-9]*) exec sh tests/mutants/exercises.sh "$@" ;;
esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
killed=0 survived=0 number=0
limit=''
command -v timeout >/dev/null 2>&1 && limit='timeout 300'

# build NAME INCLUDE TEST [SOURCE.cpp]… links the sources in place of the library's. All our own includes are in quotes, and
# -iquote folders are searched before all others, so the compiler finds the mutated file.
build() {
    compile="$COMPILE_TEST -w -MF /dev/null -iquote $2"
    name=$1 test_source=$3 extra=''
    shift 3
    for source in "$@"; do
        object="$work/$name.$(basename "$source").o"
        # shellcheck disable=SC2086
        $compile -c "$source" -o "$object" || return 1
        extra="$extra $object"
    done
    # If a .cpp file is mutated, the object of the test does not change.
    object="$work/$name.o"
    case ${1:-} in
    "$work"/*) object="$work/$(base_of "$test_source").o" ;;
    *) $compile -c "$test_source" -o "$object" || return 1 ;;
    esac
    # shellcheck disable=SC2086
    $LINK "$object" "$BUILD/obj/tests/main.o" $extra $LIBRARY $LIBS -o "$work/$name"
}

# Two tests in different folders may have one name.
base_of() { echo "base-${1%.cpp}" | tr / -; }

field() { sed -n "s/^$1: //p" "$2" | head -n 1; }

for list in tests/mutants/*.txt; do
    [ -z "$only" ] || [ "$list" = "tests/mutants/$only.txt" ] || continue
    rm -f "$work"/m.*
    awk -v work="$work" '/^mutant: / { n++ } n && NF { print > (work "/m." sprintf("%03d", n)) }' "$list"
    for m in "$work"/m.*; do
        [ -f "$m" ] || continue
        number=$((number + 1))
        what=$(field mutant "$m") file=$(field file "$m") test=$(field test "$m")
        # The tests must pass without the mutation; otherwise a failure would mean nothing.
        whole=$(base_of "$test")
        if [ ! -f "$work/$whole" ]; then
            if ! build "$whole" "$work" "$test" || ! $limit "$work/$whole" >"$work/log" 2>&1; then
                echo "BROKEN    $test fails without any mutation:"
                tail -n 5 "$work/log"
                exit 1
            fi
        fi
        mutated="$work/tree-$number/$file"
        mkdir -p "$(dirname "$mutated")"
        if ! FROM=$(field from "$m") TO=$(field to "$m") awk '
            BEGIN { from = ENVIRON["FROM"]; to = ENVIRON["TO"] }
            { at = index($0, from)
              if (at) { hits++; $0 = substr($0, 1, at - 1) to substr($0, at + length(from)) }
              print }
            END { exit hits != 1 }' "$file" > "$mutated"; then
            echo "BROKEN    $what: its text must stand exactly once in $file"
            exit 1
        fi
        case $file in *.cpp) sources=$mutated ;; *) sources=$(field with "$m") ;; esac
        # shellcheck disable=SC2086
        if ! build "mutant-$number" "$work/tree-$number" "$test" $sources 2>"$work/log"; then
            echo "BROKEN    $what: does not compile:"
            head -n 5 "$work/log"
            exit 1
        fi
        if $limit "$work/mutant-$number" -r compact >"$work/log" 2>&1; then
            echo "SURVIVED  $what ($file)"
            survived=$((survived + 1))
        else
            echo "killed    $what ($(grep -c 'failed:' "$work/log") failures in $(basename "$test"))"
            killed=$((killed + 1))
        fi
        rm -f "$work/mutant-$number" "$work/mutant-$number".*
    done
done
echo "$killed mutants killed, $survived survived"
[ -n "$only" ] || sh tests/mutants/exercises.sh || survived=$((survived + 1))
[ "$survived" -eq 0 ] && [ "$killed" -gt 0 ]
