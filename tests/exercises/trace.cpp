#include "tests/exercises/trace.hpp"

#include <dlfcn.h>
#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define TBT_BACKTRACE 1
#endif

namespace {

constexpr int most = 100;  // of an endless recursion the innermost calls are enough
void* thrown[most];
int thrown_count = 0;

std::uintptr_t program_start() {
    Dl_info info{};
    dladdr(reinterpret_cast<const void*>(&program_start), &info);
    return reinterpret_cast<std::uintptr_t>(info.dli_fbase);
}
std::uintptr_t base = 0;

// Only what a signal handler may call: no memory is asked for.
void print(void* const* frames, int count) {
    char line[20 * most + 20];
    int length = std::snprintf(line, sizeof line, "\ntrace:");
    for (int i = 0; i < count; ++i) {
        const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(frames[i]);
        if (at <= base || at - base > (std::uintptr_t{1} << 30)) continue;  // in another library
        // A return address comes after its call.
        length += std::snprintf(line + length, sizeof line - static_cast<std::size_t>(length),
                                " 0x%lx", static_cast<unsigned long>(at - base - 1));
    }
    line[length++] = '\n';
    if (write(STDOUT_FILENO, line, static_cast<std::size_t>(length)) < 0) _exit(126);
}

#ifdef TBT_BACKTRACE
// The first call loads a library and asks for memory, so it is made early.
[[maybe_unused]] const bool ready = [] {
    void* frames[1];
    base = program_start();
    return backtrace(frames, 1) > 0;
}();
#endif

}  // namespace

namespace tbt::exercise_check {

void print_trace() {
#ifdef TBT_BACKTRACE
    void* frames[most];
    print(frames, backtrace(frames, most));
#endif
}

void print_throw_trace() { print(thrown, thrown_count); }

}  // namespace tbt::exercise_check

#if defined(TBT_BACKTRACE) && defined(__linux__)
// Every throw passes here first, and is noted. The name is given to the assembler alone: compilers
// declare their own.
extern "C" [[noreturn]] void tbt_noted_throw(void* object, void* type,
                                             void (*destroy)(void*)) __asm__("__cxa_throw");
extern "C" void tbt_noted_throw(void* object, void* type, void (*destroy)(void*)) {
    using Throw = void (*)(void*, void*, void (*)(void*));
    static const Throw original = reinterpret_cast<Throw>(dlsym(RTLD_NEXT, "__cxa_throw"));
    thrown_count = backtrace(thrown, most);
    original(object, type, destroy);
    std::abort();
}
#endif
