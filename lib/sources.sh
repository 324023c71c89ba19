#!/bin/sh
# Which .cpp files does each program need? Its main.cpp, and for every header that is reached from there the .cpp of the same
# name, and what that one includes. Prints, for the Makefile, a line for each program: NAME:file.cpp,file.cpp,…
# A .cpp without a header of its name belongs to every file of its folder. The line json:… has the .cpp files, of tests too, that see the header of JSON.
set -u
cd "$(dirname "$0")/.." || exit 1
{
    find lib chapters exercises/learn -name '*.cpp' | sed 's/^/source /'
    grep -rHE --include='*.cpp' --include='*.hpp' '^#include "(lib|chapters|exercises|tests)/' lib chapters exercises/learn tests |
        sed -n 's/^\([^:]*\):#include "\([^"]*\)".*/includes \1 \2/p'
} | awk '
    function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
    function visit(file,  i, own) {
        if (file in seen) return
        seen[file] = 1
        if (file ~ /\.cpp$/) needed = needed (needed == "" ? "" : ",") file
        for (i = 1; i <= count[file]; i++) visit(used[file, i])
        own = file
        if (sub(/\.hpp$/, ".cpp", own) && (own in source)) visit(own)
        for (i = 1; i <= homeless[folder(file)]; i++) visit(alone[folder(file), i])
    }
    function sees_json(file,  i) {
        if (file in known) return known[file]
        known[file] = file == "lib/machine/json_file.hpp"
        for (i = 1; i <= count[file]; i++) if (sees_json(used[file, i])) known[file] = 1
        return known[file]
    }
    $1 == "source" { source[$2] = 1; next }
    { used[$2, ++count[$2]] = $3; header[$2] = header[$3] = 1 }
    END {
        for (file in source) {
            own = file; sub(/\.cpp$/, ".hpp", own)
            if (!(own in header) && file !~ /(^|\/|_)main\.cpp$/) alone[folder(file), ++homeless[folder(file)]] = file
        }
        for (file in source) {
            if (file !~ /^(chapters|exercises)\/.*(\/|_)main\.cpp$/) continue
            for (i in seen) delete seen[i]
            needed = ""
            visit(file)
            split(file, part, "/")
            name = part[2]
            if (file !~ /\/main\.cpp$/) { name = file; sub(/.*\//, "", name); sub(/_main\.cpp$/, "", name) }
            print name ":" needed
        }
        for (file in count) if (file ~ /\.cpp$/ && sees_json(file)) json = json "," file
        print "json:" substr(json, 2)
    }'
