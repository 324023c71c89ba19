# Makes wrong answers to the exercises out of the solutions, by kind of mistake:   awk -f kinds.awk -v seed=1 -v count=20 solutions/*.hpp
# Prints `count` of each kind, those of the same seed always the same, as the lists of tests/mutants/exercises have them.
# A mistake is put into a line of a marked place that stands there only once, and neither throws nor has a text.
BEGIN {
    kinds = split("off by one|strict against inclusive|forgot to renormalise|wrong axis|in place against copy|integer division|NaN", kind, "|")
    state = seed * 69621 % 2147483646 + 1
    for (i = 0; i < 10; i++) random()
    # Lines NAME<tab>LINE<tab>WHY: with this line, that solution gives the same answers.
    while (skip && (getline < skip) > 0) { split($0, p, "\t"); same[p[1] "\t" p[2]] = 1 }
}
# Park and Miller's generator, because its products are exact in the doubles of every awk.
function random() { state = state * 16807 % 2147483647; return state / 2147483647 }

# One wrong answer for each place where `pattern` is found in the line: `to` stands there then, with what was found, but for its first
# `less` characters, in place of @.
function each(k, pattern, to, less,  at, found) {
    for (at = 1; match(substr(line, at), pattern); at += RSTART + RLENGTH - 1) {
        found = substr(line, at + RSTART - 1 + (less < 0 ? RLENGTH + less : less), less < 0 ? -less : RLENGTH - less)
        one(k, substr(line, 1, at + RSTART - 2) before_mark(to) found after_mark(to) substr(line, at + RSTART - 1 + RLENGTH))
    }
}
function before_mark(to) { return index(to, "@") ? substr(to, 1, index(to, "@") - 1) : to }
function after_mark(to) { return substr(to, index(to, "@") + 1) }
function drop(k, pattern, to,  at) {  # `to` alone
    for (at = 1; match(substr(line, at), pattern); at += RSTART + RLENGTH - 1)
        one(k, substr(line, 1, at + RSTART - 2) to substr(line, at + RSTART - 1 + RLENGTH))
}
function one(k, wrong) {
    if (wrong == line || (file "\t" wrong) in same) return
    n[k]++; place[k, n[k]] = file "\t" line "\t" wrong
}
# Swaps the names on both sides of `between`, wherever `pattern` is found; the names stand between one character on each side.
function swapped(k, pattern, between,  at, found, cut) {
    for (at = 1; match(substr(line, at), pattern); at += RSTART + RLENGTH - 1) {
        found = substr(line, at + RSTART, RLENGTH - 2)
        cut = index(found, between)
        one(k, substr(line, 1, at + RSTART - 1) substr(found, cut + length(between)) between substr(found, 1, cut - 1) \
            substr(line, at + RSTART + RLENGTH - 2))
    }
}

function mistakes(  at) {
    each(1, " [-+] 1[^0-9.e]", "@", 4); each(1, " [-+] 1[^0-9.e]", " + 2@", 4)
    each(1, "size[(][)]", "@ - 1"); drop(1, " = 0;", " = 1;"); each(1, "begin[(][)]", "@ + 1")
    drop(2, " < ", " <= "); drop(2, " <= ", " < "); drop(2, " > ", " >= "); drop(2, " >= ", " > ")
    drop(3, " /= [^;]*;", " /= 1;"); each(3, " / (k|n|N|sum|total|mass|norm|all|before|both)[;,) ]", "@", -1); drop(3, " [*] inverse", "")
    each(3, " / static_cast<[a-z]+>[(]", " * 0 +@", 2); each(3, " - (m|largest|log_[a-z]+|total)[;,) ]", "@", -1)
    swapped(4, "\\[[a-z]+\\]\\[[a-z]+\\]", "]["); swapped(4, "[(][a-z], [a-z][),]", ", "); swapped(4, "[([][a-zA-Z]+ [*] [A-Za-z]+ [+]", " * ")
    swapped(4, "[ ([][a-z] [*] [A-Z] [+]", " * "); drop(4, "[.]first", ".second"); drop(4, "[.]second", ".first")
    drop(4, " (rows|columns|row|column)[.]size[(][)]", " 1"); drop(4, "\\[[tur]\\]", "[0]"); drop(4, "\\[[dc]\\]", "[0]")
    if (line !~ /const/) each(5, "[&] [a-z_]+ :", "@", 1)  # for (double& x : p): a copy of each
    if (line ~ /^(const )?(std::vector|Row|auto|std::string|double|float|int)[^=(]* [a-z_]+ = [a-z_.]+;/) each(5, " [a-z_]+ =", " &@", 1)
    drop(5, "std::exchange[(]", "std::min(")
    if (line ~ /static_cast<(double|float)>.* [/] static_cast</) { at = line; gsub(/static_cast<(double|float)>/, "static_cast<long>", at); one(6, at) }
    if (line ~ /^(const )?(double|float) .* [/] /) { at = line; sub(/double|float/, "long", at); one(6, at) }
    drop(6, "1[.]0?f? / ", "1 / "); drop(6, "0?[.]5f? [*] ", "(1 / 2) * ")
    for (at = 1; match(substr(line, at), /[a-z_.]+ \/ [a-z_.]+[;,) ]/); at += RSTART + RLENGTH - 1)  # x / y
        one(6, substr(line, 1, at + RSTART - 2) "std::trunc(" substr(line, at + RSTART - 1, RLENGTH - 1) ")" substr(line, at + RSTART + RLENGTH - 2))
    drop(6, "100[.]0? [*] ", "100 * "); drop(6, "std::(round|nearbyint|lround)[(]", "std::trunc(")
    drop(7, "-?std::numeric_limits<(double|float)>::infinity[(][)]", "std::nan(\"\")"); drop(7, "minus_infinity", "std::nan(\"\")")
    drop(7, "!\\(", "("); drop(7, "std::sqrt[(]", "std::sqrt(-"); drop(7, "std::log[(]", "std::log(-")
    drop(7, "std::max[(][^,()]*, ", "("); drop(7, "[a-z]+ > 0 ", "true "); drop(7, "std::isnan[(]", "!("); drop(7, "std::isfinite[(]", "bool(")
}

function of_file(  i, j, inside, hits, stood) {
    for (i = 1; i <= lines; i++) {
        if (text[i] ~ /<<< to here/) inside = 0
        line = text[i]; sub(/^ +/, "", line); sub(/ *\/\/ .*/, "", line)
        if (inside && line != "" && line !~ /"|throw/) {
            hits = 0
            for (j = 1; j <= lines; j++) if (index(text[j], line)) hits++
            if (hits == 1) mistakes()
        }
        if (text[i] ~ />>> write here/) inside = 1
    }
}
FNR == 1 { if (lines) of_file(); lines = 0; file = FILENAME; sub(/.*\//, "", file); sub(/[.]hpp$/, "", file) }
{ text[++lines] = $0 }
END {
    of_file()
    for (k = 1; k <= kinds; k++)
        for (left = count; left > 0 && n[k] > 0; left--) {
            i = 1 + int(random() * n[k])
            split(place[k, i], p, "\t")
            printf "solution: %s\nmutant: %s: %s  ->  %s\nfrom: %s\nto: %s\n\n", p[1], kind[k], p[2], p[3], p[2], p[3]
            place[k, i] = place[k, n[k]--]
        }
}
