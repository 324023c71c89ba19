#!/bin/sh
# Prints words for libFuzzer's dictionary: the string literals of the sources that parse the target's
# input.
#   sh tests/fuzz/words.sh TARGET
set -eu
case "$1" in
    command_line) from="lib/machine lib/model chapters/*_*/*options*.cpp chapters/10_generate chapters/23_text_generator" ;;
    chat) from="chapters/10_generate lib/text" ;;
    template) from="lib/chat" ;;
    json) from="lib/grammar/recognizer lib/machine" ;;
    gbnf) from="lib/grammar/recognizer" ;;
    regex) from="lib/grammar/automata" ;;
    schema) from="lib/grammar" ;;
    corpus) from="lib/train chapters/19_training" ;;
    trace | checkpoint) from="lib/train lib/machine chapters/10_generate chapters/22_diffusion" ;;
    *) from="lib/model lib/text lib/machine" ;;
esac
# shellcheck disable=SC2086  # a list
LC_ALL=C grep -rhoE --include='*.cpp' --include='*.hpp' '"[^"\\ ]{1,24}"' $from | LC_ALL=C grep -v -e '[^ -~]' -e '[.]hpp"' | sort -u
