#!/bin/sh
# Calls the programs of chapters 01 to 12 and 20 to 24, and the server, with wrong input. A program must write one clear line to
# stderr and nothing else, and exit with status 2 (the command line is wrong) or 1 (something else is wrong). It must never crash.
#   tests/refusals.sh [BUILD]
# Ends with "N passed, N failed".
set -u
build=${1:-build}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# refused STATUS TEXT PROGRAM ARGUMENTS…
refused() {
    wanted=$1 text=$2 program=$3
    shift 3
    "$build/$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    if [ "$status" -eq "$wanted" ] && [ "$(wc -l <"$work/err")" -eq 1 ] && [ ! -s "$work/out" ] && grep -qF -- "$text" "$work/err"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$program $*: expected status $wanted, nothing on stdout and \"$text\", got status $status and: $(head -c 300 "$work/err")"
    fi
}
# noted TEXT PROGRAM ARGUMENTS…: the program works, and says TEXT on stderr.
noted() {
    text=$1 program=$2
    shift 2
    case " $* " in *" -n "*) ;; *) set -- "$@" -n 2 ;; esac
    if "$build/$program" "$@" >"$work/out" 2>"$work/err" </dev/null && [ -s "$work/out" ] && { [ -z "$text" ] || grep -qF -- "$text" "$work/err"; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$program $*: expected success, and \"$text\" on stderr, got: $(head -c 300 "$work/err")"
    fi
}
# holds WHAT COMMAND…
holds() {
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $what"; fi
}

# Invalid values.
refused 2 'temperature: got -1, expected a number >= 0' 10_generate --temperature -1
refused 2 'temperature: got nan, expected' 10_generate --temperature nan
refused 2 "--temperature: got 'warm', expected a number" 10_generate --temperature warm
refused 2 "--top-k: got '1.5', expected a whole number" 10_generate --top-k 1.5
refused 2 'top-p: got 1.5, expected a probability' 10_generate --top-p 1.5
refused 2 '90 percent are 0.9' 10_generate --top-p 90
refused 2 'min-p: got 2' 10_generate --min-p 2
refused 2 'typical-p: got 0' 10_generate --typical-p 0
refused 2 'epsilon-cutoff: got 1' 10_generate --epsilon-cutoff 1
refused 2 'repetition-penalty: got 0, expected a number above 0' 10_generate --repetition-penalty 0
refused 2 'frequency-penalty: got inf' 10_generate --frequency-penalty inf
refused 2 'no-repeat-ngram-size: got -1' 10_generate --no-repeat-ngram-size -1
refused 2 'not an id from 0 to' 10_generate --logit-bias 99999=1
refused 2 'stop string: empty' 10_generate --stop-strings ''
refused 2 '--bad-words: got an empty word' 10_generate --bad-words ''
refused 2 '--ban-text: got an empty text' 10_generate --ban-text ''
refused 2 "--stop-token-ids: got 'x'" 10_generate --stop-token-ids 3,x
refused 2 'min-tokens-to-keep: got 0' 10_generate --min-tokens-to-keep 0
refused 2 "--watermark: got 'x', expected a key" 10_generate --watermark x
refused 2 '--greedy and --watermark' 10_generate --greedy --watermark 7
refused 2 'contrast-plausible: got 3' 23_text_generator --contrast-model sketch --contrast-plausible 3
refused 2 "preset: got 'wild', expected factual, conservative" 10_generate --preset wild
refused 2 "dialect: got 'gpt', expected ours, transformers" 10_generate --dialect gpt
refused 2 "penalty-scope: got 'some'" 10_generate --repetition-penalty 1.2 --penalty-scope some
refused 2 "--seed: got '-2'" 10_generate --seed -2
refused 2 "--seed: got '-1'" 03_temperature --part 2 --seed -1
refused 2 "got '18446744073709551616', expected a whole number" 06_combining --seed 18446744073709551616
refused 2 '--num-return-sequences: got 0' 10_generate --num-return-sequences 0
refused 2 '--logprobs: got -1' 10_generate --logprobs -1
refused 2 'top-k: got -5' 10_generate --top_k -5

