// What a client of the server sees, beside the generator that runs bare in this process.
#include "tests/bench/serving_http.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include "chapters/23_text_generator/text_generator.hpp"
#include "tests/bench/bench.hpp"
#include "tests/serving/client.hpp"
#include "tests/serving/process.hpp"

namespace tbt::bench {

namespace {

constexpr const char* completions = "/v1/completions";

double seconds(test::Action work) {
    const double begin = now();
    work();
    return now() - begin;
}
double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}
double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

test::Served open_server() {
    ServerSettings settings = test::with_seed(0);
    settings.max_running = 32;
    return test::Served(settings);
}

double streams(const test::Served& server, int count) {
    static const std::string body =
        R"({"prompt":"Once upon a time","max_tokens":200,"ignore_eos":true,"temperature":1,
        "stream":true})";
    return seconds([&] {
        std::vector<std::thread> clients;
        for (int c = 0; c < count; ++c)
            clients.emplace_back([&] { server.post(completions, body); });
        for (std::thread& client : clients) client.join();
    });
}

// A question after 400 tokens, which are other ones in each round.
double first_token(const test::Served& server, int round, int question) {
    Json prompt = Json::array();
    for (int t = 0; t < 400; ++t) prompt.push_back(300 + (round * 400 + t * 7) % 3000);
    prompt.push_back(400 + question);
    const std::string body = json_text(Json{{"prompt", prompt}, {"max_tokens", 1}});
    return seconds([&] { server.post(completions, body); });
}

// From the start of the program to the first 200 of /health.
double start_of(const char* program) {
    const int port = test::free_port();
    test::Process process({program, "--port", std::to_string(port), "--quiet"});
    return seconds([&] {
        for (int tries = 0; tries < 2000; ++tries) {
            test::Client client(port, 2);
            if (client.connected()) {
                client.ask("GET", "/health");
                if (client.answer().status == 200) return;
            }
            usleep(2000);
        }
    });
}

}  // namespace

void measure_server() {
    const test::Served server = open_server();
    GenerateOptions opened;
    opened.threads = 1;  // as the server's
    TextGenerator generator(opened);
    TextOptions options;
    options.max_new_tokens = 200, options.ignore_eos = true, options.temperature = 1;
    std::vector<double> one, alone, sixteen, many, cold, warm, starts;
    for (int round = 0; round < (thorough() ? 25 : quick() ? 1 : 5); ++round) {
        alone.push_back(seconds([&] { generator.generate("Once upon a time", options); }));
        one.push_back(streams(server, 1));
        sixteen.push_back(streams(server, 16));
        many.push_back(streams(server, 32));
        cold.push_back(first_token(server, round, 0));
        warm.push_back(first_token(server, round, 1));
    }
    if (const char* program = std::getenv("TBT_SERVE"))
        for (int i = 0; i < 9; ++i) starts.push_back(start_of(program));
    const int rest = quick() ? 1 : 3;
    sleep(1);
    const double before = processor_seconds();
    sleep(static_cast<unsigned>(rest));
    const double idle = processor_seconds() - before;

    Table table("serving", {"storyteller over HTTP, one thread", "figure", "asked"});
    table.row(
        {"one stream, of the bare generator's speed", {median(alone) / median(one), 3}, "≥ .970"});
    table.row({"tokens/s of 16 streams, one = 1", Cell(16 * median(one) / median(sixteen), 2), ""});
    table.row({"tokens/s of 32 streams, one = 1", Cell(32 * median(one) / median(many), 2), ""});
    table.row({"time to first token, a known prefix of 400 / an unknown one",
               Cell(median(warm) / median(cold), 3), "≤ .100"});
    table.row({"processor seconds a second without requests", Cell(idle / rest, 5), "none"});
    if (!starts.empty())
        table.row({"seconds from its start to /health 200", Cell(median(starts), 3), "≤ .300"});
}

}  // namespace tbt::bench
