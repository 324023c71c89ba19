#!/bin/sh
# Gives a built file its name only when it is complete:   whole.sh FILE COMMAND…
# In the command, the word NEW is a temporary name, another one in each process, and NEW.deps beside it is for the headers
# that the compiler records. So a killed build or a full disk leaves no half of a file, and two builds in one folder do
# not write to the same file.
file=$1 new=$1.$$.new
shift
trap 'rm -f "$new" "$new.deps"' EXIT
trap 'exit 130' HUP INT TERM
for word; do
    shift
    case $word in NEW | NEW.deps) word=$new${word#NEW} ;; esac
    set -- "$@" "$word"
done
"$@" || exit
[ ! -f "$new.deps" ] || mv -f "$new.deps" "${file%.*}.d" || exit
mv -f "$new" "$file"
