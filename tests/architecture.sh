#!/bin/sh
# Draws the picture of CONTRIBUTING.md from the #include lines. It shows which rooms and chapters use which others.
#   tests/architecture.sh          writes data/architecture.svg
#   tests/architecture.sh check    checks that this file is up to date
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
picture=data/architecture.svg
# Later rooms may include earlier ones.
rooms="core json select machine show kernels quantized text model mpi files chat serve grammar train corpus"

draw() {
    grep -rH --include='*.cpp' --include='*.hpp' -E '^#include "(lib|chapters)/' lib chapters | sort | awk -v rooms="$rooms" -F'[:"]' '
        # "lib/model/transformer.hpp" belongs to model, "chapters/05_top_p/main.cpp" to 05_top_p; lib/core/error.hpp to nobody.
        function part_of(path,  p) {
            if (split(path, p, "/") < 3) return ""
            return p[2]
        }
        function text(x, y, s, extra) { printf "<text x=\"%s\" y=\"%s\"%s>%s</text>\n", x, y, extra, s }
        function is_chapter(name) { return name ~ /^[0-9][0-9]_/ }
        # Does a reach b through others?
        function reaches(a, b,  c) {
            for (c = a - 1; c > b; c--) if (((chapter[a], chapter[c]) in uses) && (((chapter[c], chapter[b]) in uses) || reaches(c, b))) return 1
            return 0
        }
        {
            from = part_of($1); to = part_of($3)
            if (from == "" || to == "" || from == to) next
            uses[from, to] = 1
            if (is_chapter(from)) seen[from] = 1
            if (is_chapter(to)) seen[to] = 1
        }
        END {
            rooms = split(rooms, room, " ")
            for (name in seen) {
                chapter[++n] = name
                for (i = n; i > 1 && chapter[i - 1] > chapter[i]; i--) { t = chapter[i]; chapter[i] = chapter[i - 1]; chapter[i - 1] = t }
            }
            step = 24; left = 150; column = 292; top = 130; wide = 376 / rooms
            height = top + (n + rooms + 2) * step + 10
            printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 %d\" font-family=\"sans-serif\" font-size=\"13\">\n<title>Which chapter uses which, and which rooms of lib</title>\n", height
            print "<!-- written by tests/architecture.sh from the #include lines -->"
            printf "<rect width=\"720\" height=\"%d\" fill=\"white\"/>\n", height
            text(20, 28, "Who uses whom", " font-size=\"16\" font-weight=\"bold\"")
            text(20, 48, "Arcs: a chapter and the earlier ones it builds on (not drawn: those it has through another one).", " fill=\"#555\"")
            text(column, 70, "Dots: the rooms of lib that it includes itself.", " fill=\"#555\"")
            for (r = 1; r <= rooms; r++) {
                x = column + (r - .5) * wide
                text(x + 4, top + 6, room[r], " font-weight=\"bold\" transform=\"rotate(-45 " x + 4 " " top + 6 ")\"")
            }
            for (i = 1; i <= n + rooms; i++) {
                name = i <= n ? chapter[i] : room[i - n]
                y = top + (i + (i > n)) * step
                place[name] = y
                if (i == n + 1) text(20, y - step + 2, "the rooms of lib themselves", " fill=\"#555\"")
                printf "<line x1=\"20\" x2=\"700\" y1=\"%d\" y2=\"%d\" stroke=\"#e8e8e8\"/>\n", y + 7, y + 7
                label = i <= n ? name : "lib/" name
                text(20, y, label, is_chapter(name) ? "" : " font-weight=\"bold\"")
                for (r = 1; r <= rooms; r++)
                    if ((name, room[r]) in uses) printf "<circle cx=\"%.1f\" cy=\"%d\" r=\"5\" fill=\"#4878a8\"/>\n", column + (r - .5) * wide, y - 4
            }
            for (i = 2; i <= n; i++)
                for (j = i - 1; j >= 1; j--) {
                    if (!((chapter[i], chapter[j]) in uses) || reaches(i, j)) continue
                    a = place[chapter[i]] - 4; b = place[chapter[j]] - 4; bend = 14 + (a - b) / 2.6
                    if (bend > 130) bend = 130
                    printf "<path d=\"M%d %d C%d %d %d %d %d %d\" fill=\"none\" stroke=\"#c05838\" stroke-width=\"1.3\"/>\n", left, a, left + bend, a, left + bend, b, left, b
                    printf "<path d=\"M%d %d l7 -3.5 v7 z\" fill=\"#c05838\"/>\n", left, b
                }
            print "</svg>"
        }'
}

if [ "${1:-}" = check ]; then
    draw | cmp -s - "$picture" && exit 0
    echo "$picture shows other #include lines than there are: sh tests/architecture.sh draws it again"
    exit 1
fi
draw >"$picture.tmp" && mv "$picture.tmp" "$picture"
