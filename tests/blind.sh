#!/bin/sh
# Blind reading: readers judge the texts of two models without knowing which model wrote which.
#   tests/blind.sh mix OLD NEW FOLDER   OLD and NEW: outputs of build/report MODEL --read data/prompts/strangers.
#                                       Writes FOLDER/texts, each item with A and B in random order, and FOLDER/key.
#   tests/blind.sh score FOLDER FILE…   counts verdicts: lines "o12: A+f B-" or "c3: A- B+"; + is fit to print; f or x
#                                       after it says whether three or more sentences follow from each other.
#   tests/blind.sh words CORPUS FILE    counts the texts of FILE (such an output) with a word in small letters that neither
#                                       CORPUS (build/corpus --folder … write --bytes 12000000) nor its prompt has.
#   tests/blind.sh leaks MODEL          counts records and lines of chat in 50 texts (seeds 0, 1, …) after each opening
# Items o1, o2, … are openings, c1, c2, … chats.
set -eu
usage() { sed -n '2,11s/^# //p' "$0" >&2; exit 2; }
case ${1-} in
mix)
    [ $# -eq 4 ] || usage
    mkdir -p "$4"
    awk -v folder="$4" '
        function flush() { if (item) text[item, file] = body; item = body = "" }
        BEGIN { srand(29) }
        FNR == 1 { flush(); file = FILENAME; files++ }
        /^[0-9]+\. \[/ { flush(); item = "o" ($1 + 0); body = $0; sub(/^[0-9]+\. \[/, "", body); sub(/\]/, "", body)
                         if (files == 1) items[++n] = item; next }
        /^[0-9]+\.$/   { flush(); item = "c" ($1 + 0); if (files == 1) items[++n] = item; next }
        /^$/           { flush(); next }
                       { body = body "\n" $0 }
        END {
            flush()
            if (!n) { print ARGV[1] ": there are no texts in it; expected the output of report --read" > "/dev/stderr"; exit 1 }
            for (i = 1; i <= n; i++) {
                first = rand() < .5 ? 1 : 2
                print "## " items[i] "\nA: " text[items[i], ARGV[first]] "\nB: " text[items[i], ARGV[3 - first]] "\n" > (folder "/texts")
                print items[i], first == 1 ? "old new" : "new old" > (folder "/key")
            }
        }' "$2" "$3"
    ;;
score)
    [ $# -ge 3 ] || usage
    shift
    folder=$1
    shift
    awk '
        NR == FNR { wrote[$1, "A"] = $2; wrote[$1, "B"] = $3; next }
        { item = $1; sub(/:$/, "", item); kind = item ~ /^o/ ? "openings" : "chats"
          for (i = 2; i <= NF; i++) {
              who = wrote[item, substr($i, 1, 1)]; verdict = substr($i, 2, 1); follows = substr($i, 3, 1)
              if (who == "") continue
              all[kind, who]++; fit[kind, who] += verdict == "+"
              if (follows == "") continue
              all["stories that follow", who]++; fit["stories that follow", who] += follows == "f"
          } }
        END {
            split("openings,chats,stories that follow", kinds, ",")
            for (k = 1; k <= 3; k++)
                for (w = 1; w <= 2; w++) {
                    who = w == 1 ? "old" : "new"; a = all[kinds[k], who]
                    if (a) printf "%-20s %s %4d of %4d  %3.0f %%\n", kinds[k], who, fit[kinds[k], who], a, 100 * fit[kinds[k], who] / a
                }
        }' "$folder/key" "$@"
    ;;
words)
    [ $# -eq 3 ] || usage
    LC_ALL=C awk '
        function words(line, list) { gsub(/\342\200\231/, "\047", line); gsub(/\342\200./, " ", line)
                                     gsub(/[^A-Za-z\047\200-\377]+/, " ", line); return split(line, list, " ") }
        function trimmed(word) { gsub(/^\047+|\047+$/, "", word); return word }
        function learn(line, into,  i, n, list) { n = words(tolower(line), list); for (i = 1; i <= n; i++) into[trimmed(list[i])] }
        function judge(line,  i, n, list, word) {
            n = words(line, list)
            for (i = 1; i <= n; i++) {
                word = trimmed(list[i])
                if (word ~ /[A-Z]/ || word == "" || word in known || word in prompt) continue
                odd = odd " " word
            }
        }
        function flush() { if (any) { texts++; if (odd != "") { bad++; found = found odd } }; any = 0; odd = ""; split("", prompt) }
        NR == FNR       { learn($0, known); next }
        /^$/            { flush(); next }
        /^[0-9]+\. \[/  { any = 1; at = index($0, "]"); learn(substr($0, 1, at), prompt); judge(substr($0, at + 1)); next }
        /^[0-9]+\.$/    { any = 1; next }
        /^Assistant:/   { judge($0); next }
                        { learn($0, prompt) }
        END             { flush(); print bad + 0 " of " texts + 0 " texts:" found }' "$2" "$3"
    ;;
leaks)
    [ $# -eq 2 ] || usage
    seed=0
    while read -r opening; do
        build/23_text_generator "$opening" --model "$2" -n 80 --num-return-sequences 50 --seed $seed --output-format jsonl
        seed=$((seed + 1))
    done <data/prompts/strangers/openings.txt | awk '
        { texts++; sub(/.*,"text":"/, ""); sub(/","ids":.*/, ""); records += /\{|\[\\"/; chats += /User:|Assistant:/ }
        END { print records + 0 " records and " chats + 0 " chats in " texts + 0 " texts"; exit !texts }'
    ;;
*) usage ;;
esac
