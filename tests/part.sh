#!/bin/sh
# Runs one part of the tests and keeps what it says:   part.sh FOLDER NAME COMMAND…
# FOLDER/NAME holds its output, FOLDER/NAME.failed is there if it failed. Shows the output with the part's name before the count, so
# that `make test` has one line "N passed, N failed", its last (tests/total.sh). Succeeds always: the other parts run, too.
# PART_LIMIT=300: a part that takes longer is ended and has failed (a terminal's Ctrl-C does not reach it then).
folder=$1 name=$2
shift 2
# A make that a test calls must not take the jobs of the make that runs the tests: it could wait for one for ever.
unset MAKEFLAGS MFLAGS MAKELEVEL
rm -f "$folder/$name.failed"
${PART_LIMIT:+timeout -k 10 "$PART_LIMIT"} "$@" >"$folder/$name" 2>&1 </dev/null
status=$?
[ $status -eq 0 ] || : >"$folder/$name.failed"
[ -z "${PART_LIMIT:-}" ] || [ $status -lt 124 ] || echo "did not end within $PART_LIMIT s, or was killed" >>"$folder/$name"
# Of tests that all passed only the count is of interest.
[ $status -ne 0 ] || quiet='/^=*$/d; /^All tests passed/d'
sed -e "${quiet:-}" -e "s/^[0-9][0-9]* passed, [0-9][0-9]* failed\$/$name: &/" "$folder/$name"
