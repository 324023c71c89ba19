#!/bin/sh
# Tests the server with real clients, packages of npm (openai.mjs, clients.mjs): openai.sh BUILD
# Installs them in BUILD/openai. If node, npm or the registry is not available, a line says so. Ends with "N passed, N failed".
set -u
build=$1
server=''
packages='openai@5.7.0 @anthropic-ai/sdk@1.14.0 ollama@0.6.4 ai@5.0.277 @ai-sdk/openai@2.0.130 @ai-sdk/openai-compatible@1.0.61 @langchain/openai@1.6.0 @langchain/core@1.4.0'
trap '[ -z "$server" ] || { kill -9 "$server"; wait "$server"; } 2>/dev/null' EXIT
command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || { echo "skipped: the real clients of the server: there is no node and npm here"; exit 0; }
mkdir -p "$build/openai"
if [ "$(cat "$build/openai/packages" 2>/dev/null)" != "$packages" ]; then
    # shellcheck disable=SC2086
    timeout 180 npm install --silent --no-audit --no-fund --prefix "$build/openai" $packages >"$build/openai/log" 2>&1 ||
        { echo "skipped: the real clients of the server: npm cannot install the packages here"; exit 0; }
    echo "$packages" >"$build/openai/packages"
fi
"$build/serve" --port 0 --quiet >"$build/openai/server.out" 2>"$build/openai/server.log" &
server=$!
tries=0
# Once it can be asked it says its address.
until address=$(sed -n 's/^a page: *\(.*\)\/$/\1/p' "$build/openai/server.out") && [ -n "$address" ] || [ $tries -ge 300 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
# curl, as the README has it.
curl -s --max-time 20 "$address/v1/completions" -H 'Content-Type: application/json' -d '{"prompt": "Once upon a time", "max_tokens": 8}' |
    grep -q '"text"' || { echo "FAIL: curl: no text came"; exit 1; }
status=0
for script in openai clients; do
    timeout 120 node tests/serving/$script.mjs "$address" "$build/openai" || status=1
done
kill -TERM "$server"
wait "$server" || { echo "FAIL: the server's exit status is $?"; status=1; }
server=''
exit $status
