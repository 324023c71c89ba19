// What one request does to the others: while it is under way, a second client's four tokens come
// soon. Measured beside what they take on an idle server; TBT_REQUESTS set: and told.
#include "tests/catch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/serving/asked.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

using Clock = std::chrono::steady_clock;

double bystander(const Served& server) {
    const Clock::time_point begin = Clock::now();
    asked(server, completions, R"({"prompt":"The weather","max_tokens":4})");
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

// One that takes a while to compile.
std::string large_schema() {
    std::string members = R"("a":{"type":"integer"})";
    for (int i = 0; i < 1500; ++i)
        members += ",\"m" + std::to_string(i) + R"(":{"type":["string","null"],"maxLength":9})";
    return R"({"prompt":"a","max_tokens":40,"json_schema":{"type":"object","properties":{)" +
           members + "}}}";
}

// Rules of which any may be left out, and which mean the same: too ambiguous for a first token.
std::string ambiguous_grammar() {
    std::string root = "root ::=", rules;
    for (int i = 0; i < 300; ++i) {
        const std::string name = "a" + std::to_string(i);
        root += " " + name + "?";
        rules += "\n" + name + " ::= [a-z] a" + std::to_string((i + 1) % 300) + " | \"x\"{0,9}";
    }
    return json_text(Json{{"prompt", "a"}, {"max_tokens", 4}, {"grammar", root + rules}});
}

// One that takes seconds to compile, and is too large in the end.
std::string endless_schema() {
    std::string members;
    for (int i = 0; i < 900; ++i) {
        const std::string name = "m" + std::to_string(i);
        members += (i ? ",\"" : "\"") + name + R"(":{"type":"string","pattern":".*[a-z]x.{11})" +
                   name + "\"}";
    }
    return R"({"prompt":"a","json_schema":{"type":"object","properties":{)" + members + "}}}";
}

}  // namespace

TEST_CASE("a client gets its tokens soon, whatever another asks for", "[serving]") {
    const Served server;
    struct Attack {
        const char* name;
        std::string body;
        const char* path = completions;
        int times = 1;
    };
    std::string prompts = "\"a\"";
    for (int i = 1; i < 64; ++i) prompts += ",\"a\"";
    const std::vector<Attack> all = {
        {"prompts to score", batch_of_prompts(24)},
        {"128 texts", R"({"prompt":"a","n":128,"max_tokens":400,"ignore_eos":true})"},
        {"16 beams", R"({"prompt":"a","num_beams":16,"max_tokens":300,"ignore_eos":true})"},
        {"an ambiguous grammar", R"({"prompt":"a","n":8,"max_tokens":300,"ignore_eos":true,
          "grammar":"root ::= a a a a a a a a\na ::= [a-z ] a? a? a?"})"},
        {"64 prompts", R"({"prompt":[)" + prompts + R"(],"max_tokens":300,"ignore_eos":true})"},
        {"texts to embed", R"({"input":[)" + prompts + "]}", "/v1/embeddings", 8},
        {"grammars without a first token", ambiguous_grammar(), completions, 8},
        {"large schemas", large_schema(), completions, 8}};
    for (const Attack& attack : all) {
        // Other programs use this machine, too: what holds once was not the server's fault.
        double longest = 0, alone = 0, limit = 0;
        for (int tries = 0; tries < 3 && !(longest < limit); ++tries) {
            std::vector<double> idle;
            for (int i = 0; i < 5; ++i) idle.push_back(bystander(server));
            std::sort(idle.begin(), idle.end());
            alone = idle[idle.size() / 2];
            // 250 ms on a quiet machine, where it takes 10 ms alone.
            limit = std::max(0.25, 25 * alone);
            std::vector<Client> attackers;
            for (int i = 0; i < attack.times; ++i) {
                attackers.emplace_back(server.port());
                attackers.back().ask("POST", attack.path, attack.body);
            }
            usleep(150000);  // it is under way
            longest = 0;
            for (int i = 0; i < 4; ++i) longest = std::max(longest, bystander(server));
            attackers.clear();
            CHECK(server.reaches("tbt_texts_running", 0));
        }
        CAPTURE(attack.name, alone, longest);
        CHECK(longest < limit);
        if (std::getenv("TBT_REQUESTS"))
            WARN("beside " << attack.name << ": four tokens after " << 1e3 * longest
                           << " ms, alone after " << 1e3 * alone);
    }
}

TEST_CASE("128 texts of one request fill no queue for others", "[serving]") {
    const Served server(settings_with([](auto& s) { s.max_running = s.max_waiting = 2; }));
    Client many(server.port());
    many.ask("POST", completions, R"({"prompt":"a","n":128,"max_tokens":100,"ignore_eos":true})");
    REQUIRE(server.reaches("tbt_texts_running", 2));
    for (int i = 0; i < 5; ++i) bystander(server);
}

TEST_CASE("a request waits while its form is compiled", "[serving]") {
    const Served server(settings_with([](auto& s) { s.max_waiting = 2; }));
    std::vector<Client> clients;
    for (int i = 0; i < 8; ++i) {
        clients.emplace_back(server.port());
        clients.back().ask("POST", completions, large_schema());
    }
    int refused = 0;
    for (Client& client : clients) {
        const int status = client.answer().status;
        CHECK((status == 200 || status == 429));
        refused += status == 429;
    }
    REQUIRE(refused > 0);
    REQUIRE(refused < 8);
    bystander(server);  // they left their places
}

TEST_CASE("compiling a form ends at --timeout, with its client, and when the server stops",
          "[serving]") {
    const HttpAnswer late =
        asked(Served(settings_with([](auto& s) { s.max_waiting = s.timeout = 1; })), completions,
              endless_schema(), 422);
    CHECK(contains(late.body, "takes more than 1 s to compile"));

    Served server(settings_with([](auto& s) { s.max_waiting = 1, s.timeout = 60; }));
    // A client whose form is being compiled, and has the only place.
    const auto compiling = [&] {
        for (;;) {
            Client client(server.port());
            client.ask("POST", completions, endless_schema());
            usleep(300000);
            // A request before it may still have had the place.
            if (server.post(completions, R"({"prompt":"a","max_tokens":1})").status == 429 &&
                client.waits())
                return client;
        }
    };
    compiling().close();
    CHECK(server.reaches(R"(tbt_requests_total{endpoint="/v1/completions",status="499"})", 1));

    Client cut_off = compiling();
    server.http().refuse_connections();
    CHECK(server.service().drain());
    CHECK(cut_off.answer().status == 503);
}
