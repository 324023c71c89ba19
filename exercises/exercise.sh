#!/bin/sh
# What make check, hint, solution, try, watch, reset, progress, next and the screen of make learn: exercise.sh COMMAND [EXERCISE].
# make passes BUILD, how to compile a test, a program, and to link (COMPILE_TEST, COMPILE, LINK, FEW_ERRORS, EXPORT), WITNESSES
# (limits and reports), LIBRARY (archives), LIBS, and LEVEL, FORCE, SOLUTION where given. State: exercises/.progress, plain text,
# one line an exercise: number, what happened last, hints read. EXERCISES and STATE: another folder and file, for tests.
set -u
command=$1 wanted=${2:-}
state=${STATE:-exercises/.progress}
mine=${EXERCISES:-exercises}  # the folder of your files
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$(printf '\033[1m') green=$(printf '\033[32m') red=$(printf '\033[31m') plain=$(printf '\033[0m')
else bold='' green='' red='' plain=''; fi
# On a terminal the words say it all, and make's "Error 1" below them would look like a broken install.
finish() { { [ -t 1 ] || [ -n "${LEARN_MAKE:-}" ]; } && exit 0; exit "$1"; }
# How to get on, on the screen of make learn and elsewhere.
hint_words() { if [ -n "${LEARN_MAKE:-}" ]; then echo "h gives a hint."; else echo "make hint EX=$1"; fi; }
fail() { echo "make: $*" | reflow >&2; finish 2; }

