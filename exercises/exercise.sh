#!/bin/sh
# Behind make check, hint, solution, try, watch, progress, next: exercise.sh COMMAND [EXERCISE].
# make passes BUILD, how to compile a test, a program, and to link (COMPILE_TEST, COMPILE, LINK, FEW_ERRORS), LIBRARY (archives),
# LIBS, and LEVEL, FORCE, SOLUTION where given. State: exercises/.progress, plain text, one line an exercise: number, what
# happened last, hints read.
set -u
command=$1 wanted=${2:-}
state=${STATE:-exercises/.progress}
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$(printf '\033[1m') green=$(printf '\033[32m') red=$(printf '\033[31m') plain=$(printf '\033[0m')
else bold='' green='' red='' plain=''; fi
# On a terminal the words say it all, and make's "Error 1" below them would look like a broken install.
finish() { [ -t 1 ] && exit 0; exit "$1"; }
fail() { echo "make: $*" | reflow >&2; finish 2; }

all() { for f in solutions/*.hpp; do basename "$f" .hpp; done; }
number_of() { echo "$1" | cut -d_ -f1,2; }
# What the first line says, up to the first sign and 48 characters: "exclude top choices".
title_of() {
    sed -n '1s/^\/\/ Exercise [0-9_]*: *//p' "solutions/$1.hpp" | sed 's/[.?] .*//; s/ *[[(:].*//; s/[.]$//' |
        awk '{ line = $1; for (i = 2; i <= NF; i++) { if (length(line " " $i) > 48) { line = line "…"; break } line = line " " $i } print line }'
}

# The exercise's whole name; its number is enough. Unknown: the nearest ones are named.
resolve() {
    [ -n "$1" ] || fail "which exercise? For example: make $command EX=$(number_of "$(all | head -n 1)")   (make progress lists them)"
    for name in $(all); do
        if [ "$name" = "$1" ] || [ "$(number_of "$name")" = "$1" ]; then echo "$name"; return; fi
    done
    chapter=$(echo "$1" | sed 's/[^0-9].*//; s/^\([0-9]\)$/0\1/')
    if [ -n "$chapter" ]; then near=$(all | grep "^${chapter}_" | cut -d_ -f1,2 | tr '\n' ' ')
    else fail "there is no exercise '$1'; $(all | grep -iF -e "$1" | sed 's/^\([0-9]*_[0-9]*\)_\(.*\)/\1 is \2,/' | tr '\n' ' ')make progress lists them all"; fi
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
# The next exercise that has not passed: behind this number, then from the first one.
next_open() {
    first='' behind=''
    for name in $(all); do
        passed "$(number_of "$name")" && continue
        first=${first:-$name}
        [ -n "${1:-}" ] || break
        if [ "$name" \> "$1" ]; then behind=$name; break; fi
    done
    echo "${behind:-$first}"
}

# ---- check ----
# Compiles the file alone, so that a missing semicolon is reported where it is, and meanwhile its tests, which run with
# a limit on time and memory.
check() {
    name=$1 number=$(number_of "$1") out=$BUILD/exercises
    [ -f "exercises/$name.hpp" ] || fail "exercises/$name.hpp is missing; git checkout exercises/$name.hpp brings the empty one back"
    mkdir -p "$out"
    # shellcheck disable=SC2086
    $COMPILE_TEST -Iexercises -w -MF /dev/null -c "tests/exercises/ex$name.cpp" -o "$out/$name.o" 2>"$out/log.tests" &  # meanwhile
    tests=$!
    if ! printf '#include "%s.hpp"\n' "$name" | $COMPILE -Iexercises -MF /dev/null $FEW_ERRORS -x c++ -fsyntax-only - 2>"$out/log"; then
        echo "${red}$number does not compile${plain}:"
        wait "$tests"
        grep -v -e 'In file included from <stdin>' -e '^ *from <stdin>' "$out/log" | head -n 20
        record "$number" open "$(hints_of "$number")"
        return 1
    fi
    grep 'warning:' "$out/log" | head -n 3
    # shellcheck disable=SC2086
    if ! wait "$tests" ||
        ! $LINK "$out/$name.o" "$BUILD/obj/tests/main.o" "$BUILD/obj/exercises/limits.o" $LIBRARY $LIBS -o "$out/$name" 2>>"$out/log.tests"; then
        echo "${red}$number does not fit its tests${plain}: were names or parameters outside the marked lines changed?"
        grep 'error' "$out/log.tests" | head -n 5
        record "$number" open "$(hints_of "$number")"
        return 1
    fi
    EXERCISE_LIMITS=1 "$out/$name" --abort > "$out/log" 2>&1 < /dev/null
    status=$?
    # Catch's own closing words and rulers are not for learners.
    report() {
        grep -v -e '^[~.=-]*$' -e 'host application' -e '^Run with -?' -e 'test cases:' -e 'assertions:' -e 'passed, [0-9]* failed' "$out/log" |
            awk '
                /: FAILED:$/ && ++failures > 1 { exit }
                /^tests\/exercises\/ex.*:[0-9][0-9]*$/ || /^  REQUIRE\( right \)$/ { next }  # where the test begins; says nothing
                held { held = 0; if ($1 ~ /^(true|false)$/) next; print "with expansion:" }
                /^with expansion:$/ { held = 1; next }
                { print }' | head -n 30
    }
    tests=$(sed -n 's/^\([0-9]*\) passed, 0 failed$/\1/p' "$out/log")
    if [ $status -eq 0 ] && [ -n "$tests" ]; then
        record "$number" passed "$(hints_of "$number")"
        echo "${green}$number passed${plain}, all $tests tests: $(title_of "$name")"
        [ -n "${QUIET:-}" ] && return 0
        upcoming=$(next_open "$number")
        echo "Another way to do it: make solution EX=$number${upcoming:+   Next: make check EX=$(number_of "$upcoming")}"
        return 0
    fi
    record "$number" open "$(hints_of "$number")"
    if grep -q 'you have not written this yet' "$out/log"; then
        so_far=$(sed -n 's/^\([1-9][0-9]*\) passed, 1 failed$/\1/p' "$out/log")
        if [ -n "$so_far" ]; then echo "$number: good so far (tests passed: $so_far). The next one needs what is not written yet."
        else echo "$number: you have not written this yet ($(title_of "$name"))."; fi
        echo "Open exercises/$name.hpp and write between the marks. Stuck? make hint EX=$number"
    elif grep -q '^limit: time' "$out/log"; then
        echo "${red}$number ran longer than 10 s${plain} and was stopped: does a loop of yours ever end?"
    elif grep -q -e '^limit: memory' -e 'bad_alloc' "$out/log"; then
        echo "${red}$number used up its memory${plain} (2 GB): does something of yours grow without end?"
    elif [ $status -eq 126 ]; then
        echo "${red}$number printed more than 16 MB${plain} and was stopped: a loop without end, with output in it?"
    elif [ $status -eq 0 ]; then
        echo "${red}$number ended the tests${plain} before they were through: an exit in your code?"
    elif [ $status -ge 128 ] || grep -q 'fatal error condition' "$out/log"; then
        echo "${red}$number crashed${plain}, in your code or called from it: an index outside, or recursion without end?"
        report
    else
        report
        echo "${red}$number is not there yet${plain}: that was the first test that failed. make hint EX=$number"
    fi
    return 1
}

# Prose to the width of a terminal, with the items of lists; formulas and tables are indented and stay as they are.
reflow() {
    awk -v width=79 '
        function end_line() { if (line != "") print line; line = "" }
        function add(word) {
            if (line != "" && length(line) + 1 + length(word) > width) { print line; line = indent word }
            else line = line == "" ? word : line " " word
        }
        /^$/ || /^    / || /^[1-3] (nudge|plan|nearly there)$/ || (/^ / && line == "") { end_line(); indent = ""; print; next }
        /^[0-9]+\. / || /^- / { end_line(); indent = "   " }
        { for (i = 1; i <= NF; i++) add($i) }
        END { end_line() }'
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
        name=$(resolve "$wanted") || finish 2
        check "$name"
        finish $?
    fi
    good=0 bad=0
    for name in $(all); do
        number=$(number_of "$name")
        if grep -q 'throw NotWritten' "exercises/$name.hpp" 2>/dev/null; then  # no need to compile
            echo "$number: not written yet ($(title_of "$name"))"
            record "$number" open "$(hints_of "$number")"
        else
            (QUIET=1 check "$name")  # a subshell, so that a missing file ends this one only
        fi
        passed "$number" && good=$((good + 1)) || bad=$((bad + 1))
    done
    echo "$good of $((good + bad)) exercises pass"
    finish $((bad > 0)) ;;
hint)
    name=$(resolve "$wanted") || finish 2
    number=$(number_of "$name") level=${LEVEL:-$(($(hints_of "$(number_of "$name")") + 1))}
    case $level in [1-3]) ;; [4-9]) level=3 ;; *) fail "LEVEL=$level: there are three hints, 1 to 3" ;; esac
    awk -v level="$level" '/^[1-3] / { on = ($1 == level) } on' "exercises/$name.hints" | reflow
    was=$(hints_of "$number")
    [ "$level" -gt "$was" ] && was=$level
    passed "$number" && how=passed || how=open
    record "$number" $how "$was"
    [ "$level" -lt 3 ] && echo "(one more: make hint EX=$number)"
    exit 0 ;;