refused 2 'infill: expected one gap, ___' 22_diffusion --part 2 'no gap'
refused 2 'infill: expected one gap, ___' 22_diffusion --part 2 'two___gaps___here'
refused 2 'infill: expected text on both sides' 22_diffusion --part 2 '___ an end'
refused 1 'model_type gpt2_masked' 22_diffusion --part 2 --model data/models/sketch
refused 1 'make train-diffusion makes one' 22_diffusion --part 2 --model nowhere
refused 1 'fills masks (--decoder diffusion)' 10_generate --model data/models/diffusion
refused 2 'needs the text so far in order' 23_text_generator --decoder diffusion --repetition-penalty 1.2
refused 2 'goes from left to right' 23_text_generator --decoder diffusion --num-beams 3
refused 1 'canvas has 64 places' 23_text_generator --decoder diffusion -n 90

# Options that contradict each other.
refused 2 '--greedy and --temperature 0.7' 10_generate --greedy --temperature 0.7
refused 2 '--greedy and --preset' 10_generate --greedy --preset creative
refused 2 '--greedy and --do-sample' 10_generate --greedy --do-sample
refused 2 "it has no step 'typical'" 10_generate --dialect vllm --typical-p 0.5
refused 2 'the minimum is larger than the maximum' 10_generate --min-new-tokens 9 --max-new-tokens 3
refused 2 '--output-format json and --explain' 10_generate --output-format json --explain
refused 2 '--part 1 and --seed' 03_temperature --part 1 --seed 3
refused 2 '--part 2 and --top-k' 04_top_k --part 2 --top-k 3
refused 2 '--part 1 and --top-p' 05_top_p --part 1 --top-p 0.5
refused 2 '--part 2 and --max-new-tokens' 06_combining --part 2 --max-new-tokens 3
if [ -x "$build/28_several_machines" ]; then
    refused 2 '--part 1 and --latency' 28_several_machines --part 1 --latency 5
    refused 2 '--html: the parts write no text' 28_several_machines --html x.html
    refused 2 'prompt: the parts write no text' 28_several_machines --part 2 Once
    refused 2 '--latency: only the parts use it' 28_several_machines --latency 5 Once
fi
refused 2 '--gradients' 19_training --gradients --steps 5
refused 2 '--part 1 and --figure' 07_kv_cache --part 1 --figure f.svg
refused 2 '--part 3 and prompt' 07_kv_cache --part 3 'a prompt'
refused 2 '--part recognizer and --temperature' 13_json_grammar --part recognizer --temperature 2
refused 2 '--part model and --text' 13_json_grammar --part model --text 1
refused 2 'only part 5' 16_json_schema --part 2 --json-schema x
refused 2 '--part 1: it uses no model; leave out --model' 11_beam_search --part 1 --model data/models/sketch
refused 2 '--part 1: it uses no model; leave out --threads' 11_beam_search --part 1 --threads 1
refused 2 'texts and settings; leave out --lattice' 11_beam_search --part 2 --lattice 4
refused 2 '--part 1 and --model' 20_quantization --part 1 --model data/models/sketch
refused 2 '--part 3 and --corpus: only part 5' 20_quantization --part 3 --corpus data/corpus
refused 2 '--corpus: only part 5 would use it; add --part 5' 20_quantization --corpus data/corpus
refused 2 '--part 1 and --model' 22_diffusion --part 1 --model data/models/diffusion
refused 2 '--part 2 and --storyteller: only part 3 and 7' 22_diffusion --part 2 --storyteller data/models/sketch
refused 2 '--part 2 and --corpus: only part 3, 4 and 5' 22_diffusion --part 2 --corpus data/corpus
refused 2 '--part 6 and --storyteller' 22_diffusion --part 6 --storyteller data/models/sketch
refused 2 '--part 7 and --corpus' 22_diffusion --part 7 --corpus data/corpus
refused 2 '--part 1 and prompt' 08_penalties --part 1 'a prompt'
refused 2 '--part 4 and --context' 09_stopping --part 4 --context 30
refused 2 'top-p: got 2' 05_top_p --top-p 2
refused 2 '--top-k: Value 0 not in range' 04_top_k --top-k 0
refused 2 '--part hand and --trace' 12_speculative --part hand --trace trace.jsonl
refused 2 '--part rounds and --times' 12_speculative --part rounds --times
refused 2 '--times and --max-new-tokens 0' 12_speculative --part text --times --max-new-tokens 0
refused 2 '--wrong and --coupling seed' 12_speculative --wrong --coupling seed
refused 2 '--stop-strings: a chat stops at' 23_text_generator --chat --stop-strings x
refused 2 '--chat-template: there is no file nonsense, and it is none of chatml, gemma' 23_text_generator --chat --chat-template nonsense
refused 2 '--max-new-tokens: answers of this length leave no room' 23_text_generator --chat --max-new-tokens 512

