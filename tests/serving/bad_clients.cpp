// Promise 2: nothing is lost or stuck, whatever clients do.
#include "tests/catch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/core/rng.hpp"
#include "tests/serving/asked.hpp"
#include "tests/serving/process.hpp"
#include "tests/support/skip.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

const std::string long_text =
    R"({"prompt":"Once upon a time","max_tokens":500,"ignore_eos":true,"temperature":1.3)";

// One slot: whoever holds it holds up everybody.
const Served& one_slot() {
    static const Served server(settings_with(
        [](auto& s) { s.max_running = 1, s.max_waiting = 2, s.max_batch_tokens = 0; }));
    return server;
}

bool answers(const Served& server) {
    return server.post(completions, R"({"prompt":"a","max_tokens":1})").status == 200;
}

}  // namespace

TEST_CASE("a client that vanishes frees its slot, in the middle of a stream or of an answer",
          "[serving]") {
    const Served& server = one_slot();
    for (const char* more : {R"(,"stream":true})", "}"}) {
        Client client(server.port());
        client.ask("POST", completions, long_text + more);
        REQUIRE(server.reaches("tbt_texts_running", 1));
        const double passes = server.metric("tbt_passes_total");
        client.close();
        REQUIRE(server.reaches("tbt_texts_running", 0));
        // Alone it would have taken 500.
        REQUIRE(server.metric("tbt_passes_total") - passes < 400);
    }
    REQUIRE(server.metric("tbt_requests_cancelled_total") == 2);
    // Beams have passes of their own.
    Client client(server.port());
    client.ask(
        "POST", completions,
        R"({"prompt":"Once upon a time","max_tokens":500,"num_beams":16,"ignore_eos":true})");
    const double before = server.metric("tbt_prompt_tokens_total");
    REQUIRE(answers(server));  // between two of their passes
    REQUIRE(server.metric("tbt_prompt_tokens_total") > before);
    client.close();
    REQUIRE(server.reaches("tbt_requests_cancelled_total", 3));
    REQUIRE(answers(server));
}

TEST_CASE("when too many wait, others are refused with Retry-After", "[serving]") {
    const Served& server = one_slot();
    std::vector<Client> clients;
    for (int i = 0; i < 3; ++i) {
        clients.emplace_back(server.port());
        clients.back().ask("POST", completions, long_text + R"(,"stream":true})");
        if (i == 0) REQUIRE(server.reaches("tbt_texts_running", 1));
        else REQUIRE(server.reaches("tbt_texts_waiting", i));
    }
    const HttpAnswer answer = server.post(completions, R"({"prompt":"a","max_tokens":1})");
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
    const Served& server = one_slot();
    Client slow(server.port());
    slow.ask("POST", completions, long_text + R"(,"stream":true,"logprobs":5})");
    REQUIRE(server.reaches("tbt_texts_running", 1));
    REQUIRE(answers(server));  // after the slow one's text: it read nothing of it
    const std::vector<Event> events = events_of(slow.answer().body);
    REQUIRE(events.size() > 300);
    REQUIRE(events.back().data == "[DONE]");
}

