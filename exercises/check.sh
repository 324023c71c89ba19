# The check of one exercise, read by exercise.sh (which has the colours, the state and resolve). check NAME: compiles the
# learner's file, runs its tests within limits, and says in one screen what is wrong.

# A crash in the learner's own file is named by its line: the tests print where they are (tests/exercises/trace.cpp).
trace_of() { sed -n 's/^trace: *//p' "$out/log" | head -n 1; }
line_in_file() {
    command -v addr2line >/dev/null 2>&1 || return 0
    # shellcheck disable=SC2046
    addr2line -e "$out/$name" $(trace_of) </dev/null 2>/dev/null | sed -n "s/.*\/$name.hpp:\([0-9][0-9]*\).*/\1/p" >"$out/lines"
    # Of calls without end the line that calls, else the innermost one.
    if recursion; then sort "$out/lines" | uniq -c | sort -rn | awk 'NR == 1 { print $2 }'; else head -n 1 "$out/lines"; fi
}
HELPFUL="-Wall -Wno-extra -Wno-pedantic -Wno-shadow -Wno-conversion -Wno-sign-conversion -Wno-float-conversion -Wno-sign-compare"
# The same from the address sanitizer, when the plain program cannot say: memory was broken before it crashed.
line_by_sanitizer() {
    # shellcheck disable=SC2086
    $COMPILE_TEST "-I$mine" -w -MF /dev/null -g1 -fsanitize=address,undefined -c "tests/exercises/ex$name.cpp" -o "$out/$name.asan.o" 2>"$out/asan.log" &&
        $LINK -fsanitize=address,undefined "$out/$name.asan.o" "$BUILD/obj/tests/main.o" $LIBRARY $LIBS -o "$out/$name.asan" 2>>"$out/asan.log" || return 0
    ASAN_OPTIONS=detect_container_overflow=0:detect_leaks=0:symbolize=0 UBSAN_OPTIONS=print_stacktrace=1 "$out/$name.asan" --abort </dev/null >"$out/asan.log" 2>&1
    # shellcheck disable=SC2046
    addr2line -e "$out/$name.asan" $(sed -n "s/^ *#[0-9].*$name.asan+\(0x[0-9a-f]*\)).*/\1/p" "$out/asan.log") </dev/null 2>/dev/null |
        sed -n "s/.*\/$name.hpp:\([0-9][0-9]*\).*/\1/p" | head -n 1
    rm -f "$out/$name.asan" "$out/$name.asan.o"
}
# What the C library says when it finds its memory in disorder.
broken='free()\|malloc\|corrupt\|munmap_chunk'
recursion() { trace_of | tr ' ' '\n' | sort | uniq -c | awk '$1 > 20 { found = 1 } END { exit !found }'; }
# " in line 37 of exercises/….hpp" and below it the line itself.
place() {
    line=$(line_in_file)
    if { [ -z "$line" ] && [ "${1:-}" = crash ]; } || grep -q "$broken" "$out/log"; then
        better=$(line_by_sanitizer)
        line=${better:-$line}
    fi
    [ -n "$line" ] && printf ' in line %s of %s/%s.hpp' "$line" "$mine" "$name"
}
show_line() {
    line=$(echo "$1" | sed -n 's/ in line \([0-9]*\) of .*/\1/p')
    [ -n "$line" ] && printf '    %s | %s\n' "$line" "$(sed -n "${line}p" "$mine/$name.hpp" | sed 's/^ *//')"
}
why_crashed() {
    if grep -q 'Assertion.*<=* *[a-z_>-]*size()' "$out/log"; then echo "an index outside of what there is"
    elif grep -q 'Assertion.*!.*empty()' "$out/log"; then echo "the first or last of something empty"
    elif grep -q 'Assertion.*_M_is_engaged' "$out/log"; then echo "the value of an optional that has none"
    elif recursion; then echo "recursion without end"
    elif grep -q 'terminate called' "$out/log"; then echo "an exception that nothing could catch: $(sed -n "s/^terminate called [a-z ]*'\(.*\)'$/\1/p; s/^  what(): */ /p" "$out/log" | tr -d '\n')"
    elif grep -q 'SIGFPE' "$out/log"; then echo "a whole number divided by 0"
    elif grep -q "$broken" "$out/log"; then echo "something was written outside of its place in memory"
    elif grep -q 'SIGABRT' "$out/log"; then echo "something called abort"
    elif grep -q 'SIGSEGV' "$out/log"; then echo "memory that is not there: a null pointer, or an index far outside?"
    else echo "by an illegal step"; fi
}
# What the learner's own code printed, if anything.
printed() {
    sed -e '/^test: /,$d' -e '/^trace:/d' -e '/^limit: /d' "$out/log" | grep -v -e '^[0-9]* passed, [0-9]* failed$' -e '^$' -e 'Assertion' -e 'terminate called' -e '^  what(): ' |
        head -n 10 >"$out/printed"
    [ -s "$out/printed" ] && { echo "Your code printed:"; sed 's/^/    /' "$out/printed"; echo; }
}
the_test() { sed -n 's/^test: //p' "$out/log" | head -n 1; }
report() { sed -n '/^test: /,/^end of report$/p' "$out/log" | sed -e '/^test: /d' -e '/^end of report$/d' -e '/^trace:/d' -e '/^$/d' "$@"; }

