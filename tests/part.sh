#!/bin/sh
# Runs one part of the tests and keeps its output:   part.sh FOLDER NAME COMMAND…
# The output goes to FOLDER/NAME. FOLDER/NAME.failed exists if the part failed. This script shows the output with the part's name
# before the count, so that `make test` has only one line that begins with "N passed, N failed", its last (tests/total.sh), which also
# says what was skipped. It always succeeds, so that the other parts run too. With PART_LIMIT=300, a part that takes longer is ended
# and has failed; a terminal's Ctrl-C does not reach the part then.
folder=$1 name=$2
shift 2
# A make that a test calls must not share the jobs of the make that runs the tests: it could wait for a free job for ever.
unset MAKEFLAGS MFLAGS MAKELEVEL
rm -f "$folder/$name.failed"
${PART_LIMIT:+timeout -k 10 "$PART_LIMIT"} "$@" >"$folder/$name" 2>&1 </dev/null
status=$?
[ $status -eq 0 ] || : >"$folder/$name.failed"
[ -z "${PART_LIMIT:-}" ] || [ $status -lt 124 ] || echo "did not end within $PART_LIMIT s, or was killed" >>"$folder/$name"
# If all tests passed, only their number is shown.
[ $status -ne 0 ] || quiet='/^=*$/d; /^All tests passed/d'
sed -e "${quiet:-}" -e '/^skipped: /d' -e "s/^[0-9][0-9]* passed, [0-9][0-9]* failed\$/$name: &/" "$folder/$name"