TEST_CASE("what is no HTTP gets an answer or a closed connection, and the server goes on",
          "[serving]") {
    const Served& server = shared_server();
    const std::string head =
        "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
        "application/json\r\n";
    const std::string body = R"({"prompt":"a","max_tokens":1})";
    struct Sent {
        std::string bytes;
        int status;  // 0: none is expected
    };
    char size[16];
    std::snprintf(size, sizeof size, "%zx", body.size());
    const std::string form =  // curl -F a=b
        "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--x--\r\n";
    const std::string of_a_form =
        "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
        std::to_string(form.size()) + "\r\nContent-Type: multipart/form-data";
    const std::vector<Sent> all = {
        {std::string("\0\1\2\3\r\n\r\n", 8), 400},
        {"GET\r\n\r\n", 400},
        {"GET / HTTP/9.9\r\n\r\n", 400},
        {"GET /" + std::string(10000, 'a') + " HTTP/1.1\r\n\r\n", 414},
        {"GET / HTTP/1.1\r\nX: " + std::string(100000, 'a') + "\r\n\r\n", 400},
        {head + "Transfer-Encoding: chunked\r\n\r\n" + size + "\r\n" + body + "\r\n0\r\n\r\n", 200},
        {head + "Transfer-Encoding: chunked\r\n\r\nzzz\r\n", 400},
        {head + "Content-Length: 9999999999999999999\r\n\r\n", 413},
        {head + "Content-Length: 1048577\r\n\r\n", 413},  // a megabyte and one
        // Where a body ends is said in one way only: a proxy might read another.
        {head + "Content-Length: -1\r\n\r\n", 400},
        {head + "Content-Length: +5\r\n\r\n", 400},
        {head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}   ", 400},
        {head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        {head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd", 400},
        {of_a_form + "; boundary=x\r\n\r\n" + form, 415},
        {of_a_form + "\r\n\r\n" + form, 415},
    };
    for (const Sent& s : all) {
        Client client(server.port());
        client.send(s.bytes);
        // The side that sends is closed: what is missing never comes.
        const HttpAnswer answer = client.answer();
        CAPTURE(s.bytes.substr(0, 150), answer.headers, answer.body);
        if (s.status != 0) CHECK(answer.status == s.status);
        if (answer.status >= 400) CHECK(answer.json()["error"]["message"].is_string());
        std::string more;
        if (answer.status == 415) CHECK_FALSE(client.read_more(more));  // closed
    }
    // Of the first version: the stream's end is that of the connection, though it asks to keep it.
    Client old(server.port());
    const std::string streamed = R"({"prompt":"a","max_tokens":3,"stream":true})";
    old.send(
        "POST /v1/completions HTTP/1.0\r\nConnection: Keep-Alive\r\nContent-Type: "
        "application/json\r\n"
        "Content-Length: " +
        std::to_string(streamed.size()) + "\r\n\r\n" + streamed);
    const std::string got = old.rest();
    REQUIRE_FALSE(contains(got, "chunked"));
    REQUIRE(got.ends_with("data: [DONE]\n\n"));
    Client half(server.port());
    half.send(head + "Content-Length: 100\r\n\r\n{\"pro");
    REQUIRE(half.answer().status == 400);  // after the time that a body may take
    REQUIRE(answers(server));
}

TEST_CASE("a body that is not read is never taken for the next request", "[serving]") {
    const Served& server = shared_server();
    const std::string inner = "GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n",
                      length = "Content-Length: " + std::to_string(inner.size()) + "\r\n\r\n",
                      body = length + inner;
    char size[16];
    std::snprintf(size, sizeof size, "%zx\r\n", inner.size());
    const std::string chunks =
        "Transfer-Encoding: chunked\r\n\r\n" + std::string(size) + inner + "\r\n0\r\n\r\n";
    const std::string host = " HTTP/1.1\r\nHost: localhost\r\n";
    for (const std::string& request :
         {"GET /health" + host + body, "GET /health" + host + chunks, "HEAD /health" + host + body,
          "OPTIONS /health" + host + body, "TRACE /health" + host + body,
          "POST /" + std::string(10000, 'a') + host + body,
          "POST /tokenize" + host + "Range: bytes=x\r\n" + body}) {
        Client client(server.port());
        client.send(request);
        const std::string got = client.rest();
        CAPTURE(request.substr(0, 60), got);
        CHECK(got.starts_with("HTTP/1.1 "));
        CHECK(got.find("HTTP/1.1 ", 1) == std::string::npos);
        CHECK_FALSE(contains(got, "version\""));
    }
    // Without one, or with an empty one, the connection is kept.
    Client kept(server.port());
    for (const char* none : {"", "Content-Length: 0\r\n"}) {
        kept.send("GET /health" + host + none + "\r\n");
        CHECK(kept.answer().status == 200);
    }
    CHECK(kept.waits());
}

TEST_CASE("without a length a request has no body, and is answered at once", "[serving]") {
    const Served& server = shared_server();
    Client client(server.port());
    const auto begin = std::chrono::steady_clock::now();
    for (const auto& [line, status] :
         {std::pair("POST /api/show", 200), std::pair("DELETE /v1/models", 405),
          std::pair("POST /tokenize", 400)}) {
        client.send(std::string(line) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        CAPTURE(line);
        CHECK(client.answer().status == status);
    }
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(4));
}

TEST_CASE("an answer is whole though a part of it is asked for, and its address may be whole",
          "[serving]") {
    const Served& server = shared_server();
    const std::string body = R"({"prompt":"Once upon a time"})";
    const HttpAnswer whole = server.post("/tokenize", body);
    const HttpAnswer part = server.ask("POST", "/tokenize", body, "Range: bytes=0-3\r\n");
    CHECK(part.status == 200);
    CHECK(part.body == whole.body);
    CHECK(server.ask("GET", "http://localhost/health").status == 200);
    CHECK(server.ask("POST", "http://localhost:80/tokenize", body).body == whole.body);
}

TEST_CASE("what never comes to an endpoint is refused in the form of the interface, too",
          "[serving]") {
    const Served& server = shared_server();
    const auto refused = [&](const std::string& path, const std::string& headers) {
        Client client(server.port());
        client.send("POST " + path + " HTTP/1.1\r\n" + headers + "\r\n");
        return client.answer();
    };
    for (const auto& [headers, status] :
         {std::pair("Host: example.com\r\n", 403),
          std::pair("Host: localhost\r\nContent-Length: x\r\n", 400)}) {
        const HttpAnswer ollama = refused("/api/chat", headers),
                         messages = refused("/v1/messages", headers),
                         openai = refused("/v1/responses", headers);
        CAPTURE(headers, ollama.body, messages.body, openai.body);
        CHECK((ollama.status == status && messages.status == status && openai.status == status));
        CHECK(ollama.json()["error"].is_string());
        CHECK(messages.json()["type"] == "error");
        CHECK(openai.json()["error"]["message"].is_string());
    }
    const HttpAnswer large = server.post("/api/chat", std::string((1 << 20) + 1, ' '));
    CHECK(large.status == 413);
    CHECK(large.json()["error"].is_string());
}

TEST_CASE("requests sent without waiting are all answered, in their order", "[serving]") {
    const Served& server = shared_server();
    Client client(server.port());
    std::string all;
    for (int i = 0; i < 60; ++i) {
        const std::string body = json_text(Json{{"prompt", "a"}, {"max_tokens", 1 + i % 9}});
        all +=
            "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            "application/json\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body;
    }
    client.send(all);
    for (int i = 0; i < 60; ++i) {
        const HttpAnswer answer = client.answer();
        REQUIRE(answer.status == 200);
        REQUIRE(answer.json()["usage"]["completion_tokens"].get<int>() <= 1 + i % 9);
    }
}

TEST_CASE("a client that closes its sending side still gets its answer", "[serving]") {
    const Served& server = shared_server();
    for (const char* more : {"", R"(,"stream":true)"}) {
        Client client(server.port());
        client.ask("POST", completions,
                   R"({"prompt":"Once upon a time","max_tokens":400,"ignore_eos":true)" +
                       std::string(more) + "}");
        client.close_sending();
        const std::string got = client.rest();
        CAPTURE(got.substr(0, 300));
        REQUIRE(contains(got, R"("finish_reason":"length")"));
    }
}

// Bodies that were right, with bytes changed, doubled, left out, and cut off.
TEST_CASE("rubbish in a body is refused or answered, and never ends the server", "[serving]") {
    const Served& server = shared_server();
    const std::vector<std::pair<const char*, std::string>> right = {
        {completions, R"({"prompt":["a",[300,301]],"max_tokens":3,"temperature":0.5,"top_k":3})"},
        {completions, R"({"prompt":"a","regex":"[a-z]{2}","max_tokens":9,"logprobs":2,"n":2})"},
        {completions, R"({"prompt":"a","max_tokens":3,"logit_bias":{"7":1},"stop":["x"]})"},
        {"/v1/chat/completions",
         R"({"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}],"max_tokens":9,
          "tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]})"},
        {"/v1/chat/completions",
         R"({"messages":[{"role":"user","content":"a"}],"max_tokens":60,"response_format":
          {"type":"json_schema","json_schema":{"name":"a","schema":{"enum":[1,"b"]}}}})"},
        {"/tokenize", R"({"prompt":"a\u00e9\ud83d\ude00"})"},
        {"/detokenize", R"({"tokens":[1,2,3]})"}};
    Rng rng(2);
    int answered = 0;
    for (int i = 0; i < 700; ++i) {
        std::string body = right[static_cast<std::size_t>(i) % right.size()].second;
        for (auto changes = 1 + rng.below(3); changes > 0; --changes) {
            const auto at = rng.below(static_cast<std::uint32_t>(body.size()));
            const auto from = rng.below(static_cast<std::uint32_t>(body.size()));
            switch (rng.below(6)) {
                case 0:
                    body[at] = static_cast<char>(rng.below(256));
                    break;
                case 1:
                    body[at] = "{}[]\",:0-9e.\\"[rng.below(13)];
                    break;
                case 2:
                    body.insert(at, body.substr(from, rng.below(30)));
                    break;
                case 3:
                    body.erase(at, rng.below(10));
                    break;
                case 4:
                    body.insert(at, std::string(10, "[{-\"9"[rng.below(5)]));
                    break;
                default:
                    body.resize(std::max<std::size_t>(at, 1));
            }
            if (body.empty()) body = "x";
        }
        const HttpAnswer answer =
            server.post(right[static_cast<std::size_t>(i) % right.size()].first, body);
        CAPTURE(body, answer.status, answer.body);
        REQUIRE(answer.status >= 200);
        REQUIRE(answer.status < 500);
        REQUIRE(answer.json().is_object());
        answered += answer.status == 200;
    }
    REQUIRE(answered > 20);
    REQUIRE(answers(server));
}

