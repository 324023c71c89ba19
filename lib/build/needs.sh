#!/bin/sh
# What programs are compiled from: their own file and, for each header of ours that it includes, directly or through others, the
# .cpp files of that header. A .cpp file belongs to the header of its name, or else to the first of its folder that it includes.
#   needs.sh             as variables of make, for each main file, group of tests and exercises/learn: "NEEDS_lib := lib/… …"
#   needs.sh FILE…       for these files together, as words
cd "$(dirname "$0")/../.." || exit 1
grep -rE --include='*.cpp' --include='*.hpp' '^#include "[^"]*"' lib chapters exercises solutions tests | awk -F '[:"]' -v wanted="$*" '
    function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
    # The tests of an exercise include it from solutions or from exercises.
    { to = $3 ~ /^[0-9][0-9]_[0-9]/ ? "solutions/" $3 : $3; included[$1] = included[$1] " " to; is_file[to] }
    $1 ~ /^(lib|chapters)\/.*\.cpp$/ && $1 !~ /main\.cpp$|\/wasm\// {
        if (folder(to) == folder($1) && !($1 in mate)) mate[$1] = to
        if (!($1 in first)) first[$1] = to
    }
    # Adds what a file reaches to the list.
    function visit(file,  parts, n, i) {
        if (file in seen) return
        seen[file]
        if (file ~ /\.cpp$/ && file ~ /^(lib|chapters|exercises\/learn)\//) list = list " " file
        n = split(included[file] implementations[file], parts, " ")
        for (i = 1; i <= n; ++i) visit(parts[i])
    }
    function clear() { split("", seen); list = "" }
    END {
        for (file in first) {
            own = file
            sub(/cpp$/, "hpp", own)
            home = own in is_file ? own : file in mate ? mate[file] : first[file]
            implementations[home] = implementations[home] " " file
        }
        count = split(wanted, files, " ")
        for (i = 1; i <= count; ++i) visit(files[i])
        if (count) { print list; exit }
        for (file in included) {
            n = split(file, part, "/")
            name = file ~ /^exercises\/learn\// ? "learn" : file ~ /main\.cpp$/ ? file : \
                part[1] != "tests" ? "" : part[2] == "chapters" ? part[3] : n == 3 ? part[2] : ""
            if (name != "") members[name] = members[name] " " file
        }
        for (name in members) {
            clear()
            n = split(members[name], part, " ")
            for (i = 1; i <= n; ++i) visit(part[i])
            print "NEEDS_" name " :=" list
        }
    }'
