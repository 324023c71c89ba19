#!/bin/sh
# Checks the page that compares other programs' options with ours: every option of ours that
# chapters/23_text_generator/parity.txt names must be an option of the program, and parity.md must be made from that file.
#   tests/parity.sh [BUILD]            checks
#   tests/parity.sh BUILD update       writes the page
# Ends with "N passed, N failed".
set -u
build=${1:-build} mode=${2:-check}
table=chapters/23_text_generator/parity.txt page=chapters/23_text_generator/parity.md
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

"$build/23_text_generator" --help-all >"$work/help" || exit 1
# Checks every option named in the third column.
grep -v -e '^#' -e '^==' -e '^$' "$table" | awk -F'|' '{ print $3 }' | grep -o '`--[a-z0-9-]*' | tr -d '`' | sort -u >"$work/options"
while read -r option; do
    if grep -qE -e "(^| |,)$option( |,|\$)" "$work/help"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$table: $option is no option of 23_text_generator"
    fi
done <"$work/options"
# Every line must have five columns.
bad=$(grep -v -e '^#' -e '^==' -e '^$' "$table" | awk -F'|' 'NF != 5 { print }' | head -1)
if [ -z "$bad" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$table: not five columns: $bad"; fi

awk -F'|' '
    function trimmed(text) { gsub(/^ +| +$/, "", text); return text }
    BEGIN {
        print "# 23, a page of tables · The options of other programs"
        print ""
        print "These tables list every parameter of transformers'"'"' GenerationConfig, of llama.cpp'"'"'s command line and of a request to OpenAI or vLLM: its name here, its default"
        print "there and here, how it differs, or why it is refused. The page is made from [parity.txt](parity.txt); `make test` checks that its options exist."
        print ""
        print "A model'"'"'s generation_config.json is read as in transformers: its values apply where the command line sets none."
    }
    /^#/ || /^$/ { next }
    /^==/ { sub(/^== /, ""); print "\n## " $0 "\n\n| there | default | here | default | |\n|---|---|---|---|---|"; next }
    { gsub(/\*/, "\\*"); print "| " trimmed($1) " | " trimmed($2) " | " trimmed($3) " | " trimmed($4) " | " trimmed($5) " |" }
    END { print "\nBack to: [the text generator](README.md)" }' "$table" >"$work/page"
if [ "$mode" = update ]; then
    cp "$work/page" "$page"
elif cmp -s "$work/page" "$page"; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "$page is not what parity.txt says: sh tests/parity.sh $build update"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
