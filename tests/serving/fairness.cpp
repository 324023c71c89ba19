// What one request does to the others: while it is under way, a second client's four tokens come
// soon. Measured beside what they take on an idle server.
#include "tests/catch.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tests/serving/client.hpp"

using namespace tbt;
using test::Client;

namespace {

constexpr const char* completions = "/v1/completions";
using Clock = std::chrono::steady_clock;

double bystander(const test::Served& server) {
    const Clock::time_point begin = Clock::now();
    const auto answer = server.post(completions, R"({"prompt":"The weather","max_tokens":4})");
    CAPTURE(answer.body);
    REQUIRE(answer.status == 200);
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string batch_of_prompts(int prompts) {
    std::string list;
    for (int p = 0; p < prompts; ++p) {
        std::string text;
        for (int word = 0; word < 200; ++word)
            text += " the " + std::to_string(p) + " goat " + std::to_string(word);
        list += (p ? ",\"" : "\"") + text.substr(0, 900) + "\"";
    }
    return R"({"echo":true,"logprobs":1,"max_tokens":1,"prompt":[)" + list + "]}";
}

}  // namespace

TEST_CASE("a client gets its tokens soon, whatever another asks for", "[serving]") {
    const test::Served server;
    std::vector<double> idle;
    for (int i = 0; i < 9; ++i) idle.push_back(bystander(server));
    std::sort(idle.begin(), idle.end());
    const double alone = idle[idle.size() / 2];
    // 250 ms on a quiet machine, where it takes 10 ms alone.
    const double limit = std::max(0.25, 25 * alone);
    struct Attack {
        const char* name;
        std::string body;
    };
    const std::vector<Attack> all = {
        {"prompts to score", batch_of_prompts(24)},
        {"128 texts", R"({"prompt":"a","n":128,"max_tokens":400,"ignore_eos":true})"},
        {"16 beams", R"({"prompt":"a","num_beams":16,"max_tokens":300,"ignore_eos":true})"},
        {"an ambiguous grammar", R"({"prompt":"a","n":8,"max_tokens":300,"ignore_eos":true,
          "grammar":"root ::= a a a a a a a a\na ::= [a-z ] a? a? a?"})"},
        {"64 prompts", R"({"prompt":[)" + [] {
             std::string list = "\"a\"";
             for (int i = 1; i < 64; ++i) list += ",\"a\"";
             return list;
         }() + R"(],"max_tokens":300,"ignore_eos":true})"}};
    for (const Attack& attack : all) {
        Client attacker(server.port());
        attacker.ask("POST", completions, attack.body);
        usleep(150000);  // it is under way
        double longest = 0;
        for (int i = 0; i < 4; ++i) longest = std::max(longest, bystander(server));
        attacker.close();
        CAPTURE(attack.name, alone, longest);
        INFO(attack.name << ": " << 1e3 * longest << " ms, alone " << 1e3 * alone);
        CHECK(longest < limit);
        CHECK(server.reaches("tbt_texts_running", 0));
    }
}

TEST_CASE("128 texts of one request fill no queue for others", "[serving]") {
    ServerSettings settings;
    settings.max_waiting = 2, settings.max_running = 2;
    const test::Served server(settings);
    Client many(server.port());
    many.ask("POST", completions, R"({"prompt":"a","n":128,"max_tokens":100,"ignore_eos":true})");
    REQUIRE(server.reaches("tbt_texts_running", 2));
    for (int i = 0; i < 5; ++i) bystander(server);
}
