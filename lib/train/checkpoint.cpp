#include "lib/train/checkpoint.hpp"

#include <cstdint>
#include <cstring>

#include "lib/core/error.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/machine/files.hpp"

namespace tbt::train {
namespace {

constexpr std::string_view magic = "tbt checkpoint 1\n";

void append_number(std::string& out, std::uint64_t n) {
    for (int i = 0; i < 8; ++i) out += static_cast<char>(n >> (8 * i) & 0xff);
}

std::uint64_t checksum(std::string_view bytes) { return Hash().add(bytes).value(); }

// Reads the bytes of a file piece by piece.
class Reader {
public:
    Reader(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

    std::string_view take(std::uint64_t n) {
        if (n > bytes_.size())
            throw Error(name_ + ": the checkpoint ends too early; delete it to start again");
        const std::string_view piece = bytes_.substr(0, n);
        bytes_.remove_prefix(n);
        return piece;
    }
    std::uint64_t number() {
        std::uint64_t n = 0;
        const std::string_view piece = take(8);
        for (std::size_t i = 8; i-- > 0;) n = n << 8 | static_cast<unsigned char>(piece[i]);
        return n;
    }

private:
    std::string_view bytes_;
    std::string name_;
};

// Splits a file into header and blocks, after checking the checksum.
std::vector<std::string_view> parts(const std::string& file, const std::string& name) {
    Reader reader(file, name);
    if (file.size() < magic.size() || reader.take(magic.size()) != magic) {
        throw Error(name + ": not a checkpoint of this program; delete it to start again");
    }
    if (file.size() < magic.size() + 16)
        throw Error(name + ": the checkpoint ends too early; delete it to start again");
    const std::string_view covered(file.data(), file.size() - 8);
    if (Reader(std::string_view(file).substr(covered.size()), name).number() != checksum(covered)) {
        throw Error(name +
                    ": the checkpoint is damaged (its checksum differs); delete it to start again");
    }
    const std::uint64_t count = reader.number();
    if (count > 1000) throw Error(name + ": the checkpoint is damaged; delete it to start again");
    std::vector<std::uint64_t> lengths;
    for (std::uint64_t i = 0; i < count; ++i) lengths.push_back(reader.number());
    std::vector<std::string_view> pieces;
    pieces.reserve(lengths.size());
    for (const std::uint64_t length : lengths) pieces.push_back(reader.take(length));
    if (pieces.empty()) throw Error(name + ": the checkpoint is damaged; delete it to start again");
    return pieces;
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const std::string& header,
                      const std::vector<std::span<const float>>& blocks) {
    std::string file(magic);
    append_number(file, blocks.size() + 1);
    append_number(file, header.size());
    for (const auto& block : blocks) append_number(file, block.size_bytes());
    file += header;
    for (const auto& block : blocks)
        file.append(reinterpret_cast<const char*>(block.data()), block.size_bytes());
    append_number(file, checksum(file));
    write_file(path.string(), file);
}

std::string read_checkpoint_header(const std::filesystem::path& path) {
    const std::string file = read_file(path.string());
    return std::string(parts(file, path.string())[0]);
}

std::string read_checkpoint(const std::filesystem::path& path,
                            const std::vector<std::span<float>>& blocks) {
    const std::string file = read_file(path.string());
    const std::vector<std::string_view> pieces = parts(file, path.string());
    bool fits = pieces.size() == blocks.size() + 1;
    for (std::size_t i = 0; fits && i < blocks.size(); ++i)
        fits = pieces[i + 1].size() == blocks[i].size_bytes();
    if (!fits)
        throw Error(path.string() +
                    ": the checkpoint is of a model of another size; delete it to start again");
    for (std::size_t i = 0; i < blocks.size(); ++i)
        std::memcpy(blocks[i].data(), pieces[i + 1].data(), pieces[i + 1].size());
    return std::string(pieces[0]);
}

}  // namespace tbt::train
