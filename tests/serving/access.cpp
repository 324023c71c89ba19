// Who may ask, and what is said of it.
#include "tests/catch.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "lib/machine/files.hpp"
#include "tests/serving/asked.hpp"

using namespace tbt;
using namespace tbt::test;

TEST_CASE("a key is asked for, and only the page and the health go without", "[serving]") {
    const Served keyed(settings_with(
        [](auto& s) { s.api_key = "secret", s.cors_origin = "https://example.com"; }));
    REQUIRE(keyed.ask("GET", "/health").status == 200);
    REQUIRE(keyed.ask("GET", "/").status == 200);
    for (const char* key : {"", "Authorization: Bearer wrong\r\n", "Authorization: secret\r\n",
                            "Authorization: Bearer secret2\r\n", "Authorization: Bearer\r\n"}) {
        CAPTURE(key);
        for (const char* path : {"/v1/models", "/metrics", "/nowhere"}) {
            const HttpAnswer answer = keyed.ask("GET", path, "", key);
            REQUIRE(answer.status == 401);
            REQUIRE(answer.json()["error"]["code"] == "invalid_api_key");
        }
    }
    // A scheme is one in any case; Anthropic's clients send the key alone.
    REQUIRE(keyed.ask("GET", "/v1/models", "", "Authorization: bearer secret\r\n").status == 200);
    REQUIRE(keyed.ask("GET", "/v1/models", "", "x-api-key: secret\r\n").status == 200);
    REQUIRE(keyed.ask("GET", "/v1/models", "", "x-api-key: wrong\r\n").status == 401);
    const HttpAnswer right = keyed.ask("GET", "/v1/models", "", "Authorization: Bearer secret\r\n");
    REQUIRE(right.status == 200);
    REQUIRE(right.header("Access-Control-Allow-Origin") == "https://example.com");
    // What a browser asks before it lets a page ask; a client's library has headers of its own.
    const HttpAnswer may = keyed.ask("OPTIONS", "/v1/models", "",
                                     "Access-Control-Request-Headers: authorization,x-client\r\n");
    REQUIRE(may.status == 204);
    REQUIRE(may.header("Access-Control-Allow-Headers") == "authorization,x-client");
    REQUIRE(same_key("", ""));
    REQUIRE_FALSE(same_key("secretsecret", "secret"));
    REQUIRE_FALSE(same_key("", "secret"));
}

TEST_CASE("a log has a line for each request, and no word of what was asked", "[serving]") {
    const TemporaryFolder folder;
    const int log = open(folder.file("log").c_str(), O_WRONLY | O_CREAT, 0600), before = dup(2);
    dup2(log, 2);
    {
        const Served loud(with_seed(0), true);
        loud.post(completions, R"({"prompt":"Tulip","max_tokens":1,"stop":"Tulip"})");
        loud.post(completions, R"({"prompt":"a","tulip":1})");
        loud.post(completions, R"({"prompt":"a","regex":"Tulip(","max_tokens":1})");
        loud.post(completions, R"({"prompt":"a","max_tokens":60,"json_schema":
            {"type":"object","properties":{"tulip":{"type":"integer"}},"x-tulip":1}})");
        loud.post(chats, R"({"messages":[{"role":"user","content":"Tulip"}],"max_tokens":1})");
        loud.ask("GET", "/Tulip");
        loud.ask("GET", "/metrics");  // programs ask for this again and again
    }
    dup2(before, 2);
    close(before), close(log);
    std::string said = read_file(folder.file("log"));
    CAPTURE(said);
    REQUIRE(std::count(said.begin(), said.end(), '\n') == 6);
    for (char& c : said) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    REQUIRE_FALSE(contains(said, "tulip"));
}

// A page may give its own name the address of this machine (DNS rebinding).
TEST_CASE("a server of this machine is asked for by its own name", "[serving]") {
    const Served server(settings_with([](auto& s) { s.allowed_hosts = {"studio.local"}; }));
    const auto status = [&](const std::string& host) {
        Client client(server.port());
        client.send("GET /health HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        return client.answer().status;
    };
    for (const char* ours : {"localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080",
                             "192.168.1.7", "studio.local:80"})
        CHECK(status(ours) == 200);
    for (const char* another : {"example.com", "localhost.example.com:8080", "127.0.0.1.nip.io"})
        CHECK(status(another) == 403);
}

TEST_CASE("a server that others can reach wants a key", "[serving]") {
    ServerSettings s;
    s.host = "0.0.0.0";
    REQUIRE(contains(error_of([&] { complete(s); }), "--no-key"));
    s.no_key = true;
    REQUIRE(error_of([&] { complete(s); }).empty());
    s.api_key = "x";
    REQUIRE_THROWS_AS(complete(s), UsageError);
    for (const char* own : {"127.0.0.1", "localhost", "::1"}) {
        ServerSettings local;
        local.host = own;
        REQUIRE(error_of([&] { complete(local); }).empty());
    }
    s = {};
    s.max_batch_tokens = 8, s.max_running = 16;
    REQUIRE_THROWS_AS(complete(s), UsageError);
    s = {};
    s.cache_memory = 1;
    s.port = 0;
    Service service(s);
    REQUIRE(contains(error_of([&] { service.open(); }), "--cache-memory 1"));
}
