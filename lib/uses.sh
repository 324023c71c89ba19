#!/bin/sh
# Which chapters does each program need? Read from the #include lines: a file's, and those of the files it includes. Prints, for
# the Makefile, a line for each chapter, group of tests, exercise, what `make try` shows of it, and for the benchmarks: NAME:chapter,chapter,… the last chapter first;
# "train" and "grammar" are lib/train and lib/grammar. A chapter that has an #include of another needs its archive, and what that one needs.
set -u
cd "$(dirname "$0")/.." || exit 1
grep -ro --include='*.cpp' --include='*.hpp' -E '^#include "(chapters/[0-9][0-9]_[a-z_]*|lib/train|lib/grammar|tests|exercises|[0-9][0-9]_[0-9])[^"]*"' chapters tests solutions exercises |
    awk '
        # The unit a file belongs to: a chapter, lib/train, lib/grammar or, where there are no archives, the file itself.
        function unit(path,  part) {
            split(path, part, "/")
            if (part[1] == "chapters") return part[2]
            if (part[1] == "lib") return part[2]
            return path
        }
        function visit(at,  i) {
            if (at in seen) return
            seen[at] = 1
            for (i = 1; i <= count[at]; i++) visit(used[at, i])
        }
        # The order of linking: the last chapter first, rooms of lib after all chapters.
        function before(a, b) { return (a ~ /^[0-9]/) == (b ~ /^[0-9]/) ? a > b : a ~ /^[0-9]/ }
        # Chapters, train and grammar that the files in roots[1..n] need.
        function show(name, n,  i, j, k, list, line) {
            for (i in seen) delete seen[i]
            for (i = 1; i <= n; i++) visit(roots[i])
            k = 0
            for (i in seen) if (i == "train" || i == "grammar" || i ~ /^[0-9][0-9]_/) list[++k] = i
            for (i = 2; i <= k; i++) for (j = i; j > 1 && before(list[j], list[j - 1]); j--) {
                line = list[j]; list[j] = list[j - 1]; list[j - 1] = line
            }
            line = name ":"
            for (i = 1; i <= k; i++) line = line (i > 1 ? "," : "") list[i]
            print line
        }
        function uses(from, to) {
            if (from == to || (from, to) in known) return
            known[from, to] = 1; used[from, ++count[from]] = to
        }
        {
            file = $0; sub(/:#include.*/, "", file)
            path = $0; sub(/.*#include "/, "", path); sub(/"$/, "", path)
            files[file] = 1
            # The tests of exercises include a solution, or the file of the same name in exercises.
            if (path ~ /^[0-9][0-9]_[0-9]/) { uses(unit(file), "solutions/" path); path = "exercises/" path }
            uses(unit(file), unit(path))
        }
        END {
            for (file in files) units[unit(file)] = 1
            for (u in units) if (u ~ /^[0-9][0-9]_/) { roots[1] = u; show(u, 1) }
            for (file in files) {
                if (file ~ /^tests\/(lib|golden|api|bits|chapters\/[^\/]*)\/[^\/]*\.cpp$|^tests\/fuzz\/replay\.cpp$/) {
                    group = file; sub(/\/[^\/]*$/, "", group); sub(/.*\//, "", group)
                    members[group, ++size[group]] = file
                } else if (file ~ /^tests\/exercises\/ex.*\.cpp$/) {
                    exercise[++exercises] = file
                    name = file; sub(/.*\//, "", name); sub(/\.cpp$/, "", name)
                    roots[1] = file; show("ex-" name, 1)
                } else if (file ~ /^exercises\/.*_try\.cpp$/) {
                    name = file; sub(/.*\//, "", name); sub(/_try\.cpp$/, "", name)
                    roots[1] = file; show("try-" name, 1)
                } else if (file ~ /^tests\/bench\//) bench[++benches] = file
            }
            for (group in size) { for (i = 1; i <= size[group]; i++) roots[i] = members[group, i]; show("tests-" group, size[group]) }
            for (i = 1; i <= exercises; i++) roots[i] = exercise[i]
            show("tests-exercises", exercises)
            for (i = 1; i <= benches; i++) roots[i] = bench[i]
            show("bench", benches)
        }'
