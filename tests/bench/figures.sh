#!/bin/sh
# Fills BENCHMARKS.md: runs the benchmarks several times and writes the median and the range of each figure of figures.txt.
#   figures.sh BUILD RUNS [SECTION,SECTION…]     make figures calls this, on a machine that does nothing else
# The result of each run is kept in BUILD/figures, and a run whose result exists is skipped (rm -r BUILD/figures starts again).
set -eu
cd "$(dirname "$0")/../.."
build=$1 runs=$2 only=${3:-$(sed -n 's/^[^#|]*| *\([a-z]*\) *|.*/\1/p' tests/bench/figures.txt | sort -u | grep -v '^cache$' | paste -sd, -)}
mkdir -p "$build/figures"
i=1
while [ "$i" -le "$runs" ]; do
    file=$build/figures/$i.json
    if [ ! -s "$file" ]; then
        echo "run $i of $runs" >&2
        "$build/bench" --thorough --only "$only" --json "$file.new" >&2
        mv "$file.new" "$file"
    fi
    i=$((i + 1))
done

table() {
    awk -F ' *[|] *' '
        function number(s) { return s ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ }
        function same(a, b) { return number(a) && number(b) ? a + 0 == b + 0 : a == b }
        function shown(value, decimals,  s) {
            s = sprintf("%." decimals "f", value)
            while (match(s, /[0-9][0-9][0-9][0-9]($|[.,])/)) s = substr(s, 1, RSTART) "," substr(s, RSTART + 1)
            return s
        }
        # The JSON object that was just read is a row of `section`. Finds the figures that it has.
        function look(  i, k, n, parts, at, fits) {
            for (i = 1; i <= figures; i++) {
                if (of[i] != section) continue
                n = split(where[i], parts, "; *")
                fits = 1
                for (k = 1; k <= n; k++) {
                    for (at in cell) if (index(parts[k], at "=") == 1) break
                    if (index(parts[k], at "=") != 1) { fits = 0; break }
                    value = substr(parts[k], length(at) + 2)
                    if (value == "all") value = threads
                    if (!same(cell[at], value)) { fits = 0; break }
                }
                if (fits && (column[i] in cell) && number(cell[column[i]])) measured[i, ++count[i]] = cell[column[i]]
            }
        }
        FILENAME ~ /figures\.txt$/ {
            if ($0 ~ /^#/ || NF < 5) next
            what[++figures] = $1; of[figures] = $2; where[figures] = $3; column[figures] = $4
            decimals[figures] = $5 + 0; unit[figures] = $5; sub(/^[0-9]+ */, "", unit[figures])
            next
        }
        FNR == 1 { depth = 0 }
        # The bench writes its JSON with one name and value on each line.
        {
            line = $0; sub(/^ */, "", line); sub(/,$/, "", line)
            if (line == "{") for (at in cell) delete cell[at]
            else if (line == "}") look()
            else if (match(line, /^"[^"]*": /)) {
                name = substr(line, 2, RLENGTH - 4); value = substr(line, RLENGTH + 1)
                if (value == "[") section = name
                else { gsub(/^"|"$/, "", value); cell[name] = value }
            } else if (number(line)) threads = line + 0 > threads ? line + 0 : threads
        }
        END {
            print "| what | median | lowest to highest | `make bench` |"
            print "|---|---|---|---|"
            for (i = 1; i <= figures; i++) {
                n = count[i]
                if (!n) { print "figures: not in these runs: " what[i] " (" of[i] ": " where[i] ")" > "/dev/stderr"; continue }
                for (a = 2; a <= n; a++) for (b = a; b > 1 && measured[i, b] + 0 < measured[i, b - 1] + 0; b--) {
                    t = measured[i, b]; measured[i, b] = measured[i, b - 1]; measured[i, b - 1] = t
                }
                section_name = of[i] == "cache" ? "gpt" : of[i]
                printf "| %s | %s %s | %s to %s | `ONLY=%s` |\n", what[i], shown(measured[i, int((n + 1) / 2)], decimals[i]), unit[i],
                    shown(measured[i, 1], decimals[i]), shown(measured[i, n], decimals[i]), section_name
            }
        }' tests/bench/figures.txt "$@"
}
set --
i=1
while [ "$i" -le "$runs" ]; do set -- "$@" "$build/figures/$i.json"; i=$((i + 1)); done
new=$(mktemp)
trap 'rm -f "$new"' EXIT
table "$@" >"$new.table" || { rm -f "$new.table"; exit 1; }
simd=$(sed -n 's/.*"simd_bits": \([0-9]*\).*/\1/p' "$1")
awk -v table="$new.table" -v said="Measured on $(date +'%-d %B %Y') on $(getconf _NPROCESSORS_ONLN) cores with SIMD of $simd bits: the median of $runs runs of \`make bench\`, and the range." '
    /^<!-- figures/ { print; print ""; print said; print ""; while ((getline line < table) > 0) print line; print ""; skip = 1; next }
    /^<!-- end of figures/ { skip = 0 }
    !skip' BENCHMARKS.md >"$new"
rm -f "$new.table"
cat "$new" >BENCHMARKS.md
