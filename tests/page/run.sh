#!/bin/sh
# Opens pages in a real browser and checks them: those of --html, one for each decoder, the server's, and the course (make page).
#   tests/page/run.sh [BUILD]
# Needs node, chromium, and playwright-core and eslint from npm, which are installed into BUILD/test-page once. With CI=1 there are no
# eslint and no screenshots, and the time limits are shorter. If a program is missing, a line says so, and nothing is tested. UPDATE=1
# rewrites tests/page/shapes.json. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
work=$build/test-page
skip() {
    echo "skipped: the pages: $1"
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
patience=120
within() { if command -v timeout >/dev/null; then timeout "$@"; else shift && "$@"; fi; }
# Installs one of the packages of package.json, in the version given there.
fetch() {
    version=$(sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" tests/page/package.json)
    echo "page: npm install $1@$version (into $work)"
    [ -f "$work/package.json" ] || echo '{ "private": true }' >"$work/package.json"
    within $patience npm install --prefix "$work" --no-audit --no-fund --loglevel=error "$1@$version" >/dev/null 2>&1 &&
        : >"$work/.has-$1"  # not the folder that npm makes: it could be half of one
}
if [ ! -f "$work/.has-playwright-core" ]; then
    if [ -z "${NO_INSTALL:-}" ]; then fetch playwright-core || skip "npm could not fetch playwright-core within $patience s"
    elif [ ! -d "$work/node_modules/playwright-core" ]; then skip "there is no playwright-core in $work/node_modules (NO_INSTALL is set)"; fi
fi
[ -f "$work/.has-eslint" ] || [ -n "${NO_INSTALL:-}" ] || [ -n "${CI:-}" ] || fetch eslint ||
    echo "skipped: linting the scripts: npm could not fetch eslint within $patience s"

# A page of each decoder, with options that a user would type.
page_of() {
    program=$1 name=$2
    shift 2
    "$build/$program" --html "$work/$name.html" "$@" >/dev/null 2>"$work/$name.log" ||
        { cat "$work/$name.log"; echo "0 passed, 1 failed"; exit 1; }
}
make_page() {
    name=$1
    shift
    page_of 23_text_generator "$name" --trace "$work/$name.jsonl" "$@"
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
make_page attention -n 20 --attention 4.5 --assistant-model sketch
make_page emoji -n 6 "A fox 🦊 said: </script>"
# The programs of the chapters.
page_of 10_generate ch10 -n 12 --num-return-sequences 2
page_of 11_beam_search ch11 --lattice 0 --horizon 0 -n 12
page_of 11_beam_search ch11-groups --lattice 0 --horizon 0 -n 8 --num-beam-groups 2
page_of 12_speculative ch12 --part text -n 24
page_of 13_json_grammar ch13 --part model --trace "$work/ch13.jsonl"
page_of 14_grammar ch14 --part 5 --grammar data/grammars/date.gbnf "Today is "
page_of 15_regular ch15 --part 6 --trace "$work/ch15.jsonl"
page_of 16_json_schema ch16 --part 5
page_of 22_diffusion ch22 --part 2 --trace "$work/ch22.jsonl"
# Medusa's heads belong to one model, and are refused with another.
rm -f "$work/heads.html" "$work/ch21.html"
if "$build/23_text_generator" --medusa -n 1 >/dev/null 2>&1; then
    make_page heads -n 40 --medusa
    page_of 21_medusa ch21 --part 2 -n 24
else
    echo "page: no trees: $("$build/23_text_generator" --medusa -n 1 2>&1 >/dev/null | head -n 1)"
fi
compare() { "$build/23_text_generator" --html "$work/$1.html" --compare "$work/$2.jsonl" "$work/$3.jsonl" 2>/dev/null; }
compare compare sampling samples
compare chapters ch13 ch15
compare other-chapters ch22 filled

status=0
most=600
[ -z "${CI:-}" ] || most=150
# If the machine is too slow, a line says so, and this does not count as a failure.
look() {
    within $most node "$@" "$work" "$chromium" "$build/23_text_generator"
    code=$?
    [ $code -ne 124 ] || { echo "skipped: the rest of the pages: $1 took more than $most s"; echo "0 passed, 0 failed"; return 0; }
    return $code
}
look tests/page/test.mjs || status=1
# The page of the server, if that was built.
[ ! -x "$build/serve" ] || look tests/page/serve.mjs || status=1
if command -v cmark-gfm >/dev/null; then
    live=$build-live/live_data.js
    sh data/page/course/make.sh "$work/course" "$live" $(ls "$build"-wasm/playground*.html 2>/dev/null) >/dev/null && look tests/page/course.mjs || status=1
    if [ -f "$live" ]; then look tests/page/live.mjs || status=1
    else echo "skipped: the live figures: there is no $live (make page builds it)"; fi
else
    echo "skipped: the course as pages: there is no cmark-gfm here (apt-get install cmark-gfm)"
fi
# The playground, if it was built.
playground=$build-wasm/playground.html
if [ -f "$playground" ] && [ -f "$build-wasm/playground_gaps.html" ]; then
    cp "$playground" "$build-wasm/playground_gaps.html" "$work/" && look tests/page/playground.mjs || status=1
else
    echo "skipped: the playground: there is no $playground (make page builds it)"
fi
exit $status
