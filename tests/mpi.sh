#!/bin/sh
# Checks chapter 28's programs with real processes: the same texts, answers and weights as from one.
#   tests/mpi.sh [BUILD]
# Ends with "N passed, N failed".
set -u
build=${1:-build}
if ! command -v mpirun >/dev/null 2>&1 || [ ! -x "$build/28_several_machines" ]; then
    echo "skipped: several processes: there is no Open MPI here"
    echo "0 passed, 0 failed"
    exit 0
fi
work=$(mktemp -d) || exit 1
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
server=''
passed=0 failed=0
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMP_NUM_THREADS OMPI_MCA_rmaps_base_oversubscribe \
    OMPI_MCA_mpi_yield_when_idle OMPI_MCA_btl_base_warn_component_unused
holds() {  # what, command…
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $what"; fi
}
run() {  # processes, options…
    n=$1
    shift
    mpirun -q -n "$n" "$build/28_several_machines" "$@" 2>"$work/errors"
}

# ---- texts ----
same_text() {  # options…
    "$build/23_text_generator" "$@" >"$work/alone" 2>/dev/null
    [ -s "$work/alone" ] || return 1
    for n in 1 2 3 4; do
        run $n "$@" >"$work/text"
        cmp -s "$work/alone" "$work/text" || { echo "with $n processes:"; cat "$work/errors" "$work/text"; return 1; }
    done
}
holds "one to four processes write the text of one" same_text "Once upon a time" --seed 5 -n 60
holds "with 8 bits, beams and a draft" same_text "The weather" -n 30 --weights int8 --num-beams 3
holds "with 4 bits, several samples and a cache in F16" same_text "The old clock" -n 30 --weights int4 --num-return-sequences 3 --cache f16
holds "with a draft" same_text "One day" -n 40 --assistant-model sketch --seed 3
holds "held to a schema" same_text "A person: " -n 60 --json-schema data/schemas/person.json --seed 2
holds "with heads whose tree adapts" same_text "The weather" --medusa --num-assistant-tokens-schedule adaptive -n 60

holds "two processes with --seed -1 draw the same numbers" run 2 "Once" --seed -1 -n 20

# ---- training ----
train() {  # processes, folder, options…
    n=$1 folder=$2
    shift 2
    mpirun -q -n "$n" "$build/mpi_train" --tokenizer data/models/storyteller --out "$work/$folder" --layers 1 --heads 2 --embd 32 \
        --context 64 --batch 8 --parts 4 --threads 1 --documents 1 --seed 4 "$@" >/dev/null 2>"$work/errors" || cat "$work/errors"
}
same_weights() { cmp -s "$work/$1/model.safetensors" "$work/$2/model.safetensors"; }
"$build/train" --tokenizer data/models/storyteller --out "$work/alone_100" --layers 1 --heads 2 --embd 32 --context 64 --batch 8 \
    --parts 4 --threads 1 --documents 1 --seed 4 --steps 100 >/dev/null 2>&1
for n in 1 2 4; do
    train $n with_$n --steps 100
    holds "100 steps of training on $n processes give the weights of one" same_weights alone_100 with_$n
done
train 2 half --steps 100 --minutes 0.005
cat >"$work/half.sh" <<'END'
[ "$OMPI_COMM_WORLD_RANK" = 0 ] && folder=half || folder=missing
exec "$1/mpi_train" --tokenizer data/models/storyteller --out "$2/$folder" --layers 1 --heads 2 --embd 32 \
    --context 64 --batch 8 --parts 4 --threads 1 --documents 1 --seed 4 --steps 100 --resume
END
timeout 100 mpirun -q -n 2 sh "$work/half.sh" "$build" "$work" >/dev/null 2>"$work/errors"
holds "a process without the checkpoint ends the others" grep -q "process 1: .*/missing/checkpoint: there is none" "$work/errors"
# A process that reads a checkpoint of its own, with other weights.
cp -r "$work/half" "$work/missing"
train 2 missing --steps 100 --minutes 0.005 --resume
timeout 100 mpirun -q -n 2 sh "$work/half.sh" "$build" "$work" >/dev/null 2>"$work/errors"
holds "a process with a later checkpoint is refused" grep -q "the processes differ in the options, the texts" "$work/errors"
train 3 resumed --steps 100 --minutes 0.005
train 2 resumed --steps 100 --resume
holds "a training that three processes began and two ended" same_weights alone_100 resumed
# The checkpoint is written after each step; then the last process is killed.
train 3 killed --steps 100 --checkpoint-minutes 0 &
training=$!
for _ in $(seq 600); do [ ! -f "$work/killed/checkpoint" ] || break; sleep 0.1; done
kill -9 "$(pgrep -n -f "mpi_train.*$work/killed ")" 2>/dev/null
wait $training
holds "a process that dies ends the others" [ -z "$(pgrep -f "mpi_train.*$work/killed ")" ]
train 2 killed --steps 100 --resume
holds "and the last checkpoint stands" same_weights alone_100 killed

# ---- serving ----
port=$((20000 + $$ % 10000 * 2))
mpirun -q -n 3 "$build/mpi_serve" --port $port --seed 1 >"$work/serve" 2>&1 &
server=$!
ask() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        curl -s "http://127.0.0.1:$port/v1/completions" -H 'content-type: application/json' \
            -d '{"prompt": "Once upon a time", "max_tokens": 40, "seed": 7, "temperature": 0.8}' >"$work/answer"
        grep -o '"text": *"[^"]*"' "$work/answer" && break
        sleep 1
    done
}
if command -v curl >/dev/null 2>&1; then
    first=$(ask)
    "$build/serve" --port $((port + 1)) --seed 1 >/dev/null 2>&1 &
    alone=$!
    served=$port port=$((port + 1))
    second=$(ask)
    port=$served
    kill $alone
    holds "a server on three processes answers" [ -n "$first" ]
    holds "with the answer of one" [ "$first" = "$second" ]
    holds "and again, from its cache" [ "$first" = "$(ask)" ]
    kill -TERM $server
    wait $server
    holds "its processes end when it is told to" [ -z "$(pgrep -f -- "mpi_serve --port $port")" ]
else
    echo "skipped: a server on several processes: there is no curl here"
fi
server=''

# ---- what is wrong is said in a line ----
line() {  # what, text, processes, options…
    what=$1 text=$2
    shift 2
    run "$@" >/dev/null
    lines=$(grep -c . "$work/errors")
    holds "$what" [ "$lines" = 1 ]
    holds "$what: says why" grep -q "$text" "$work/errors"
}
line "more processes than heads" "9 processes for 8 heads, expected 1 to 8" 9 "Once"
line "a model that is not there" "no such model" 2 --model no_model "Once"
line "an option that does not exist" "there is no such option" 2 --no-such-option "Once"
cat >"$work/other.sh" <<'END'
[ "${OMPI_COMM_WORLD_RANK:-0}" = 0 ] && exec "$1/28_several_machines" --model "$2/a" Once
exec "$1/28_several_machines" --model "$2/b" Once
END
cp -r data/models/storyteller "$work/a"
cp -r data/models/storyteller "$work/b"
dd if=/dev/urandom of="$work/b/model.safetensors" bs=1M seek=3 count=1 conv=notrunc 2>/dev/null
mpirun -q -n 2 sh "$work/other.sh" "$build" "$work" >/dev/null 2>"$work/errors"
holds "processes with different files" [ "$(grep -c . "$work/errors")" = 1 ]
holds "processes with different files: says why" grep -q "the processes differ in the files" "$work/errors"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
