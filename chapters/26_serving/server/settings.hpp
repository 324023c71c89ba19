// How the server is started.
#pragma once

#include <string>

#include "chapters/10_generate/options.hpp"

namespace tbt {

struct ServerSettings {
    GenerateOptions model;  // .model, .weights, .cache, .threads
    std::string name;       // of the model in requests; empty: its directory's
    std::string host = "127.0.0.1";
    int port = 8080;  // 0: a free one
    std::string api_key, api_key_file;
    bool no_key = false;
    std::string cors_origin;  // pages of this origin may ask; empty: none
    int max_running = 16, max_waiting = 64, max_batch_tokens = 64;
    int cache_memory = 0;  // MB for keys and values; 0: twice what max_running texts take
    int timeout = 30;      // seconds that running texts have when the server is told to stop
    bool quiet = false;

    std::string model_name() const;
};

void add_server_options(OptionTable& app, ServerSettings& settings);

// Reads the file of the key. Throws UsageError on what contradicts itself, and where others than
// this machine could ask without a key.
void complete(ServerSettings& settings);

}  // namespace tbt
