#!/usr/bin/env bash
# The first five minutes of a new host, checked: `make run` on a free port with a data folder of its own, a
# question by curl, Ctrl-C.
set -euo pipefail
# Job control gives a background job a process group of its own, with SIGINT not ignored: as in a terminal.
set -m
cd "$(dirname "$0")/.."

question='When did CERN put the software of the Web in the public domain?'
folder=$(mktemp -d /tmp/attest-smoke-XXXXXX)
# Root's PostgreSQL runs as another account, which must reach the data.
chmod 755 "$folder"
log=$folder/server.log
job=

# The processes, zombies aside, that name our data folder on their command line.
left_behind() {
    if [ -d /proc/self ]; then
        for line in /proc/[0-9]*/cmdline; do
            if { tr '\0' ' ' <"$line"; } 2>/dev/null | grep -qF -- "-D $folder/"; then
                echo "$line"
            fi
        done
    else
        ps -Ao pid=,command= | grep -F -- "-D $folder/" | grep -v grep || true
    fi
}

stop() {
    if [ -n "$job" ] && kill -0 "$job" 2>/dev/null; then
        kill -INT -- "-$job" 2>/dev/null || true
        wait "$job" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap stop EXIT

fail() {
    echo "smoke: $1" >&2
    echo "--- the server's output:" >&2
    tail -n 60 "$log" >&2
    if [ -s "$folder/answer" ]; then
        echo "--- the answer:" >&2
        tail -n 40 "$folder/answer" >&2
    fi
    exit 1
}

# Without what would lead to another database or model than a new host has.
env -u DATABASE_URL -u OPENAI_BASE_URL -u OPENAI_API_KEY -u OPENAI_MODEL \
    ATTEST__HTTP__LISTEN=127.0.0.1:0 ATTEST__DATA__DIR="$folder/data" \
    make run >"$log" 2>&1 &
job=$!

echo "smoke: make run, and a question by curl"
url=
# The build may be a cold one.
deadline=$((SECONDS + 1800))
while [ -z "$url" ]; do
    url=$(sed -n 's/.*listening on \(http:\/\/[^ ]*[0-9]\).*/\1/p' "$log" | head -n 1)
    kill -0 "$job" 2>/dev/null || fail "the server ended before it answered"
    [ "$SECONDS" -lt "$deadline" ] || fail "no line 'listening on http://…' came"
    [ -n "$url" ] || sleep 0.2
done

curl -sS --fail --max-time 10 "$url/healthz" >/dev/null || fail "/healthz does not answer"
curl -sS --fail --no-buffer --max-time 60 -H 'content-type: application/json' \
    -d "{\"message\":\"$question\"}" "$url/api/v1/kbs/default/chat" >"$folder/answer" || fail "the question was refused"

count() { grep -c "^event: $1\$" "$folder/answer" || true; }
[ "$(count conversation)" -eq 1 ] || fail "the stream has no conversation frame"
[ "$(count step)" -ge 1 ] || fail "no tool was used"
[ "$(count delta)" -ge 1 ] || fail "no text came"
[ "$(count error)" -eq 0 ] || fail "the turn failed"
[ "$(count done)" -eq 1 ] || fail "the turn has no end"
grep -q '^data: \[{.*"filename":"cern-and-the-birth-of-the-web.md"' "$folder/answer" || fail "the source that answers it is missing"
grep -q '"kind":"cited"' "$folder/answer" || fail "the answer cites nothing"

# Ctrl-C reaches the whole group of the terminal: make, and the server under it.
kill -INT -- "-$job"
for _ in $(seq 150); do
    kill -0 "$job" 2>/dev/null || break
    sleep 0.2
done
kill -0 "$job" 2>/dev/null && fail "the server is still there 30 s after Ctrl-C"
wait "$job" || true
grep -q 'panicked at' "$log" && fail "the server panicked"
left=$(left_behind)
[ -z "$left" ] || fail "a PostgreSQL stayed behind: $left"
server_log=$(find "$folder/data" -name postgres.log)
grep -q 'database system is shut down' "$server_log" || fail "the database was not shut down in order"
echo "smoke: answered from a source, stopped by Ctrl-C, nothing left behind"
