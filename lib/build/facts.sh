#!/bin/sh
# Prints what the Makefile must know about this machine and compiler, as words:
#   facts.sh "COMPILER" FOLDER    SYSTEM PROCESSOR JOBS [clang] [openmp]
# JOBS is the number of cores, but at most one job for each GB of free memory. The facts about the compiler are kept in
# FOLDER/.compiler (if FOLDER exists). They are found again if the compiler is another one, or if OpenMP was missing.
compiler=$1 folder=$2
jobs=$(awk -v jobs="$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" \
    '/^MemAvailable/ && $2 < jobs * 1000000 { jobs = int($2 / 1000000) } END { print (jobs < 1 ? 1 : jobs) }' \
    "$([ -r /proc/meminfo ] && echo /proc/meminfo || echo /dev/null)")
echo "$(uname -sm) $jobs"

case $compiler in em++*) echo clang; exit 0 ;; esac
path=$(command -v "${compiler%% *}") || exit 0
which="$compiler $(ls -lL "$path")"
if { read -r kept && read -r facts; } 2>/dev/null <"$folder/.compiler" && [ "$kept" = "$which" ]; then echo "$facts"; exit 0; fi
facts=''
# g++ may be another name of clang, as on macOS.
if $compiler --version 2>/dev/null | grep -qi clang; then facts=clang; fi
if printf '#include <omp.h>\nint main(){}' | $compiler -fopenmp -x c++ - -o /dev/null 2>/dev/null; then facts="$facts openmp"; fi
echo "$facts"
case $facts in *openmp) [ ! -d "$folder" ] || printf '%s\n%s\n' "$which" "$facts" >"$folder/.compiler" ;; esac