TEST_CASE("a body of 100 MB is refused, whole or in chunks, and takes no memory", "[serving]") {
    const Served& server = shared_server();
    const std::string megabyte(1 << 20, ' ');
    for (const bool chunked : {false, true}) {
        Client client(server.port());
        client.send(
            "POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
            std::string(chunked ? "Transfer-Encoding: chunked\r\n\r\n"
                                : "Content-Length: 104857600\r\n\r\n"));
        for (int i = 0; i < 100; ++i)
            if (!client.send((chunked ? "100000\r\n" : "") + megabyte + (chunked ? "\r\n" : "")))
                break;
        if (chunked) client.send("0\r\n\r\n");
        const HttpAnswer answer = client.answer();
        CAPTURE(chunked, answer.body);
        REQUIRE(answer.status == 413);
        REQUIRE(contains(answer.body, "1 MB"));
    }
    REQUIRE(answers(server));
}

TEST_CASE("1,100 slow connections hold up nobody, and are closed after a while", "[serving]") {
    rlimit files{};  // both ends of each connection are in this process
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    const std::size_t connections = files.rlim_max < 2300 ? files.rlim_max / 2 - 50 : 1100;
    const Served& server = shared_server();
    std::vector<Client> idle;
    for (std::size_t i = 0; i < connections; ++i) {
        idle.emplace_back(server.port());
        if (i % 4 == 0) idle.back().send("POST /v1/comp");
    }
    const auto begin = std::chrono::steady_clock::now();
    REQUIRE(answers(server));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(3));
    for (const Client& client : idle) {
        REQUIRE(client.connected());
        client.rest();
    }
    REQUIRE(answers(server));
}

