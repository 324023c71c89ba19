# Prints the places in C++ files where a small mistake can be planted. Each is a line with tabs between
#   FILE  LINE  COLUMN  LENGTH  the replacement  the kind of mistake
# No mistakes are planted in comments, string and character literals, preprocessor lines, the heads of templates, static_assert, and
# statements that throw (their messages). The files are formatted by clang-format, so binary operators have a space on both sides.
#   awk -f random.awk [-v skip=tests/mutants/random.skip] FILE.cpp…
BEGIN {
    for (i = 0; i < 10; i++) digit[i ""] = 1
    swap["<"] = "<="; swap["<="] = "<"; swap[">"] = ">="; swap[">="] = ">"; swap["=="] = "!="; swap["!="] = "=="
    swap["+"] = "-"; swap["-"] = "+"; swap["*"] = "/"; swap["/"] = "*"; swap["%"] = "/"; swap["&&"] = "||"; swap["||"] = "&&"
    swap["+="] = "-="; swap["-="] = "+="; swap["*="] = "/="; swap["/="] = "*="; swap["&"] = "|"; swap["|"] = "&"
    while (skip != "" && (getline line < skip) > 0)
        if (line !~ /^ *(#|$)/) {
            n = index(line, " | "); pattern[++skips] = "^" substr(line, 1, n - 1) "$"; text[skips] = substr(line, n + 3)
            if (n = index(text[skips], " | ")) { only[skips] = substr(text[skips], n + 3); text[skips] = substr(text[skips], 1, n - 1) }
        }
}
FNR == 1 { comment = raw = gone = continued = 0; last = ";" }

# Returns the line with spaces in place of everything that is not code.
function masked(line,  i, n, c, out, two) {
    out = ""; n = length(line)
    for (i = 1; i <= n; i++) {
        c = substr(line, i, 1); two = substr(line, i, 2)
        if (comment) { if (two == "*/") { comment = 0; out = out " "; i++ } out = out " "; continue }
        if (raw) { if (substr(line, i, length(end_of_raw)) == end_of_raw) { raw = 0; i += length(end_of_raw) - 1; out = out substr("               ", 1, length(end_of_raw)) } else out = out " "; continue }
        if (two == "//") break
        if (two == "/*") { comment = 1; out = out "  "; i++; continue }
        if (two == "R\"") {
            match(substr(line, i), /\(/)
            end_of_raw = ")" substr(line, i + 2, RSTART - 3) "\""; raw = 1
            out = out substr("                    ", 1, RSTART); i += RSTART - 1
            continue
        }
        if (c == "\"" || (c == "'" && !(i > 1 && substr(line, i - 1, 1) ~ /[0-9a-fA-F]/ && substr(line, i + 1, 1) ~ /[0-9a-fA-F]/ && substr(line, i + 2, 1) != "'"))) {
            # The quotes are kept, to show what is next to a string literal.
            out = out "\""
            for (i++; i <= n && substr(line, i, 1) != c; i++) { if (substr(line, i, 1) == "\\") { i++; out = out " " } out = out " " }
            out = out "\""
            continue
        }
        out = out c
    }
    return out
}
# Statements in which no mistakes are planted are blanked, from their beginning to their semicolon.
function without_statements(m,  at, end) {
    while (1) {
        if (gone) {
            end = index(m, ";")
            if (!end) return ""
            m = substr(sprintf("%" end "s", ""), 1, end) substr(m, end + 1); gone = 0
        }
        if (!match(m, /(^|[^A-Za-z_])(throw|static_assert|assert|using|friend|typedef) *[^;]*/)) return m
        if (substr(m, RSTART + RLENGTH, 1) == ";") {
            at = RSTART; end = RLENGTH + 1
            m = substr(m, 1, at - 1) sprintf("%" end "s", "") substr(m, at + end)
        } else { gone = 1; return substr(m, 1, RSTART) }
    }
}
function place(column, length_of, to, kind) { if (!skipped(to)) printf "%s\t%d\t%d\t%d\t%s\t%s\n", FILENAME, FNR, column, length_of, to, kind }
function skipped(to,  i) {
    for (i = 1; i <= skips; i++)
        if (FILENAME ~ pattern[i] && (text[i] == "" || index($0, text[i]))) {
            used[i] = 1
            if (only[i] == "" || only[i] == to) return 1
        }
    return 0
}
{
    m = masked($0)
    if (continued || m ~ /^ *#/) { continued = $0 ~ /\\$/; next }
    m = without_statements(m)
    ended = last
    if (m ~ /[^ ]/) { last = m; sub(/ +$/, "", last) }
    if (m ~ /template *</ || m ~ /operator/ || m ~ /^ *(namespace|struct|class|enum|case|extern) / || m !~ /[a-z0-9]/ || skipped("")) next
    # A buffer for a number or a line has room to spare.
    if (m ~ /^ *char [a-z_]+\[[0-9]+\];/) next

    # Operators with a space on both sides, but not next to a string literal.
    for (at = 1; match(substr(m, at), / (<=|>=|==|!=|&&|[|][|]|[-+*\/]=|[-<>+*\/%&|]) [^ ]/); at = start + 1) {
        start = at + RSTART - 1; op = substr(m, start + 1, RLENGTH - 3)
        if (substr(m, start - 1, 1) == "\"" || substr(m, start + RLENGTH - 1, 1) == "\"") continue
        if (op == "&" || op == "*") if (substr(m, 1, start) ~ /(auto|const|float|double|int|char|>) *$/) continue
        place(start + 1, length(op), swap[op], op ~ /[<>]|[=!]=/ && op !~ /[-+*\/]=/ ? "comparison" : "operator")
    }
    # Numbers plus one, and minus one if the result is not negative.
    for (at = 1; match(substr(m, at), /[0-9]+([.][0-9]+f?|[.]f?)?/); at = start + len) {
        start = at + RSTART - 1; len = RLENGTH; number = substr(m, start, len)
        before = substr(m, start - 1, 1); after = substr(m, start + len, 1)
        # A number between two string literals is a part of a message.
        if (substr(m, 1, start - 1) ~ /" *, *-?$/ && substr(m, start + len) ~ /^, *"/) continue
        if (start > 1 && before ~ /[A-Za-z0-9_.'"\\]/ || after ~ /[A-Za-z0-9_.'"]/) {
            # Skips the whole word.
            while (substr(m, start + len, 1) ~ /[A-Za-z0-9_.']/) len++
            continue
        }
        if (number ~ /[.]/) { value = number; sub(/f$/, "", value); f = number ~ /f$/ ? "f" : ""; place(start, len, sprintf("%.9g", value + 1) (value + 1 == int(value + 1) ? ".0" : "") f, "constant") }
        else if (length(number) < 9) { place(start, len, number + 1, "constant"); if (number > 0) place(start, len, number - 1, "constant") }
    }
    # true and false, ! before a name, ++ and -- as statements.
    for (at = 1; match(substr(m, at), /(^|[^A-Za-z_0-9])(true|false)([^A-Za-z_0-9]|$)/); at = start + 4) {
        start = at + RSTART - 1
        if (substr(m, start, 1) !~ /[tf]/ || start > 1 && substr(m, start, 5) !~ /^(true|false)/) start++
        word = substr(m, start, 4) == "true" ? "true" : "false"
        place(start, length(word), word == "true" ? "false" : "true", "constant")
    }
    for (at = 1; match(substr(m, at), /![A-Za-z_(]/); at = at + RSTART) place(at + RSTART - 1, 1, "!!", "negation")
    if (match(m, /std::(min|max)\(/)) place(RSTART + 5, 3, substr(m, RSTART + 5, 3) == "min" ? "max" : "min", "min and max")
    # A condition is negated.
    if (m ~ /^ *(} else )?if \(.*\)( [^(){}]*;| \{)? *$/ && match(m, /if \(/)) {
        depth = 0; start = RSTART + 3
        for (i = start; i <= length(m); i++) { c = substr(m, i, 1); depth += c == "("; depth -= c == ")"; if (!depth) break }
        if (!depth && index(substr(m, start, i - start), ";") == 0) place(start, i - start + 1, "(!" substr($0, start, i - start + 1) ")", "condition")
    }
    # A call that is a statement of its own is left out.
    if (ended ~ /[;{}:)]$|else$/ && m ~ /^ +[A-Za-z_][A-Za-z_0-9:.]*(->[A-Za-z_0-9.]+)*\([^;]*\);$/ && m !~ /^ *(return|throw|delete|co_|if|while|for|switch)/ && m !~ /[.>](reserve|shrink_to_fit)\(/) {
        match(m, /[A-Za-z_]/); place(RSTART, length(m) - RSTART, "(void)0", "dropped call")
    }
    # Two plain arguments are swapped.
    for (at = 1; match(substr(m, at), /[A-Za-z_0-9>]\([A-Za-z_][A-Za-z_0-9.]*, [A-Za-z_][A-Za-z_0-9.]*\)/); at = start + len) {
        start = at + RSTART - 1; len = RLENGTH
        if (substr(m, 1, start) ~ /(min|max|equal_to|size_t|abs)$/) continue
        split(substr(m, start + 2, len - 3), arg, ", ")
        if (arg[1] != arg[2] && arg[1] !~ /^(int|float|double|bool|char|auto|void)$/) place(start + 2, len - 3, arg[2] ", " arg[1], "swapped arguments")
    }
}
# What has moved is skipped no longer. (some: not all files are read.)
END { for (i = 1; some == "" && i <= skips; i++) if (!used[i]) print skip ": there is no " pattern[i] " | " text[i] > "/dev/stderr" }
