#include "lib/grammar/schema/object_notes.hpp"

#include <algorithm>

#include "lib/index.hpp"

namespace tbt {

ObjectNotes::ObjectNotes(ObjectShape shape, Blanks blanks, Spelling spelling)
    : shape_(std::move(shape)),
      blanks_(std::move(blanks)),
      spelling_(spelling),
      graph_(shape_, blanks_, spelling),
      named_(to_int(std::count_if(shape_.members.begin(), shape_.members.end(),
                                  [](const auto& m) { return !m.unnamed; }))) {
    forget();
}

int ObjectNotes::add_nodes(Grammar& grammar, int index) {
    graph_.build(grammar, index);
    for (ObjectShape::KeyClass& c : shape_.classes) c.keys = {};  // the graph has them
    for (int c = 0; c < count(shape_.classes); ++c)
        class_bytes_.push_back(graph_.at(graph_.class_start(c)).to_end);
    return graph_.first();
}

std::vector<int> ObjectNotes::rules() const {
    std::vector<int> rules;
    for (int a = 1; a <= graph_.acts(); ++a) rules.push_back(graph_.act(a).rule);
    return rules;
}

// What is left is what every object begins with: nothing was written.
void ObjectNotes::forget() {
    progress_.clear(), progress_index_.clear(), after_.clear();
    notes_.clear(), note_index_.clear(), keys_.forget();
    notes_.push_back({0, 0, nowhere});  // StateAnnotations::forgotten
    Progress first;
    first.gone.resize(shape_.members.size() - index(named_));
    note_of({progress_of(std::move(first)), 0, nowhere});
}

std::size_t ObjectNotes::memory() const {
    return notes_.capacity() * sizeof(Note) + note_index_.memory() + after_.memory() +
           keys_.memory() + progress_.size() * (2 * sizeof(Progress) + 64);
}

// ---- what was written ----

int ObjectNotes::note_of(const Note& note) {
    const int found = note_index_.find_or_add(note, count(notes_));
    if (found == count(notes_)) notes_.push_back(note);
    return found;
}

int ObjectNotes::progress_of(Progress made) {
    const auto [place, added] = progress_index_.try_emplace(
        {made.next, made.served, made.written, made.gone}, count(progress_));
    if (!added) return place->second;
    made.last = made.next;
    while (made.last < named_ && !tbt::at(shape_.members, made.last).required) ++made.last;
    made.rest = {};
    progress_.push_back(std::move(made));
    return place->second;
}

int ObjectNotes::after(int progress, int number) {
    const auto key =
        static_cast<std::uint64_t>(progress) << 32 | static_cast<std::uint32_t>(number);
    if (const int known = after_.find(key); known >= 0) return known;
    const ObjectGraph::Act& act = graph_.act(number);
    Progress next = at(progress);
    const bool named = act.member >= 0 && act.member < named_;
    next.next = named ? act.member + 1 : named_;
    if (act.member >= named_) next.gone[index(act.member - named_)] = true;
    if (shape_.most >= 0 || next.written < shape_.least) ++next.written;
    next.served |= act.serves;
    const int made = progress_of(std::move(next));
    after_.set(key, made);
    return made;
}

bool ObjectNotes::possible(const Progress& now, int number) const {
    const ObjectGraph::Act& act = graph_.act(number);
    if ((act.serves & now.served) != 0) return false;  // served by another already
    if (shape_.most >= 0 && now.written >= shape_.most) return false;
    if (act.member < 0) return now.last == named_;
    if (act.member >= named_) return now.last == named_ && !now.gone[index(act.member - named_)];
    return act.member >= now.next && act.member <= now.last;
}

bool ObjectNotes::complete(const Progress& now) const {
    return now.last == named_ && now.served == shape_.needs && now.written >= shape_.least &&
           (shape_.most < 0 || now.written <= shape_.most);
}

// ---- the note, byte by byte and member by member ----

int ObjectNotes::read(int id, std::uint8_t byte) {
    Note n = note(id);
    if (n.text == stale) return forgotten;
    if (!n.brief) {
        n.text = keys_.read(std::max(n.text, 0), byte);
    } else if (n.text != a_new_one) {
        const int next = keys_.behind(std::max(n.text, 0), byte);
        n.text = risky(n.others, next) ? next : a_new_one;
    }
    return note_of(n);
}

// Each text is another one; for a note that is brief, only those that go on as a key that was
// written are.
void ObjectNotes::keep_like(int id, int byte, int& low, int& high) const {
    const Note& n = note(id);
    const auto alone = [&](int b) {
        if (b == byte) low = high = byte;
        else if (b < byte) low = std::max(low, b + 1);
        else high = std::min(high, b - 1);
    };
    if (!n.brief) return alone(byte);
    if (n.text == a_new_one || n.text == stale) return;
    keys_.each_behind(std::max(n.text, 0), [&](std::uint8_t b, int text) {
        if (risky(n.others, text)) alone(b);
    });
}

int ObjectNotes::called(int id, int act) {
    Note n = note(id);
    const bool unnamed = graph_.act(act).member < 0;
    n.progress = after(n.progress, act);
    if (unnamed && !n.brief) n.others = keys_.with(n.others, std::max(n.text, 0));
    n.text = (unnamed && n.brief) || n.text == stale ? stale : nowhere;
    return note_of(n);
}

// In a key that is not the beginning of one that was written it does not matter which were.
int ObjectNotes::abstracted(int node, int id) {
    if (shape_.classes.empty()) return id;
    Note n = note(id);
    const ObjectGraph::Position& p = graph_.at(node);
    if (p.where == Where::of_class && p.endless && !risky(n.others, n.text))
        n.others = 0, n.text = a_new_one;
    n.brief = true;
    return note_of(n);
}

// Where a key may begin, an abstraction would have to know the one before it.
int ObjectNotes::kept(int node, int id) {
    if (note(id).text != stale) return id;
    const Where where = graph_.at(node).where;
    return where == Where::after || where == Where::closing || where == Where::end ? id : forgotten;
}

}  // namespace tbt
