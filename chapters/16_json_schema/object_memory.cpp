#include "chapters/16_json_schema/object_memory.hpp"

#include <algorithm>

#include "lib/index.hpp"

namespace tbt {

ObjectMemory::ObjectMemory(const ObjectShape& shape, ObjectPlanner& planner)
    : shape_(&shape), planner_(&planner) {
    forget();
}

// What is left is what every object begins with: nothing was written.
void ObjectMemory::forget() {
    members_.clear(), members_index_.clear(), notes_.clear(), note_index_.clear();
    others_.assign(1, {}), others_index_.clear(), others_index_[{}] = 0;
    texts_.assign(1, {-1, 0}), text_index_.clear();
    notes_.push_back({0, 0, nowhere});  // Notebook::forgotten
    Members none;
    none.gone.resize(shape_->members.size());
    note_of({members_of(std::move(none)), 0, nowhere});
}

void ObjectMemory::plan_anew() {
    for (Members& m : members_) m.known[0] = m.known[1] = false;
}

std::size_t ObjectMemory::memory() const {
    std::size_t bytes = notes_.size() * 76 + texts_.size() * 64;
    bytes += members_.size() * (220 + shape_->members.size() / 4);
    for (const Others& o : others_) bytes += 120 + 4 * (2 * o.keys.size() + o.beginnings.size());
    return bytes;
}

int ObjectMemory::members_of(Members members) {
    const auto [place, added] = members_index_.try_emplace(
        {members.gone, {members.served, members.count}}, count(members_));
    if (!added) return place->second;
    members.limit = count(shape_->members);
    for (int m = count(shape_->members); shape_->in_order && m-- > 0;) {
        if (at(shape_->members, m).required && !at(members.gone, m)) members.limit = m;
    }
    members_.push_back(std::move(members));
    return place->second;
}

int ObjectMemory::note_of(Note note) {
    const auto [place, added] = note_index_.try_emplace(note, count(notes_));
    if (added) notes_.push_back(note);
    return place->second;
}

int ObjectMemory::read(int id, std::uint8_t byte) {
    if (id == Notebook::forgotten) return id;
    Note n = note(id);
    const auto [place, added] = text_index_.try_emplace({std::max(n.text, 0), byte}, count(texts_));
    if (added) texts_.push_back({std::max(n.text, 0), byte});
    n.text = place->second;
    return note_of(n);
}

int ObjectMemory::called(int id, int act) {
    if (id == Notebook::forgotten) return id;
    Note n = note(id);
    n.members = behind(n.members, act);
    if (planner_->act(act).member < 0 && shape_->no_key_twice) {
        Others more = at(others_, n.others);
        const auto add = [](std::vector<int>& sorted, int x) {
            const auto place = std::lower_bound(sorted.begin(), sorted.end(), x);
            if (place == sorted.end() || *place != x) sorted.insert(place, x);
        };
        const int text = std::max(n.text, 0);
        add(more.keys, text);
        for (int t = text; t >= 0; t = at(texts_, t).before) add(more.beginnings, t);
        const auto [place, added] = others_index_.try_emplace(more.keys, count(others_));
        if (added) others_.push_back(std::move(more));
        n.others = place->second;
    }
    n.text = nowhere;
    return note_of(n);
}

int ObjectMemory::behind(int members, int number) {
    const ObjectPlanner::Act& act = planner_->act(number);
    Members then;
    const Members& now = at(members_, members);
    then.gone = now.gone, then.served = now.served | act.serves, then.count = now.count;
    if (shape_->most >= 0 || then.count < shape_->least) ++then.count;
    if (act.member >= 0) at(then.gone, act.member) = true;
    if (shape_->in_order) {
        const int passed = act.member >= 0 ? act.member : count(shape_->members);
        std::fill(then.gone.begin(), then.gone.begin() + passed, true);
    }
    return members_of(std::move(then));
}

bool ObjectMemory::possible(int members, int number) const {
    const Members& m = at(members_, members);
    const ObjectPlanner::Act& act = planner_->act(number);
    if ((act.serves & m.served) != 0) return false;  // served by another already
    if (shape_->most >= 0 && m.count >= shape_->most) return false;
    if (act.member < 0) return m.limit == count(shape_->members);
    return !at(m.gone, act.member) && act.member <= m.limit;
}

bool ObjectMemory::complete(int members) const {
    const Members& m = at(members_, members);
    if (m.served != shape_->needs || m.count < shape_->least ||
        (shape_->most >= 0 && m.count > shape_->most))
        return false;
    if (shape_->in_order) return m.limit == count(shape_->members);
    for (std::size_t i = 0; i < m.gone.size(); ++i) {
        if (shape_->members[i].required && !m.gone[i]) return false;
    }
    return true;
}

const ObjectWay& ObjectMemory::rest(const Grammar& grammar, int members, bool some) {
    Members& m = at(members_, members);
    if (!m.known[some]) {
        m.rest[some] = planner_->shortest(grammar, m.gone, m.served, m.count, some);
        m.known[some] = true;
    }
    return m.rest[some];
}

bool ObjectMemory::risky(int others, int text) const {
    const std::vector<int>& all = at(others_, others).beginnings;
    return text >= 0 && std::binary_search(all.begin(), all.end(), text);
}

bool ObjectMemory::stands(int others, int text) const {
    const std::vector<int>& all = at(others_, others).keys;
    return text != a_new_one && std::binary_search(all.begin(), all.end(), std::max(text, 0));
}

int ObjectMemory::known_behind(int text, std::uint8_t byte) const {
    const auto found = text_index_.find({std::max(text, 0), byte});
    return found == text_index_.end() ? nowhere : found->second;
}

}  // namespace tbt
