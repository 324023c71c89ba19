#!/bin/sh
# Pages in a real browser: those of --html, one for each decoder, and the course (make page), opened from disk and looked at.
#   tests/page/run.sh [BUILD]
# Needs node, chromium, and playwright-core and eslint from npm (installed into BUILD/test-page once). What is missing is said in one
# line, and nothing is tested. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
work=$build/test-page
skip() {
    echo "page: not tested: $1"
    echo "0 passed, 0 failed"
    exit 0
}
command -v node >/dev/null || skip "there is no node here (apt-get install nodejs npm)"
chromium=
for name in chromium chromium-browser google-chrome; do
    [ -n "$chromium" ] || chromium=$(command -v $name)
done
[ -n "$chromium" ] || skip "there is no chromium here (apt-get install chromium)"
mkdir -p "$work"
if [ ! -d "$work/node_modules/playwright-core" ]; then
    [ -z "${NO_INSTALL:-}" ] || skip "there is no playwright-core in $work/node_modules (NO_INSTALL is set)"
    cp tests/page/package.json "$work/"
    echo "page: npm install playwright-core eslint (into $work)"
    npm install --prefix "$work" --no-audit --no-fund --loglevel=error >/dev/null 2>&1 || skip "npm could not fetch playwright-core"
fi

# Each decoder, as somebody would type it.
make_page() {
    name=$1
    shift
    "$build/23_text_generator" --html "$work/$name.html" --trace "$work/$name.jsonl" "$@" >/dev/null 2>"$work/$name.log" ||
        { cat "$work/$name.log"; echo "0 passed, 1 failed"; exit 1; }
}
make_page sampling -n 40 --temperature 0.9 --top-k 40 --top-p 0.9 --min-p 0.02 --repetition-penalty 1.1
make_page greedy -n 30 --greedy "The weather today is"
make_page samples -n 12 --num-return-sequences 3
make_page prompts -n 8 "The weather today is" "I would like to"
make_page beams -n 24 --num-beams 4 --num-return-sequences 2 "The old lighthouse keeper"
make_page groups -n 12 --num-beams 4 --num-beam-groups 2 "The old lighthouse keeper"
make_page drafts -n 40 --assistant-model sketch
make_page rejection -n 40 --assistant-model sketch --coupling rejection
make_page lookup -n 40 --prompt-lookup-num-tokens 6 "The rain, the rain, the rain,"
make_page schema --json-schema data/schemas/person.json --max-whitespace 1 "A person: "
make_page regex --regex "Date: 20[0-9][0-9], month of (January|July)\." "Today: "
make_page guided-beams --json-schema data/schemas/person.json --max-whitespace 1 --num-beams 3 "A person: "
make_page guided-draft --json-schema data/schemas/person.json --max-whitespace 1 --assistant-model sketch "A person: "
make_page mirostat -n 20 --mirostat 2 --mirostat-tau 3
make_page filled -n 13 --greedy --diffusion-order confidence --infill " Would you like to come with us?" "I'm going to the beach to build a"
make_page canvas --decoder diffusion --diffusion-steps 8 --num-return-sequences 2 "Good morning"
make_page slide -n 20 --context slide
make_page emoji -n 6 "A fox 🦊 said: </script>"
"$build/23_text_generator" --html "$work/compare.html" --compare "$work/sampling.jsonl" "$work/samples.jsonl" 2>/dev/null

status=0
NODE_PATH=$work/node_modules node tests/page/test.mjs "$work" "$chromium" "$build/23_text_generator" || status=1
if command -v cmark-gfm >/dev/null; then
    sh data/page/course/make.sh "$work/course" >/dev/null && node tests/page/course.mjs "$work" "$chromium" || status=1
else
    echo "page: the course is not tested: there is no cmark-gfm here (apt-get install cmark-gfm)"
fi
exit $status
