// Formats of JSON Schema as regular expressions: each border of theirs.
#include "tests/catch.hpp"

#include "lib/core/index.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/schema/formats.hpp"
#include "tests/support/takes.hpp"

using namespace tbt;

namespace {

// "1:1:1", so many groups.
std::string groups(int n) {
    return std::string("1:1:1:1:1:1:1:1:1:1").substr(0, index(std::max(0, 2 * n - 1)));
}

}  // namespace

TEST_CASE("an IPv6 address has eight groups, or fewer and one ::") {
    const Dfa dfa = *format_language("ipv6", true);
    const std::string ipv4 = "192.0.2.1";  // in place of the last two groups
    for (int n = 0; n <= 10; ++n) {
        INFO(n);
        CHECK(dfa.accepts(groups(n)) == (n == 8));
        CHECK(dfa.accepts(groups(n) + ":" + ipv4) == (n == 6));
    }
    for (int before = 0; before <= 9; ++before)
        for (int after = 0; after <= 9; ++after) {
            INFO(before << " groups, ::, and " << after);
            CHECK(dfa.accepts(groups(before) + "::" + groups(after)) == (before + after <= 7));
            const std::string last = after == 0 ? ipv4 : groups(after) + ":" + ipv4;
            CHECK(dfa.accepts(groups(before) + "::" + last) == (before + after <= 5));
        }
    for (const char* wrong : {"", ":", ":::", "1::1::1", "12345::", "g::", "::1.2.3", "::256.1.1.1",
                              ":1:1:1:1:1:1:1", "1:1:1:1:1:1:1:", " ::1"}) {
        INFO(wrong);
        CHECK_FALSE(dfa.accepts(wrong));
    }
    CHECK(dfa.accepts("fe80::ABCD:0:1"));
}

TEST_CASE("the borders of other formats") {
    struct Case {
        const char* format;
        testing::Texts right, wrong;
    };
    const std::vector<Case> cases = {
        {"ipv4", "0.0.0.0 | 255.255.255.255 | 9.10.99.100 | 199.200.249.250",
         "256.0.0.0 | 0.0.0.260 | 01.0.0.0 | 1.2.3 | 1.2.3.4.5 | 1.2.3. | 300.1.1.1"},
        {"duration",
         "P1Y | P1M | P1D | P12W | PT1H | PT1M | PT1S | P1Y2M3DT4H5M6S | P1DT1S | P1Y2M"
         " | P2M3D | PT1H1M | PT1M1S | P1YT1M",
         " | P | PT | P1 | 1Y | P1YT | P1Y1D | PT1H1S | P1W1D | P1S | PT1D | P1D1M"},
        {"email", R"(a@b | a.b@c.d | "a b"@c | a@[192.0.2.1] | a@[IPv6:::1] | a+b@c-d.e | a@1)",
         " | @ | a@ | @b | .a@b | a.@b | a..b@c | a@-b | a@b- | a@b..c | a b@c"
         " | a@[256.0.0.1] | a@@b"},
        {"date", "2024-02-29 | 2000-02-29 | 2023-02-28 | 2023-04-30 | 2023-12-31 | 2023-01-01",
         "2023-02-29 | 1900-02-29 | 2023-04-31 | 2023-06-31 | 2023-00-01 | 2023-13-01"
         " | 2023-01-00 | 2023-01-32 | 23-01-01 | 2023-1-1"},
        {"time", "00:00:00Z | 23:59:59Z | 12:00:00.5+01:30 | 12:00:00-23:59",
         "24:00:00Z | 12:60:00Z | 12:00:61Z | 12:00:00 | 12:00Z | 12:00:00.Z"
         " | 12:00:00+24:00 | 12:00:00+1:00"},
        {"uuid", "01234567-89ab-cdef-ABCD-EF0123456789",
         "0123456789abcdefABCDEF0123456789 | 01234567-89ab-cdef-ABCD-EF012345678"
         " | g1234567-89ab-cdef-ABCD-EF0123456789 | 01234567-89ab-cdef-ABCD-EF01234567890"},
        {"json-pointer", " | / | /a/0/b~0~1 | //", "a | /~ | /~2 | #/a"}};
    for (const Case& c : cases) {
        const SharedDfa dfa = format_language(c.format, true);
        REQUIRE(dfa);
        testing::check_takes(
            c.format, [&](const std::string& text) { return dfa->accepts(text); }, c.right,
            c.wrong);
    }
    CHECK_FALSE(format_language("no such format", true));
}

TEST_CASE("what is written of a format is valid, and less where it says so") {
    std::string name;
    for (const char c : format_names() + ",") {
        if (c != ',') {
            if (c != ' ') name += c;
            continue;
        }
        INFO(name);
        const Dfa written = *format_language(name, false), valid = *format_language(name, true);
        CHECK((written - valid).empty());
        CHECK((valid - written).empty() == !written_narrower(name));
        name.clear();
    }
}
