#!/bin/sh
# Tests make learn as a learner uses it: types keys and saves files in a terminal of 80 × 24, then checks the screen.
#   learn.sh BUILD lines   runs only the tests that need no terminal (make test)
#   make test-learn        needs tmux; it has its own files and its own score, so the learner's are not touched
# Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build} only=${2:-}
work=$(mktemp -d) || exit 1
socket=tbt-learn-$$
trap 'tmux -L "$socket" kill-server 2>/dev/null; rm -rf "$work"' EXIT
passed=0 failed=0
mkdir "$work/mine"
cp exercises/[0-9]*.hpp "$work/mine/"
for solution in solutions/*.hpp; do sh exercises/make_stub.sh - "$solution" >"$work/mine/$(basename "$solution")"; done
export EXERCISES="$work/mine" STATE="$work/progress"
set -- solutions/*.hpp
first=$(basename "$1" .hpp) second=$(basename "$2" .hpp) count=$#
number() { echo "$1" | cut -d_ -f1,2; }
# Writes the first exercise's file, with $1 between its marks.
write() {
    awk -v body="$1" '/>>> write here/ { print; print body; skip = 1 } /<<< to here/ { skip = 0 } !skip' "solutions/$first.hpp" >"$work/file"
    mv "$work/file" "$work/mine/$first.hpp"
}

# ---- line by line, where stdout is no terminal ----
plain=$(printf 'h\nl\ns\nq\n' | LEARN_MAKE="${LEARN_MAKE:-make}" "$build/learn" 2>&1)
for part in "$(number "$first")" "0 of $count exercises" "your file  $work/mine/$first.hpp" '1 nudge' "$(number "$second")" 'The solution is shown when'; do
    case $plain in
    *"$part"*) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)); echo "line by line: '$part' is missing" ;;
    esac
done

# The lesson of an exercise is the page that lists it, which may be another page than the chapter's first.
case $(printf 'o\nq\n' | LEARN_MAKE="${LEARN_MAKE:-make}" "$build/learn" 07_2_memory 2>&1) in
*'The lesson is chapters/07_kv_cache/memory.md'*) passed=$((passed + 1)) ;;
*) failed=$((failed + 1)); echo "line by line: 07_2's lesson is not chapters/07_kv_cache/memory.md" ;;
esac

# A wrapped explanation of a name is aligned with its own first line.
case $(sh exercises/exercise.sh statement 22_2_order) in
*'whose largest
                                         probability is largest, the leftmost
'*) passed=$((passed + 1)) ;;
*) failed=$((failed + 1)); echo "the statement of 22_2 is not broken under what explains a name" ;;
esac

# make mine, the generator of what a learner has written: with all of it, and with nothing.
for ours in '' --guesses=3; do
    mine=$(sh -c "${LEARN_MAKE:-make} mine MINE=solutions PROMPT='The old clock' ARGS=$ours" 2>/dev/null)
    case $mine in
    'The old clock in the window '*) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)); echo "make mine MINE=solutions ARGS=$ours: $mine" ;;
    esac
done
case $(sh -c "${LEARN_MAKE:-make} mine MINE=solutions PROMPT='The old clock'" 2>/dev/null) in
"$("$build/plain_generate" 'The old clock')") passed=$((passed + 1)) ;;
*) failed=$((failed + 1)); echo "make mine with the solutions does not write what make run writes" ;;
esac
case $(sh -c "${LEARN_MAKE:-make} mine MINE=$EXERCISES" 2>&1) in
*'[ ] 01_01'*'your generator needs exercise 01_01'*) passed=$((passed + 1)) ;;
*) failed=$((failed + 1)); echo "make mine without any exercise does not name the first" ;;
esac

# ---- the screen ----
if [ "$only" = lines ]; then
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
    exit
fi
if ! command -v tmux >/dev/null 2>&1; then
    echo "skipped: the screen of make learn: there is no tmux here"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
fi
rm -f "$STATE"
t() { tmux -u -L "$socket" -f /dev/null "$@"; }
screen() { t capture-pane -p -t learn; }
type_key() { t send-keys -t learn "$@"; }
# sees WHAT TEXT: within two minutes the text is on the screen.
sees() {
    tries=0
    while [ $tries -lt 600 ]; do
        if screen | grep -qF -- "$2"; then passed=$((passed + 1)); return; fi
        tries=$((tries + 1))
        sleep 0.2
    done
    failed=$((failed + 1))
    echo "$1: \"$2\" is not on the screen:"
    screen | sed 's/^/    | /'
}
holds() {
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $what"; fi
}
start() { t send-keys -t learn "clear; $build/learn; echo left with \$?" Enter; }
at_the_prompt() { sees "$1" 'left with 0' && holds "$1: the second screen is left, and the cursor there" test "$(t display -p -t learn '#{alternate_on} #{cursor_flag}')" = '0 1'; }

printf '#!/bin/sh\ncat >%s/lesson\n' "$work" >"$work/pager"
chmod +x "$work/pager"
t new-session -d -s learn -x 80 -y 24 "PAGER=$work/pager LEARN_MAKE='${LEARN_MAKE:-make}' sh"
start
sees 'the first page' "0 of $count exercises"
sees 'the first page' "your file  $work/mine/$first.hpp"
sees 'the first page' 'q quit'
type_key h; sees 'h' '1 nudge'
type_key h; sees 'h again' '2 plan'
type_key l; sees 'l' "$(number "$second")"
type_key l; sees 'l again' '2 plan'
type_key s; sees 's too early' 'The solution is shown when'
write 'return 1 +;'; sees 'a syntax error' 'does not compile'
write 'int* p = nullptr; ids[0] = *p; return ids;'; sees 'a crash' 'crashed in line'
write 'for (;;) {}'; sees 'an endless loop' 'checking, 2 s'
cp "solutions/$first.hpp" "$work/mine/$first.hpp"  # a save stops the check that runs
sees 'the solution' "$(number "$first") passed"
sees 'the next exercise' "your file  $work/mine/$second.hpp"
sees 'the next exercise' "1 of $count exercises"
type_key p; sees 'p' "your file  $work/mine/$first.hpp"
type_key s; sees 's' 'Yours is the same'
type_key r; sees 'r' 'y yes, any other key no'
type_key n; sees 'not y' 'passed'
holds 'what was not confirmed is not reset' cmp -s "solutions/$first.hpp" "$work/mine/$first.hpp"
type_key r; sees 'r' 'y yes'
type_key y; sees 'y' 'Your work is kept in'
holds 'the exercise is empty' grep -q 'throw NotWritten' "$work/mine/$first.hpp"
holds 'the work is kept' cmp -s "solutions/$first.hpp" "$work"/mine/.backup/"$first".*.hpp
type_key o
sleep 1
holds 'o opens the lesson' grep -q '^## The idea' "$work/lesson"
holds 'o breaks its lines at spaces' test "$(sed -n 3p "$work/lesson" | wc -c)" -le 81
t resize-window -t learn -x 50 -y 12
sleep 1
holds 'a small window: no line is wider' test "$(screen | awk '{ gsub(/[\200-\277]/, "") } length > 50' | wc -l)" -eq 0
sees 'a small window' 'n next'
t resize-window -t learn -x 80 -y 24
sees 'the window of before' 'q quit'
type_key q; at_the_prompt 'q'
start; sees 'again' 'q quit'
type_key C-c; at_the_prompt 'Ctrl-C'
type_key 'clear; stty -a' Enter
sees 'the keys are what they were' ' echo '
holds 'no check is left running' test -z "$(pgrep -f "$work/mine" | grep -v "^$$\$")"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