# Options that change nothing are said, not refused.
noted '--contrast-strength has no effect without' 23_text_generator --contrast-strength 2
noted '--keep has no effect without --context slide' 10_generate --keep 3
noted '--xtc-threshold has no effect' 10_generate --xtc-threshold 0.2
noted 'the search found 1 of 4 texts' 11_beam_search --num-beams 4 --num-return-sequences 4 --do-sample --top-k 1
noted '--top-k has no effect on beams' 11_beam_search --top-k 5 --horizon 0 --lattice 0
noted '--lattice has no effect with --output-format json' 11_beam_search --lattice 4 --output-format json
noted '--horizon has no effect with --num-beam-groups' 11_beam_search --horizon 4 --num-beam-groups 2
noted '--horizon has no effect with --do-sample' 11_beam_search --horizon 4 --do-sample
"$build/11_beam_search" --lattice 0 --horizon 0 --do-sample -n 2 >"$work/out" 2>"$work/err"
holds 'of what is off nobody says that it has no effect' [ $? -eq 0 -a -s "$work/out" -a ! -s "$work/err" ]
noted '--keep has no effect without --context slide' 21_medusa --part 2 --keep 10
"$build/12_speculative" --wrong --part rounds >"$work/out" 2>"$work/err"
holds 'a wrong correction is said to be from p' grep -q 'correction, from p (wrong)$' "$work/out"
holds 'and none to be from the residual' [ "$(grep -c 'from the residual' "$work/out")" -eq 0 ]
t=23_text_generator
noted '' $t --temp 0 --top-k 40
noted '-n 4096: the context has 512 tokens' $t 'User: hi' -n 4096 --stop-strings e
noted '-c is ignored: the context' $t -c 4096 --mlock -fa on -ngl 0
noted 'all are one text' $t --greedy --num-return-sequences 2
noted '--system has no effect without --chat' $t --system x
noted '--chat-template has no effect without --chat' $t --chat-template chatml
noted '--num-assistant-tokens has no effect' $t --num-assistant-tokens 4
noted '--length-penalty has no effect without beam search' $t --length-penalty 2
noted '--num-beam-groups has no effect without beam search' $t --num-beam-groups 2
noted '--negative-prompt has no effect without --guidance-scale' $t --negative-prompt no
noted '--continue has no effect' $t --continue
noted '--attention has no effect' $t --attention 1.2
noted '--echo has no effect' $t --echo

# Combinations of features that do not work together.
refused 2 '--num-beams and --assistant-model: a draft guesses' $t --num-beams 4 --assistant-model sketch
refused 2 '--num-beams and prompt lookup' $t --num-beams 4 --prompt-lookup-num-tokens 4
refused 2 '--assistant-model and --prompt-lookup-num-tokens' $t --assistant-model sketch --prompt-lookup-num-tokens 4
refused 2 'num-assistant-tokens: got 0' $t --assistant-model sketch --num-assistant-tokens 0
refused 2 '--medusa-nodes: got 0' $t --medusa --medusa-nodes 0
refused 2 '--medusa-nodes: it has no effect without --medusa' $t --medusa-nodes 4
refused 2 '--medusa-heads: it has no effect without --medusa' $t --medusa-heads "$work"
refused 2 '--num-beams and --medusa: heads guess' $t --num-beams 4 --medusa
refused 2 '--medusa and --assistant-model: both draft tokens' $t --medusa --assistant-model sketch
refused 1 'no such heads' $t --medusa --medusa-heads "$work/none"
refused 1 'these heads belong to a model with the weights' $t --medusa --model data/models/sketch
refused 1 'no such heads' 21_medusa --medusa-heads "$work/none"
refused 2 '--part 2 and --times' 21_medusa --part 2 --times
for option in '--temperature 1' '--top-p 0.5' --greedy --do-sample '--preset creative' '--watermark 7' '--mirostat 2' '--dynatemp-range 0.5'; do
    # shellcheck disable=SC2086
    refused 2 "--part 4 and ${option% *}: only part 2 and 3 would use it" 21_medusa --part 4 $option
