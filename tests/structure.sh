#!/bin/sh
# Checks the project's rules. It only reads the files:
#   arrows       lib includes only lib. A chapter includes only lib, itself and earlier chapters. Nothing but tests includes
#                chapter 19, training
#   xsimd        only lib's .cpp files include xsimd, directly or through lib's headers; so may the tests of those headers
#   home         every .cpp file includes a header of its own folder, which says what is in it, except programs and tests
#   main         main() has at most 40 lines
#   function     a function has at most 60 lines (cases of tests may be longer)
#   thread_local no header has one, since each part of the program that includes it would have its own
#   plain        a plain_*.hpp has at most 60 lines (a whole transformer 150, a tokenizer 90, a scheduler 115, a tree of prefixes 100,
#                diffusion 90, trees, beams and speculation 95). Of our own headers it includes only those of errors, exp and log, short numbers and JSON
#                values, earlier plain headers, checks.hpp (checks of a chapter's numbers), and interfaces of models and recognizers
#   idea         the headers directly in the folder of a chapter, 01 to 05, have at most 100 lines together (the rest is in subfolders)
#   length       a code file has at most 600 lines (tests may be longer)
#   folder       a test is in the folder of what it tests: tests/lib, tests/chapters/NN, tests/api (hostile arguments), tests/golden
#   width        a line of code has at most 100 characters
#   make         the Makefile and the files of lib/build have at most 300 lines; make files have at most 120 columns
#   words        no word of tests/words.txt is in code, messages, pages or file names; for a schema, say validate, not judge
#   layout       clang-format 14 changes nothing (if it is installed)
#   excerpt      every line of code in a lesson is in the file that it is taken from, and every link leads somewhere
#   figure       an SVG has a <title> and is shown in one place of the lessons
#   mutant       the text of a mutant is in exactly one line of its file
#   picture      data/architecture.svg shows today's #include lines
# tests/structure.allow lists files that still break a rule, as "rule file". That list may only become shorter: a line that is
# no longer needed is a failure, too. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
found=$work/found
: >"$found"

find lib chapters exercises solutions tests \( -name '*.cpp' -o -name '*.hpp' \) | sort >"$work/files"
includes() { xargs grep -H '^ *#include' <"$work/files" | sed -n 's/^\([^:]*\): *#include *["<]\([^">]*\)[">].*/\1 \2/p'; }
includes >"$work/includes"

