// Jinja's filters, tests, methods and operators: each result is Python's, and each refusal names
// what is wrong.
#include "tests/catch.hpp"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/templates.hpp"

using namespace tbt;
using Catch::Contains;
using test::refusal;
using test::rendered;

TEST_CASE(
    "words get capitals as in Jinja: the filter's after blanks and dashes, the method's at letters",
    "[chat]") {
    CHECK(rendered("{{ 'hello wOrld-x' | title }} {{ 'a1b c' | title }}") == "Hello World-X A1b C");
    CHECK(rendered("{{ \"they're a1b\".title() }}") == "They'Re A1B");
    CHECK(rendered("{{ 'hELLO wORLD' | capitalize }} {{ 'hELLO'.capitalize() }}") ==
          "Hello world Hello");
}

TEST_CASE("the first, the last and the reverse are of lists and of texts", "[chat]") {
    CHECK(rendered("{{ [1, 2, 3] | first }}{{ 'abc' | last }}{{ [] | first }}{{ [] | last }}|") ==
          "1c|");
    CHECK(rendered("{{ 'äb' | reverse }} {{ [1, 2] | reverse | list }}") == "bä [2, 1]");
}

TEST_CASE("lines are indented but the first and the blank ones, unless that is asked for",
          "[chat]") {
    CHECK(rendered(R"({{ 'a\n\nb' | indent }})") == "a\n\n    b");
    CHECK(rendered(R"({{ 'a\n\nb' | indent(2, true) }})") == "  a\n\n  b");
    CHECK(rendered(R"({{ 'a\n\nb' | indent(width=2, blank=true) }})") == "a\n  \n  b");
    CHECK(rendered(R"({{ 'a\nb' | indent('> ', true) }})") == "> a\n> b");
    CHECK(rendered(R"({{ 'a\nb' | indent(0) }}{{ 'a\nb' | indent(100) | length }})") == "a\nb103");
    CHECK_THAT(refusal("{{ 'a' | indent(101) }}"), Contains("width is not between 0 and 100"));
    CHECK_THAT(refusal("{{ 'a' | indent(-1) }}"), Contains("width is not between 0 and 100"));
}

TEST_CASE("texts become numbers as Jinja's filters make them", "[chat]") {
    CHECK(rendered("{{ '12' | int }} {{ ' 3.9 ' | int }} {{ 'x' | int }} {{ 'x' | int(7) }} "
                   "{{ 2.9 | int }} {{ true | int }} {{ none | int }}") == "12 3 0 7 2 1 0");
    CHECK(rendered("{{ '1.5' | float }} {{ 'x' | float }} {{ none | float(2.5) }} "
                   "{{ 3 | float }} {{ '' | float(1.0) }}") == "1.5 0.0 2.5 3.0 1.0");
    CHECK_THAT(refusal("{{ '1e30' | int }}"), Contains("int: a number is too large"));
}

TEST_CASE("lists are filtered, mapped and joined by a member at a path, a filter or a test",
          "[chat]") {
    CHECK(rendered("{{ messages | map(attribute='role') | join(',') }} "
                   "{{ ['a', 'b'] | map('upper') | join }}") == "system,user,user AB");
    CHECK(
        rendered("{{ [{'a': {'b': 1}}, {'a': {}}] | map(attribute='a.b', default='d') | list }}") ==
        "[1, 'd']");
    CHECK(rendered("{{ [1, 2, 3] | reject('odd') | list }} {{ [0, 1, '', 'a'] | select | list }} "
                   "{{ [1, 2, 3] | select('ge', 2) | list }}") == "[2] [1, 'a'] [2, 3]");
    CHECK(rendered("{{ messages | rejectattr('role', 'eq', 'user') | map(attribute='content') "
                   "| first }}") == "Be kind.");
    CHECK(rendered("{{ messages | join('/', attribute='role') }} {{ [1, 2] | join }}") ==
          "system/user/user 12");
}

TEST_CASE("a dict gives its keys, values, items and one of them, or what to take instead",
          "[chat]") {
    CHECK(rendered("{{ {'a': 1}.get('a') }} {{ {'a': 1}.get('b') }} {{ {'a': 1}.get('b', 2) }}") ==
          "1 None 2");
    CHECK(rendered("{{ {'a': 1, 'b': 2}.keys() | list }} {{ {'a': 1, 'b': 2}.values() | list }} "
                   "{{ {'a': 1} | items | list }}") == "['a', 'b'] [1, 2] [('a', 1)]");
    CHECK(rendered("{{ {'a': 1, 'b': 2} | list }} {{ {'a': 1} | count }} {{ 'äb' | length }}") ==
          "['a', 'b'] 1 2");
    CHECK(rendered("{{ {'a': 1, 'a': 2} }} {{ dict(a=1, b='x') }}") ==
          "{'a': 2} {'a': 1, 'b': 'x'}");
    CHECK(rendered("{{ 'a' in {'a': 1} }} {{ 'b' in {'a': 1} }} {{ 'a' in nothing }} "
                   "{{ 2 not in [1] }}") == "True False False True");
}

