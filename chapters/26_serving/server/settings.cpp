#include "chapters/26_serving/server/settings.hpp"

#include <filesystem>

#include "lib/core/check.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"

namespace tbt {

std::string ServerSettings::model_name() const {
    if (!name.empty()) return name;
    const std::filesystem::path path =
        std::filesystem::path(model.model).lexically_normal() / "";  // with or without a slash
    return path.parent_path().filename().string();
}

bool ServerSettings::on_loopback() const {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

void add_server_options(OptionTable& app, ServerSettings& s) {
    CommandLine line(app);
    line.option("--host", s.host, "the address to listen on").shows_default();
    line.option("--port", s.port, "its port; 0: a free one").between(0, 65535).shows_default();
    add_model_options(app, s.model);
    line.option("--model-name", s.name, "what requests call the model (its directory's name)");
    CommandLine access(app, "Access");
    access.option("--api-key", s.api_key, "what a client sends as Authorization: Bearer KEY");
    access.option("--api-key-file", s.api_key_file,
                  "a file with that key, so that no list of processes shows it");
    access.option("--no-key", s.no_key, "listen beyond this machine without a key");
    access.option("--cors-origin", s.cors_origin,
                  "origin whose pages may use the server, such as https://example.com; *: any");
    access.option("--allowed-hosts", s.allowed_hosts,
                  "names by which a server of this machine is asked for, besides localhost");
    seed_option(line, s.seed);
    line.option("--strict", s.strict, "refuse parameters that have no effect");
    line.option("--strict-model", s.strict_model, "refuse requests for other models");
    CommandLine limits(app, "Limits");
    limits.option("--max-running", s.max_running, "texts that are generated at the same time")
        .between(1, 1024)
        .shows_default();
    limits
        .option("--max-waiting", s.max_waiting,
                "requests that may wait; more are refused, with 429")
        .between(1, 65536)
        .shows_default();
    limits
        .option("--max-batch-tokens", s.max_batch_tokens,
                "tokens that a pass reads (chunked prefill): few keep steps short, 0 reads prompts "
                "whole")
        .shows_default();
    limits.option("--max-n", s.max_n, "texts of one request").between(1, 1024).shows_default();
    limits.option("--max-beams", s.max_beams, "beams of a search").between(1, 1024).shows_default();
    limits
        .option("--max-tokens", s.max_tokens,
                "tokens of a text whose context slides (default: four times the context)")
        .between(0, 1 << 24);
    limits.option("--cache-memory", s.cache_memory,
                  "MB for keys and values (default: twice what --max-running texts take)");
    limits
        .option("--timeout", s.timeout,
                "seconds that running texts have to finish when the server stops, and that a form "
                "may take to compile")
        .between(0, 86400)
        .shows_default();
    limits
        .option("--keep-responses", s.keep_responses,
                "answers of /v1/responses that may be gone on from")
        .between(0, 65536)
        .shows_default();
    line.option("--slots", s.slots, "answer GET /slots");
    line.option("--quiet", s.quiet, "no line for each request");
}

void complete(ServerSettings& s) {
    if (!s.api_key.empty() && !s.api_key_file.empty())
        throw UsageError("--api-key and --api-key-file: give the key in one of the two");
    if (!s.api_key_file.empty()) {
        s.api_key = read_file(s.api_key_file);
        while (s.api_key.ends_with('\n') || s.api_key.ends_with('\r')) s.api_key.pop_back();
        if (s.api_key.empty()) throw Error(s.api_key_file + ": has no key, expected one line");
    }
    if (s.no_key && !s.api_key.empty())
        throw UsageError("--no-key and a key: leave out one of the two");
    if (!s.on_loopback() && s.api_key.empty() && !s.no_key)
        throw UsageError("--host " + s.host +
                         ": other machines could use the server without a key; add --api-key-file "
                         "FILE, or --no-key to allow that");
    check_at_least("--cache-memory", s.cache_memory, 0);
    if (s.max_batch_tokens != 0)
        check_at_least("--max-batch-tokens", s.max_batch_tokens, s.max_running);
}

}  // namespace tbt
