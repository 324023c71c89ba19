#include "lib/corpus/documents.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/unicode.hpp"
#include "lib/corpus/corpus.hpp"
#include "lib/corpus/expansion.hpp"  // mix
#include "lib/json/json.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/machine/files.hpp"

namespace tbt {
namespace {

namespace fs = std::filesystem;
using grammar::mix;

constexpr std::string_view separator = "<|endoftext|>";

bool is_json_lines(const fs::path& path) {
    return path.extension() == ".jsonl" || path.extension() == ".ndjson";
}

// The file at a path, or all files under a folder.
std::vector<fs::path> files_under(const fs::path& path) {
    if (!fs::is_directory(path)) return {path};
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
         at.increment(error)) {
        const fs::path& file = at->path();
        if (at->is_regular_file() &&
            (is_json_lines(file) || file.extension() == ".txt" || file.extension() == ".md"))
            files.push_back(file);
    }
    if (error) throw Error(path.string() + ": cannot be read (" + error.message() + ")");
    if (files.empty())
        throw Error(path.string() + ": has no .txt, .md, .jsonl or .ndjson file to train on");
    std::sort(files.begin(), files.end());
    return files;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == '\n' || text.front() == '\r')) text.remove_prefix(1);
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
    return text;
}

// The position at which to split a text that is too long: after a paragraph, else after a line, a
// sentence, a word, else between two characters. The part before it has at most `longest` bytes.
std::size_t cut(std::string_view text, std::size_t longest) {
    for (const std::string_view end : {"\n\n", "\n", ". ", " "}) {
        const std::size_t at = text.substr(0, longest).rfind(end);
        if (at != std::string_view::npos && at > 0) return at + end.size();
    }
    std::size_t at = longest;
    while (at > 1 && decode_utf8(text, at).value < 0) --at;
    return at;
}

// Element i of a permutation of 0 … n − 1 that depends on the key: a Feistel network on the next
// power of four, repeated until the result is below n (cycle walking) [Black & Rogaway 2002].
std::uint64_t shuffled(std::uint64_t i, std::uint64_t n, std::uint64_t key) {
    int half = 1;
    while (half < 31 && (std::uint64_t{1} << 2 * half) < n) ++half;
    const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
    do {
        std::uint64_t left = i >> half, right = i & mask;
        for (std::uint64_t round = 0; round < 6; ++round) {
            const std::uint64_t next = left ^ (mix(key + mix(right + 1) + round) & mask);
            left = right;
            right = next;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}

}  // namespace

std::string normalised(const std::string& text) {
    std::string result;
    for (std::size_t i = text.starts_with("\xef\xbb\xbf") ? 3 : 0; i < text.size(); ++i)
        if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') result += text[i];
    return result;
}

TextDocuments TextDocuments::load(const fs::path& path, std::size_t longest) {
    if (!fs::exists(path)) throw Error(path.string() + ": there is no such file or folder");
    TextDocuments result;
    result.genres = {"text"};
    for (const fs::path& file : files_under(path)) result.add_file(file, longest);
    Hash hash;
    for (const Piece& piece : result.pieces_) hash.add(piece.text).add(0);
    result.hash_ = hash.text();
    result.hold_out();
    const auto held = std::ranges::count_if(result.pieces_, &Piece::held_out);
    if (held == 0 || held == static_cast<std::ptrdiff_t>(result.pieces_.size()))
        throw Error(path.string() + ": holds " +
                    (result.pieces_.empty() ? "no text" : "one document") +
                    ", expected at least two documents, one to train on and one to hold out "
                    "(<|endoftext|> separates documents; longer texts are cut at blank lines)");
    return result;
}

void TextDocuments::add_file(const fs::path& path, std::size_t longest) {
    const std::string raw = read_file(path.string());
    std::size_t bad = std::min(find_invalid_utf8(raw), raw.find('\0'));
    if (bad != std::string::npos)
        throw Error(path.string() + ": byte " + std::to_string(bad + 1) +
                    " is not UTF-8 text; expected plain text or JSON lines");
    const std::string text = normalised(raw);
    if (is_json_lines(path)) return add_json_lines(text, path.string(), longest);
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        add_document(std::string_view(text).substr(begin, end - begin), longest, true);
        begin = end + separator.size();
    }
}

