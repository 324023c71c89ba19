// libFuzzer's side: TBT_FUZZ names the target. Built by make fuzz, with clang.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/all.hpp"

namespace {

const tbt::fuzz::Target& chosen() {
    static const tbt::fuzz::Target* const target = [] {
        const char* name = std::getenv("TBT_FUZZ");
        for (const tbt::fuzz::Target& t : tbt::fuzz::targets())
            if (name && std::string(name) == t.name) return &t;
        std::fprintf(stderr, "TBT_FUZZ: there is no such target\n");
        std::exit(2);
    }();
    return *target;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tbt::fuzz::run(chosen(), {reinterpret_cast<const char*>(data), size});
    return 0;
}
