#!/bin/sh
# Makes an empty migration: new-migration.sh <verb>_<object>
set -eu
cd "$(dirname "$0")/.."
name=${1:-}
if ! printf %s "$name" | grep -Eq '^[a-z]+(_[a-z0-9]+)+$'; then
    echo "Name it <verb>_<object> in small letters: make migration name=add_document_language" >&2
    exit 1
fi
file=migrations/$(date -u +%Y%m%d%H%M%S)_$name.sql
printf -- '-- Why: \n-- Rules: README.md beside this file. Expand first, contract in a later release.\n' >"$file"
echo "$file"
