// What takes minutes: memory after 10,000 requests, and three replicas of which two go away.
// Hidden: make test-serving runs them by their tags.
#include "tests/catch.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/machine/files.hpp"
#include "tests/serving/client.hpp"
#include "tests/serving/process.hpp"

using namespace tbt;
using test::Client;
using test::HttpAnswer;

namespace {

constexpr const char* completions = "/v1/completions";

// Kilobytes of memory that this process has; 0: the system does not say.
long resident() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
    return 0;
}

void ask_small(const test::Served& server, int requests) {
    std::atomic<int> left = requests;
    std::vector<std::thread> clients;
    std::atomic<int> failed = 0;
    for (int c = 0; c < 8; ++c)
        clients.emplace_back([&, c] {
            Rng rng(static_cast<std::uint64_t>(c));
            for (int i; (i = --left) >= 0;) {
                Json body = {{"prompt", "Once upon a time " + std::to_string(i)},
                             {"max_tokens", 1 + rng.below(6)},
                             {"stream", rng.below(2) == 0}};
                if (rng.below(10) == 0) body["regex"] = "[a-z]{" + std::to_string(i % 40 + 1) + "}";
                if (body.contains("regex")) body["max_tokens"] = 60;
                if (rng.below(20) == 0) body["num_beams"] = 2;
                if (rng.below(20) == 0) body["temprature"] = 2;
                const HttpAnswer answer = server.post(completions, json_text(body));
                failed += answer.status != (body.contains("temprature") ? 400 : 200);
            }
        });
    for (std::thread& client : clients) client.join();
    REQUIRE(failed == 0);
}

std::string request_of(int i) {
    return json_text(Json{{"prompt", i % 2 ? "Once upon a time" : "The weather today is"},
                          {"seed", i},
                          {"max_tokens", 60},
                          {"temperature", 1.1},
                          {"ignore_eos", true},
                          {"stream", true}});
}

// The text of a stream, begun again after its last event as often as it breaks.
struct Streamed {
    std::string text;
    int broken = 0;
    bool complete = false;
};
Streamed stream(int port, const std::string& body) {
    Streamed s;
    std::string last;
    for (; s.broken < 40 && !s.complete; ++s.broken) {
        if (s.broken > 0) usleep(100000);
        Client client(port, 60);
        if (!client.connected()) continue;
        client.ask("POST", completions, body,
                   last.empty() ? "" : "Last-Event-ID: " + last + "\r\n");
        const HttpAnswer answer = client.answer();
        if (answer.status != 200) continue;
        for (const test::Event& event : test::events_of(answer.body)) {
            s.complete = s.complete || event.data == "[DONE]";
            const Json data = json_value(event.data);
            if (!data.is_object() || event.id.empty()) continue;  // an event that was cut
            if (!data.contains("choices")) break;                 // an error: ask again
            last = event.id;
            s.text += data["choices"][0]["text"].get<std::string>();
        }
    }
    --s.broken;
    return s;
}

}  // namespace

TEST_CASE("memory after 10,000 requests is that after 1,000", "[.][memory]") {
    const test::Served server(test::settings_with([](auto& s) { s.max_waiting = 1000; }));
    ask_small(server, 1000);
    const long early = resident();
    ask_small(server, 9000);
    const long late = resident();
    WARN("resident memory after 1,000 requests " << early << " KB, after 10,000 " << late << " KB");
    REQUIRE(early > 0);
    REQUIRE(static_cast<double>(late) <= 1.05 * static_cast<double>(early));
}

namespace {

// Three replicas and HAProxy in front of them, on ports of loopback that were free.
// TBT_SERVE: the server's program.
class Replicas {
public:
    // balance: of HAProxy, instead of the configuration's own. more: options of the servers.
    explicit Replicas(const std::string& balance = "", const std::vector<std::string>& more = {}) {
        const char* program = std::getenv("TBT_SERVE");
        REQUIRE(program != nullptr);
        for (int& port : ports) {
            port = test::free_port();
            std::vector<std::string> words = {
                program, "--port", std::to_string(port), "--max-waiting", "1000", "--threads",
                "1",     "--quiet"};
            words.insert(words.end(), more.begin(), more.end());
            servers.push_back(std::make_unique<test::Process>(words));
        }
        std::string config = read_file("data/serving/haproxy.cfg");
        const auto change = [&](const std::string& from, const std::string& to) {
            REQUIRE(test::contains(config, from));
            config.replace(config.find(from), from.size(), to);
        };
        for (std::size_t r = 0; r < 3; ++r)
            change("127.0.0.1:808" + std::to_string(r + 1),
                   "127.0.0.1:" + std::to_string(ports[r]));
        change("8000", std::to_string(front));
        if (!balance.empty()) change("balance hash req.body,bytes(0,256)", "balance " + balance);
        for (const int port : ports) REQUIRE(test::healthy(port));
        proxy_ = std::make_unique<test::Process>(
            std::vector<std::string>{"haproxy", "-f", folder_.write("haproxy.cfg", config)});
        REQUIRE(test::healthy(front));
    }

