// The states of the JSON recognizer: the shortest way to the end, and which bytes are equivalent.
#include "tests/catch.hpp"

#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"

using namespace tbt;

namespace {

using States = std::set<Recognizer::State>;

// All states within three open containers, and those before each.
States states_of(JsonRecognizer& recognizer, std::map<Recognizer::State, States>& before) {
    std::deque<Recognizer::State> open{recognizer.start()};
    States seen{recognizer.start()};
    while (!open.empty()) {
        const auto state = open.front();
        open.pop_front();
        for (int byte = 0; byte < 256; ++byte) {
            const auto next = recognizer.next(state, static_cast<unsigned char>(byte));
            if (next == Recognizer::dead || recognizer.stack(next).size() > 3) continue;
            before[next].insert(state);
            if (seen.insert(next).second) open.push_back(next);
        }
    }
    return seen;
}

const JsonOptions all_options[] = {{1, false, false}, {1, true, false}, {1, false, true}};

}  // namespace

TEST_CASE("closing_bytes is the length of the shortest completion") {
    for (const JsonOptions options : all_options) {
        JsonRecognizer recognizer(options);
        std::map<Recognizer::State, States> before;
        const States seen = states_of(recognizer, before);
        // The distances to the end, backwards.
        std::map<Recognizer::State, int> distance;
        std::deque<Recognizer::State> open;
        for (const auto state : seen) {
            if (recognizer.accepts(state)) distance[state] = 0, open.push_back(state);
        }
        while (!open.empty()) {
            const auto state = open.front();
            open.pop_front();
            for (const auto previous : before[state]) {
                if (distance.emplace(previous, distance[state] + 1).second)
                    open.push_back(previous);
            }
        }
        REQUIRE(seen.size() > 300);
        for (const auto state : seen) {
            INFO(JsonRecognizer::name(JsonRecognizer::unpack(state).mode)
                 << " " << recognizer.stack(state) << " "
                 << static_cast<int>(JsonRecognizer::unpack(state).mode));
            REQUIRE(distance.count(state) == 1);  // every state that is alive can be completed
            REQUIRE(recognizer.closing_bytes(state) == distance[state]);
        }
    }
}

TEST_CASE("bytes that are said to be equivalent lead to one state, from every state") {
    for (const JsonOptions options : all_options) {
        JsonRecognizer recognizer(options);
        std::map<Recognizer::State, States> before;
        int ranges = 0;
        const States seen = states_of(recognizer, before);
        for (const auto state : seen) {
            INFO(JsonRecognizer::name(JsonRecognizer::unpack(state).mode));
            for (int first = 0, last = 0; first < 256; first = last + 1, ++ranges) {
                const auto next = recognizer.next(state, static_cast<unsigned char>(first));
                last = recognizer.last_equivalent(state, first);
                REQUIRE((last >= first && last < 256));
                for (int byte = first; byte <= last; ++byte)
                    REQUIRE(recognizer.next(state, static_cast<unsigned char>(byte)) == next);
            }
        }
        CHECK(ranges < 80 * count(seen));
    }
}
