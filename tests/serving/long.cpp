// What takes minutes: memory after 10,000 requests, and three replicas of which two go away.
// Hidden: make test-serving runs them by their tags.
#include "tests/catch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "lib/kernels/rng.hpp"
#include "lib/machine/files.hpp"
#include "tests/serving/client.hpp"

using namespace tbt;
using test::Answer;
using test::Client;

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
                const Answer answer = server.post(completions, json_text(body));
                failed += answer.status != (body.contains("temprature") ? 400 : 200);
            }
        });
    for (std::thread& client : clients) client.join();
    REQUIRE(failed == 0);
}

// A program that ends with this, whatever happens.
class Process {
public:
    explicit Process(const std::vector<std::string>& words) {
        std::vector<char*> arguments;
        for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        pid_ = fork();
        if (pid_ != 0) return;
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1), dup2(nowhere, 2);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    ~Process() {
        if (pid_ > 0) stop(SIGKILL);
    }
    Process(const Process&) = delete;
    // Its exit status; −1: a signal ended it.
    int stop(int signal) {
        int status = 0;
        kill(pid_, signal);
        waitpid(std::exchange(pid_, -1), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    pid_t pid_ = -1;
};

bool healthy(int port) {
    for (int i = 0; i < 600; ++i) {
        Client client(port, 2);
        if (client.connected()) {
            client.ask("GET", "/health");
            if (client.answer().status == 200) return true;
        }
        usleep(50000);
    }
    return false;
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
        const Answer answer = client.answer();
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
    ServerSettings settings;
    settings.max_waiting = 1000;
    const test::Served server(settings);
    ask_small(server, 1000);
    const long early = resident();
    ask_small(server, 9000);
    const long late = resident();
    WARN("resident memory after 1,000 requests " << early << " KB, after 10,000 " << late << " KB");
    REQUIRE(early > 0);
    REQUIRE(static_cast<double>(late) <= 1.05 * static_cast<double>(early));
}

// TBT_SERVE: the program; it needs haproxy. Ports 18080 to 18083 of loopback.
TEST_CASE("of three replicas one is killed and one stopped, and every stream is complete",
          "[.][failover]") {
    const char* program = std::getenv("TBT_SERVE");
    REQUIRE(program != nullptr);
    constexpr int streams = 200, front = 18080;
    const test::TemporaryFolder folder;
    std::string config = read_file("data/serving/haproxy.cfg");
    for (const auto& [from, to] : {std::pair{":8000", ":18080"},
                                   {":8081", ":18081"},
                                   {":8082", ":18082"},
                                   {":8083", ":18083"}})
        config.replace(config.find(from), 5, to);
    const std::string file = folder.write("haproxy.cfg", config);
    const auto serve = [&](int replica) {
        return std::make_unique<Process>(
            std::vector<std::string>{program, "--port", std::to_string(front + replica),
                                     "--max-waiting", "1000", "--threads", "1", "--quiet"});
    };
    std::vector<std::unique_ptr<Process>> replicas;
    for (int r = 1; r <= 3; ++r) replicas.push_back(serve(r));
    for (int r = 1; r <= 3; ++r) REQUIRE(healthy(front + r));

    std::vector<std::string> alone(streams);  // what one server says
    for (int i = 0; i < streams; ++i)
        alone[static_cast<std::size_t>(i)] = stream(front + 1, request_of(i)).text;

    Process proxy({"haproxy", "-f", file});
    REQUIRE(healthy(front));
    std::atomic<int> ended = 0;
    std::vector<Streamed> got(streams);
    std::vector<std::thread> clients;
    for (std::size_t i = 0; i < streams; ++i)
        clients.emplace_back([&, i] {
            got[i] = stream(front, request_of(static_cast<int>(i)));
            ++ended;
        });
    while (ended < streams / 5) usleep(1000);
    replicas[0]->stop(SIGKILL);
    while (ended < streams / 3) usleep(1000);
    const int exit_status = replicas[1]->stop(SIGTERM);
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

double seconds(test::Action work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
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

}  // namespace

// What each is divided by runs beside it, in turns, so that a busy machine slows both.
TEST_CASE("figures: what serving costs and saves", "[.][figures]") {
    const test::Served server;
    GenerateOptions opened;
    opened.threads = 1;  // as the server's
    TextGenerator bare(opened);
    TextOptions options;
    options.max_new_tokens = 200, options.ignore_eos = true, options.temperature = 1;
    const std::string one =
        R"({"prompt":"Once upon a time","max_tokens":200,"ignore_eos":true,"temperature":1,
        "stream":true})";
    std::vector<double> served, alone, sixteen, cold, warm;
    for (int i = 0; i < 15; ++i) {
        alone.push_back(seconds([&] { bare.generate("Once upon a time", options); }));
        served.push_back(seconds([&] { server.post(completions, one); }));
        sixteen.push_back(seconds([&] {
            std::vector<std::thread> clients;
            for (int c = 0; c < 16; ++c)
                clients.emplace_back([&] { server.post(completions, one); });
            for (std::thread& client : clients) client.join();
        }));
        Json ids = Json::array();
        for (int t = 0; t < 400; ++t) ids.push_back(300 + (i * 400 + t * 7) % 3000);
        const auto first_token = [&](int question) {
            Json prompt = ids;
            prompt.push_back(400 + question);
            const std::string body = json_text(Json{{"prompt", prompt}, {"max_tokens", 1}});
            return seconds([&] { server.post(completions, body); });
        };
        cold.push_back(first_token(0));
        warm.push_back(first_token(1));
    }
    sleep(1);
    const double before = processor_seconds();
    sleep(3);
    const double idle = processor_seconds() - before;
    WARN("one stream, server / bare generator (speed): " << median(alone) / median(served));
    WARN("tokens/s with 16 streams / one: " << 16 * median(served) / median(sixteen));
    WARN("time to first token after a known prefix of 400 tokens / an unknown one: "
         << median(warm) / median(cold));
    WARN("processor seconds in 3 s without requests: " << idle);
    if (const char* program = std::getenv("TBT_SERVE")) {
        std::vector<double> starts;
        for (int i = 0; i < 5; ++i) {
            Process process({program, "--port", "18095", "--quiet"});
            starts.push_back(seconds([] {
                for (int tries = 0; tries < 2000; ++tries) {
                    Client client(18095, 2);
                    if (client.connected()) {
                        client.ask("GET", "/health");
                        if (client.answer().status == 200) return;
                    }
                    usleep(2000);
                }
            }));
            REQUIRE(process.stop(SIGTERM) == 0);
        }
        WARN("seconds from the start to /health 200: " << median(starts));
    }
    REQUIRE(idle < 0.05);
}