TEST_CASE("a server that nobody asks does nothing", "[serving]") {
    const Served server;
    REQUIRE(answers(server));
    const auto wakings = [] {
        rusage used{};
        getrusage(RUSAGE_SELF, &used);
        return used.ru_nvcsw;
    };
    sleep(1);
    const long before = wakings();
    sleep(1);
    REQUIRE(wakings() - before < 50);  // one that looks every 10 ms has 100
}

TEST_CASE("a server that is told to stop lets what is under way end, and takes no more",
          "[serving]") {
    Served server(ServerSettings{});
    Client writing(server.port());
    writing.ask("POST", completions, long_text + R"(,"stream":true})");
    REQUIRE(server.reaches("tbt_texts_running", 1));
    Client kept(server.port());
    std::thread stopping([&] {
        server.http().refuse_connections();
        server.service().drain();
        server.http().stop(std::chrono::seconds(5));
    });
    const std::vector<Event> events = events_of(writing.answer().body);
    stopping.join();
    REQUIRE(events.size() > 300);
    REQUIRE(events.back().data == "[DONE]");
    REQUIRE_FALSE(Client(server.port()).connected());
}

// TBT_SERVE: the server's program (make test sets it).
TEST_CASE("SIGTERM: no new requests, what is under way ends or is cut off, exit status 0",
          "[serving]") {
    const char* program = std::getenv("TBT_SERVE");
    if (!program) return skip("TBT_SERVE, the server's program, is not set");
    for (const bool in_time : {true, false}) {
        const int port = free_port();
        Process process({program, "--port", std::to_string(port), "--quiet", "--timeout",
                         in_time ? "60" : "0", "--max-running", "1"});
        REQUIRE(healthy(port));
        Client writing(port, 60);
        writing.ask("POST", completions,
                    long_text + (in_time ? R"(,"stream":true})" : R"(,"stream":true,"n":60})"));
        std::string got;
        while (!contains(got, "data: ")) REQUIRE(writing.read_more(got));
        process.tell(SIGTERM);
        if (in_time) process.tell(SIGTERM);  // `timeout` sends it twice
        got += writing.rest();
        REQUIRE(contains(got, in_time ? "data: [DONE]" : "the server stopped before"));
        REQUIRE_FALSE(Client(port).connected());
        REQUIRE(process.wait() == 0);
    }
}

