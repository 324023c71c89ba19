#!/bin/sh
# Behind make check, hint, solution, try, watch, progress, next: exercise.sh COMMAND [EXERCISE].
# make passes BUILD, CXX, LIBRARY (archives), LIBS, and LEVEL, FORCE, SOLUTION where given. State: exercises/.progress, plain text,
# one line an exercise: number, what happened last, hints read.
set -u
command=$1 wanted=${2:-}
state=${STATE:-exercises/.progress}
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$(printf '\033[1m') green=$(printf '\033[32m') red=$(printf '\033[31m') plain=$(printf '\033[0m')
else bold='' green='' red='' plain=''; fi
fail() { echo "make: $*" >&2; exit 2; }

all() { for f in solutions/*.hpp; do basename "$f" .hpp; done; }
number_of() { echo "$1" | cut -d_ -f1,2; }
# What the first line says, up to the first sign: "exclude top choices".
title_of() { sed -n '1s/^\/\/ Exercise [0-9_]*: *//p' "solutions/$1.hpp" | sed 's/\. .*//; s/ *[[(:,].*//; s/\.$//'; }

# The exercise's whole name; its number is enough. Unknown: the nearest ones are named.
resolve() {
    [ -n "$1" ] || fail "which exercise? For example: make $command EX=$(number_of "$(all | head -n 1)")   (make progress lists them)"
    for name in $(all); do
        if [ "$name" = "$1" ] || [ "$(number_of "$name")" = "$1" ]; then echo "$name"; return; fi
    done
    chapter=$(echo "$1" | sed 's/^\([0-9]\)\(_.*\)*$/0\1/; s/_.*//')
    near=$(all | grep "^${chapter}_" | cut -d_ -f1,2 | tr '\n' ' ')
    [ -n "$near" ] && fail "there is no exercise '$1'; this chapter has: $near"
    fail "there is no exercise '$1'; there are: $(all | cut -d_ -f1,2 | tr '\n' ' ')"
}

# ---- state ----
line_of() { [ -f "$state" ] && grep "^$1 " "$state"; }
passed() { line_of "$1" | grep -q ' passed '; }
hints_of() { n=$(line_of "$1" | cut -d' ' -f3); echo "${n:-0}"; }
record() {  # number, open or passed, hints
    touch "$state"
    { grep -v "^$1 " "$state"; echo "$1 $2 $3"; } | sort > "$state.tmp" && mv "$state.tmp" "$state"
}
next_open() { for name in $(all); do passed "$(number_of "$name")" || { echo "$name"; return; }; done; }

# ---- check ----
# Compiles the file alone first, so that a missing semicolon is reported where it is; then its tests, which run with
# a limit on time and memory.
check() {
    name=$1 number=$(number_of "$1") out=$BUILD/exercises
    [ -f "exercises/$name.hpp" ] || fail "exercises/$name.hpp is missing; git checkout exercises/$name.hpp brings the empty one back"
    mkdir -p "$out"
    flags="$(cat "$BUILD/.flags") -O0 -Iexercises -Itests -Itests/exercises -I$BUILD/pch"
    # shellcheck disable=SC2086
    if ! printf '#include "%s.hpp"\n' "$name" | $CXX $flags -MF /dev/null -fmax-errors=3 -x c++ -fsyntax-only - 2>"$out/log"; then
        echo "${red}$number does not compile${plain}:"
        grep -v 'In file included from <stdin>\|^ *from <stdin>' "$out/log" | head -n 20
        record "$number" open "$(hints_of "$number")"
        return 1
    fi
    grep 'warning:' "$out/log" | head -n 3
    case $CXX in *clang*) use="-include-pch $BUILD/pch/catch.hpp.gch" ;; *) use="-include catch.hpp" ;; esac
    # shellcheck disable=SC2086
    if ! $CXX $flags -w -MF /dev/null $use -c "tests/exercises/ex$name.cpp" -o "$out/$name.o" 2>"$out/log" ||
        ! $CXX $flags "$out/$name.o" "$BUILD/obj/tests/main.o" $LIBRARY $LIBS -o "$out/$name" 2>>"$out/log"; then
        echo "${red}$number does not fit its tests${plain}: were names or parameters outside the marked lines changed?"
        grep 'error' "$out/log" | head -n 5
        return 1
    fi
    limit=''
    command -v timeout >/dev/null 2>&1 && limit='timeout 10'
    # 4 GB of memory; not where the sanitizers reserve terabytes.
    (case $flags in *fsanitize*) ;; *) ulimit -v 4194304 2>/dev/null ;; esac
     exec $limit "$out/$name" --abort > "$out/log" 2>&1)
    status=$?
    # Catch's own closing words and rulers are not for learners.
    report() { grep -v '^[~.=-]*$\|host application\|^Run with -?\|test cases:\|assertions:\|passed, [0-9]* failed' "$out/log" | head -n 30; }
    if [ $status -eq 0 ]; then
        record "$number" passed "$(hints_of "$number")"
        echo "${green}$number passed${plain}, all $(sed -n 's/^\([0-9]*\) passed, 0 failed$/\1/p' "$out/log") tests: $(title_of "$name")"
        [ -n "${QUIET:-}" ] && return 0
        upcoming=$(next_open)
        echo "Another way to do it: make solution EX=$number${upcoming:+   Next: make check EX=$(number_of "$upcoming")}"
        return 0
    fi
    record "$number" open "$(hints_of "$number")"
    if grep -q 'you have not written this yet' "$out/log"; then
        echo "$number: you have not written this yet ($(title_of "$name"))."
        echo "Open exercises/$name.hpp and write between the marks. Stuck? make hint EX=$number"
    elif [ $status -eq 124 ]; then
        echo "${red}$number ran longer than 10 s${plain} and was stopped: does a loop of yours ever end?"
    elif grep -q 'bad_alloc' "$out/log"; then
        echo "${red}$number used up its memory${plain} (4 GB): does something of yours grow without end?"
    elif [ $status -ge 128 ] || grep -q 'fatal error condition' "$out/log"; then
        echo "${red}$number crashed${plain}, in your code or called from it: an index outside, or recursion without end?"
        report
    else
        report
        echo "${red}$number is not there yet${plain}: that was the first test that failed. make hint EX=$number"
    fi
    return 1
}