TEST_CASE("Jinja's tests know what a value is", "[chat]") {
    CHECK(rendered("{{ {} is mapping }}{{ [] is mapping }}{{ namespace() is mapping }} "
                   "{{ 'a' is sequence }}{{ 1 is iterable }}{{ [] is iterable }}") ==
          "TrueFalseFalse TrueFalseTrue");
    CHECK(rendered("{{ 1 is integer }}{{ true is integer }}{{ 1.0 is integer }} {{ 1.0 is float }}"
                   "{{ 1 is float }} {{ true is boolean }}{{ 1 is boolean }} {{ 1 is number }}"
                   "{{ '1' is number }}{{ none is none }}{{ x is none }}") ==
          "TrueFalseFalse TrueFalse TrueFalse TrueFalseTrueFalse");
    CHECK(rendered("{{ 3 is odd }}{{ 3 is even }}{{ 4 is even }} {{ 2 is lt 3 }}{{ 2 is le 2 }}"
                   "{{ 2 is gt 2 }}{{ 2 is ge 2 }}{{ 2 is ne 2 }}{{ 2 is in [2] }} "
                   "{{ 0 is false }}{{ x is undefined }}") ==
          "TrueFalseTrue TrueTrueFalseTrueFalseTrue FalseTrue");
    CHECK(
        rendered("{{ 'a' is not string }} {{ 1 is not string and true }} {{ not x is defined }}") ==
        "False True True");
}

TEST_CASE("texts are split, stripped and replaced as in Python, up to a number of times",
          "[chat]") {
    CHECK(rendered("{{ ' a  b c '.split() }} {{ 'a b c'.split(' ', 1) }} "
                   "{{ ' a  b '.split(none, 1) }} {{ 'a,,b'.split(',') }}") ==
          "['a', 'b', 'c'] ['a', 'b c'] ['a', 'b '] ['a', '', 'b']");
    CHECK(
        rendered("{{ 'xxaxbxx'.strip('x') }} {{ 'xyaxy'.lstrip('yx') }} {{ 'xyaxy'.rstrip('yx') }} "
                 "{{ '  a '.lstrip() }}|{{ ' a  '.rstrip() }}|{{ 'äaä' | trim('ä') }}") ==
        "axb axy xya a | a|a");
    CHECK(rendered("{{ 'aaa'.replace('a', 'b', 2) }} {{ 'aaa' | replace('a', 'b', count=1) }} "
                   "{{ 'aaa'.replace('aa', 'b') }}") == "bba baa ba");
    CHECK(rendered("{{ 'abc'.endswith('bc') }}{{ 'abc'.endswith('ab') }}"
                   "{{ 'abc'.startswith(('x', 'ab')) }}") == "TrueFalseTrue");
    CHECK(rendered("{{ 'banana'.count('a') }} {{ 'aXbX'.split('X') | length }}") == "3 3");
}

TEST_CASE("a loop counts from both ends and knows its neighbours", "[chat]") {
    CHECK(rendered("{% for x in ['a', 'b', 'c'] %}{{ loop.index0 }}{{ loop.revindex }}"
                   "{{ loop.revindex0 }}{{ loop.first }}{{ loop.previtem }}{{ loop.nextitem }} "
                   "{% endfor %}") == "032Trueb 121Falseac 210Falseb ");
    CHECK(rendered("{% for a, b in [(1, 2), (3, 4)] if a > 1 %}{{ b }}{% else %}no{% endfor %}") ==
          "4");
}

TEST_CASE("ranges and slices have Python's ends and steps, in both directions", "[chat]") {
    CHECK(rendered("{{ range(3) | list }} {{ range(1, 4) | list }} {{ range(5, 0, -2) | list }} "
                   "{{ range(0, 7, 3) | list }}") == "[0, 1, 2] [1, 2, 3] [5, 3, 1] [0, 3, 6]");
    CHECK(rendered("{{ 'abcde'[-2:] }} {{ 'abcde'[3:1:-1] }} {{ 'abcde'[:-1] }} {{ 'abcde'[10:] }}|"
                   "{{ 'abcde'[::2] }} {{ 'abcde'[-10:2] }} {{ [1, 2, 3][5:0:-1] }} "
                   "{{ 'abc'[-1] }} {{ 'abc'[-4] }}|{{ 'abcde'[:1:-2] }}") ==
          "de dc abcd |ace ab [3, 2] c |ec");
}

