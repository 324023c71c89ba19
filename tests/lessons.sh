#!/bin/sh
# Checks that the lessons are true.
#   tests/lessons.sh           Every output block must be what its command prints now. Every line of a code block must
#                              be in the file that the block is taken from. Every link must lead somewhere. Every
#                              command to try must do what the lesson says.
#   tests/lessons.sh update    writes the present output into the blocks
#   tests/lessons.sh code      checks only the code blocks and the links
# With files after check, update or code, only these are checked: tests/lessons.sh check chapters/03_temperature/README.md
# An output block:  <!-- output: make run-03 ARGS="…" -->  followed by a ```text block.
# A code block:     <!-- from: temperature.hpp -->          followed by a ```cpp block; the path starts at the
#                   lesson's folder or at the repository's root.
# A link:           [text](path) or [text](path#anchor). The file or folder must exist, and the anchor must be one of its
#                   headings, as GitHub spells it, or an <a id="…">. Links to other sites are not followed.
# A command to try:  a line "    make run…", "    make chat" or "    build/…". It must succeed; if its comment begins with
#                   "refused", it must end with a message. Commands are not run if their comment mentions minutes or
#                   hours, or if they need a model that must first be trained or fetched (build/models, ~/models, a name
#                   of the hub).
# Ends with "N passed, N failed".
set -u
mode=${1:-check}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- *.md chapters/*.md chapters/*/*.md data/*/*.md exercises/*.md
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# Chapter 28's program needs Open MPI, which only this chapter installs.
cannot_run() {
    case $1 in *run-28*) ;; *) return 1 ;; esac
    command -v mpicxx >/dev/null 2>&1 && return 1
    echo "skipped: $lesson: \`$1\`: there is no Open MPI here"
}

# Prints the targets of a page's links, one on each line. Code has no links.
links() {
    awk '/^```/ { fence = !fence; next }
         fence  { next }
         { gsub(/`[^`]*`/, "")
           while (match($0, /\]\([^()]*\)/)) {
               target = substr($0, RSTART + 2, RLENGTH - 3); $0 = substr($0, RSTART + RLENGTH)
               sub(/ .*/, "", target); print target
           } }' "$1"
}