void TextDocuments::add_json_lines(const std::string& text, const std::string& name,
                                   std::size_t longest) {
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = trimmed(std::string_view(text).substr(begin, end - begin));
        const std::string place = name + ": line " + std::to_string(++number);
        begin = end + 1;
        if (line.empty()) continue;
        const Json json = parse_json(line, place);
        const auto member = json.is_object() ? json.find("text") : json.end();
        if (member == json.end() || !member->is_string())
            throw Error(place + ": expected an object with a string \"text\"");
        add_document(normalised(member->get<std::string>()), longest, false);
    }
}

void TextDocuments::add_document(std::string_view text, std::size_t longest,
                                 bool parts_are_documents) {
    text = trimmed(text);
    const std::uint64_t whole = Hash().add(text).value();
    while (!text.empty()) {
        const std::size_t end = text.size() <= longest ? text.size() : cut(text, longest);
        const std::string part(trimmed(text.substr(0, end)));
        if (!part.empty())
            pieces_.push_back({part, parts_are_documents ? Hash().add(part).value() : whole});
        text = trimmed(text.substr(end));
    }
}

void TextDocuments::hold_out() {
    std::set<std::uint64_t> parents;
    for (const Piece& piece : pieces_) parents.insert(mix(piece.parent));
    if (parents.empty()) return;
    const auto last =
        std::next(parents.begin(), static_cast<std::ptrdiff_t>((parents.size() + 19) / 20) - 1);
    for (Piece& piece : pieces_) piece.held_out = mix(piece.parent) <= *last;
}

Document TextDocuments::document(std::uint64_t seed, std::uint64_t index) const {
    const std::uint64_t n = pieces_.size(), epoch = index / n;
    const Piece& piece =
        pieces_[static_cast<std::size_t>(shuffled(index % n, n, mix(seed) + mix(epoch + 1)))];
    return {piece.text, 0, std::numeric_limits<double>::quiet_NaN(), piece.held_out};
}

TrainedOn trained_on(const std::filesystem::path& model) {
    TrainedOn from;
    const std::filesystem::path file = model / "recipe.json";
    if (!std::filesystem::exists(file)) return from;
    const Json recipe = read_json(file.string());
    const auto take = [&](std::string& value, const char* key, const char* member) {
        const auto found = recipe.find(key);
        if (found != recipe.end() && found->is_object()) value = found->value(member, value);
    };
    take(from.corpus, "corpus", "folder");
    take(from.genres, "options", "genres");
    take(from.text, "text", "folder");
    const auto options = recipe.find("options");
    for (const char* key : {"context", "sequence"})
        if (options != recipe.end() && options->is_object() && options->contains(key))
            from.longest =
                2 * integer_of<std::size_t>(options->at(key), file.string() + ": " + key);
    return from;
}

std::unique_ptr<DocumentSource> open_documents(const TrainedOn& from) {
    if (!from.text.empty()) {
        if (!from.genres.empty())
            throw UsageError("--genres are those of the corpus, and --text takes its place");
        return std::make_unique<TextDocuments>(TextDocuments::load(from.text, from.longest));
    }
    Corpus corpus = Corpus::load(from.corpus);
    if (from.genres.empty()) return std::make_unique<Corpus>(std::move(corpus));
    return std::make_unique<GenreMix>(std::move(corpus), from.genres);
}

std::unique_ptr<DocumentSource> documents_for(const std::filesystem::path& model,
                                              const std::string& corpus) {
    TrainedOn from;
    from.corpus = corpus;
    return open_documents(corpus.empty() ? trained_on(model) : from);
}

}  // namespace tbt
