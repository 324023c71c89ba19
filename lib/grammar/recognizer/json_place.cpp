#include "lib/grammar/recognizer/json_place.hpp"

#include <vector>

#include "lib/grammar/recognizer/json_recognizer.hpp"

namespace tbt {

namespace {

constexpr std::size_t longest_key = 30;

// An open container of a JSON text, with the last key of an object or the item number of an array.
struct Open {
    bool object = false;
    std::string key = {};
    int item = 1;
};

// Is this mode between the quotation marks of a string?
bool in_text(JsonRecognizer::Mode mode) {
    return mode >= JsonRecognizer::Mode::string && mode <= JsonRecognizer::Mode::after_f4;
}

std::string words_of(const std::vector<Open>& open, const std::string& mode) {
    std::string words = open[0].object ? "the object" : "the list";
    for (const Open& o : open) {
        if (!o.object) words += " › item " + std::to_string(o.item);
        else if (!o.key.empty()) words += " › " + o.key;
    }
    return words + ": " + mode;
}

}  // namespace

std::string json_place(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return "";
    JsonRecognizer recognizer(JsonOptions::rfc());
    Recognizer::State state = recognizer.start();
    std::vector<Open> open;
    for (const char c : text) {
        const JsonRecognizer::View was = JsonRecognizer::unpack(state);
        state = recognizer.next(state, static_cast<unsigned char>(c));
        if (state == Recognizer::dead) return "";
        const JsonRecognizer::View is = JsonRecognizer::unpack(state);
        if (is.is_key && in_text(is.mode)) {
            if (!in_text(was.mode)) open.back().key.clear();
            else if (open.back().key.size() < longest_key) open.back().key += c;
        }
        const std::size_t depth = recognizer.stack(state).size();
        if (depth > open.size()) open.push_back({c == '{'});
        else if (depth < open.size()) open.pop_back();
        else if (c == ',' && !in_text(was.mode) && !open.empty())
            ++open.back().item, open.back().key.clear();
    }
    const JsonRecognizer::View here = JsonRecognizer::unpack(state);
    if (in_text(here.mode) && here.is_key) return words_of(open, "in a key");
    if (open.empty()) return "complete";
    return words_of(open, JsonRecognizer::name(here.mode));
}

}  // namespace tbt