# The hints of an exercise stand in its chapter's file, below "== NAME ==".
hints() { awk -v name="$1" '/^== / { on = ($2 == name); next } on' "exercises/${1%%_*}.hints"; }
all() { for f in solutions/*.hpp; do f=${f#solutions/}; echo "${f%.hpp}"; done; }
number_of() { rest=${1#*_}; echo "${1%%_*}_${rest%%_*}"; }
# One line an exercise, tabs between: name, passed or open, hints read, lesson, title. The title is what the first line says,
# up to the first sign and 48 characters: "exclude top choices".
list() {
    touch "$state"
    grep -oE '[*]{2}[0-9]{2}_[0-9]+[*]{2}' chapters/*/*.md |
        awk -v OFS='\t' '
            # The page of its chapter that lists it: chapters/07_kv_cache/memory.md:**07_2**
            /^chapters\/[^ ]*[.]md:[*][*]/ {
                split($0, part, ":"); gsub(/[*]/, "", part[2])
                if (substr(part[1], 10, 2) == substr(part[2], 1, 2) && (!(part[2] in lesson) || part[1] ~ /README/)) lesson[part[2]] = part[1]
                next
            }
            FILENAME !~ /^solutions\// { how[$1] = $2; hints[$1] = $3; next }
            FNR > 1 { next }
            {
                name = FILENAME; sub(/^solutions\//, "", name); sub(/[.]hpp$/, "", name)
                split(name, part, "_"); number = part[1] "_" part[2]
                sub(/^\/\/ Exercise [0-9_]*: */, ""); sub(/[.?] .*/, ""); sub(/ *[[(:].*/, ""); sub(/[.]$/, "")
                n = split($0, word, " "); title = word[1]
                for (i = 2; i <= n; i++) { if (length(title " " word[i]) > 48) { title = title "…"; break } title = title " " word[i] }
                print name, number in how ? how[number] : "open", hints[number] + 0, lesson[number], title
            }' - "$state" solutions/*.hpp
}
title_of() { list | awk -F '\t' -v name="$1" '$1 == name { print $5 }'; }

# The exercise's whole name; its number is enough. Unknown: the nearest ones are named.
resolve() {
    [ -n "$1" ] || fail "which exercise? For example: make $command EX=$(number_of "$(all | head -n 1)")   (make progress lists them)"
    # 3_1 and 3.1 are 03_1; a word that only one name has is enough.
    meant=$(echo "$1" | sed 's/[.-]/_/; s/^\([0-9]\)_/0\1_/')
    set -- "$meant"
    # A chapter's number alone: which of its exercises?
    case $1 in
    *[!0-9]* | '') ;;
    *)
        chapter=$(echo "$1" | sed 's/^\([0-9]\)$/0\1/')
        [ -n "$(all | grep "^${chapter}_")" ] || fail "there is no exercise '$1'; make progress lists them all"
        echo "make: which exercise of chapter $chapter? One of:" >&2
        list | awk -F '\t' -v chapter="$chapter" -v command="$command" 'index($1, chapter "_") == 1 { split($1, part, "_"); printf "  make %s EX=%-7s %s\n", command == "find" ? "check" : command, part[1] "_" part[2], $5 }' >&2
        finish 2 ;;
    esac
    if [ "$(all | grep -c -e "_$1\$" -e "[0-9]_.*$1")" = 1 ]; then set -- "$(all | grep -e "_$1\$" -e "[0-9]_.*$1")"; fi
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
# The next exercise that has not passed: after this number, then from the first one.
next_open() {
    list | awk -F '\t' -v after="${1:-}" '
        $2 == "passed" { next }
        first == "" { first = $1 }
        after != "" && found == "" && $1 > after && index($1, after "_") != 1 { found = $1 }
        END { print found == "" ? first : found }'
}

. exercises/check.sh

# Prose to the width of a terminal, with the items of lists; formulas and tables are indented and stay as they are, but for what
# explains a name: it is broken under its own beginning. Lengths are counted in characters: the bytes 80 to BF go on with one.
reflow() {
    LC_ALL=C awk -v width=79 '
        function columns(text) { gsub(/[\200-\277]/, "", text); return length(text) }
        function end_line() { if (line != "") print line; line = "" }
        function add(word) {
            if (line != "" && columns(line) + 1 + columns(word) > width) { print line; line = indent word }
            else line = line == "" ? word : line " " word
        }
        # Where the words of a long line begin: after its last gap, its number or its dash; 0: nowhere.
        function words_from(text,  i, at) {
            match(text, /^ */)
            for (i = RLENGTH + 1; i < length(text) - 1; i++) if (substr(text, i, 3) ~ /^  [^ ]/) at = i + 2
            if (!at && match(text, /^ +([0-9]+[.]|-) /)) at = RLENGTH + 1
            return columns(substr(text, 1, at - 1)) > 50 ? 0 : at
        }
        explained && match($0, /^ */) && RLENGTH == length(indent) { for (i = 1; i <= NF; i++) add($i); next }
        explained { end_line(); indent = ""; explained = 0 }
        /^    / && columns($0) > width && (at = words_from($0)) {
            end_line(); explained = 1
            line = substr($0, 1, at - 2); indent = sprintf("%*s", columns(line) + 1, "")
            n = split(substr($0, at), word, " ")
            for (i = 1; i <= n; i++) add(word[i])
            next
        }
        /^$/ || /^    / || /^[1-3] (nudge|plan|nearly there)$/ || (/^ / && line == "") { end_line(); indent = ""; print; next }
        /^[0-9]+\. / || /^- / { end_line(); indent = "   " }
        { for (i = 1; i <= NF; i++) add($i) }
        /make (check|try) EX=/ { end_line() }
        END { end_line() }'
}

# A page with its lines broken at spaces.
folded() {  # file, columns
    LC_ALL=C awk -v width="$2" '
        function columns(text) { gsub(/[\200-\277]/, "", text); return length(text) }
        columns($0) <= width { print; next }
        {
            n = split($0, word, " "); line = word[1]
            for (i = 2; i <= n; i++)
                if (columns(line) + 1 + columns(word[i]) > width) { print line; line = word[i] } else line = line " " word[i]
            print line
        }' "$1"
}

bar() {  # done, all
    i=0 line=''
    while [ $i -lt "$2" ]; do [ $i -lt "$1" ] && line="$line█" || line="$line░"; i=$((i + 1)); done
    echo "$line"
}

progress() {
    list | awk -F '\t' -v ok="${green}ok${plain}" '{
        split($1, part, "_")
        printf "  %s  %-5s %s%s\n", ($2 == "passed" ? ok : "  "), part[1] "_" part[2], $5, ($3 > 0 ? "  (hints read: " $3 ")" : "")
    }'
    done=$(list | grep -c '	passed	') total=$(all | wc -l)
    printf '\n  %s %d of %d\n' "$(bar "$done" "$total")" "$done" "$total"
    upcoming=$(next_open)
    [ -n "$upcoming" ] && echo "  next: make check EX=$(number_of "$upcoming"), or make learn" || echo "  All done."
}

# What the exercise says, to the width of a terminal.
statement() { sed -n '/^\/\//!q;p' "$mine/$1.hpp" | sed 's/^\/\/ \{0,1\}//' | reflow; }
# A copy of what was written, then the empty exercise.
reset() {
    kept=$mine/.backup/$1.$(date +%Y-%m-%d_%H%M%S).hpp
    sh exercises/make_stub.sh - "solutions/$1.hpp" >"$mine/$1.tmp"
    if [ -f "$mine/$1.hpp" ] && cmp -s "$mine/$1.tmp" "$mine/$1.hpp"; then
        rm "$mine/$1.tmp"
        echo "$2 is empty as it is: there is nothing to reset."
    else
        mkdir -p "$mine/.backup"
        [ -f "$mine/$1.hpp" ] && cp "$mine/$1.hpp" "$kept" && echo "Your work is kept in $kept"
        mv "$mine/$1.tmp" "$mine/$1.hpp"
        echo "$mine/$1.hpp is empty again."
    fi
    record "$2" open "$(hints_of "$2")"
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
        if grep -q 'throw NotWritten' "$mine/$name.hpp" 2>/dev/null; then  # no need to compile
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
    number=$(number_of "$name") level=${3:-${LEVEL:-$(($(hints_of "$(number_of "$name")") + 1))}}
    case $level in [1-3]) ;; [4-9]) level=3 ;; *) fail "LEVEL=$level: there are three hints, 1 to 3" ;; esac
    hints "$name" | awk -v level="$level" '/^[1-3] / { on = ($1 == level) } on' | reflow
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
    changes=$(diff -u "$mine/$name.hpp" "solutions/$name.hpp" | tail -n +3)
    if [ -z "$changes" ]; then echo "Yours is the same."; else printf -- '- yours   + the solution\n%s\n' "$changes"; fi
    exit 0 ;;
