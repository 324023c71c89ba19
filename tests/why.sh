#!/bin/sh
# Draws the picture at the top of the README from the output of `--explain`: how the first tokens of a real run were chosen.
#   tests/why.sh BUILD          checks that data/why.svg is up to date
#   tests/why.sh BUILD update   draws it
# Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
build=${1:-build} picture=data/why.svg
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

draw() {
    awk '
        function text(x, y, class, s) { printf "<text x=\"%s\" y=\"%s\" class=\"%s\">%s</text>\n", x, y, class, s }
        function bar(x, y, width, class) { printf "<rect x=\"%s\" y=\"%s\" width=\"%.1f\" height=\"16\" rx=\"2\" class=\"%s\"/>\n", x, y, width, class }
        function escaped(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); return s }
        function percent(p) { return sprintf(p >= 9.95 ? "%.0f %%" : "%.1f %%", p) }
        BEGIN {
            wide = 178; left = 20; top = 78
            print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 920 300\" font-family=\"sans-serif\" font-size=\"14\">"
            print "<title>How five tokens came about: what the model gave to each candidate, what top-k and top-p left, what was drawn</title>"
            print "<!-- drawn by tests/why.sh from what a run explains of itself -->"
            print "<style>"
            print ".ground{fill:#fff}.ink{fill:#1f2328}.soft{fill:#59636e}.cut{fill:#d1d9e0}.kept{fill:#8db8ea}.drawn{fill:#1a7f37}.word{fill:#1f2328;font-weight:bold;font-size:17px}"
            print "@media (prefers-color-scheme:dark){.ground{fill:#0d1117}.ink,.word{fill:#f0f6fc}.soft{fill:#9198a1}.cut{fill:#3d444d}.kept{fill:#316dca}.drawn{fill:#3fb950}}"
            print "</style>"
            print "<rect width=\"920\" height=\"300\" rx=\"6\" class=\"ground\"/>"
        }
        # "5. ·young, drawn with u = 0.732997"
        /^[0-9]+\. .*, drawn with u = / {
            step = $1 + 0; row = 0
            x = left + (step - 1) * wide
            drawn = $0; sub(/^[0-9]+\. /, "", drawn); sub(/, drawn with u = .*/, "", drawn)
            word = drawn; sub(/^·/, " ", word); sentence = sentence word
            text(x, top, "word", escaped(drawn))
            next
        }
        # "   the model                   8192 …"
        step && $1 == "the" && $2 == "model" { vocabulary = $3; rank = $5; before = $6; next }
        # "   top-p 0.9                     21     19    0.0992    1.853      1  39.95 %"
        step && $1 == "top-p" { left_over[step] = $3; after = $8; next }
        # "   ·little                    13.01 %  -> 23.20 %" or "… cut by top-p"
        step && $3 == "%" && ($4 == "->" || $4 == "cut") {
            if (row == 4 && rank > 5) $0 = drawn " " before " % -> " after " % <- drawn"  # in the place of the fifth
            y = top + 14 + 34 * row++
            bar(x, y, wide * .88 * $2 / 100 + 1, $4 == "cut" ? "cut" : /<- drawn/ ? "drawn" : "kept")
            text(x, y + 28, $4 == "cut" ? "soft" : "ink", escaped($1) "  " percent($2) ($4 == "->" ? " → " percent($5) : ""))
            next
        }
        END {
            text(left, 34, "word", "Once upon a time<tspan class=\"drawn\">" escaped(sentence) "</tspan>")
            for (i = 1; i <= step; i++) text(left + (i - 1) * wide, 278, "soft", left_over[i] " of " vocabulary " left")
            print "</svg>"
        }'
}

"$build/10_generate" "Once upon a time" --top-k 40 --top-p 0.9 --max-new-tokens 5 --explain >"$work/run" 2>"$work/log" || { cat "$work/log"; echo "0 passed, 1 failed"; exit 1; }
draw <"$work/run" >"$work/why.svg"
if [ "${2:-check}" = update ]; then cp "$work/why.svg" "$picture"; fi
cmp -s "$work/why.svg" "$picture" && { echo "1 passed, 0 failed"; exit; }
echo "$picture is not what --explain says now: sh tests/why.sh $build update"
echo "0 passed, 1 failed"
exit 1
