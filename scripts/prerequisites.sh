#!/bin/sh
# What every build needs: cargo, and a C compiler (it links, and builds the parts of ring that are C).
# `apt_install PACKAGE…` is shared with the other scripts, which source this file.
set -eu

# Installs Debian packages and says so first; fails where it may not.
apt_install() {
    command -v apt-get >/dev/null 2>&1 || return 1
    sudo=
    if [ "$(id -u)" -ne 0 ]; then
        # A password is asked for only where somebody can type it.
        if ! command -v sudo >/dev/null 2>&1; then return 1; fi
        if ! sudo -n true 2>/dev/null && ! [ -t 0 ]; then return 1; fi
        sudo=sudo
    fi
    echo "Installing from this system's packages: $*${sudo:+ (with sudo)}" >&2
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2 || return 1
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

build_tools() {
    if ! command -v cargo >/dev/null 2>&1; then
        echo "cargo is missing: install Rust 1.95 or newer with rustup, open a new shell and try again." >&2
        return 1
    fi
    if ! command -v cc >/dev/null 2>&1; then
        echo "A C compiler (cc) is missing; Rust links with it." >&2
        if ! apt_install gcc libc6-dev; then
            echo "Install one (Debian, Ubuntu: gcc and libc6-dev; macOS: xcode-select --install) and try again." >&2
            return 1
        fi
    fi
}

case "${0##*/}" in
prerequisites.sh) build_tools ;;
esac