# ---- arrows and xsimd: what may include what ---------------------------------------------------------------
awk '
    function room(path) { return path ~ /^chapters\// ? "chapter" : substr(path, 1, index(path, "/") - 1) }
    function number(path) { return substr(path, 10, 2) + 0 }
    function breaks(rule, file, why) { print rule " " file "\t" why }
    # Does this file include xsimd, directly or through others?
    function sees(file,  i) {
        if (file in known) return known[file]
        known[file] = 0
        for (i = 1; i <= count[file]; i++)
            if (used[file, i] ~ /^xsimd\// || sees(used[file, i])) known[file] = 1
        return known[file]
    }
    { used[$1, ++count[$1]] = $2 }
    {
        from = room($1); to = room($2)
        if (to != "lib" && to != "chapter" && to != "tests" && to != "exercises" && to != "solutions") next
        if (from == "lib" && to != "lib") breaks("arrows", $1, "lib includes " $2)
        if (from == "chapter" && to != "lib" && to != "chapter") breaks("arrows", $1, "a chapter includes " $2)
        if (from == "chapter" && to == "chapter" && number($2) > number($1)) breaks("arrows", $1, "a later chapter: " $2)
        if (from != "tests" && to == "chapter" && number($2) == 19 && !(from == "chapter" && number($1) == 19))
            breaks("arrows", $1, "training is nothing to build on: " $2)
        if ((from == "exercises" || from == "solutions") && to == "tests") breaks("arrows", $1, "includes " $2)
    }
    END {
        for (file in count)
            if (sees(file) && file !~ /^lib\// && file !~ /^tests\/(lib|bench)\//) breaks("xsimd", file, "sees xsimd")
    }' "$work/includes" >>"$found"

# ---- home --------------------------------------------------------------------------------------------------
grep -E '^(lib|chapters)/.*\.cpp$' "$work/files" | grep -vE '(^|/|_)main\.cpp$' | while read -r file; do
    grep -q "^#include \"$(dirname "$file")/[^/]*\"" "$file" || printf 'home %s\tincludes no header of its folder\n' "$file"
done >>"$found"

# ---- main(), thread_local, lengths, widths -----------------------------------------------------------------
# Drops the continuation bytes of UTF-8, so that characters are counted.
while read -r file; do
    tr -d '\200-\277' <"$file" | awk -v file="$file" '
        function breaks(rule, why) { if (!(rule in said)) print rule " " file "\t" why; said[rule] = 1 }
        length > 100 { breaks("width", "line " FNR " has " length " characters") }
        /^ *(static |inline )*thread_local / && file ~ /\.hpp$/ { breaks("thread_local", "line " FNR) }
        /^int main\(/ { start = FNR }
        start && /}$/ && (FNR == start || /^}/) {
            if (FNR - start + 1 > 40) breaks("main", FNR - start + 1 " lines")
            start = 0
        }
        END { if (FNR > 600 && file !~ /^tests\//) breaks("length", FNR " lines") }'
done <"$work/files" >>"$found"

# A function begins with a head that is not indented, or indented once (in a class), and ends at the brace with that indent.
grep -v '^tests/' "$work/files" | xargs awk '
    FNR == 1 { head = start = 0 }
    { sub(/[ \t]+\/\/.*$/, "") }
    !head && /^(    )?[A-Za-z~].*[({,]$/ &&
        !/^ *(namespace|class|struct|enum|union|extern|return|if|for|while|switch|using|typedef|(static )?const |(static |inline )?constexpr)/ {
        head = FNR; indent = /^ / ? "    " : ""
    }
    head && !start && /\{$/ { start = head }
    head && !start && /;$/ { head = 0 }
    start && ($0 == indent "}" || $0 == indent "};") {
        if ($0 ~ /}$/ && FNR - start + 1 > 60) print "function " FILENAME "\tline " start ": " FNR - start + 1 " lines"
        head = start = 0
    }' >>"$found"

for file in Makefile lib/build/*; do
    tr -d '\200-\277' <"$file" | awk -v file="$file" '
        length > 120 && file !~ /\.(sh|awk|txt)$/ && !wide++ { print "make " file "\tline " FNR " has " length " characters" }
        END { if (FNR > 300) print "make " file "\t" FNR " lines" }'
done >>"$found"

# ---- words -------------------------------------------------------------------------------------------------
find lib chapters exercises solutions tests data/page README.md BENCHMARKS.md CONTRIBUTING.md Makefile -type f |
    grep -E '\.([ch]pp|md|sh|mk|js|mjs|html|txt|hints|awk)$|Makefile' |
    grep -vE '^tests/(words\.txt|structure\.sh|data/|fuzz/corpus/)|^chapters/(GLOSSARY|HOW_IT_SOUNDS)\.md' >"$work/words"
# What a model writes into a page is not ours.
grep '\.md$' "$work/words" | xargs awk 'FNR == 1 { inside = 0 } /^```/ { inside = !inside } inside { print FILENAME ":" FNR ":" }' >"$work/shown"
grep -v '^#' tests/words.txt | while IFS="$(printf '\t')" read -r word say but; do
    { xargs grep -HnE -e "$word" <"$work/words" | grep -vFf "$work/shown"; grep -E -e "$word" "$work/words" | sed 's/$/:0:its name/'; } | grep -vE -e "${but:-^$}" |
        sed "s|^\([^:]*\):\([0-9]*\):.*|words \1\tline \2: say $say|"
done >>"$found"
grep -E '^(lib/grammar|chapters/1[3-6]_|tests/chapters/1[3-6])' "$work/words" | xargs grep -HnE '\<[Jj]udg(e|ed|es|ing)\>' |
    sed 's|^\([^:]*\):\([0-9]*\):.*|words \1\tline \2: say validate|' >>"$found"

# ---- tests in folders --------------------------------------------------------------------------------------
# make compiles only the tests in these folders; a test in another folder would not run.
grep -E '^tests/.*\.cpp$' "$work/files" |
    grep -vE '^tests/(main\.cpp|(lib|golden|api|bits|serving|exercises|bench|fuzz|support|chapters/[0-9][0-9]|page/wasm)/[^/]*\.cpp)$' |
    while read -r file; do printf 'folder %s\tis in no folder of tests that make knows\n' "$file"; done >>"$found"

# ---- plain headers -----------------------------------------------------------------------------------------
grep -E '(^|/)plain_[^/]*\.hpp$' "$work/files" | while read -r file; do
    lines=$(wc -l <"$file")
    case $file in *plain_gpt.hpp | *plain_llama.hpp) most=150 ;; *plain_scheduler.hpp) most=115 ;; *plain_prefix_tree.hpp) most=100 ;; *plain_bpe.hpp) most=90 ;; *plain_diffusion.hpp | *plain_medusa.hpp | *plain_tree.hpp | *plain_beam_search.hpp | *plain_draft_length.hpp | *plain_speculative.hpp) most=95 ;; *) most=60 ;; esac
    [ "$lines" -le "$most" ] || printf 'plain %s\t%d lines\n' "$file" "$lines"
    sed -n "s|^$file ||p" "$work/includes" | grep / |
        grep -vxE 'lib/(core/(error|check|math)|json/json|model/trigonometry|select/integer_weights|show/short_number).hpp|chapters/[^/]*/(further/)?(plain_.*|checks|next_token).hpp|lib/grammar/recognizer/recognizer.hpp' |
        while read -r other; do printf 'plain %s\tincludes %s\n' "$file" "$other"; done
done >>"$found"

# ---- the ideas of 01 to 05 ---------------------------------------------------------------------------------
for chapter in chapters/0[1-5]_*; do
    lines=$(cat "$chapter"/*.hpp | wc -l)
    [ "$lines" -le 100 ] || printf 'idea %s\t%d lines of headers\n' "$chapter" "$lines"
done >>"$found"

# ---- layout ------------------------------------------------------------------------------------------------
# Versions of clang-format differ, so only the version that formatted the files is used.
formatter=
for name in clang-format-14 clang-format; do
    if [ -z "$formatter" ] && "$name" --version 2>/dev/null | grep -q ' 14\.'; then formatter=$name; fi
done
if [ -n "$formatter" ]; then
    xargs "$formatter" --dry-run -Werror <"$work/files" 2>&1 |
        sed -n 's/^\([^:]*\):\([0-9]*\):.*\[-Wclang-format-violations\]$/layout \1\tline \2/p' | sort -u -t"$(printf '\t')" -k1,1 >>"$found"
else
    echo "skipped: the layout of the code: there is no clang-format 14 here"
fi

# ---- lessons and the picture ---------------------------------------------------------------------------------
# Both scripts print "FILE: what is wrong" or "FILE what is wrong". Here it must be "rule FILE", a tab, and what is wrong.
tab=$(printf '\t')
reword() { sed -n "s/^\([^ :]*\):* \(.*\)/$1 \1$tab\2/p"; }
sh tests/lessons.sh code | grep -v ' passed, ' | reword excerpt >>"$found"
sh tests/architecture.sh check | reword picture >>"$found"

# ---- figures -----------------------------------------------------------------------------------------------
# Each figure has a title and is shown once: a picture used for two ideas explains neither.
find chapters -name '*.md' | while read -r page; do
    sed -n 's/.*!\[[^]]*\](\([^)]*[.]svg\)).*/\1/p' "$page" | while read -r link; do
        (cd "$(dirname "$page")" && cd "$(dirname "$link")" && echo "$(pwd)/$(basename "$link")")
    done
done | sed "s|^$PWD/||" | sort >"$work/shown"
for figure in chapters/*/*.svg data/models/*/*.svg data/*.svg; do
    grep -q '<title>[^<]' "$figure" || printf 'figure %s\tno <title>\n' "$figure"
    times=$(grep -cxF "$figure" "$work/shown")
    case $figure in
    chapters/*) [ "$times" -eq 1 ] || printf 'figure %s\tis shown %d times in the lessons\n' "$figure" "$times" ;;
    *) [ "$times" -le 1 ] || printf 'figure %s\tis shown %d times in the lessons\n' "$figure" "$times" ;;
    esac
done >>"$found"

# ---- mutants -----------------------------------------------------------------------------------------------
awk '
    function value() { return substr($0, index($0, ": ") + 2) }
    /^mutant: / { what = value() }
    /^solution: / { file = "solutions/" value() ".hpp" }
    /^file: / { file = value() }
    /^from: / {
        from = value(); hits = 0
        while ((getline line < file) > 0) if (index(line, from)) hits++
        close(file)
        if (hits != 1) print "mutant " FILENAME "\t" what ": its text stands in " hits " lines of " file
        listed[FILENAME]++
    }
    END { for (i = 1; i < ARGC; i++) if (!listed[ARGV[i]]) print "mutant " ARGV[i] "\tlists none" }' tests/mutants/*.txt tests/mutants/exercises/*.txt >>"$found"

# ---- against the list --------------------------------------------------------------------------------------
cut -f 1 "$found" | sort -u >"$work/broken"
grep -vE '^(#|$)' tests/structure.allow | sort -u >"$work/allowed"
[ -n "$formatter" ] || { grep -v '^layout ' "$work/allowed" >"$work/rest"; mv "$work/rest" "$work/allowed"; }
failed=0
for key in $(comm -23 "$work/broken" "$work/allowed" | tr ' ' '|'); do
    failed=$((failed + 1))
    rule=${key%%|*} file=${key#*|}
    echo "structure: $rule: $file: $(grep -F "$rule $file" "$found" | head -n 1 | cut -f 2)"
done
for key in $(comm -13 "$work/broken" "$work/allowed" | tr ' ' '|'); do
    failed=$((failed + 1))
    echo "structure: tests/structure.allow: '$(echo "$key" | tr '|' ' ')' is no longer needed: take it out"
done
# A file counts as one test. If hardly any files were found, the search is broken.
passed=$(($(wc -l <"$work/files") - failed))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 100 ]
