#!/bin/sh
# Adds up the results of the parts of the tests (tests/part.sh):   total.sh FOLDER NAME…
# Lists what was skipped and why, from lines "skipped: WHAT: WHY" of the parts, and ends with the time and one line
# "N passed, N failed, N skipped". A part that gave no count, by a crash or for a full disk, is one failed test.
# If FOLDER is NAME.N, it is called NAME afterwards.
folder=$1
shift
failed=''
for name in "$@"; do [ ! -f "$folder/$name.failed" ] || failed="$failed $name"; done
for name in "$@"; do sed -n "s/^skipped: /&$name: /p" "$folder/$name"; done
[ -z "$failed" ] || echo "failed:$failed"
echo "built and run in $(($(date +%s) - $(cat "$folder/.begin"))) s"
for name in "$@"; do
    awk -v broken="$([ ! -f "$folder/$name.failed" ] || echo 1)" '
        /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
        /^skipped: / { ++skipped }
        / passed, / { ++counts }
        END { if ((broken || !counts) && !failed) failed = 1; print passed + 0, failed + 0, skipped + 0 }' "$folder/$name"
done | awk '{ passed += $1; failed += $2; skipped += $3 }
    END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 || passed == 0 }'
status=$?
case ${folder##*/} in *.*) rm -rf "${folder%.*}" && mv "$folder" "${folder%.*}" ;; esac
exit $status
