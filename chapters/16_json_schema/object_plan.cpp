#include "chapters/16_json_schema/object_plan.hpp"

#include <algorithm>

#include "chapters/14_grammar/plus.hpp"
#include "lib/index.hpp"

namespace tbt {

ObjectPlanner::ObjectPlanner(const ObjectShape& shape, int overhead, Spelling spelling)
    : shape_(&shape), overhead_(overhead) {
    const auto add = [&](const ObjectShape::Values& values, int member, int key_class) {
        std::vector<int> numbers;
        for (const auto& [serves, rule] : values) {
            acts_.push_back({member, key_class, serves, rule});
            numbers.push_back(tbt::count(acts_));
        }
        return numbers;
    };
    for (const ObjectShape::Member& m : shape.members) {
        int bytes = 0;
        for (const std::int32_t c : code_points_of(m.name, "key"))
            bytes += tbt::count(shortest_spelling(c, spelling));
        of_member_.push_back(add(m.values, tbt::count(of_member_), -1));
        member_bytes_.push_back(bytes);
    }
    for (const ObjectShape::KeyClass& c : shape.classes) {
        of_class_.push_back(add(c.values, -1, tbt::count(of_class_)));
        class_bytes_.push_back(shortest_text(c.keys, spelling));
    }
}

int ObjectPlanner::bytes(const Grammar& grammar, int number) const {
    const Act& a = act(number);
    const int key =
        a.member >= 0 ? tbt::at(member_bytes_, a.member) : tbt::at(class_bytes_, a.key_class);
    return plus(key + overhead_, grammar.rule(a.rule).cost);
}

ObjectWay ObjectPlanner::shortest(const Grammar& grammar, const std::vector<bool>& gone,
                                  Needs served, int count, bool some) {
    if (simple()) return shortest_simple(grammar, gone, some || shape_->least > count);
    gone_ = &gone, count_ = count;
    least_ = std::max(shape_->least - count, some ? 1 : 0);
    if (shape_->needs == 0) return shortest_counted(grammar, gone, count, least_);
    known_.clear();
    ObjectWay plan;
    plan.bytes = from(grammar, 0, served, 0);
    if (plan.bytes >= Grammar::never) return plan;
    int added = 0;
    for (int m = 0; m <= tbt::count(shape_->members);) {
        const auto found = known_.find({m, served, added});
        const int act_number = found == known_.end() ? 0 : found->second.act;
        if (act_number == 0) {
            ++m;
            continue;
        }
        plan.acts.push_back(act_number);
        served |= act(act_number).serves;
        added = next(m, served, added, act_number);
        if (m < tbt::count(shape_->members)) ++m;
    }
    return plan;
}

// Nothing but required members, or any one where there must be one.
ObjectWay ObjectPlanner::shortest_simple(const Grammar& grammar, const std::vector<bool>& gone,
                                         bool some) const {
    ObjectWay plan;
    plan.bytes = 0;
    int any = Grammar::never, best = 0;
    const auto look = [&](int number, bool required) {
        const int one = bytes(grammar, number);
        if (required) plan.bytes = plus(plan.bytes, one), plan.acts.push_back(number);
        if (one < any) any = one, best = number;
    };
    for (int m = 0; m < tbt::count(shape_->members); ++m) {
        if (!tbt::at(gone, m))
            look(tbt::at(of_member_, m)[0], tbt::at(shape_->members, m).required);
    }
    if (!plan.acts.empty() || !some) return plan;
    for (const std::vector<int>& acts : of_class_) look(acts[0], false);
    return any >= Grammar::never ? ObjectWay{} : ObjectWay{any, {best}};
}

// What is required, and of the others the shortest ones until there are enough. A member that has
// no name may come again and again: where none may come twice, named ones suffice (named_keys.hpp).
ObjectWay ObjectPlanner::shortest_counted(const Grammar& grammar, const std::vector<bool>& gone,
                                          int count, int least) {
    others_.clear();
    ObjectWay plan;
    plan.bytes = 0;
    const auto take = [&](int number, int one) {
        plan.bytes = plus(plan.bytes, one), plan.acts.push_back(number);
    };
    for (int m = 0; m < tbt::count(shape_->members); ++m) {
        const int number = tbt::at(of_member_, m)[0], one = bytes(grammar, number);
        if (tbt::at(gone, m)) continue;
        if (tbt::at(shape_->members, m).required) take(number, one);
        else if (one < Grammar::never) others_.emplace_back(one, number);
    }
    const auto missing = index(std::max(0, least - tbt::count(plan.acts)));
    const std::size_t of_members = std::min(missing, others_.size());
    std::pair<int, int> any{Grammar::never, 0};
    for (const std::vector<int>& acts : of_class_)
        any = std::min(any, {bytes(grammar, acts[0]), acts[0]});
    std::partial_sort(others_.begin(), others_.begin() + static_cast<std::ptrdiff_t>(of_members),
                      others_.end());
    for (std::size_t i = 0; i < missing; ++i) {
        const auto& [one, number] =
            i < of_members && others_[i].first <= any.first ? others_[i] : any;
        take(number, one);
    }
    const bool too_many = shape_->most >= 0 && count + tbt::count(plan.acts) > shape_->most;
    if (too_many || plan.bytes >= Grammar::never) return {};
    std::sort(plan.acts.begin(), plan.acts.end());
    return plan;
}

// Beyond this, the number of added members does not matter.
int ObjectPlanner::next(int, Needs, int added, int) const {
    return std::min(added + 1, shape_->most >= 0 ? shape_->most + 1 : least_);
}

// Members from this one on, each written or not; behind the last of them those of classes.
int ObjectPlanner::from(const Grammar& grammar, int m, Needs served, int added) {
    if (shape_->most >= 0 && count_ + added > shape_->most) return Grammar::never;
    const bool behind = m == tbt::count(shape_->members);
    if (behind && served == shape_->needs && added >= least_) return 0;
    if (behind && shape_->most >= 0 && count_ + added >= shape_->most) return Grammar::never;
    const auto [place, unknown] = known_.try_emplace({m, served, added});
    if (!unknown) return place->second.bytes;
    Choice best;
    const auto write = [&](int number) {
        const Act& a = act(number);
        const bool helps = !behind || (a.serves & ~served) != 0 || added < least_;
        const int one = bytes(grammar, number);
        if ((a.serves & served) != 0 || !helps || one >= best.bytes) return;
        const int sum = plus(one, from(grammar, behind ? m : m + 1, served | a.serves,
                                       next(m, served, added, number)));
        if (sum < best.bytes) best = {sum, number};
    };
    if (behind) {
        for (const std::vector<int>& acts : of_class_)
            for (const int number : acts) write(number);
    } else {
        const bool gone = tbt::at(*gone_, m);
        if (!gone)
            for (const int number : tbt::at(of_member_, m)) write(number);
        if (gone || !tbt::at(shape_->members, m).required) {
            const int without = from(grammar, m + 1, served, added);
            if (without < best.bytes) best = {without, 0};
        }
    }
    known_[{m, served, added}] = best;
    return best.bytes;
}

}  // namespace tbt
