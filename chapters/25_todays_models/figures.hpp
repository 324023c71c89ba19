// The pictures of chapter 25.
#pragma once

#include <string>

namespace tbt {

// rotary.svg, gate.svg, cache.svg and window.svg in this folder.
void write_figures(const std::string& folder);

}  // namespace tbt