try)
    name=$(resolve "$wanted") || finish 2
    [ -f "exercises/${name}_try.cpp" ] || fail "$(number_of "$name") has nothing to show; those that have: $(for f in exercises/*_try.cpp; do number_of "$(basename "$f")"; done | tr '\n' ' ')"
    mkdir -p "$BUILD/exercises"
    # It includes the exercise, which is looked for in the folder asked for.
    sed "s|\"exercises/$name.hpp\"|\"$name.hpp\"|" "exercises/${name}_try.cpp" > "$BUILD/exercises/${name}_try.cpp"
    from=$mine
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
    echo "Watching $mine/$name.hpp; Ctrl-C ends."
    trap 'exit 0' INT
    last=''
    while :; do
        now=$(cksum < "$mine/$name.hpp")
        if [ "$now" != "$last" ]; then last=$now; printf '\n%s%s%s\n' "$bold" "$(date +%H:%M:%S)" "$plain"; check "$name"; fi
        sleep 1
    done ;;
reset)
    name=$(resolve "$wanted") || finish 2
    reset "$name" "$(number_of "$name")" ;;
progress) progress ;;
# For make learn.
list) list ;;
statement) statement "$wanted" ;;
lesson) folded "$wanted" "${3:-80}" ;;
find) resolve "$wanted" ;;
next)
    name=$(next_open)
    [ -n "$name" ] || { echo "All exercises pass."; exit 0; }
    statement "$name"
    printf '\nWrite in %s/%s.hpp, then: make check EX=%s\n' "$mine" "$name" "$(number_of "$name")" ;;
*) fail "exercise.sh: unknown command '$command'" ;;
esac
