# Writes one source file that has an exercise's tests once for each of its mutants, so that the headers are compiled only once.
#   awk -f tests/mutants/batch.awk LIST SOLUTION TEST
# Mutant k is in a namespace m<k>, and its tests have the tag [m<k>]; m0 is the solution itself. -DONE=k compiles only mutant k.
# If a text of the list does not occur exactly once in the solution, a line on stderr names it, and the exit status is 1.
function value() { return length($0) > index($0, ":") ? substr($0, index($0, ":") + 2) : "" }
function quoted(text) { gsub(/[\\"]/, "\\\\&", text); return text }
FNR == 1 { part++ }

# ---- the list -----------------------------------------------------------------------------------------------
part == 1 && /^mutant: / { count++; what[count] = value() }
part == 1 && /^body: /   { body[count] = value() }
part == 1 && /^from: /   { from[count] = value() }
part == 1 && /^to:/      { to[count] = count in has_to ? to[count] "\n" value() : value(); has_to[count] = 1 }
part == 1 { next }

# ---- the solution and its test: includes go to the top ------------------------------------------------------
/^#pragma once/ || /^#include "[0-9][0-9]_/ { next }
/^#include/ { if (!($0 in included)) { included[$0] = 1; tops = tops $0 "\n" } next }
part == 2 { header[++lines] = $0 }
part == 2 && /<<< to here/ { last[regions] = lines - 1 }
part == 2 && />>> write here/ { first[++regions] = lines + 1 }
part == 3 { test = test $0 "\n" }

# Returns line i of the solution in mutant k; hits counts the lines where the mutant's text was found.
function line_of(k, i,  at) {
    if (k in body) {
        if (i < first[body[k]] || i > last[body[k]]) return header[i] "\n"
        return i == first[body[k]] ? to[k] "\n" : ""
    }
    if (k == 0 || !(at = index(header[i], from[k]))) return header[i] "\n"
    hits++
    return substr(header[i], 1, at - 1) to[k] substr(header[i], at + length(from[k])) "\n"
}

END {
    printf "%s", tops
    print "#undef TEST_CASE"
    print "#define TEST_CASE(name, tags) INTERNAL_CATCH_TESTCASE(name \" [\" MUTANT \"]\", tags \"[\" MUTANT \"]\")"
    for (k = 0; k <= count; k++) {
        hits = 0; text = ""
        for (i = 1; i <= lines; i++) text = text line_of(k, i)
        right = k == 0 || (k in body ? (body[k] in first) && (k in has_to) : hits == 1)
        if (!right) { print "BROKEN    " what[k] ": its text must stand exactly once in the solution" > "/dev/stderr"; bad = 1 }
        printf "#if !defined(ONE) || ONE == %d\n#define MUTANT \"m%d\"\n", k, k
        printf "namespace m%d {\nnamespace tbt { using namespace ::tbt; }\n%s%s}\n#undef MUTANT\n#endif\n", k, text, test
    }
    exit bad
}
