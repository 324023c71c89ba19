// Promise 2: nothing is lost or stuck, whatever clients do.
#include "tests/catch.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/serving/client.hpp"

using namespace tbt;
using test::Answer;
using test::Client;

namespace {

constexpr const char* completions = "/v1/completions";
const std::string long_text =
    R"({"prompt":"Once upon a time","max_tokens":500,"ignore_eos":true,"temperature":1.3)";

// One slot: whoever holds it holds up everybody.
const test::Served& one_slot() {
    static const test::Served server = [] {
        ServerSettings s;
        s.max_running = 1, s.max_batch_tokens = 0, s.max_waiting = 2;
        return test::Served(s);
    }();
    return server;
}

bool answers(const test::Served& server) {
    return server.post(completions, R"({"prompt":"a","max_tokens":1})").status == 200;
}

}  // namespace

TEST_CASE("a client that vanishes frees its slot, in the middle of a stream or of an answer",
          "[serving]") {
    const test::Served& server = one_slot();
    for (const char* stream : {R"(,"stream":true})", "}"}) {
        Client client(server.port());
        client.ask("POST", completions, long_text + stream);
        REQUIRE(server.reaches("tbt_texts_running", 1));
        const double passes = server.metric("tbt_passes_total");
        client.close();
        REQUIRE(server.reaches("tbt_texts_running", 0));
        // Alone it would have taken 500.
        REQUIRE(server.metric("tbt_passes_total") - passes < 400);
    }
    REQUIRE(server.metric("tbt_requests_cancelled_total") == 2);
    REQUIRE(answers(server));
}

TEST_CASE("when too many wait, others are refused with Retry-After", "[serving]") {
    const test::Served& server = one_slot();
    std::vector<Client> clients;
    for (int i = 0; i < 3; ++i) {
        clients.emplace_back(server.port());
        clients.back().ask("POST", completions, long_text + R"(,"stream":true})");
        if (i == 0) REQUIRE(server.reaches("tbt_texts_running", 1));
        else REQUIRE(server.reaches("tbt_texts_waiting", i));
    }
    const Answer answer = server.post(completions, R"({"prompt":"a","max_tokens":1})");
    CAPTURE(answer.body);
    REQUIRE(answer.status == 429);
    REQUIRE(answer.header("Retry-After") == "1");
    REQUIRE(answer.json()["error"]["type"] == "rate_limit_error");
    clients.clear();
    REQUIRE(server.reaches("tbt_texts_waiting", 0));
    REQUIRE(server.reaches("tbt_texts_running", 0));
    REQUIRE(answers(server));
}

TEST_CASE("a slow reader holds up nobody, and gets its whole text", "[serving]") {
    const test::Served& server = one_slot();
    Client slow(server.port());
    slow.ask("POST", completions, long_text + R"(,"stream":true,"logprobs":5})");
    REQUIRE(server.reaches("tbt_texts_running", 1));
    REQUIRE(answers(server));  // after the slow one's text: it read nothing of it
    const std::vector<test::Event> events = test::events_of(slow.answer().body);
    REQUIRE(events.size() > 300);
    REQUIRE(events.back().data == "[DONE]");
}