    std::vector<std::unique_ptr<test::Process>> servers;
    std::vector<int> ports = std::vector<int>(3);
    int front = test::free_port();

private:
    test::TemporaryFolder folder_;
    std::unique_ptr<test::Process> proxy_;
};

}  // namespace

TEST_CASE("of three replicas one is killed and one stopped, and every stream is complete",
          "[.][failover]") {
    constexpr int streams = 200;
    Replicas replicas;
    const int front = replicas.front;
    std::vector<std::string> alone(streams);  // what one server says
    for (int i = 0; i < streams; ++i)
        alone[static_cast<std::size_t>(i)] = stream(replicas.ports[0], request_of(i)).text;

    std::atomic<int> ended = 0;
    std::vector<Streamed> got(streams);
    std::vector<std::thread> clients;
    for (std::size_t i = 0; i < streams; ++i)
        clients.emplace_back([&, i] {
            got[i] = stream(front, request_of(static_cast<int>(i)));
            ++ended;
        });
    while (ended < streams / 5) usleep(1000);
    replicas.servers[0]->stop(SIGKILL);
    while (ended < streams / 3) usleep(1000);
    const int exit_status = replicas.servers[1]->stop(SIGTERM);
    for (std::thread& client : clients) client.join();

    int different = 0, broken = 0;
    for (std::size_t i = 0; i < streams; ++i) {
        different += !got[i].complete || got[i].text != alone[i];
        broken += got[i].broken > 0;
    }
    WARN(streams << " streams, " << broken << " of them broken and resumed, " << different
                 << " different");
    REQUIRE(different == 0);
    REQUIRE(broken > 0);
    REQUIRE(exit_status == 0);
}

namespace {

// The share of the prompts' tokens that did not have to be read: 600 questions by 12 clients, after
// one of 30 instructions of 190 tokens or so, of which the k-th is asked 1/k as often as the first.
double hit_rate(int front, const std::vector<int>& servers) {
    std::vector<std::string> instructions;
    double all = 0;
    for (int i = 1; i <= 30; ++i) {
        std::string text = "Shop " + std::to_string(i) + ". ";
        for (int rule = 0; rule < 12; ++rule)
            text += "Rule " + std::to_string(i * 37 + rule * 11) +
                    " says that the baker has a goat and a fork in the old garden. ";
        instructions.push_back(text);
        all += 1.0 / i;
    }
    Rng rng(1);
    std::vector<std::string> bodies;
    for (int question = 0; question < 600; ++question) {
        double left = rng.uniform() * all;
        std::size_t chosen = 0;
        while (chosen + 1 < instructions.size() &&
               (left -= 1.0 / static_cast<double>(chosen + 1)) > 0)
            ++chosen;
        bodies.push_back(json_text(
            Json{{"prompt", instructions[chosen] + "Question " + std::to_string(question)},
                 {"max_tokens", 8}}));
    }
    std::atomic<std::size_t> next = 0;
    std::atomic<int> failed = 0;
    std::vector<std::thread> clients;
    for (int c = 0; c < 12; ++c)
        clients.emplace_back([&] {
            for (std::size_t i; (i = next++) < bodies.size();) {
                Client client(front);
                client.ask("POST", completions, bodies[i]);
                failed += client.answer().status != 200;
            }
        });
    for (std::thread& client : clients) client.join();
    REQUIRE(failed == 0);
    double cached = 0, prompts = 0;
    for (const int port : servers) {
        cached += test::metric(port, "tbt_cached_tokens_total");
        prompts += test::metric(port, "tbt_prompt_tokens_total");
    }
    return cached / prompts;
}

}  // namespace

// With 42 MB a replica remembers 40 pages, a good third of what all instructions take.
TEST_CASE("requests that begin alike meet the replica that remembers their beginning",
          "[.][hits]") {
    const auto measured = [&](const std::string& balance, const std::vector<std::string>& more) {
        const Replicas replicas(balance, more);
        return hit_rate(replicas.front, replicas.ports);
    };
    const std::vector<std::string> small = {"--cache-memory", "42", "--max-running", "4"};
    const double sticky = measured("", small), in_turns = measured("roundrobin", small);
    WARN("share of prompt tokens that were known, with data/serving/haproxy.cfg and in turns: "
         << sticky << " and " << in_turns << " with 42 MB for each replica, " << measured("", {})
         << " and " << measured("roundrobin", {}) << " with room for all");
    REQUIRE(sticky > in_turns + 0.1);
}
