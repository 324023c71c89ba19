#!/bin/sh
# Tests the message for a learner's code that crashes or does not end: one line, with the line number of the learner's file.
#   crashes.sh       uses its own files and its own score; LEARN_MAKE, which make passes, is the command to call make
# Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
make=${LEARN_MAKE:-make}
unset LEARN_MAKE MAKEFLAGS MFLAGS MAKELEVEL
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
name=01_1_perplexity number=01_1

# goes_wrong BODY TEXT…: with BODY between the marks, the check must print each TEXT; @ is the file and line with HERE.
goes_wrong() {
    body=$1
    shift
    BODY=$body awk '/>>> write here/ { print; print ENVIRON["BODY"]; skip = 1 } /<<< to here/ { skip = 0 } !skip' "solutions/$name.hpp" >"$work/$name.hpp"
    at=$(grep -n 'HERE' "$work/$name.hpp" | head -n 1 | cut -d: -f1)
    $make -s check EX=$number EXERCISES="$work" STATE="$work/progress" >"$work/out" 2>&1
    for text in "$@"; do
        [ "$text" = @ ] && text="in line $at of $work/$name.hpp"
        if grep -qF -- "$text" "$work/out"; then passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "\"$body\" should say \"$text\", and says:"
            sed 's/^/    | /' "$work/out"
        fi
    done
    # The output must not have words of the test library, or a warning.
    if grep -E 'Catch|REQUIRE|FAILED|terminate called|warning:' "$work/out"; then failed=$((failed + 1)); else passed=$((passed + 1)); fi
}

goes_wrong 'return static_cast<double>(logits[logits.size()]);  // HERE' 'crashed' @ 'an index outside'
goes_wrong 'const double* p = nullptr;
    return *p;  // HERE' 'crashed' @ 'a null pointer'
goes_wrong 'double s = 0;
    for (int i = 0; i < 40; i += 0) s += 1;  // HERE
    return s;' 'ran longer than 10 s' @ 'The test: a model that finds both next tokens'
goes_wrong 'if (ids.empty()) return 0;
    return 1 + perplexity(logits, ids);  // HERE' 'crashed' @ 'recursion without end'
goes_wrong 'throw std::runtime_error("my own");  // HERE' 'not there yet' 'my own' @
goes_wrong 'return std::stod("seven");  // HERE' 'not there yet' 'stod' @
goes_wrong 'std::abort();  // HERE' 'crashed' @ 'abort'
goes_wrong 'std::exit(0);  // HERE' 'ended the tests' @
# Other processors do not report a division by 0.
[ "$(uname -m)" = x86_64 ] && goes_wrong 'volatile int zero = 0;
    return 7 / zero;  // HERE' 'crashed' @ 'divided by 0'
goes_wrong 'std::string s;
    for (;;) s += std::string(std::size_t{1} << 20, char(65));  // HERE' 'used up its memory' @ 'The test: '
goes_wrong 'double* a = new double[3];
    for (int i = 0; i < 40; ++i) a[i] = i;  // HERE
    delete[] a;
    return 1;' 'crashed' @ 'written outside of its place'
goes_wrong 'double s = 0;
    for (int i = 0; i < ids.size(); ++i) s += ids[i];
    return s;' 'not there yet' 'expected' 'think about'
goes_wrong 'return 1 +;  // HERE' 'does not compile' "$name.hpp"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