TEST_CASE("what is no HTTP gets an answer or a closed connection, and the server goes on",
          "[serving]") {
    const test::Served& server = test::shared_server();
    const std::string head =
        "POST /v1/completions HTTP/1.1\r\nHost: a\r\nContent-Type: "
        "application/json\r\n";
    const std::string body = R"({"prompt":"a","max_tokens":1})";
    struct Sent {
        std::string bytes;
        int status;  // 0: none is expected
    };
    char size[16];
    std::snprintf(size, sizeof size, "%zx", body.size());
    const std::vector<Sent> all = {
        {std::string("\0\1\2\3\r\n\r\n", 8), 400},
        {"GET\r\n\r\n", 400},
        {"GET / HTTP/9.9\r\n\r\n", 400},
        {"GET /" + std::string(10000, 'a') + " HTTP/1.1\r\n\r\n", 414},
        {"GET / HTTP/1.1\r\nX: " + std::string(100000, 'a') + "\r\n\r\n", 400},
        {head + "Transfer-Encoding: chunked\r\n\r\n" + size + "\r\n" + body + "\r\n0\r\n\r\n", 200},
        {head + "Transfer-Encoding: chunked\r\n\r\nzzz\r\n", 400},
        {head + "Content-Length: 9999999999999999999\r\n\r\n", 413},
        {head + "Content-Length: -1\r\n\r\n", 0},
        {head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd", 400},
    };
    for (const Sent& s : all) {
        Client client(server.port());
        client.send(s.bytes);
        // The side that sends is closed: what is missing never comes.
        const Answer answer = client.answer();
        CAPTURE(s.bytes.substr(0, 150), answer.headers, answer.body);
        if (s.status != 0) CHECK(answer.status == s.status);
        if (answer.status >= 400) CHECK(answer.json()["error"]["message"].is_string());
    }
    Client half(server.port());
    half.send(head + "Content-Length: 100\r\n\r\n{\"pro");
    Client two(server.port());
    const std::string request =
        head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    two.send(request + request);
    REQUIRE(two.answer().status == 200);
    REQUIRE(half.answer().status == 400);  // after the time that a body may take
    REQUIRE(answers(server));
}

TEST_CASE("a body of 100 MB is refused, whole or in chunks, and takes no memory", "[serving]") {
    const test::Served& server = test::shared_server();
    const std::string megabyte(1 << 20, ' ');
    for (const bool chunked : {false, true}) {
        Client client(server.port());
        client.send("POST /tokenize HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" +
                    std::string(chunked ? "Transfer-Encoding: chunked\r\n\r\n"
                                        : "Content-Length: 104857600\r\n\r\n"));
        for (int i = 0; i < 100; ++i)
            if (!client.send((chunked ? "100000\r\n" : "") + megabyte + (chunked ? "\r\n" : "")))
                break;
        if (chunked) client.send("0\r\n\r\n");
        const Answer answer = client.answer();
        CAPTURE(chunked, answer.body);
        REQUIRE(answer.status == 413);
        REQUIRE(test::contains(answer.body, "1 MB"));
    }
    REQUIRE(answers(server));
}

TEST_CASE("idle connections take no slot, and are closed after a while", "[serving]") {
    const test::Served& server = test::shared_server();
    std::vector<Client> idle;
    for (int i = 0; i < 200; ++i) idle.emplace_back(server.port());
    REQUIRE(answers(server));
    std::string got;
    REQUIRE_FALSE(idle[0].read_more(got));
    REQUIRE(answers(server));
}

TEST_CASE("a server that is told to stop lets what is under way end, and takes no more",
          "[serving]") {
    ServerSettings settings;
    test::Served server(settings);
    Client writing(server.port());
    writing.ask("POST", completions, long_text + R"(,"stream":true})");
    REQUIRE(server.reaches("tbt_texts_running", 1));
    Client kept(server.port());
    std::thread stopping([&] {
        server.http().refuse_connections();
        server.service().drain();
        server.http().stop(std::chrono::seconds(5));
    });
    const std::vector<test::Event> events = test::events_of(writing.answer().body);
    stopping.join();
    REQUIRE(events.size() > 300);
    REQUIRE(events.back().data == "[DONE]");
    REQUIRE_FALSE(Client(server.port()).connected());
}

TEST_CASE("a text that takes longer than the server waits is cut off, and says so", "[serving]") {
    ServerSettings settings;
    settings.timeout = 0;
    settings.max_running = 1;
    test::Served server(settings);
    Client writing(server.port());
    writing.ask("POST", completions, long_text + R"(,"n":60,"stream":true})");
    REQUIRE(server.reaches("tbt_texts_running", 1));
    server.http().refuse_connections();
    REQUIRE_FALSE(server.service().drain());
    const std::string body = writing.answer().body;
    CAPTURE(body.size() > 1000 ? body.substr(body.size() - 1000) : body);
    REQUIRE(test::contains(body, "the server stopped before this text was complete"));
    server.http().stop(std::chrono::seconds(5));
}

TEST_CASE("a request that cannot be written fails alone", "[serving]") {
    const test::Served& server = test::shared_server();
    Client writing(server.port());
    writing.ask("POST", completions, R"({"prompt":"Once upon a time","max_tokens":60})");
    for (int i = 0; i < 3; ++i)
        REQUIRE(
            server.post(completions, R"({"prompt":"a","regex":"a{60}","max_tokens":2})").status ==
            422);
    REQUIRE(writing.answer().status == 200);
}
