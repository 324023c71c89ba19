// URIs for references between schemas; relative ones are resolved against a base [RFC 3986, §5.2].
#pragma once

#include <string>

namespace tbt {

struct Uri {
    std::string scheme, authority, path, query, fragment;
    bool has_authority = false, has_query = false, has_fragment = false;

    static Uri parse(const std::string& text);
    std::string text() const;  // without the fragment
};

Uri resolve_uri(const Uri& base, const Uri& reference);

// Decodes percent-encoding: %2F becomes /.
std::string without_percents(const std::string& text);

}  // namespace tbt
