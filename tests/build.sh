#!/bin/sh
# Tests how the course is built: a build that is killed, two at once, a full disk, a folder that cannot be written, names
# with spaces and quotes; and the totals of make test. The builds are of a chapter of a few lines, with our make files.
# Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
# holds WHAT COMMAND…
holds() {
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $what"; fi
}
says() { case $1 in *"$2"*) true ;; *) echo "no '$2' in: $1"; false ;; esac; }

# ---- the total says what was skipped -------------------------------------------------------------------------
mkdir "$work/ran" && date +%s >"$work/ran/.begin"
part() { sh tests/part.sh "$work/ran" "$@"; }
shown=$(part lib printf 'All tests passed\nskipped: GPT-2 itself: there is no folder\n3 passed, 0 failed\n'
    part 16 printf '1 passed, 0 failed\n')
holds "a part shows its name and its count" [ "$(echo $shown)" = "lib: 3 passed, 0 failed 16: 1 passed, 0 failed" ]
total=$(sh tests/total.sh "$work/ran" lib 16)
holds "the total names the test that was skipped, and why" says "$total" "skipped: lib: GPT-2 itself: there is no folder"
holds "the total counts it" [ "$(echo "$total" | tail -n 1)" = "4 passed, 0 failed, 1 skipped" ]
part broken false
total=$(sh tests/total.sh "$work/ran" 16 broken)
holds "a part that failed without a count is one failure" [ "$(echo "$total" | tail -n 1)" = "1 passed, 1 failed, 0 skipped" ]
counts=$(sed -n "s/.*<(awk '\(.*\)' \"\$work\/log\").*/\1/p" .ci/run)
holds ".ci/run reads a total" [ "$(printf '4 passed, 1 failed, 2 skipped\n3 passed, 0 failed\n' | awk "$counts")" = "7 1" ]

# ---- a chapter of two files, in a folder with an unusual name ------------------------------------------------
copy="$work/Zoë's \$HOME copy"
mkdir -p "$work/bin" "$copy/lib/core" "$copy/chapters/01_hello" "$copy/exercises" "$copy/solutions" "$copy/tests"
cp Makefile "$copy" && cp -R lib/build lib/install_packages.sh "$copy/lib"
cd "$copy" || exit 1
printf '#pragma once\n#include <cstdio>\n' >lib/build/std.hpp
printf '#pragma once\nint answer();\n' >lib/core/answer.hpp
printf '#include "lib/core/answer.hpp"\nint answer() { return 42; }\n' >lib/core/answer.cpp
printf '#include "lib/core/answer.hpp"\nint main() { std::printf("%%d\\n", answer()); }\n' >chapters/01_hello/main.cpp
# g++ and ar that write half of their output and then wait, if its name is in the file "slow".
for program in "${CXX:-g++}" ar; do
    cat >"$work/bin/${program##*[/ ]}" <<END
#!/bin/sh
for word; do
    case \$last\$word in -o* | rcs*) out=\$word ;; esac
    last=\$word
done
if [ -s slow ]; then case \${out:-} in *"\$(cat slow)"*) echo half >"\$out" && : >waiting; sleep 60 ;; esac; fi
PATH=\${PATH#*:} exec $program "\$@"
END
done
chmod +x "$work"/bin/*
compiler=${CXX:-g++}
# The packages are not looked for again.
fresh() { rm -rf build && mkdir build && touch build/.packages-run; }
build() { PATH="$work/bin:$PATH" NO_INSTALL=1 make -j1 --no-print-directory CXX="${compiler##*[/ ]}" "$@" 2>&1; }
answers() { says "$(build "$@" run-01)" 42; }
# Starts a build, waits until it writes this file, and sends it a signal, with all that it has started.
stopped_at() {
    fresh && rm -f waiting && echo "$1" >slow
    PATH="$work/bin:$PATH" NO_INSTALL=1 setsid make -j1 CXX="${compiler##*[/ ]}" run-01 >"$work/log" 2>&1 &
    tries=0
    until [ -f waiting ] || [ $tries -ge 300 ]; do tries=$((tries + 1)); sleep 0.1; done
    kill "-$2" "-$!"
    wait $! 2>"$work/log"
    rm slow && [ -f waiting ]
}
if command -v setsid >/dev/null; then
    for file in std.hpp.gch answer.o 01_hello; do
        holds "a build is killed while it writes $file" stopped_at $file KILL
        holds "half of $file is not taken for the whole" answers
    done
    holds "a build is interrupted" stopped_at answer.o INT
    holds "… which leaves nothing" [ -z "$(find build -name '*.new*')" ]
else echo "skipped: builds that are killed: there is no setsid here"; fi

fresh
{ build run-01 >"$work/other"; } &
holds "one of two builds at once" answers
wait $!
holds "the other one" says "$(cat "$work/other")" 42

# No file may be longer than 512 bytes, as on a disk that is full.
fresh
holds "a full disk ends a build" says "$(ulimit -f 1; build run-01 || echo "status $?")" "status 2"
holds "… and what was half written is built again" answers

holds "a folder that cannot be written has a line" says "$(build BUILD=/proc/build run-01)" "/proc/build cannot be written; another folder"
holds "another folder can be given" answers BUILD="$work/elsewhere"
holds "BUILD is one word" says "$(build BUILD='a b' run-01)" "BUILD=a b: expected one word"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