done
refused 2 '--part 3 and --medusa-nodes: only part 2 and 4' 21_medusa --part 3 --medusa-nodes 12
for option in '--model data/models/sketch' '--temperature 1' '--medusa-nodes 4' '--threads 1'; do
    # shellcheck disable=SC2086
    refused 2 "--part 1 and ${option% *}: only part 2" 21_medusa --part 1 $option
done
refused 2 '--greedy and --do-sample' 21_medusa --greedy --do-sample --keep 10
refused 2 'num-beam-groups: got 3, expected a divisor of the 4 beams' $t --num-beams 4 --num-beam-groups 3
refused 2 'expected 1 to 2, the number of beams' $t --num-beams 2 --num-return-sequences 3
refused 2 '--greedy: in beam search' $t --num-beams 2 --greedy
refused 2 '--context slide: the beams share' $t --num-beams 2 --context slide
refused 2 '--context slide and --coupling rejection' $t --assistant-model sketch --coupling rejection --context slide
refused 2 '--guidance-scale and --context slide' $t --guidance-scale 2 --context slide
refused 2 'guidance-scale: got -1' $t --guidance-scale -1
refused 2 '--json-schema a and --json together' $t --json-schema a --json
refused 2 'leaves no choice of white space; add --json-layout any' $t --json-schema data/schemas/person.json --max-whitespace 3
refused 2 '--explain and --num-beams' $t --explain --num-beams 2
refused 2 '--explain and --coupling rejection' $t --explain --assistant-model sketch --coupling rejection
refused 2 '--compare: the page needs a name' $t --compare a.jsonl b.jsonl
refused 2 '--compare: got 3 files' $t --html "$work/x.html" --compare a b c
refused 2 '--compare and a text to write' $t --html "$work/x.html" --compare a --trace "$work/x.jsonl"
refused 1 'cannot be opened' $t --html "$work/x.html" --compare "$work/none.jsonl"
refused 1 'its first line' $t --html "$work/x.html" --compare README.md
refused 1 'cannot be written' $t --html "$work/none/x.html"
refused 2 '--chat: an answer is shown as text' $t --chat --html "$work/x.html"
refused 2 "--attention: got '12'" $t --attention 12 --trace "$work/x.jsonl"
refused 2 '--attention and --guidance-scale' $t --attention 1.2 --guidance-scale 2 --trace "$work/x.jsonl"
refused 2 '--decoder diffusion and --attention' $t --attention 1.2 --decoder diffusion --trace "$work/x.jsonl"
refused 2 "--decoder diffusion and --model data/models/storyteller" $t --decoder diffusion --model data/models/storyteller --infill " Then."
refused 1 'attention: there is no head 99 in layer 1' $t --attention 1.99 --trace "$work/x.jsonl"
refused 2 '--strategy sample and --num-beams' $t --strategy sample --num-beams 2
refused 2 '--strategy greedy and --do-sample' $t --strategy greedy --do-sample
refused 2 '--prompt-file and a prompt' $t --prompt-file README.md hello
refused 2 '--chat and a prompt' $t --chat hello
refused 2 '--chat and --num-return-sequences' $t --chat --num-return-sequences 2
refused 2 '--choice: one of the choices is empty' $t --choice a,,b
refused 1 'a budget of 3 tokens is too small' $t --json-schema data/schemas/person.json -n 3
refused 1 'no such model directory' $t --assistant-model "$work/none"
refused 1 'cannot be opened' $t --json-schema "$work/none.json"
refused 1 'cannot be opened' $t --prompt-file "$work/none.txt"

