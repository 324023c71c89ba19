# Formulas as MathML: an indented block of one line with =, ≈ or ← becomes <math>; everything else stays.
#   cmark-gfm … | LC_ALL=C awk -f data/page/course/formula.awk
# Known: x_u, x^y, x^(a + b), x², √x, Σ_u, parentheses, words, numbers. Letters are taken byte by byte, as each awk does.

# The first character of rest: an entity, or a byte with those that continue it.
function peek() {
    if (match(rest, /^&[a-z]+;/)) return substr(rest, 1, RLENGTH)
    if (match(rest, /^[\300-\377][\200-\277]*/)) return substr(rest, 1, RLENGTH)
    return substr(rest, 1, 1)
}
function take(  c) { c = peek(); rest = substr(rest, length(c) + 1); return c }
function is_greek(c) { return c ~ /^(\316|\317)[\200-\277]$/ && c != "Σ" }
function is_operator(c) { return c ~ /^[-+=\/|,<>]$/ || c ~ /^&[lg]t;$/ || index("−·≈←≤≥…Σ", c) && length(c) > 1 }

# Up to a closing parenthesis or the end.
function row(  out, c, spaces, after) {
    out = ""; after = ""
    while (rest != "" && peek() != ")") {
        if (match(rest, /^ +/)) {
            spaces = RLENGTH; rest = substr(rest, spaces + 1); c = peek()
            if (spaces > 1) out = out "<mspace width=\"2em\"/>"
            else if ((!is_operator(after) || after == ",") && !is_operator(c) || c == "−" && rest ~ /^−[0-9]/) out = out "<mspace width=\".3em\"/>"
            if (c == "−" && rest ~ /^−[0-9]/) { take(); out = out "<mo form=\"prefix\">−</mo>" }
            after = ""
            continue
        }
        after = peek()
        # The article of a sentence beside the formula is no variable.
        if (rest ~ /^a /) { take(); out = out "<mtext>a</mtext>" } else out = out scripted()
    }
    return out
}
# A thing with what is below and above it.
function scripted(  thing, low, high) {
    thing = atom(); low = ""; high = ""
    if (peek() == "_") { take(); low = atom() }
    if (peek() == "^") { take(); high = exponent() } else if (peek() == "²") { take(); high = "<mn>2</mn>" }
    if (thing == "<mo>∑</mo>" && low != "") return "<munder>" thing low "</munder>"
    if (low != "" && high != "") return "<msubsup>" thing low high "</msubsup>"
    if (low != "") return "<msub>" thing low "</msub>"
    return high != "" ? "<msup>" thing high "</msup>" : thing
}
function exponent(  inside) {
    if (peek() == "−") { take(); return "<mrow><mo form=\"prefix\">−</mo>" atom() "</mrow>" }
    if (peek() != "(") return atom()
    take(); inside = row(); take()
    return "<mrow>" inside "</mrow>"
}
function atom(  c, inside) {
    if (match(rest, /^[0-9.]*[0-9]/) || match(rest, /^[A-Za-z]+'?/)) {
        c = substr(rest, 1, RLENGTH); rest = substr(rest, RLENGTH + 1)
        return c ~ /^[A-Za-z]/ ? "<mi>" c "</mi>" : "<mn>" c "</mn>"
    }
    c = take()
    if (c == "(") { inside = row(); take(); return "<mrow><mo stretchy=\"false\">(</mo>" inside "<mo stretchy=\"false\">)</mo></mrow>" }
    if (c == "√") return "<msqrt>" atom() "</msqrt>"
    if (c == "Σ") return "<mo>∑</mo>"
    return is_greek(c) ? "<mi>" c "</mi>" : "<mo>" c "</mo>"
}

/^<pre><code>/ {
    text = substr($0, 12)
    if ((getline second) > 0 && second == "</code></pre>" && text ~ / (=|≈|←) / && text !~ /^(make|build|node|curl)/) {
        rest = text
        print "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Formula\"><math display=\"block\">" row() "</math></div>"
        next
    }
    print; print second
    next
}
{ print }