bar() {  # done, all
    i=0 line=''
    while [ $i -lt "$2" ]; do [ $i -lt "$1" ] && line="$line█" || line="$line░"; i=$((i + 1)); done
    echo "$line"
}

progress() {
    done=0 total=0
    for name in $(all); do
        number=$(number_of "$name") mark='  ' hints=$(hints_of "$number")
        passed "$number" && mark="${green}ok${plain}" done=$((done + 1))
        total=$((total + 1))
        note=''
        [ "$hints" -gt 0 ] && note="  (hints read: $hints)"
        printf '  %s  %-5s %s%s\n' "$mark" "$number" "$(title_of "$name")" "$note"
    done
    printf '\n  %s %d of %d\n' "$(bar $done $total)" $done $total
    upcoming=$(next_open)
    [ -n "$upcoming" ] && echo "  next: make check EX=$(number_of "$upcoming")" || echo "  All done."
}

case $command in
check)
    if [ -n "$wanted" ]; then
        name=$(resolve "$wanted") || exit 2
        check "$name"
        exit
    fi
    good=0 bad=0
    for name in $(all); do if QUIET=1 check "$name" | head -n 1; passed "$(number_of "$name")"; then good=$((good + 1)); else bad=$((bad + 1)); fi; done
    echo "$good of $((good + bad)) exercises pass" ;;
hint)
    name=$(resolve "$wanted") || exit 2
    number=$(number_of "$name") level=${LEVEL:-$(($(hints_of "$(number_of "$name")") + 1))}
    case $level in [1-3]) ;; [4-9]) level=3 ;; *) fail "LEVEL=$level: there are three hints, 1 to 3" ;; esac
    awk -v level="$level" '/^[1-3] / { on = ($1 == level) } on' "exercises/$name.hints"
    was=$(hints_of "$number")
    [ "$level" -gt "$was" ] && was=$level
    passed "$number" && how=passed || how=open
    record "$number" $how "$was"
    [ "$level" -lt 3 ] && echo "(one more: make hint EX=$number)"
    exit 0 ;;
solution)
    name=$(resolve "$wanted") || exit 2
    number=$(number_of "$name")
    passed "$number" || [ -n "${FORCE:-}" ] || fail "$number has not passed yet; hints: make hint EX=$number; to see it all the same: FORCE=1"
    diff -u "exercises/$name.hpp" "solutions/$name.hpp" && echo "Yours is the same."
    exit 0 ;;
try)
    name=$(resolve "$wanted") || exit 2
    [ -f "exercises/${name}_try.cpp" ] || fail "$(number_of "$name") has nothing to show; those that have: $(for f in exercises/*_try.cpp; do number_of "$(basename "$f")"; done | tr '\n' ' ')"
    mkdir -p "$BUILD/exercises"
    cp "exercises/${name}_try.cpp" "$BUILD/exercises/${name}_try.cpp"
    from=exercises
    [ -n "${SOLUTION:-}" ] && from=solutions
    flags="$(cat "$BUILD/.flags") -I$from"
    # shellcheck disable=SC2086
    $CXX $flags -MF /dev/null "$BUILD/exercises/${name}_try.cpp" $LIBRARY $LIBS -o "$BUILD/exercises/${name}_try" || exit 1
    # shellcheck disable=SC2086
    exec "$BUILD/exercises/${name}_try" ${PROMPT:+"$PROMPT"} ${ARGS:-} ;;
watch)
    name=$(resolve "$wanted") || exit 2
    echo "Watching exercises/$name.hpp; Ctrl-C ends."
    trap 'exit 0' INT
    last=''
    while :; do
        now=$(cksum < "exercises/$name.hpp")
        if [ "$now" != "$last" ]; then last=$now; printf '\n%s%s%s\n' "$bold" "$(date +%H:%M:%S)" "$plain"; check "$name"; fi
        sleep 1
    done ;;
progress) progress ;;
next)
    name=$(next_open)
    [ -n "$name" ] || { echo "All exercises pass."; exit 0; }
    sed -n '/^\/\//!q;p' "exercises/$name.hpp" | sed 's/^\/\/ \{0,1\}//'
    printf '\nWrite in exercises/%s.hpp, then: make check EX=%s\n' "$name" "$(number_of "$name")" ;;
*) fail "exercise.sh: unknown command '$command'" ;;
esac