# Files, prompts, the context.
long=$(i=0; while [ $i -lt 100 ]; do printf ' one two three four five'; i=$((i + 1)); done)
refused 1 'no such model directory' 10_generate --model "$work/none"
refused 1 'no such model directory' 03_temperature --part 4 --model "$work/none"
refused 1 'config.json' 10_generate --model "$work"
refused 1 'cannot be written' 10_generate --trace "$work/none/trace.jsonl"
refused 1 'is not valid UTF-8' 10_generate "$(printf 'caf\351')"
refused 1 "exceed the model's context" 10_generate --max-new-tokens 511
refused 1 "context of 512; ask for at most 508 new ones" 03_temperature --part 4 --max-new-tokens 600
refused 1 "shorten the prompt to 312 tokens or ask for at most 12 new" 03_temperature --part 4 --max-new-tokens 200 "$long"
refused 2 '--figure: got an empty value' 01_next_token --figure ''
refused 2 '--infill: got the option --seed, expected a value' 23_text_generator --infill --seed 3
refused 2 "this model's context has" 10_generate --max-new-tokens 100000

# Errors that must be found before the first line of output: a model that does not exist, a prompt that is not text.
for program in 01_next_token 02_greedy 03_temperature 04_top_k 05_top_p 06_combining 07_kv_cache 08_penalties 09_stopping \
    11_beam_search 12_speculative 13_json_grammar 14_grammar 15_regular 16_json_schema 18_transformer 20_quantization 21_medusa 22_diffusion; do
    refused 1 "$work/none" $program --model "$work/none"
done
for program in 03_temperature 05_top_p 06_combining 08_penalties 09_stopping 13_json_grammar 14_grammar 15_regular 16_json_schema; do
    refused 1 'is not valid UTF-8' $program "$(printf 'caf\351')"
done
refused 1 'is not valid UTF-8' 04_top_k "$(printf 'caf\351')"
refused 1 "$work/none" 17_tokenizer --tokenizer "$work/none"
refused 1 "$work/none" 17_tokenizer --compare "$work/none"
refused 2 'part 3 takes one word' 17_tokenizer --word ' two words'
refused 1 "$work/none" 14_grammar --grammar "$work/none"
refused 2 'regular expression' 15_regular --regex '('
for number in abc inf --5 +3 1.2 é 1e400; do
    refused 2 "--from: got '$number', expected a whole number" 15_regular --part 3 --from="$number" --to 5
done
refused 2 'no number is in between' 15_regular --from 5 --to 3
refused 2 'only part 7 uses them; add --part 7' 18_transformer --head 1
refused 2 '--html and --trace: both would write' 10_generate --html "$work/same" --trace "$work/same"
refused 2 '--decoder diffusion and --explain' 23_text_generator --infill ' x' 'It was' --prompt-logprobs 2
refused 2 'one beam that draws is plain sampling' 11_beam_search --num-beams 1 --do-sample
for program in 14_grammar 15_regular 17_tokenizer; do
    refused 1 'cannot be written' $program --figure "$work/none/figure.svg"
done

# An xsimd older than 8, as in Ubuntu 22.04, must be reported before anything is compiled.
mkdir -p "$work/old/xsimd"
echo '#define XSIMD_VERSION_MAJOR 7' >"$work/old/xsimd/xsimd.hpp"
CXXFLAGS="-MMD -I$work/old" sh lib/install_packages.sh run >"$work/out" 2>"$work/err"
holds 'an old xsimd is refused' [ $? -eq 1 -a ! -s "$work/out" -a "$(wc -l <"$work/err")" -eq 1 ]
holds 'the line says what to do' grep -q 'older than 8.*git clone' "$work/err"

# Commands that end without an error.
"$build/10_generate" --max-new-tokens 200 2>"$work/err" | head -c 5 >/dev/null
holds 'a pipe closed early is no error message' [ ! -s "$work/err" ]
"$build/23_text_generator" --chat </dev/null >"$work/out" 2>"$work/err"
holds 'the end of input ends a chat, silently' [ $? -eq 0 -a ! -s "$work/out" -a ! -s "$work/err" ]
printf 'caf\351\nq\n' | "$build/23_text_generator" --chat >"$work/out" 2>"$work/err"
holds 'a line that is not UTF-8 is refused and the chat goes on' [ $? -eq 0 -a ! -s "$work/out" -a "$(wc -l <"$work/err")" -eq 1 ]
if [ -c /dev/full ]; then
    printf 'hi\nq\n' | "$build/23_text_generator" --chat >/dev/full 2>"$work/err"
    holds 'answers that cannot be written are an error' [ $? -eq 1 -a "$(wc -l <"$work/err")" -eq 1 ]