TEST_CASE("values print as Python's repr: floats, quotes, control characters, tuples", "[chat]") {
    CHECK(rendered("{{ 0.0001 }} {{ 0.00001 }} {{ 1000000000000000.0 * 10 }} "
                   "{{ 1000000000000000.0 }} {{ -2.5 }}") ==
          "0.0001 1e-05 1e+16 1000000000000000.0 -2.5");
    CHECK(rendered(R"({{ ["it's", '"', 'a\nb', '\x7f\x01', '\\', 'it\'s "q"'] }})") ==
          R"(["it's", '"', 'a\nb', '\x7f\x01', '\\', 'it\'s "q"'])");
    CHECK(rendered("{{ (1,) }} {{ (1, 2) }} {{ (1, 2) == [1, 2] }} {{ [] }}{{ {} }}") ==
          "(1,) (1, 2) False []{}");
    CHECK(rendered(R"({{ '/<>&' | tojson }} {{ '\b\f\x7f\x01' | tojson }})") ==
          "\"/<>&\" \"\\b\\f\x7f\\u0001\"");
    CHECK(rendered(R"({{ '\U0001f642\t|' }}{{ "\"" }})") == "🙂\t|\"");
}

TEST_CASE("operators bind as in Jinja, and compare texts and numbers", "[chat]") {
    CHECK(rendered("{{ not 1 == 2 }} {{ 2 * 3 ~ 4 }} {{ true or false and false }} "
                   "{{ 10 - 2 - 3 }} {{ 2 ~ 3 * 2 }} {{ not true or true }}") ==
          "True 64 True 5 26 True");
    CHECK(rendered("{{ 'a' 'b' }} {{ 'a' < 'b' }}{{ 'b' >= 'b' }}{{ 2 <= 1 }}{{ 1 != 1.0 }}"
                   "{{ 'b' > 'a' }}") == "ab TrueTrueFalseFalseTrue");
    CHECK(rendered("{{ 7 // -2 }} {{ 7 % -3 }} {{ -7 % -3 }} {{ 6 % -3 }} {{ 7.5 // 2 }} "
                   "{{ -7.5 % 2 }}") == "-4 -2 -1 0 3.0 0.5");
    CHECK(
        rendered("{{ [1] + [2] }} {{ 'ab' * 2 }} {{ +3 }} {{ --3 }} {{ -3 | string | length }}") ==
        "[1, 2] abab 3 3 2");
    CHECK(rendered("{{ 1 if false }}|{{ 'a' if false else 'b' if false else 'c' }}") == "|c");
    CHECK(rendered("{% if 0 %}a{% elif 1 %}b{% elif 2 %}c{% else %}d{% endif %}"
                   "{% if 0 %}a{% elif '' %}b{% else %}d{% endif %}") == "bd");
}

TEST_CASE("equality and defaults are Python's", "[chat]") {
    CHECK(rendered("{{ [1.0, 2] == [1, 2.0] }} {{ {'a': 1, 'b': 2} == {'b': 2, 'a': 1} }} "
                   "{{ {'a': 1} == {'a': 2} }} {{ {'a': 1} == {'b': 1} }} {{ [1] == [1, 2] }} "
                   "{{ 'a' == 1 }} {{ true == 1 }} {{ none == none }}") ==
          "True True False False False False True True");
    CHECK(
        rendered("{{ '' | default('d') }}|{{ '' | default('d', true) }} {{ none | default('d') }} "
                 "{{ x | d }}|{{ 0 | d(1, boolean=true) }}") == "|d None |1");
    CHECK(rendered("{% macro m(a, b=2) %}[{{ a }}{{ b }}]{% endmacro %}{{ m(1) }}{{ m(1, 3) }}"
                   "{{ m(b=4, a=1) }}{{ m() }}") == "[12][13][14][2]");
}

