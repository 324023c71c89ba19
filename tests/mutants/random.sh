#!/bin/sh
# Plants small random mistakes in lib and chapters, one at a time, and checks whether the tests of that chapter notice them:
#   make mutants ONLY=random SEED=1 COUNT=100     (SHOW=1 only lists the mistakes; PLACE=FILE:LINE tries all mistakes of that line;
#                                                 FILES='lib/grammar/*/*.cpp': only in these)
# random.awk finds the places: operators, comparisons, constants plus or minus one, negated conditions, calls left out, swapped
# arguments. random.skip lists places where no test can see a mistake, each with the reason. Each line of code is equally likely, and
# the same seed plants the same mistakes in the same code. A mistake that does not compile, or compiles to the same instructions, is
# replaced by another one. A mutant is caught if a test fails, crashes, computes for more than LIMIT=30 seconds in one file of tests, or
# waits five times as long. With TRUST=1, the tests are not run without a mistake first. The tests are those of groups_of, then those
# of api, which call public functions with invalid arguments. A mutated header is compiled again into the rooms of tests
# (tests/room.sh) that include it and into the .cpp files of its own folder. Ends with an error if fewer than 95 % are caught.
# make passes BUILD, CXX, the flags to compile sources and tests (SOURCE_FLAGS, TEST_FLAGS),
# OBJECTS ("GROUP:OBJECT,OBJECT …"), LINK, MAIN, LIBRARY and LIBS.
set -u
seed=${SEED:-1} count=${COUNT:-100} limit=${LIMIT:-30}
case $seed$count in *[!0-9]*) echo "make mutants: SEED=$seed COUNT=$count, expected two whole numbers" >&2; exit 2 ;; esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
LC_ALL=C export LC_ALL
CCACHE_DISABLE=1 export CCACHE_DISABLE
nice=''
command -v nice >/dev/null 2>&1 && nice='nice -n 10'
# Threads that wait for each other use no processor time (and a busy machine's other processes get it).
OMP_WAIT_POLICY=passive export OMP_WAIT_POLICY
wait=''
command -v timeout >/dev/null 2>&1 && wait="timeout $((limit * 5))"

# ---- which mistakes ----
# shellcheck disable=SC2012
# shellcheck disable=SC2086
ls ${FILES:-lib/*/*.?pp lib/*/*/*.?pp chapters/*/*.?pp chapters/*/*/*.?pp} 2>/dev/null | xargs awk -v skip=tests/mutants/random.skip -v some="${FILES:-}" -f tests/mutants/random.awk >"$work/places"
# Park and Miller's generator, because its products are exact in the doubles of every awk.
awk -F '\t' -v seed="$seed" -v OFS='\t' -v place="${PLACE:-}" '
    function random() { state = state * 16807 % 2147483647; return state / 2147483647 }
    function choose() { if (n) { print place != "" ? 0 : random(), line[place != "" ? 1 : 1 + int(random() * n)] } }
    BEGIN { state = seed * 69621 % 2147483646 + 1; for (i = 0; i < 10; i++) random() }
    place != "" { if ($1 ":" $2 == place) print ++k, $0; next }
    $1 ":" $2 != last { choose(); n = 0; last = $1 ":" $2 }
    { line[++n] = $0; if ($6 != "constant") line[++n] = $0 }
    END { if (place == "") choose() }' "$work/places" | sort -n >"$work/chosen"
[ -s "$work/chosen" ] || { echo "make mutants: no place for a mistake${PLACE:+ in $PLACE}" >&2; exit 2; }
[ -z "${PLACE:-}" ] || count=$(wc -l <"$work/chosen")

