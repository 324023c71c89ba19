#!/bin/sh
# Writes lib/core/unicode_tables.hpp from the Unicode Character Database, as Debian's package unicode-data has it:
#   apt-get install unicode-data
#   sh lib/core/unicode_tables.sh /usr/share/unicode >lib/core/unicode_tables.hpp
# The tables have the version of these files. With another version, texts with its new characters get other ids,
# which must be written into CHANGELOG.md.
set -eu
folder=${1:?the folder of UnicodeData.txt and EastAsianWidth.txt}
awk '
function hex(digits,   value, i) {
    for (i = 1; i <= length(digits); i++) value = value * 16 + index("0123456789ABCDEF", substr(digits, i, 1)) - 1
    return value + 0
}
# A letter and how many characters it stands for (nothing: one), in string literals.
function put(letter, many,   word) {
    word = letter (many > 1 ? many : "")
    if (length(line) + length(word) > 90) flush_line()
    line = line word
}
function flush_line(end) { if (line != "") print "    \"" line "\"" end; line = "" }
BEGIN {
    n = split("Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn", names, " ")
    for (i = 1; i <= n; i++) number[names[i]] = i - 1
    last = 1114111  # U+10FFFF
}
FILENAME ~ /EastAsianWidth/ && /^# EastAsianWidth-/ { version = $2; sub(/EastAsianWidth-/, "", version); sub(/\.txt/, "", version) }
FILENAME ~ /EastAsianWidth/ && /^[0-9A-F]/ {
    split($0, field, /[ ;#]+/)
    if (field[2] != "W" && field[2] != "F") next
    ends = split(field[1], range, /\.\./)
    low = hex(range[1]); high = hex(range[ends])
    if (wide_count && wide_high[wide_count] + 1 == low) wide_high[wide_count] = high
    else { wide_low[++wide_count] = low; wide_high[wide_count] = high }
}
FILENAME ~ /UnicodeData/ {
    split($0, field, ";")
    c = hex(field[1])
    low = field[2] ~ /, Last>$/ ? first : c
    if (field[2] ~ /, First>$/) { first = c; next }
    for (i = low; i <= c; i++) category[i] = field[3]
}
END {
    for (c = 0; c <= last; c++) {
        is = c in category ? category[c] : "Cn"
        if (runs && is == run[runs]) continue
        run[++runs] = is; start[runs] = c
    }
    start[runs + 1] = last + 1
    print "// Made by lib/core/unicode_tables.sh from the Unicode Character Database " version ","
    print "// © 1991–2024 Unicode, Inc., under https://www.unicode.org/license.txt. Do not edit."
    print "#pragma once\n\n#include <string_view>\n"
    print "namespace tbt::unicode {\n"
    print "// From U+0000 to U+10FFFF: a letter for the general category (A to Z and a to d, in the order of"
    print "// Category), then how many characters in a row have it (nothing: one). e: capital and small"
    print "// letters in turn, beginning with a capital; f: with a small one."
    print "inline constexpr std::string_view categories ="
    for (i = 1; i <= runs; i++) {
        letter = substr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcd", number[run[i]] + 1, 1)
        from = start[i]
        if (pair(i)) { letter = run[i] == "Lu" ? "e" : "f"; while (pair(i + 1)) i++ }
        put(letter, start[i + 1] - from); kept++
    }
    flush_line(";")
    print "inline constexpr int category_runs = " kept ";\n"
    print "// In the same way the width in columns that East Asian texts give a character: w two, n one."
    print "inline constexpr std::string_view widths ="
    for (i = 1; i <= wide_count; i++) {
        put("n", wide_low[i] - (i > 1 ? wide_high[i - 1] + 1 : 0))
        put("w", wide_high[i] - wide_low[i] + 1)
    }
    put("n", last - wide_high[wide_count])
    flush_line(";")
    print "inline constexpr int width_runs = " 2 * wide_count + 1 ";"
    print "\n}  // namespace tbt::unicode"
}
# Run i is one letter, and the next run one of the other kind: as Latin and Cyrillic have them in turn.
function pair(i) {
    return i < runs && start[i + 1] == start[i] + 1 && start[i + 2] == start[i] + 2 &&
        ((run[i] == "Lu" && run[i + 1] == "Ll") || (run[i] == "Ll" && run[i + 1] == "Lu"))
}
' "$folder/EastAsianWidth.txt" "$folder/UnicodeData.txt"
