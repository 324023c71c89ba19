// How the server is started.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chapters/10_generate/options.hpp"

namespace tbt {

struct ServerSettings {
    GenerateOptions model;  // .model, .weights, .cache, .threads
    std::string name;       // of the model in requests; empty: its directory's
    std::string host = "127.0.0.1";
    int port = 8080;  // 0: a free one
    std::string api_key, api_key_file;
    bool no_key = false;
    std::string cors_origin;                 // pages of this origin may ask; empty: none
    std::vector<std::string> allowed_hosts;  // names for a server of this machine only
    bool strict = false;  // refuse what has no effect, and forms that a budget is too small for
    bool strict_model = false;          // refuse requests for other models
    std::optional<std::uint64_t> seed;  // of requests without one; none: each gets its own
    int max_running = 16, max_waiting = 64, max_batch_tokens = 64;
    int max_n = 128, max_beams = 16;
    int max_tokens = 0;       // of a text whose context slides; 0: four times the context
    int cache_memory = 0;     // MB for keys and values; 0: twice what max_running texts take
    int timeout = 30;         // seconds that running texts have when the server is told to stop
    int keep_responses = 64;  // answers of /v1/responses that later requests may go on from
    bool slots = false;       // /slots says who is served
    bool quiet = false;

    std::string model_name() const;
    bool on_loopback() const;  // is it for this machine only?
};

void add_server_options(OptionTable& app, ServerSettings& settings);

// Reads the file of the key. Throws UsageError on what contradicts itself, and where others than
// this machine could ask without a key.
void complete(ServerSettings& settings);

}  // namespace tbt
