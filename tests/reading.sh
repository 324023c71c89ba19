#!/bin/sh
# Counts what a reader must read to understand a chapter, as files/lines: the headers directly in its folder (its idea),
# and all code of chapters that its program includes, directly or through others, with the headers' .cpp files.
#   reading.sh           prints a table of all chapters
#   reading.sh COMMIT    prints the counts at an earlier commit beside today's
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# table ROOT prints a line "NUMBER NAME idea-files/lines reached-files/lines" for each chapter.
table() {
    (cd "$1" && find chapters -name '*.hpp' -o -name '*.cpp' | sort | xargs awk '
        FNR == 1 { files[++n] = FILENAME }
        { lines[FILENAME] = FNR }
        /^#include "/ {
            split($0, part, "\""); path = part[2]
            if (path !~ /^chapters\//) {  # older commits include from the folder "chapters", or from beside
                folder = FILENAME; sub(/\/[^\/]*$/, "", folder)
                beside[FILENAME, ++count[FILENAME]] = folder "/" path
                used[FILENAME, count[FILENAME]] = "chapters/" path
            } else used[FILENAME, ++count[FILENAME]] = path
        }
        function visit(file,  i, own) {
            if (file in seen || !(file in lines)) return
            seen[file] = 1; reached++; total += lines[file]
            for (i = 1; i <= count[file]; i++) { visit(used[file, i]); visit(beside[file, i]) }
            own = file
            if (sub(/\.hpp$/, ".cpp", own)) visit(own)
        }
        END {
            for (f = 1; f <= n; f++) {
                if (files[f] !~ /^chapters\/[^\/]*\/main\.cpp$/) continue
                split(files[f], part, "/"); chapter = part[2]
                ideas = idea = 0
                for (g = 1; g <= n; g++) {
                    rest = files[g]
                    if (index(rest, "chapters/" chapter "/") != 1 || rest !~ /\.hpp$/) continue
                    if (split(rest, part, "/") != 3) continue
                    ideas++; idea += lines[rest]
                }
                for (s in seen) delete seen[s]
                reached = total = 0
                visit(files[f])
                print substr(chapter, 1, 2), substr(chapter, 4), ideas "/" idea, reached "/" total
            }
        }')
}

table . >"$work/now"
if [ $# -eq 0 ]; then
    echo "chapter                 its headers  its program reaches  (files/lines)"
    awk '{ printf "%-22s %12s %20s\n", $1 " " $2, $3, $4 }' "$work/now"
    exit 0
fi
mkdir "$work/then" && git archive "$1" chapters | tar -x -C "$work/then" || exit 1
table "$work/then" >"$work/before"
echo "chapter                 its headers          its program reaches   (files/lines, at $1 and now)"
awk 'NR == FNR { idea[$1] = $3; all[$1] = $4; next }
     { printf "%-22s %9s -> %-9s %9s -> %-9s\n", $1 " " $2, idea[$1], $3, all[$1], $4 }' "$work/before" "$work/now"
