// The order in which the keys of a JSON text are written, which its values forget.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/machine/json_file.hpp"

namespace tbt {

class WrittenOrder {
public:
    // text: what `value` was read from.
    void add(std::string_view text, const Json& value) { note(ordered_json_value(text), value); }
    // Of an object in the value; sorted where it is none of them.
    std::vector<std::string> of(const Json& object) const {
        const auto found = keys_.find(&object);
        if (found != keys_.end()) return found->second;
        std::vector<std::string> sorted;
        for (const auto& [key, member] : object.items()) sorted.push_back(key);
        return sorted;
    }

private:
    void note(const OrderedJson& written, const Json& value) {
        if (written.is_array()) {
            for (std::size_t i = 0; i < written.size(); ++i) note(written[i], value[i]);
        } else if (written.is_object()) {
            std::vector<std::string>& keys = keys_[&value];
            for (const auto& [key, member] : written.items()) {
                keys.push_back(key);
                note(member, value.at(key));
            }
        }
    }

    std::map<const Json*, std::vector<std::string>> keys_;
};

}  // namespace tbt