solution)
    name=$(resolve "$wanted") || finish 2
    number=$(number_of "$name")
    passed "$number" || [ -n "${FORCE:-}" ] || fail "$number has not passed yet; hints: make hint EX=$number; to see it all the same: FORCE=1"
    changes=$(diff -u "exercises/$name.hpp" "solutions/$name.hpp" | tail -n +3)
    if [ -z "$changes" ]; then echo "Yours is the same."; else printf -- '- yours   + the solution\n%s\n' "$changes"; fi
    exit 0 ;;
try)
    name=$(resolve "$wanted") || finish 2
    [ -f "exercises/${name}_try.cpp" ] || fail "$(number_of "$name") has nothing to show; those that have: $(for f in exercises/*_try.cpp; do number_of "$(basename "$f")"; done | tr '\n' ' ')"
    mkdir -p "$BUILD/exercises"
    cp "exercises/${name}_try.cpp" "$BUILD/exercises/${name}_try.cpp"
    from=exercises
    [ -n "${SOLUTION:-}" ] && from=solutions
    # shellcheck disable=SC2086
    $COMPILE "-I$from" -MF /dev/null -fdiagnostics-color=never "$BUILD/exercises/${name}_try.cpp" $LIBRARY $LIBS -o "$BUILD/exercises/${name}_try" 2>"$BUILD/exercises/log" || {
        head -n 10 "$BUILD/exercises/log"
        echo "It does not compile yet: make check EX=$(number_of "$name")"
        finish 1
    }
    # shellcheck disable=SC2086
    "$BUILD/exercises/${name}_try" ${PROMPT:+"$PROMPT"} ${ARGS:-}
    finish $? ;;
watch)
    name=$(resolve "$wanted") || finish 2
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
    sed -n '/^\/\//!q;p' "exercises/$name.hpp" | sed 's/^\/\/ \{0,1\}//' | reflow
    printf '\nWrite in exercises/%s.hpp, then: make check EX=%s\n' "$name" "$(number_of "$name")" ;;
*) fail "exercise.sh: unknown command '$command'" ;;
esac