fi
mkfifo "$work/fifo"
"$build/23_text_generator" --chat <"$work/fifo" >"$work/out" 2>"$work/err" &
chat=$!
exec 3>"$work/fifo"
echo hi >&3
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s "$work/out" ] || sleep 0.3; done
sleep 0.3
kill -INT "$chat"
wait "$chat"
holds 'Ctrl-C at the prompt ends a chat that has answered' [ $? -eq 0 -a -s "$work/out" -a ! -s "$work/err" ]
exec 3>&-

# Ctrl-C in the middle: what is written stays, and the status is 130. For gaps, too, whose passes are shown when they are over.
for how in '-n 400 --num-return-sequences 400' '--decoder diffusion -n 60 --num-return-sequences 200'; do
    rm -f "$work/out"
    # shellcheck disable=SC2086
    "$build/23_text_generator" --threads 1 $how >"$work/out" 2>"$work/err" &
    writer=$!
    sleep 1
    kill -INT "$writer"
    wait "$writer"
    holds "Ctrl-C ends a text ($how)" [ $? -eq 130 -a -s "$work/out" -a ! -s "$work/err" ]
done

# A standard stream that is missing: no file that is opened takes its place.
"$build/23_text_generator" -n 3 --trace "$work/trace.jsonl" >&- 2>"$work/err"
holds 'without standard output nothing can be written' [ $? -eq 1 -a "$(cat "$work/err")" = '23_text_generator: cannot write to standard output' ]
holds 'and the trace is one' [ "$(grep -c '^{' "$work/trace.jsonl")" -eq "$(wc -l <"$work/trace.jsonl")" ]
"$build/23_text_generator" -n 3 <&- >"$work/out" 2>"$work/err"
holds 'without standard input a text is written' [ $? -eq 0 -a -s "$work/out" -a ! -s "$work/err" ]
"$build/23_text_generator" -n 3 --html "$work/page.html" --stats >"$work/out" 2>&-
holds 'without standard error a text is written' [ $? -eq 0 -a -s "$work/out" ]
holds 'and the page is one' [ "$(head -c 15 "$work/page.html")" = '<!doctype html>' ]

# Gaps: the page and the trace in one go, each in its own file; neither when one cannot be opened.
"$build/23_text_generator" --decoder diffusion -n 9 --html "$work/gaps.html" --trace "$work/gaps.jsonl" >"$work/out" 2>"$work/err"
holds 'a text with gaps has a page and a trace' [ $? -eq 0 -a "$(head -c 15 "$work/gaps.html")" = '<!doctype html>' \
    -a "$(grep -c '^{' "$work/gaps.jsonl")" -eq "$(wc -l <"$work/gaps.jsonl")" -a -s "$work/gaps.jsonl" ]
refused 1 '/nonexistent/t' 23_text_generator --decoder diffusion -n 9 --html "$work/none.html" --trace /nonexistent/t
holds 'and no page is left of what was refused' [ ! -e "$work/none.html" ]

# make run without options: the generator of one screen.
for prompt in 'Once upon a time' 'The old clock' 'Grüße aus 日本' ' ' '' 'Hello <|endoftext|> you' '{"name":' 'User: who are you?'; do
    "$build/plain_generate" "$prompt" >"$work/out" 2>"$work/err"
    "$build/23_text_generator" "$prompt" >"$work/again" 2>"$work/none.err"
    holds "the generator of one screen writes what the complete one does: $prompt" cmp -s "$work/out" "$work/again"
done
refused 1 'prompt: 2000 tokens and 1 new ones exceed' plain_generate "$(printf '%2000s' '' | sed 's/ / a/g')"
refused 1 'prompt: byte 1 is not valid UTF-8' plain_generate "$(printf '\377x')"
refused 2 'usage: ' plain_generate a b

# --seed -1 and -n -1, as llama.cpp has them.
"$build/23_text_generator" --seed -1 -n 40 >"$work/out" 2>"$work/err"
# shellcheck disable=SC2046
"$build/23_text_generator" $(cat "$work/err") -n 40 >"$work/again" 2>"$work/none.err"
holds 'a random seed is printed, and gives the same text again' cmp -s "$work/out" "$work/again"
"$build/23_text_generator" -n -1 --ignore-eos --stats >"$work/out" 2>"$work/err"
holds 'as many tokens as the context holds' grep -q '; 508 tokens in ' "$work/err"

