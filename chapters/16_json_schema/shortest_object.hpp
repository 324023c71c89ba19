// The fewest bytes that complete an object: which members to write, and which of them
// serve which needs.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "chapters/16_json_schema/object_source.hpp"

namespace tbt {

class ShortestObject {
public:
    ShortestObject(const Grammar& grammar, const ObjectShape& shape,
                   const std::vector<int>& member_bytes, const std::vector<int>& class_bytes,
                   const std::vector<bool>& seen)
        : grammar_(grammar),
          shape_(shape),
          member_bytes_(member_bytes),
          class_bytes_(class_bytes),
          seen_(seen) {}

    // Of further members, with a comma for each. `some`: at least one must follow.
    int bytes(Needs served, int count, bool some) {
        count_ = count;
        least_ = std::max(shape_.least - count, some ? 1 : 0);
        if (shape_.needs == 0 && least_ <= 1 && shape_.most < 0) return simple();
        return members(0, served, 0);
    }

private:
    static int plus(int a, int b) { return std::min(a + b, Grammar::never); }
    int member(int key_bytes, int rule) const {
        return plus(key_bytes + 4, grammar_.rule(rule).cost);
    }  // "":,
    int fewest(int key_bytes, const ObjectShape::Values& values) const {
        int least = Grammar::never;
        for (const auto& [serves, rule] : values) least = std::min(least, member(key_bytes, rule));
        return least;
    }

    // Nothing but required members, or any one where there must be one.
    int simple() const {
        int sum = 0, any = Grammar::never;
        for (std::size_t m = 0; m < shape_.members.size(); ++m) {
            if (seen_[m]) continue;
            const int one = fewest(member_bytes_[m], shape_.members[m].values);
            if (shape_.members[m].required) sum = plus(sum, one);
            any = std::min(any, one);
        }
        if (sum > 0 || least_ == 0) return sum;
        for (std::size_t c = 0; c < shape_.classes.size(); ++c)
            any = std::min(any, fewest(class_bytes_[c], shape_.classes[c].values));
        return any;
    }

    // Members from the m-th on, each written or not, and then others.
    int members(std::size_t m, Needs served, int added) {
        if (shape_.most >= 0 && count_ + added > shape_.most) return Grammar::never;
        if (m == shape_.members.size()) return others(served, added);
        const auto [place, unknown] = known_.try_emplace({m, served, added}, Grammar::never);
        if (!unknown) return place->second;
        const ObjectShape::Member& one = shape_.members[m];
        int least = seen_[m] || !one.required ? members(m + 1, served, added) : Grammar::never;
        if (!seen_[m]) {
            for (const auto& [serves, rule] : one.values) {
                if ((serves & served) != 0 || member(member_bytes_[m], rule) >= least) continue;
                const int rest = members(m + 1, served | serves, std::min(added + 1, most_added()));
                least = std::min(least, plus(member(member_bytes_[m], rule), rest));
            }
        }
        return known_[{m, served, added}] = least;
    }

    int others(Needs served, int added) {
        if (served == shape_.needs && added >= least_) return 0;
        if (shape_.most >= 0 && count_ + added >= shape_.most) return Grammar::never;
        const auto [place, unknown] =
            known_.try_emplace({shape_.members.size(), served, added}, Grammar::never);
        if (!unknown) return place->second;
        int least = Grammar::never;
        for (std::size_t c = 0; c < shape_.classes.size(); ++c) {
            for (const auto& [serves, rule] : shape_.classes[c].values) {
                const bool helps = (serves & ~served) != 0 || added < least_;
                if (!helps || (serves & served) != 0) continue;
                const int rest = others(served | serves, std::min(added + 1, most_added()));
                least = std::min(least, plus(member(class_bytes_[c], rule), rest));
            }
        }
        return known_[{shape_.members.size(), served, added}] = least;
    }

    // Beyond this, the number of added members does not matter.
    int most_added() const { return shape_.most >= 0 ? shape_.most + 1 : least_; }

    const Grammar& grammar_;
    const ObjectShape& shape_;
    const std::vector<int>&member_bytes_, &class_bytes_;
    const std::vector<bool>& seen_;
    int count_ = 0, least_ = 0;
    std::map<std::tuple<std::size_t, Needs, int>, int> known_;
};

}  // namespace tbt