# ---- building ----
# Prints a file's header: that of its name, or else the first of its folder that it includes.
header_of() { if [ -f "${1%.*}.hpp" ]; then echo "${1%.*}.hpp"; else sed -n "s|^#include \"\(${1%/*}/[^/]*\)\".*|\1|p" "$1" | head -n 1; fi; }
# Prints #include lines: of a file's header, of those of the files that include it, and of those of its own folder that use it through
# others.
users_of() {
    echo "#include \"$(header_of "$1")\"" >"$work/users"
    case $1 in lib/grammar/*) folder=lib/grammar ;; chapters/26*) folder=chapters/26_serving ;; *) folder=$(dirname "$1") ;; esac
    for where in "${1%%/*}" "$folder" "$folder"; do
        { cat "$work/users"; grep -rlFf "$work/users" "$where" --include='*.?pp' | sed 's|\(.*\)[.].*|#include "\1.hpp"|'; } | sort -u >"$work/more"
        [ "$where" = "$folder" ] && grep -F "\"$folder/" "$work/more" >"$work/inner" || cp "$work/more" "$work/inner"
        sort -u "$work/users" "$work/inner" >"$work/more" && mv "$work/more" "$work/users"
    done
    for _ in 1 2; do  # the tests' own headers, which include each other
        grep -rlFf "$work/users" tests/support tests/lib --include='*.hpp' | sed 's|.*|#include "&"|' >"$work/more"
        cat "$work/more" >>"$work/users"
    done
}
# Prints the groups of tests for a mistake in a file, the most likely first. For a file of a chapter these are the chapter's own group
# and the groups that include its header. For a file of lib, they are the three that include its header or its users' most often,
# lib's own group and golden. (The tests of the engine of chapters 14 to 16 are in these chapters, those of the prefix cache and its blocks in 26 and 27.)
groups_of() {
    case $1 in
    chapters/26*/server/*) echo "serving 26 api" ;;
    chapters/*)  # its own, then those that name its header
        n=${1#chapters/}
        { echo "${n%%_*}"; grep -rlF "#include \"$(header_of "$1")\"" tests/chapters tests/golden tests/lib | sed -e 's|^tests/chapters/||' -e 's|^tests/||' -e 's|/.*||'; echo api; } |
            awk '!seen[$1]++' ;;
    lib/grammar/schema/*) echo "16 15" ;;
    lib/grammar/automata/*) echo "15 16 14" ;;
    lib/grammar/*) echo "14 13 16 15" ;;
    lib/serve/* | lib/model/kv_cache*) echo "26 27 lib" ;;
    *)
        { grep -rlFf "$work/users" tests/lib tests/chapters tests/golden | sed -e 's|^tests/chapters/||' -e 's|^tests/||' -e 's|/.*||'; echo lib; } |
            awk '{ n[$1]++ } END { for (g in n) print n[g], g }' | sort -rn | awk 'NR <= 3 || $2 == "lib" || $2 == "golden" { print $2 } END { print "api" }' ;;
    esac
}
objects_of() { for r in $OBJECTS; do [ "${r%%:*}" = "$1" ] && echo "${r#*:}" | tr ',' ' '; done; }
source_of() { s=${1#"$BUILD"/obj/}; echo "${s%.o}.cpp"; }  # of an object
files_in() { sed -n 's|^#include "\(tests/.*[.]cpp\)"|\1|p' "${1%.o}.cpp"; }  # of a room
test_files() { for o in $(objects_of "$1"); do files_in "$o"; done; }
# Prints the test files of a group, as Catch2's -# names them: first those that include the file's header, then those that include its
# users', or the whole group if it is the chapter's own.
tests_of() {  # file, group
    all=$(test_files "$2") own=${1#chapters/} own=${own%%_*}
    # shellcheck disable=SC2086
    { grep -lF "#include \"$(header_of "$1")\"" $all; case $2 in api | serving | "$own") echo "$all" ;; *) grep -lFf "$work/users" $all ;; esac; } |
        awk '!seen[$0]++' | sed 's|.*/|[#|; s|[.]cpp$|]|'
}
# Prints the sources in a header's own folder that include it, directly or through others.
sources_with() {
    folder=$(dirname "$1")
    case $folder in lib/kernels) folders="lib/kernels lib/model lib/train" ;; *) folders=$folder ;; esac
    for d in $(for f in $folders; do echo "$BUILD/obj/$f"/*.d; done); do
        [ -f "$d" ] && grep -qF " $1" "$d" && source_of "${d%.d}.o"
    done | grep -v -e main.cpp
}
# Compiles a source; the mutated file is found before the original.
compile() {  # tree, source, object
    source=$2
    [ -f "$1/$2" ] && source=$1/$2
    # shellcheck disable=SC2086
    $nice $CXX $SOURCE_FLAGS -w -MF /dev/null -iquote "$1" -c "$source" -o "$3" 2>"$work/log"
}
compile_tests() {  # tree, object, room
    # shellcheck disable=SC2046
    $nice sh tests/room.sh "$2" "$TEST_FLAGS -w -g0 -iquote $1" $(files_in "$3") 2>"$work/log"
}
built() {  # a group's tests, and that they pass without a mutation
    [ ! -f "$work/built-$1" ] || return 0
    targets=$(objects_of "$1")
    [ -n "${TRUST:-}" ] || targets="$targets $BUILD/tests-$1"
    # shellcheck disable=SC2086
    ${MAKE:-make} -s --no-print-directory $targets >/dev/null 2>"$work/log" || { echo "BROKEN    tests-$1 cannot be built" >&2; tail -n 3 "$work/log" >&2; return 1; }
    [ -n "${TRUST:-}" ] || $nice "$BUILD/tests-$1" >"$work/log" 2>&1 || { echo "BROKEN    tests-$1 fail without any mutation" >&2; tail -n 5 "$work/log" >&2; return 1; }
    : >"$work/built-$1"
}
# Links the objects with the tests' main and the library.
link() {
    # shellcheck disable=SC2086
    $LINK -g0 "$@" "$MAIN" $LIBRARY $LIBS -o "$work/tests" 2>"$work/log"
}
run() { (ulimit -t "$limit"; exec $nice $wait "$@" --abort) >"$work/log" 2>&1 </dev/null; }
# Runs tests. Returns 0 if the mistake is caught, otherwise 1: tests that take too long without it, too, say nothing.
fails() {  # group, test
    run "$work/tests" -# "$2" && return 1
    case $? in 124 | 137 | 152) ${MAKE:-make} -s --no-print-directory "$BUILD/tests-$1" >/dev/null 2>&1; run "$BUILD/tests-$1" -# "$2" ;; esac
}
# Are the objects of these sources the same as without the mistake?
same_objects() {
    k=0
    for s in "$@"; do
        k=$((k + 1)) base=$work/base-$(echo "$s" | tr / -).o
        [ -f "$base" ] || compile "$work" "$s" "$base"
        cmp -s "$base" "$tree/$k.o" || return 1
    done
}

# Tries the mistake in $tree. Prints the result, and leaves the output of the tests in the log.
judge() {  # file
    objects='' changed='' k=0
    users_of "$1"
    case $1 in *.cpp) sources=$1 ;; *) sources=$(sources_with "$1") ;; esac
    for s in $sources; do
        k=$((k + 1)) objects="$objects $tree/$k.o"
        compile "$tree" "$s" "$tree/$k.o" || { echo "does not compile"; return; }
    done
    for group in $(groups_of "$1"); do
        tests=$(objects_of "$group")
        [ -n "$tests" ] || continue
        built "$group" || return
        others=''
        for o in $tests; do
            case $1 in *.hpp)
                if grep -qF " $1" "${o%.o}.d"; then
                    changed="$changed $o" new=$tree/rooms/$(basename "$o")
                    compile_tests "$tree" "$new" "$o" || { echo "does not compile"; return; }
                    o=$new
                fi ;;
            esac
            others="$others $o"
        done
        # shellcheck disable=SC2086
        link $objects $others || { echo "does not link"; return; }
        for test in $(tests_of "$1" "$group"); do fails "$group" "$test" && { echo "caught"; return; }; done
    done
    # shellcheck disable=SC2086
    same_objects $sources || { echo "survived"; return; }
    for o in $changed; do
        name=rooms/$(basename "$o")
        [ -f "$work/$name" ] || compile_tests "$work" "$work/$name" "$o"
        cmp -s "$work/$name" "$tree/$name" || { echo "survived"; return; }
    done
    echo "same instructions"
}

caught=0 survived=0 tried=0
while IFS='	' read -r _ file line column length to kind; do
    [ $((caught + survived)) -lt "$count" ] || break
    tried=$((tried + 1)) tree=$work/tree
    rm -rf "$tree"
    mkdir -p "$tree/$(dirname "$file")"
    TO=$to awk -v line="$line" -v column="$column" -v n="$length" '
        FNR == line { $0 = substr($0, 1, column - 1) ENVIRON["TO"] substr($0, column + n) } { print }' "$file" >"$tree/$file"
    change=$(diff "$file" "$tree/$file" | sed -n 's/^\([<>]\) */  \1 /p')
    if [ -n "${SHOW:-}" ]; then printf '%s:%s: %s\n%s\n' "$file" "$line" "$kind" "$change"; caught=$((caught + 1)); continue; fi
    how=$(judge "$file")
    case $how in
    caught) caught=$((caught + 1)); printf 'caught    %s:%s: %s: %s\n' "$file" "$line" "$kind" "$(sed -n '/^[.]*$/d;s/^.*FAILED.*$/&/p' "$work/log" | head -n 1)" ;;
    survived) survived=$((survived + 1)); printf 'SURVIVED  %s:%s: %s\n%s\n' "$file" "$line" "$kind" "$change" ;;
    '') exit 1 ;;
    *) [ -z "${V:-}" ] || printf '(%s)  %s:%s: %s\n' "$how" "$file" "$line" "$kind" ;;
    esac
done <"$work/chosen"
[ -z "${SHOW:-}" ] || exit 0
echo "$caught of $((caught + survived)) random mistakes caught, seed $seed ($((tried - caught - survived)) did not compile or changed nothing)"
[ $((caught * 100)) -ge $(((caught + survived) * 95)) ] && [ "$caught" -gt 0 ]