TEST_CASE("a second Ctrl-C ends the server at once", "[serving]") {
    const char* program = std::getenv("TBT_SERVE");
    if (!program) return skip("TBT_SERVE, the server's program, is not set");
    const int port = free_port();
    Process process({program, "--port", std::to_string(port), "--quiet"});
    REQUIRE(healthy(port));
    Client writing(port, 60);
    writing.ask("POST", completions, long_text + R"(,"stream":true,"n":128})");
    std::string got;
    while (!contains(got, "data: ")) REQUIRE(writing.read_more(got));
    process.tell(SIGINT);
    while (Client(port).connected()) usleep(1000);
    process.tell(SIGINT);
    REQUIRE(process.wait() == -1);
    got += writing.rest();
    REQUIRE_FALSE(contains(got, "[DONE]"));
}

TEST_CASE("a text that takes longer than the server waits is cut off, and says so", "[serving]") {
    Served server(settings_with([](auto& s) { s.max_running = 1, s.timeout = 0; }));
    Client writing(server.port());
    writing.ask("POST", completions, long_text + R"(,"n":60,"stream":true})");
    REQUIRE(server.reaches("tbt_texts_running", 1));
    server.http().refuse_connections();
    REQUIRE_FALSE(server.service().drain());
    const std::string body = writing.answer().body;
    CAPTURE(body.size() > 1000 ? body.substr(body.size() - 1000) : body);
    REQUIRE(contains(body, "the server stopped before this text was complete"));
    REQUIRE(contains(body, R"("type":"server_error")"));  // worth another try elsewhere
    server.http().stop(std::chrono::seconds(5));
}

TEST_CASE("a request that cannot be written fails alone", "[serving]") {
    const Served& server = shared_server();
    Client writing(server.port());
    writing.ask("POST", completions, R"({"prompt":"Once upon a time","max_tokens":60})");
    for (int i = 0; i < 3; ++i)
        REQUIRE(server.post(completions, R"({"prompt":"a","regex":"(","max_tokens":2})").status ==
                422);
    REQUIRE(writing.answer().status == 200);
}
