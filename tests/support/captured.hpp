// What is written to a descriptor meanwhile.
#pragma once

#include <cstdio>
#include <iostream>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "lib/machine/files.hpp"
#include "tests/support/temporary.hpp"

namespace tbt::test {

// descriptor: 1 for stdout, 2 for stderr.
template <class F>
std::string written_to(int descriptor, F&& work) {
    const TemporaryFolder folder;
    const auto flush = [] { std::cout.flush(), std::fflush(nullptr); };
    flush();
    const int before = dup(descriptor);
    const int file = open(folder.file("written").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, descriptor);
    close(file);
    work();
    flush();
    dup2(before, descriptor);
    close(before);
    return read_file(folder.file("written"));
}

}  // namespace tbt::test