# The compiler's first messages, without where headers were included from.
compiler_says() { grep -v -e 'In file included from' -e '^ *from <stdin>' -e '^<stdin>' "$1" | head -n 20; }

check() {
    name=$1 number=$(number_of "$1") out=$BUILD/exercises
    [ -f "$mine/$name.hpp" ] || fail "$mine/$name.hpp is missing; make reset EX=$number brings the empty one back"
    mkdir -p "$out"
    # The file alone, so that a missing semicolon is reported where it is, and meanwhile its tests.
    # shellcheck disable=SC2086
    $COMPILE_TEST "-I$mine" -w -MF /dev/null -c "tests/exercises/ex$name.cpp" -o "$out/$name.o" 2>"$out/log.tests" &
    tests=$!
    # Warnings that help a learner; none of what statements themselves suggest, as int i < ids.size().
    # shellcheck disable=SC2086
    if ! printf '#include "%s.hpp"\n' "$name" | $COMPILE $HELPFUL "-I$mine" -MF /dev/null $FEW_ERRORS -x c++ -fsyntax-only - 2>"$out/log"; then
        echo "${red}$number does not compile${plain}:"
        wait "$tests"
        compiler_says "$out/log"
        record "$number" open "$(hints_of "$number")"
        return 1
    fi
    grep 'warning:' "$out/log" | head -n 3
    # shellcheck disable=SC2086
    if ! wait "$tests" ||
        ! $LINK "$out/$name.o" "$BUILD/obj/tests/main.o" $WITNESSES $LIBRARY $LIBS $EXPORT -o "$out/$name" 2>>"$out/log.tests"; then
        echo "${red}$number does not fit its tests${plain}: were names or parameters outside the marked lines changed?"
        grep 'error' "$out/log.tests" | head -n 5
        record "$number" open "$(hints_of "$number")"
        return 1
    fi
    EXERCISE_LIMITS=1 "$out/$name" --abort -o /dev/null > "$out/log" 2>&1 < /dev/null
    status=$?
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
    why_not "$status"
    return 1
}

why_not() {  # the status that the tests ended with
    if grep -q 'you have not written this yet' "$out/log"; then
        so_far=$(sed -n 's/^\([1-9][0-9]*\) passed, 1 failed$/\1/p' "$out/log")
        if [ -n "$so_far" ]; then echo "$number: good so far (tests passed: $so_far). The next one needs what is not written yet."
        else echo "$number: you have not written this yet ($(title_of "$name"))."; fi
        echo "Open $mine/$name.hpp and write between the marks. Stuck? $(hint_words "$number")"
        return
    fi
    printed
    if grep -q '^limit: time' "$out/log"; then
        at=$(place)
        echo "${red}$number ran longer than 10 s${plain} and was stopped$at: does a loop there ever end?"
        show_line "$at"
        echo "The test: $(the_test)"
    elif grep -q -e '^limit: memory' -e 'bad_alloc' "$out/log"; then
        at=$(place)
        echo "${red}$number used up its memory${plain} (2 GB)$at: does something there grow without end?"
        show_line "$at"
        echo "The test: $(the_test)"
    elif [ "$1" -eq 126 ]; then
        echo "${red}$number printed more than 16 MB${plain} and was stopped: a loop without end, with output in it?"
    elif grep -q '^limit: exit' "$out/log" || [ "$1" -eq 0 ]; then
        at=$(place)
        echo "${red}$number ended the tests${plain} before they were through$at: an exit in your code?"
        show_line "$at"
    elif [ "$1" -ge 128 ] || grep -q 'got  *a crash:' "$out/log"; then
        at=$(place crash)
        echo "${red}$number crashed${plain}$at: $(why_crashed)"
        show_line "$at"
        echo "The test: $(the_test)"
        report -e '/^  got  *a crash/d'
    else
        echo "${red}$number is not there yet${plain}: $(the_test)"
        at=
        grep -q '^  got  *\(the\|an\) exception' "$out/log" && at=$(place)
        report
        [ -n "$at" ] && { echo "  thrown   $at"; show_line "$at"; }
        echo "That was the first test that failed. $(hint_words "$number")"
    fi
}
