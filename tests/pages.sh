#!/bin/sh
# Checks rules for the pages of the course that tests/lessons.sh does not check.
#   pages.sh BUILD      The sections of a lesson must be in the fixed order, and its pages must have at most 900 words without
#                       code and output. The cheat sheet must have all options of the generator, and no others. Every word of
#                       the glossary must be linked from its chapter or an earlier one. Every figure must have a title. No
#                       prompt may end in a space.
#   pages.sh words      prints the number of words of each page
# Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
holds() {
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $what"; fi
}

# ---- words ----
# Counts the words, without blocks of code and output, commands (indented by four), comments, targets of links, and tables' lines.
words() {
    awk '/^```/ { fence = !fence; next }
         fence || /^<!--/ || /^    / { next }
         { gsub(/\]\([^)]*\)/, "]"); gsub(/[|]|---+/, " "); n += NF }
         END { print n }' "$1"
}
if [ "$build" = words ]; then
    for page in chapters/*/*.md; do printf '%5d  %s\n' "$(words "$page")" "$page"; done
    exit
fi
for page in chapters/*/*.md; do
    [ "$page" = chapters/23_text_generator/parity.md ] && continue  # tables, to look things up in
    n=$(words "$page")
    holds "$page has at most 900 words (it has $n)" test "$n" -le 900
done

# ---- prompts ----
# A prompt that ends in a space is split into other tokens than those in training (chapter 17), so no command has such a prompt.
for page in README.md chapters/*.md chapters/*/*.md; do
    awk -F '"' '/make (run|chat)|build\/[0-9a-z_]+ / { for (i = 2; i <= NF; i += 2) if ($i ~ /[^ ] $/) { print $i; bad = 1 } } END { exit bad }' "$page" && clean=true || clean=false
    holds "$page has no prompt that ends in a space" $clean
done

# ---- the order of a lesson ----
for lesson in chapters/*/README.md; do
    grep '^## ' "$lesson" | awk '
        BEGIN { n = split("The idea|The code|What the program shows|Run it, change this|What goes wrong|Takeaways|Exercises|Answers|References", order, "|") }
        { for (i = 1; i <= n; i++) if ($0 == "## " order[i]) { if (i < last) bad = 1; last = i; seen++ } }
        END { exit bad || seen < 5 }' && ordered=true || ordered=false
    holds "$lesson: The idea, The code, …, References, in this order" $ordered
    holds "$lesson says what you will be able to do" grep -qE '^\*\*You will be able to\*\*' "$lesson"
    holds "$lesson says how long it takes" grep -qE '[Aa]bout [a-z ]*(hour|minutes)' "$lesson"
    holds "$lesson ends with the page before or after it" grep -qE '^(Before|Next): \[| · Next: \[' "$lesson"
    awk '/^## The code/ { exit }
         /^!\[/ || (/^```text/ && was !~ /^<!-- output/) { found = 1 }
         { was = $0 }
         END { exit !found }' "$lesson" && pictured=true || pictured=false
    holds "$lesson has a picture before its code" $pictured
done

# ---- the cheat sheet ----
options() { grep -oE -- '--[a-z][a-z0-9-]+' | sort -u | grep -vx -e --help -e --help-all; }
"$build/23_text_generator" --help-all | options >"$work/help"
options <chapters/CHEATSHEET.md >"$work/sheet"
for option in $(cat "$work/help"); do holds "the cheat sheet has $option" grep -qx -e "$option" "$work/sheet"; done
for option in $(cat "$work/sheet"); do holds "the generator has $option of the cheat sheet" grep -qx -e "$option" "$work/help"; done

# ---- the glossary ----
sed -n 's/^- <a id="\([^"]*\)"><\/a>.*\*\* (\[\([0-9]*\)\].*/\1 \2/p' chapters/GLOSSARY.md >"$work/words"
while read -r word chapter; do
    first=$(grep -l "GLOSSARY.md#$word)" chapters/*/*.md | head -n 1 | cut -c10-11)
    holds "the glossary's $word is linked in chapter $chapter or before (it is in: ${first:-none})" test "${first:-99}" -le "$chapter"
done <"$work/words"

# ---- figures ----
for figure in chapters/*/*.svg data/*.svg; do
    [ -f "$figure" ] && holds "$figure has a title" grep -q '<title>' "$figure"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
