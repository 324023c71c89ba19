// The server from its start to its end.
#pragma once

#include "chapters/26_serving/server/settings.hpp"

namespace tbt {

// Listens, opens the model, serves until SIGTERM or Ctrl-C, and lets what is under way end.
// Throws Error where it cannot listen or open the model.
void serve(const ServerSettings& settings);

}  // namespace tbt
