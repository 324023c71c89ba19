#!/bin/sh
# Tests the server with a real client, the `openai` package of npm (tests/serving/openai.mjs): openai.sh BUILD
# Installs the package in BUILD/openai. If node, npm or the registry is not available, a line says so. Ends with "N passed, N failed".
set -u
build=$1
port=18090
server=''
trap '[ -z "$server" ] || { kill -9 "$server"; wait "$server"; } 2>/dev/null' EXIT
command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || { echo "openai: there is no node and npm here; the real client was not tried"; exit 0; }
mkdir -p "$build/openai"
if [ ! -d "$build/openai/node_modules/openai" ]; then
    timeout 60 npm install --silent --no-audit --no-fund --prefix "$build/openai" openai@5 >"$build/openai/log" 2>&1 ||
        { echo "openai: npm cannot install the package here; the real client was not tried"; exit 0; }
fi
"$build/serve" --port $port --quiet >/dev/null 2>"$build/openai/server.log" &
server=$!
tries=0
until curl -sf -o /dev/null "http://127.0.0.1:$port/health" || [ $tries -ge 100 ]; do tries=$((tries + 1)); sleep 0.1; done
# curl, as the README has it.
curl -s --max-time 20 "http://127.0.0.1:$port/v1/completions" -H 'Content-Type: application/json' -d '{"prompt": "Once upon a time", "max_tokens": 8}' |
    grep -q '"text"' || { echo "FAIL: curl: no text came"; exit 1; }
timeout 120 node tests/serving/openai.mjs "http://127.0.0.1:$port" "$build/openai"
status=$?
kill -TERM "$server"
wait "$server" || { echo "FAIL: the server's exit status is $?"; status=1; }
server=''
exit $status