TEST_CASE("what a function, a filter or a method cannot take is said, with its name", "[chat]") {
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"{{ 'a'.split('') }}", "split: the separator is empty"},
        {"{{ 'aa'.replace('', 'b') }}", "replace: the text to look for is empty"},
        {"{{ 'é' | upper }}", "upper: letters beyond ASCII are not supported"},
        {"{{ ['a'] | join(d=',', sep='x') }}", "join: the argument sep is not supported"},
        {"{{ 'a' | trim('a', 'b') }}", "trim: got 2 arguments, expected at most 1"},
        {"{{ 'a'.replace('b') }}", "replace: the argument new is missing"},
        {"{{ 'a'.replace('b', 'c', old='d') }}", "replace: the argument old is given twice"},
        {"{% for x in 3 %}{% endfor %}", "got an integer, expected a list, an object or a text"},
        {"{% for a, b in [[1, 2, 3]] %}{% endfor %}", "a loop with 2 variables got 3 values"},
        {"{% set a = 1 %}{% set a.b = 2 %}", "a is not a namespace; only members of a namespace"},
        {"{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}", "m: got 2 arguments, expected at most 1"},
        {"{{ {1: 2} }}", "a key is an integer, expected a text"},
        {"{{ 'abc'[::0] }}", "a slice [:] has the step 0"},
        {"{{ 'abc'['a':] }}", "a bound of a slice [:] is a text, expected an integer"},
        {"{{ 3[1:] }}", "an integer cannot be sliced with [:]"},
        {"{{ range(1, 2, 0) | list }}", "range: the step is 0"},
        {"{{ range('a') | list }}", "range: expected integers"},
        {"{{ -'a' }}", "got a text after a sign, expected a number"},
        {"{{ (1)(2) }}", "only a name can be called"},
        {"{{ namespace(1) }}", "namespace: expected name=value"},
        {"{{ x.y() }}", "undefined (x) has no method y"},
        {"{{ {'a': 1} | tojson(indent=17) }}", "tojson: indent is 17, expected ≤ 16"},
        {"{{ [1, 2] | tojson(separators=[',']) }}", "tojson: separators are not two texts"},
        {"{{ namespace(a=1) | tojson }}", "tojson: got an object, expected a value of JSON"},
        {"{{ 9223372036854775 * 9223372036854775 }}", "a number is too large"},
        {"{{ strftime_now('%Y') }}", "the function strftime_now is not supported"},
        {"{{ 3 | length }}", "length: got an integer, expected a text, a list or an object"},
        {"{{ 1 < 'a' }}", "an integer < a text is not defined"},
        {"{{ 1 in 2 }}", "an integer in an integer is not defined"}};
    for (const auto& [source, message] : wrong) {
        INFO(source);
        CHECK_THAT(refusal("\n" + source), Contains("chat template: line 2: " + message));
    }
}

TEST_CASE("what is no Jinja, or not supported, is said when the template is read", "[chat]") {
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"{{ f(a=1, 2) }}", "a positional argument follows a named one"},
        {"{% for x [1] %}{% endfor %}", "a for loop has no \"in\""},
        {"{% for x in [1] recursive %}{% endfor %}", "recursive loops are not supported"},
        {"{% break %}", "{% break %} outside of a loop"},
        {"{% for x in [1] %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}",
         "{% break %} outside of a loop"},
        {"{% for x in [] %}{% else %}{% continue %}{% endfor %}",
         "{% continue %} outside of a loop"},
        {"{% macro m(a=1, b) %}{% endmacro %}", "a parameter without a default follows one that"},
        {"{{ 'abc'[1:2:3:4] }}", "a slice has more than three parts"},
        {"{{ 'abc'[] }}", "[] holds nothing, expected a key"},
        {"{{ ) }}", "\")\" has no opening bracket"},
        {"{{ 1 2 }}", "\"2\" is left over at the end of a tag"},
        {"{{ 'a' | }}", "expected a filter's name"},
        {"{{ 'a' is }}", "expected a test's name"},
        {"{{ 12ab }}", "a number is followed by a letter"},
        {"{{ 'a' ? 1 }}", "\"?\" is not understood inside a tag"},
        {R"({{ '\q' }})", "a string has the escape \\q, which is not supported"}};
    for (const auto& [source, message] : wrong) {
        INFO(source);
        CHECK_THAT(refusal("\n" + source), Contains("chat template: line 2: " + message));
    }
}

TEST_CASE("a template writes 64 MiB at most", "[chat]") {
    const std::string megabytes =
        "{% set x = 'a' * 1048576 %}{% for i in range(N) %}{{ x }}{% endfor %}";
    const auto of = [&](const std::string& n) {
        return refusal(std::string(megabytes).replace(megabytes.find('N'), 1, n));
    };
    CHECK_THAT(of("65"), Contains("line 1: writes more than 67108864 bytes"));
    CHECK(of("64").size() == (std::size_t{1} << 26) + std::string("accepted: ").size());
}
