#!/bin/sh
# make calls this script. It checks that the packages of the course are installed, and installs missing ones.
#   install_packages.sh run    what programs need: xsimd; PCRE2 and utf8proc for tokenizers
#   install_packages.sh test   the same, Catch2 and nlohmann-json
#   install_packages.sh page   the same and cmark-gfm
#   install_packages.sh serve  the same and cpp-httplib
#   install_packages.sh serving  the same and haproxy
#   install_packages.sh mpi    the same and Open MPI
#   install_packages.sh wasm   xsimd and emscripten
#   install_packages.sh arm64  the same, a compiler for arm64 and qemu (with apt)
# Uses apt, dnf, pacman, zypper or brew, with sudo where needed. NO_INSTALL=1 only prints the command.
set -u
CXX=${CXX:-g++}
fail() { echo "make: $*" >&2; exit 1; }

# CXX may be two words ("ccache g++").
printf 'int main(){}\n' | $CXX -std=c++20 -x c++ -fsyntax-only - >/dev/null 2>&1 || {
    command -v ${CXX%% *} >/dev/null 2>&1 || fail "no C++ compiler ($CXX): install g++ 12 or clang 14 (Debian: apt-get install g++; macOS: xcode-select --install)"
    fail "$CXX does not compile C++20: g++ 12 or clang 14 and newer do"
}
has() { printf '#include <%s>\n' "$1" | $CXX ${CXXFLAGS:-} -MMD -MF /dev/null -std=c++20 -x c++ -E - >/dev/null 2>&1; }

# The installed xsimd is older than 8: Ubuntu 22.04 has 7.6, and its package manager has no newer version.
old_xsimd() {
    printf '#include <xsimd/xsimd.hpp>\n#if XSIMD_VERSION_MAJOR >= 8\n#error new enough\n#endif\n' |
        $CXX ${CXXFLAGS:-} -MMD -MF /dev/null -std=c++20 -x c++ -E - >/dev/null 2>&1
}
refuse_old_xsimd() {
    ! old_xsimd || fail "the xsimd of this system is older than 8, expected 8 or newer, which is headers only: git clone --depth 1 https://github.com/xtensor-stack/xsimd ~/xsimd, then make CXXFLAGS=-I$HOME/xsimd/include"
}

missing=""
refuse_old_xsimd
has xsimd/xsimd.hpp || missing="$missing xsimd"
if [ "${1:-run}" != wasm ]; then
    has pcre2posix.h || missing="$missing pcre2"
    has utf8proc.h || missing="$missing utf8proc"
fi
if [ "${1:-run}" = test ]; then
    has catch2/catch_all.hpp || has catch2/catch.hpp || missing="$missing catch2"
    has nlohmann/json.hpp || missing="$missing json"
fi
[ "${1:-run}" != page ] || command -v cmark-gfm >/dev/null 2>&1 || missing="$missing cmark-gfm"
case ${1:-run} in serve | serving) has httplib.h || missing="$missing cpp-httplib" ;; esac
[ "${1:-run}" != mpi ] || { command -v mpicxx && command -v mpirun; } >/dev/null 2>&1 || missing="$missing openmpi"
[ "${1:-run}" != serving ] || command -v haproxy >/dev/null 2>&1 || missing="$missing haproxy"
[ "${1:-run}" != wasm ] || command -v em++ >/dev/null 2>&1 || missing="$missing emscripten"
if [ "${1:-run}" = arm64 ]; then
    command -v aarch64-linux-gnu-g++ >/dev/null 2>&1 || missing="$missing g++-aarch64-linux-gnu"
    command -v qemu-aarch64 >/dev/null 2>&1 || missing="$missing qemu-user"
fi
[ "$(uname -s)" != Darwin ] || [ -d "$(brew --prefix 2>/dev/null)/opt/libomp" ] || missing="$missing libomp"
[ -n "$missing" ] || exit 0

# The name of each package with this package manager.
if command -v apt-get >/dev/null 2>&1; then
    names=$(for p in $missing; do case $p in
        xsimd) echo libxsimd-dev;; json) echo nlohmann-json3-dev;;
        pcre2) echo libpcre2-dev;; utf8proc) echo libutf8proc-dev;; cpp-httplib) echo libcpp-httplib-dev;;
        openmpi) echo libopenmpi-dev openmpi-bin;;
        *) echo $p;; esac; done)
    install="apt-get install -y --no-install-recommends" update="apt-get update"
elif command -v dnf >/dev/null 2>&1; then
    names=$(for p in $missing; do case $p in
        xsimd) echo xsimd-devel;; json) echo json-devel;;
        catch2) echo catch-devel;; pcre2|utf8proc|cpp-httplib|openmpi) echo $p-devel;; *) echo $p;; esac; done)
    install="dnf install -y" update=""
elif command -v pacman >/dev/null 2>&1; then
    names=$(for p in $missing; do case $p in json) echo nlohmann-json;; utf8proc) echo libutf8proc;; *) echo $p;; esac; done)
    install="pacman -S --noconfirm --needed" update=""
elif command -v zypper >/dev/null 2>&1; then
    names=$(for p in $missing; do case $p in
        json) echo nlohmann_json-devel;; catch2) echo Catch2-devel;; *) echo $p-devel;; esac; done)
    install="zypper install -y" update=""
elif command -v brew >/dev/null 2>&1; then
    names=$(for p in $missing; do case $p in json) echo nlohmann-json;; *) echo $p;; esac; done)
    install="brew install" update=""
else
    fail "missing packages:$missing; no known package manager (apt, dnf, pacman, zypper, brew) is here: install them by hand"
fi
names=$(echo $names)

sudo=""
case $install in brew*) ;; *)
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null 2>&1 || fail "missing packages; as root run: $install $names"
        sudo="sudo "
    fi ;;
esac
if [ -n "${NO_INSTALL:-}" ]; then
    fail "missing packages:$missing; install them with: $sudo$install $names"
fi
echo "make: installing what is missing ($names): $sudo$install $names" >&2
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
if [ -n "$update" ]; then $sudo$update >"$log" 2>&1 || true; fi
DEBIAN_FRONTEND=noninteractive $sudo$install $names >>"$log" 2>&1 || {
    tail -n 5 "$log" >&2
    fail "could not install $names (no network, or no permission?); run by hand: $sudo$install $names"
}
refuse_old_xsimd
