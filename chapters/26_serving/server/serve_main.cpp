// The server: chapter 26's engine with OpenAI's HTTP interface. `make serve` calls it.
//
// Look for: the same text for a request, whatever else the server does, and the same as
// `make run` writes with these options.
#include "chapters/26_serving/server/http.hpp"
#include "lib/machine/command_line.hpp"

int main(int argc, char** argv) {
    tbt::ServerSettings settings;
    return tbt::run_program(
        argc, argv,
        "Serves a model to clients of OpenAI's interface, and to a browser, at one address.",
        [&](tbt::OptionTable& app) { tbt::add_server_options(app, settings); },
        [&] {
            tbt::complete(settings);
            tbt::serve(settings);
        });
}
