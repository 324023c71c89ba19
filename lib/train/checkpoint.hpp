// Everything a stopped training needs to go on, in one file that is either complete or not there.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tbt::train {

// Layout: "tbt checkpoint 1\n", the length of the header and of each block as 8-byte
// little-endian numbers, the header, the blocks, and a checksum (FNV-1a over all before it).
// Written beside and renamed.
void write_checkpoint(const std::filesystem::path& path, const std::string& header,
                      const std::vector<std::span<const float>>& blocks);

// The header alone, and the blocks into memory of the right size. Throws Error for a file that is
// cut, damaged or of another shape, and then has not touched the blocks.
std::string read_checkpoint_header(const std::filesystem::path& path);
std::string read_checkpoint(const std::filesystem::path& path,
                            const std::vector<std::span<float>>& blocks);

}  // namespace tbt::train
