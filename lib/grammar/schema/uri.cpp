#include "lib/grammar/schema/uri.hpp"

#include <cctype>

namespace tbt {

namespace {

// Splits `text` at the first `at`: what follows goes to `rest`. False if there is none.
bool cut(std::string& text, char at, std::string& rest) {
    const std::size_t place = text.find(at);
    if (place == std::string::npos) return false;
    rest = text.substr(place + 1);
    text.resize(place);
    return true;
}

bool starts(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

// Removes dot segments: "a/b/../c/./d" becomes "a/c/d".
std::string without_dots(std::string in) {
    std::string out;
    const auto drop_last = [&] {
        out.resize(out.rfind('/') == std::string::npos ? 0 : out.rfind('/'));
    };
    while (!in.empty()) {
        if (starts(in, "../")) in.erase(0, 3);
        else if (starts(in, "./") || starts(in, "/./")) in.erase(0, 2);
        else if (in == "/.") in = "/";
        else if (starts(in, "/../")) in.erase(0, 3), drop_last();
        else if (in == "/..") in = "/", drop_last();
        else if (in == "." || in == "..") in.clear();
        else {
            const std::size_t end = std::min(in.find('/', 1), in.size());
            out += in.substr(0, end);
            in.erase(0, end);
        }
    }
    return out;
}

}  // namespace

Uri Uri::parse(const std::string& text) {
    Uri u;
    u.path = text;
    u.has_fragment = cut(u.path, '#', u.fragment);
    u.has_query = cut(u.path, '?', u.query);
    const std::size_t colon = u.path.find(':');
    if (colon != std::string::npos && colon > 0 && u.path.find('/') > colon &&
        std::isalpha(static_cast<unsigned char>(u.path[0])) != 0) {
        u.scheme = u.path.substr(0, colon);
        u.path.erase(0, colon + 1);
    }
    if (starts(u.path, "//")) {
        u.has_authority = true;
        const std::size_t end = std::min(u.path.find('/', 2), u.path.size());
        u.authority = u.path.substr(2, end - 2);
        u.path.erase(0, end);
    }
    return u;
}

std::string Uri::text() const {
    return (scheme.empty() ? "" : scheme + ":") + (has_authority ? "//" + authority : "") + path +
           (has_query ? "?" + query : "");
}

Uri resolve_uri(const Uri& base, const Uri& r) {
    Uri u = r;
    if (!r.scheme.empty()) {
        u.path = without_dots(r.path);
        return u;
    }
    u.scheme = base.scheme;
    if (r.has_authority) {
        u.path = without_dots(r.path);
        return u;
    }
    u.authority = base.authority;
    u.has_authority = base.has_authority;
    if (r.path.empty()) {
        u.path = base.path;
        if (!r.has_query) u.query = base.query, u.has_query = base.has_query;
        return u;
    }
    if (r.path[0] == '/') {
        u.path = without_dots(r.path);
    } else if (base.has_authority && base.path.empty()) {
        u.path = without_dots("/" + r.path);
    } else {
        u.path = without_dots(base.path.substr(0, base.path.rfind('/') + 1) + r.path);
    }
    return u;
}

std::string without_percents(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() &&
            std::isxdigit(static_cast<unsigned char>(text[i + 1])) != 0 &&
            std::isxdigit(static_cast<unsigned char>(text[i + 2])) != 0) {
            out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

}  // namespace tbt
