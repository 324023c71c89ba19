#!/bin/sh
# Tests the program in WebAssembly: it must answer random requests as the program of this machine does, byte for byte.
#   tests/page/wasm/run.sh BUILD WASM_BUILD [COUNT [SEED]]
# If a program is missing, a line says so, and nothing is tested. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../../.." || exit 1
build=${1:-build} wasm=${2:-build-wasm}
skip() {
    echo "skipped: WebAssembly: $1"
    echo "0 passed, 0 failed"
    exit 0
}
command -v node >/dev/null || skip "there is no node here (apt-get install nodejs)"
[ -f "$wasm/text_generator.wasm" ] || skip "there is no $wasm/text_generator.wasm (make page builds it)"
node tests/page/wasm/equal.mjs "$build/23_text_generator" "$wasm/text_generator.js" ${3:-126} ${4:-1}
