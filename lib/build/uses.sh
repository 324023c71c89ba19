#!/bin/sh
# Prints which unit includes which other one, as variables for make: "USES_04_top_k += core". A unit is a room of lib, a chapter, the
# tools or the server of a chapter, a group of tests, or else the file itself. From these make finds what a program is linked with.
cd "$(dirname "$0")/../.." || exit 1
grep -rE --include='*.cpp' --include='*.hpp' '^#include "[^"]*"' lib chapters exercises solutions tests | awk -F '[:"]' '
    function unit(path,  part) {
        split(path, part, "/")
        if (part[1] == "lib") return part[2]
        if (part[1] == "chapters") return part[2] (part[3] ~ /^(tools|server)$/ ? "-" part[3] : "")
        if (path ~ /^tests\/chapters\//) return "tests-" part[3]
        if (path ~ /^tests\/(lib|golden|api|bits|serving|fuzz|bench)\//) return "tests-" part[2]
        # The tests of an exercise include it from solutions or from exercises.
        return path ~ /^[0-9][0-9]_[0-9]/ ? "solutions/" path : path
    }
    { from = unit($1); to = unit($3) }
    from != to && !seen[from, to]++ { print "USES_" from " += " to }'