# The server.
refused 2 'other machines could use the server without a key; add --api-key-file FILE' serve --host 0.0.0.0
refused 2 '--no-key and a key: leave out one of the two' serve --no-key --api-key x
refused 1 '/nonexistent/key: cannot be opened' serve --api-key-file /nonexistent/key
refused 2 '--max-batch-tokens: got 4, expected 8 or more' serve --max-running 8 --max-batch-tokens 4
refused 1 'cannot listen there' serve --host 203.0.113.7 --no-key --port 1
refused 1 '/nonexistent' serve --port 0 --model /nonexistent

# Chapter 24: texts and models that cannot be measured.
: >"$work/empty.txt"
printf 'a\377' >"$work/bad.txt"
printf 'a\0z' >"$work/zero.txt"
printf '{"text": 3}\n' >"$work/bad.jsonl"
refused 1 "has no text" evaluate data/models/sketch "$work/empty.txt"
refused 1 "none.txt: cannot be opened" evaluate data/models/sketch "$work/none.txt"
refused 1 "byte 2 is not UTF-8 text" evaluate data/models/sketch "$work/bad.txt"
refused 1 "byte 2 is not UTF-8 text" evaluate data/models/sketch "$work/zero.txt"
refused 1 "line 1: expected an object with a string \"text\"" evaluate data/models/sketch "$work/bad.jsonl"
refused 1 "model_type is medusa_heads" evaluate data/models/medusa README.md
refused 1 "there is no tokenizer" evaluate tests/data/tiny-gpt2 README.md
refused 1 "no such model directory" decoders --models none --file "$work/measured.jsonl"
refused 1 "is not a regular file" evaluate data/models/sketch "$work"
refused 2 "has learned weather, everyday and hello only" decoders --models diffusion --genres dates --texts 1 --file "$work/measured.jsonl"
refused 1 "2000 texts each, and 3 are asked for" decoders --texts 3 --file chapters/24_which_decoder/measured.jsonl
refused 2 "--table: nothing not in" decoders --show --table nothing
refused 2 "--table requires --show" decoders --table claims --file "$work/measured.jsonl"
refused 2 "--against requires --figure" decoders --show --against diversity --file chapters/24_which_decoder/measured.jsonl
refused 1 "no genre named 'nothing'" decoders --genres nothing --file "$work/measured.jsonl"
refused 2 "expected one of: 'greedy', 'temperature'" decoders --decoder nothing --file "$work/measured.jsonl"
refused 2 "--smoke" train --smoke --steps 3 --out "$work/small"
refused 2 "--smoke" train --smoke --tokenizer data/models/sketch --out "$work/small"
refused 2 "--recipe" train --recipe data/models/sketch/recipe.json --steps 3 --out "$work/small"
refused 2 "--recipe" train --recipe data/models/sketch/recipe.json --optimizer muon --out "$work/small"
refused 1 "lr is inf, expected a finite number" train --lr inf --steps 1 --out "$work/small"
mkdir -p "$work/notes" && echo mine >"$work/notes/README.md"
refused 1 "training writes a model card there" train --steps 1 --out "$work/notes"
refused 2 "got 'int8', expected f32 or f16" gguf data/models/sketch "$work/x.gguf" --type int8
refused 2 "--resume" train --replan --out "$work/small"
refused 1 "line 1: not a measurement" decoders --show --file "$work/bad.jsonl"
refused 1 "holds no measurements" decoders --show --file "$work/none.jsonl"
refused 1 "no .grammar files" decoders --corpus "$work"
printf '{"type":"any"}' >"$work/schema" && printf X >"$work/x.json" && printf '[' >"$work/open.json"
refused 2 "#: 'type' is the string \"any\"" schema_check "$work/schema" data/schemas/person.json
"$build/json_check" "$work/x.json" >"$work/out"
holds 'json_check says what is expected' grep -qF 'byte 1 is "X", where a value is expected' "$work/out"
"$build/json_check" "$work/open.json" >"$work/out"
holds 'and what is missing' grep -qF 'it ends too early; bytes missing: at least 1' "$work/out"
refused 1 "no genre named 'nothing'" 24_which_decoder --genre nothing
refused 1 "this model fills masks" 24_which_decoder --model data/models/diffusion

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
