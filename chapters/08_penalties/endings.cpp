#include "chapters/08_penalties/endings.hpp"

#include "chapters/08_penalties/penalties.hpp"
#include "lib/core/index.hpp"

namespace tbt {

void suppress(Candidates& c, std::span<const int> ids) {
    for (const int id : ids) {
        if (float* s = find_logit(c, "suppress-tokens", id)) *s = banned;
    }
}

void force(Candidates& c, int id, bool against_bans) {
    float* s = find_logit(c, "forced token", id);
    if (!s || (*s == banned && !against_bans)) return;
    *s = 0;
    const std::span<float> keys = c.room_for_keys();
    for (std::size_t i = 0; i < c.size(); ++i) keys[i] = c.id(i) == id ? 1.0f : -1.0f;
    c.keep_by(keys, {0});
}

void favour_ending(Candidates& c, std::size_t generated, const EndingDecay& decay,
                   std::span<const int> eos) {
    check_decay(decay);
    for (const int id : eos) {
        float* s = find_logit(c, "exponential-decay-length-penalty", id);
        if (s) *s = static_cast<float>(*s + decay_bonus(*s, to_int(generated), decay));
    }
}

}  // namespace tbt
