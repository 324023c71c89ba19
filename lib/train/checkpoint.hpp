// Checkpoints: one file with everything that is needed to continue training. It is written
// atomically, so it is complete or does not exist.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tbt::train {

// The file has "tbt checkpoint 1\n", the lengths of the header and of each block as 8-byte
// little-endian numbers, the header, the blocks, and a checksum (FNV-1a of everything before it).
void write_checkpoint(const std::filesystem::path& path, const std::string& header,
                      const std::vector<std::span<const float>>& blocks);

// Read the header alone, or the header and the blocks, into memory of the right size. Throw Error
// if the file is truncated or damaged, or if its blocks have other sizes; then `blocks` is
// unchanged.
std::string read_checkpoint_header(const std::filesystem::path& path);
std::string read_checkpoint(const std::filesystem::path& path,
                            const std::vector<std::span<float>>& blocks);

}  // namespace tbt::train
