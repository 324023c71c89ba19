#include "chapters/16_json_schema/object_memory.hpp"

#include <algorithm>
#include <functional>

#include "lib/index.hpp"

namespace tbt {

ObjectMemory::ObjectMemory(const ObjectShape& shape, ObjectPlanner& planner)
    : shape_(&shape),
      planner_(&planner),
      named_(to_int(std::count_if(shape.members.begin(), shape.members.end(),
                                  [](const auto& m) { return !m.unnamed; }))) {
    forget();
}

// What is left is what every object begins with: nothing was written.
void ObjectMemory::forget() {
    members_.clear(), members_index_.clear(), notes_.clear(), note_index_.clear();
    behind_.clear(), keys_.forget();
    notes_.push_back({0, 0, nowhere});  // Notebook::forgotten
    note_of({members_of(std::vector<bool>(shape_->members.size()), 0, 0), 0, nowhere});
}

void ObjectMemory::plan_anew() {
    for (Members& m : members_) m.known[0] = m.known[1] = false;
}

void ObjectMemory::count_anew() {
    for (Members& m : members_) m.tokens[0] = m.tokens[1] = -1;
}

std::size_t ObjectMemory::memory() const {
    return notes_.capacity() * sizeof(Note) + note_index_.memory() + behind_.memory() +
           keys_.memory() + members_.size() * (320 + shape_->members.size() / 4);
}

int ObjectMemory::members_of(const std::vector<bool>& gone, Needs served, int number) {
    const std::uint64_t hash = mixed(mixed(std::hash<std::vector<bool>>()(gone), served),
                                     static_cast<std::uint32_t>(number));
    const int last = members_index_.find(hash);
    for (int known = last; known >= 0; known = at(members_, known).alike) {
        const Members& m = at(members_, known);
        if (m.served == served && m.count == number && m.gone == gone) return known;
    }
    const int made = count(members_);
    Members& m = members_.emplace_back();
    m.gone = gone, m.served = served, m.count = number, m.alike = last;
    m.limit = count(shape_->members);
    for (int i = count(shape_->members); shape_->in_order && i-- > 0;) {
        if (at(shape_->members, i).required && !at(gone, i)) m.limit = i;
    }
    members_index_.set(hash, made);
    return made;
}

int ObjectMemory::members_with(const std::vector<bool>& gone) {
    return members_of(gone, shape_->needs, std::max(0, shape_->least));
}

int ObjectMemory::note_of(const Note& note) {
    const int found = note_index_.find_or_add(note, count(notes_));
    if (found == count(notes_)) notes_.push_back(note);
    return found;
}

int ObjectMemory::read(int id, std::uint8_t byte) {
    if (id == Notebook::forgotten) return id;
    Note n = note(id);
    if (!n.brief) {
        n.text = keys_.read(std::max(n.text, 0), byte);
    } else if (n.text != a_new_one) {
        const int next = known_behind(n.text, byte);
        n.text = risky(n.others, next) ? next : a_new_one;
    }
    return note_of(n);
}

// Each text is another one; for a note that is brief, only those that go on as a key that stands
// there are.
void ObjectMemory::keep_like(int id, int byte, int& low, int& high) const {
    const Note& n = note(id);
    const auto alone = [&](int b) {
        if (b == byte) low = high = byte;
        else if (b < byte) low = std::max(low, b + 1);
        else high = std::min(high, b - 1);
    };
    if (!n.brief) return alone(byte);
    if (n.text == a_new_one) return;
    keys_.each_behind(std::max(n.text, 0), [&](std::uint8_t b, int text) {
        if (risky(n.others, text)) alone(b);
    });
}

int ObjectMemory::called(int id, int act) {
    if (id == Notebook::forgotten) return id;
    Note n = note(id);
    const bool unnamed = planner_->act(act).member < 0 && shape_->no_key_twice;
    if (unnamed && n.brief) return Notebook::forgotten;
    n.members = behind(n.members, act);
    if (unnamed) n.others = keys_.with(n.others, std::max(n.text, 0));
    n.text = nowhere;
    return note_of(n);
}

int ObjectMemory::behind(int members, int number) {
    const auto key = static_cast<std::uint64_t>(members) << 32 | static_cast<std::uint32_t>(number);
    if (const int known = behind_.find(key); known >= 0) return known;
    const ObjectPlanner::Act& act = planner_->act(number);
    const Members& now = at(members_, members);
    gone_ = now.gone;
    const bool counts = shape_->most >= 0 || now.count < shape_->least;
    if (act.member >= 0) at(gone_, act.member) = true;
    if (shape_->in_order) {
        const int passed = act.member >= 0 ? std::min(act.member, named_) : named_;
        std::fill(gone_.begin(), gone_.begin() + passed, true);
    }
    const int made = members_of(gone_, now.served | act.serves, now.count + (counts ? 1 : 0));
    behind_.set(key, made);
    return made;
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

}  // namespace tbt