# Prints the anchors of a page: its <a id="…">, and its headings in small letters, without punctuation, with hyphens for spaces.
anchors() {
    awk '/^```/ { fence = !fence; next }
         !fence { rest = $0
                  while (match(rest, /<a (id|name)="[^"]*"/)) {
                      anchor = substr(rest, RSTART, RLENGTH - 1); rest = substr(rest, RSTART + RLENGTH)
                      sub(/.*"/, "", anchor); print anchor
                  } }
         !fence && /^##* / { sub(/^##* /, ""); $0 = tolower($0); gsub(/\]\([^()]*\)/, "")
                             gsub(/[][!"#$%&()*+,.\/:;<=>?@\\^`{|}~\047]/, ""); gsub(/…|·|–|—|’|→|√/, ""); gsub(/ /, "-")
                             print $0 (seen[$0]++ ? "-" seen[$0] - 1 : "") }' "$1"
}

for lesson in "$@"; do
    [ -f "$lesson" ] || continue
    folder=$(dirname "$lesson")

    # Output blocks: split the lesson into numbered commands and the text of their blocks.
    rm -f "$work"/*
    awk -v work="$work" '
        /^<!-- output: .* -->$/ { n++; command = $0; sub(/^<!-- output: /, "", command); sub(/ -->$/, "", command)
                                  print command > (work "/" n ".command"); printf "" > (work "/" n ".old"); waiting = 1; next }
        waiting && /^```text$/  { inside = 1; waiting = 0; next }
        inside && /^```$/       { inside = 0; next }
        inside                  { print > (work "/" n ".old") }' "$lesson"
    n=1
    while [ "$mode" != code ] && [ -f "$work/$n.command" ]; do
        command=$(cat "$work/$n.command")
        if cannot_run "$command"; then
            cp "$work/$n.old" "$work/$n.new"
            n=$((n + 1))
            continue
        fi
        # NO_COLOR and no terminal give the text that a reader would paste.
        if ! env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL NO_COLOR=1 sh -c "$command" > "$work/$n.raw" 2>"$work/$n.err" < /dev/null; then
            echo "$lesson: \`$command\` failed: $(tail -n 1 "$work/$n.err")"
            failed=$((failed + 1))
            cp "$work/$n.old" "$work/$n.new"
        else
            # Trailing spaces and empty lines at the end are ignored. A fence in the output would end the block.
            sed 's/[ ]*$//' "$work/$n.raw" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' > "$work/$n.new"
            if cmp -s "$work/$n.old" "$work/$n.new"; then
                passed=$((passed + 1))
            elif [ "$mode" = update ]; then
                echo "$lesson: updated the output of \`$command\`"
                passed=$((passed + 1))
            else
                echo "$lesson: \`$command\` prints something else now (tests/lessons.sh update writes it):"
                diff "$work/$n.old" "$work/$n.new" | head -n 6
                failed=$((failed + 1))
            fi
        fi
        n=$((n + 1))
    done
    if [ "$mode" = update ]; then
        awk -v work="$work" '
            /^<!-- output: .* -->$/ { n++; waiting = 1; print; next }
            waiting && /^```text$/  { print; while ((getline line < (work "/" n ".new")) > 0) print line; inside = 1; waiting = 0; next }
            inside && /^```$/       { inside = 0 }
            !inside                 { print }' "$lesson" > "$work/lesson" && cat "$work/lesson" > "$lesson"
    fi

    # Code blocks.
    awk -v folder="$folder" -v lesson="$lesson" '
        function check(  i) {
            for (i = 1; i <= count; i++) {
                text = lines[i]; gsub(/^[ ]+|[ ]+$/, "", text)
                if (text != "" && text != "…" && text != "..." && !(text in known)) {
                    print lesson ": not in " file ": " text; bad = 1
                }
            }
        }
        /^<!-- from: .* -->$/  { file = $0; sub(/^<!-- from: /, "", file); sub(/ -->$/, "", file)
                                 path = folder "/" file; delete known; found = 0
                                 while ((getline line < path) > 0) { found = 1; gsub(/^[ ]+|[ ]+$/, "", line); known[line] = 1 }
                                 close(path)
                                 if (!found) { path = file; while ((getline line < path) > 0) { found = 1; gsub(/^[ ]+|[ ]+$/, "", line); known[line] = 1 }; close(path) }
                                 if (!found) { print lesson ": there is no file " file; bad = 1 }
                                 waiting = 1; next }
        waiting && /^```cpp$/  { inside = 1; waiting = 0; count = 0; next }
        inside && /^```$/      { inside = 0; check(); next }
        inside                 { lines[++count] = $0 }
        END                    { exit bad }' "$lesson"
    if [ $? -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi

    # Commands to try. The files that they write are removed afterwards.
    awk '/^```/ { fence = !fence; next }
         !fence && /^    (make (run|chat)|build\/)/ && !/#.*(minute|hour)|build\/models|~\/|--model [A-Z][A-Za-z]*\// { sub(/^    /, ""); print }' "$lesson" >"$work/try"
    [ "$mode" = check ] || : >"$work/try"
    ls >"$work/before"
    while IFS= read -r command; do
        cannot_run "$command" && continue
        env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL NO_COLOR=1 sh -c "$command" >"$work/out" 2>"$work/err" </dev/null
        status=$?
        case $command in
        *'# refused'*) [ $status -ne 0 ] && [ -s "$work/err" ] ;;
        *) [ $status -eq 0 ] ;;
        esac
        if [ $? -eq 0 ]; then passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "$lesson: \`$command\` ended with $status: $(tail -n 1 "$work/err")"
        fi
    done <"$work/try"
    # What the commands have written here goes; a file that they do not name is somebody else's.
    ls | comm -13 "$work/before" - | while IFS= read -r new; do
        ! grep -qF -e "$new" "$work/try" || rm -f -- "$new"
    done

    # Links.
    for target in $(links "$lesson"); do
        case $target in *:*) continue ;; esac
        path=$folder/${target%%#*}
        case $target in "#"*) path=$lesson ;; esac
        anchor=
        case $target in *"#"*) anchor=${target#*"#"} ;; esac
        if [ ! -e "$path" ]; then
            echo "$lesson: a link leads nowhere: $target"
            failed=$((failed + 1))
        elif [ -n "$anchor" ] && ! anchors "$path" | grep -qxF -e "$anchor"; then
            echo "$lesson: a link leads nowhere: $target (no such heading)"
            failed=$((failed + 1))
        else
            passed=$((passed + 1))
        fi
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
