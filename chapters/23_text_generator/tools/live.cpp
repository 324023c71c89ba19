#include "chapters/23_text_generator/tools/live.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/03_temperature/plain_draw.hpp"
#include "chapters/04_top_k/plain_top_k.hpp"
#include "chapters/05_top_p/plain_relatives.hpp"
#include "chapters/06_combining/trace.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/11_beam_search/beam_search.hpp"
#include "chapters/12_speculative/plain_speculative.hpp"
#include "chapters/13_json_grammar/plain_mask.hpp"
#include "chapters/22_diffusion/order.hpp"
#include "lib/core/rng.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"

namespace tbt {

namespace {

std::vector<float> rows[2];
std::vector<int> text, order;
std::vector<std::vector<double>> stages;
std::vector<std::string> names;
std::vector<LiveStep> numbers;
LiveOptions options;
int chosen = 0;
std::map<std::vector<int>, std::vector<float>> remembered;
std::vector<LiveNode> nodes;
std::vector<std::string> whys;
std::vector<Canvas> canvases;

// What the JSON recognizer says after each byte of a text.
struct Read {
    Recognizer::State state;
    LiveByte numbers;
    std::string expects, open;
};
JsonRecognizer json;
std::vector<Read> reads;
std::string bytes;
std::vector<std::string> tokens;
std::vector<unsigned char> flags;

bool may_follow(Recognizer::State state, std::size_t byte) {
    return json.next(state, static_cast<unsigned char>(byte)) != Recognizer::dead;
}

Read read_at(Recognizer::State state) {
    int next = 0;
    for (std::size_t byte = 0; byte < 256; ++byte) next += may_follow(state, byte);
    return {state,
            {next, json.closing_bytes(state), json.accepts(state)},
            JsonRecognizer::name(JsonRecognizer::unpack(state).mode),
            json.stack(state)};
}

void set_stage(std::size_t i, std::vector<double> p) {
    stages.resize(std::max(stages.size(), i + 1));
    stages[i] = std::move(p);
}

// The candidates' probabilities.
std::vector<double> distribution(Candidates& c) {
    std::vector<double> p(c.vocab_size(), -1.0);
    for (std::size_t i = 0; i < c.size(); ++i)
        if (c.logits()[i] != masked) p[index(c.id(i))] = c.probability(i);
    return p;
}

std::vector<float> cut(int how, double T, double amount) {
    switch (how) {
        case 0:
            return top_k(rows[0], static_cast<int>(amount));
        case 1:
            return top_p(rows[0], T, amount);
        default:
            return min_p(rows[0], T, amount);
    }
}

// The penalties look at the whole text (--penalty-scope all): nothing in it was generated yet.
Chain chain_of(const LiveOptions& o, Dialect dialect) {
    SamplingOptions s;
    s.temperature = o.temperature, s.top_k = static_cast<int>(o.top_k), s.top_p = o.top_p;
    s.min_p = o.min_p, s.repetition_penalty = o.repetition_penalty;
    s.frequency_penalty = o.frequency_penalty, s.presence_penalty = o.presence_penalty;
    s.no_repeat_ngram_size = static_cast<int>(o.no_repeat_ngram_size);
    PenaltyOptions more;
    more.scope = Scope::all;
    return full_chain(s, dialect, more);
}

// The prompt is in no key, so any token stands for it.
BeamSearch search(const BeamRequest& request) {
    const auto recorded = [](std::span<const BatchText> texts) {
        std::vector<std::span<const float>> found;
        for (const BatchText& t : texts)
            found.emplace_back(remembered.at({t.ids.begin() + 1, t.ids.end()}));
        return found;
    };
    return run_beam_search(recorded, request, std::vector<int>{0});
}

std::vector<double> recorded_guess(const Canvas& row, std::size_t place) {
    Canvas key = row;
    key.push_back(to_int(place));
    return softmax_at(remembered.at(key), 1);
}

}  // namespace

extern "C" {

float* live_row(int which, int V) {
    rows[which].resize(index(V));
    return rows[which].data();
}

int* live_text(int length) {
    text.resize(index(length));
    return text.data();
}

const double* live_probabilities(int stage) { return stages[index(stage)].data(); }

const int* live_order() {
    const std::vector<std::size_t> ids = sorted_descending(rows[0]);
    order.assign(ids.begin(), ids.end());
    return order.data();
}

void live_forget() { remembered.clear(); }
void live_remember() { remembered[text] = rows[0]; }
void live_recall() { rows[0] = remembered.at(text); }

int live_argmax() { return argmax(rows[0]); }

double live_uniform(int seed, int number) {
    Rng rng(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < number; ++i) rng.uniform();
    return rng.uniform();
}

double live_temperature(double T) {
    set_stage(0, softmax_at(rows[0], T));
    return entropy_at(rows[0], T);
}

int live_draw(double T, double u) { return draw(rows[0], T, u); }

int live_cut(int how, double T, double amount) {
    const std::vector<float> kept = cut(how, T, amount);
    std::vector<double> p = softmax_at(kept, T);
    for (std::size_t i = 0; i < p.size(); ++i)
        if (kept[i] == masked) p[i] = -1;
    set_stage(1, std::move(p));
    return to_int(count_kept(kept));
}

LiveOptions* live_options() { return &options; }

int live_chain(int dialect, double u) {
    const Chain chain = chain_of(options, dialects()[index(dialect)].second);
    const TextSoFar so_far{text, text.size()};
    Candidates c(rows[0]);
    set_stage(0, distribution(c));
    names.clear();
    for (const ChainStep& step : chain.steps()) {
        step.apply(c, so_far);
        names.push_back(step.name + " " + step.parameters);
        set_stage(names.size(), distribution(c));
    }
    chosen = draw(c, u);
    numbers.clear();
    for (const StepTrace& s : trace(chain, rows[0], so_far, u, chosen).steps)
        numbers.push_back({static_cast<double>(s.candidates_before),
                           static_cast<double>(s.candidates_after), s.mass_removed,
                           s.entropy_after});
    return to_int(numbers.size());
}

const char* live_step(int i) { return names[index(i)].c_str(); }
const LiveStep* live_numbers(int i) { return &numbers[index(i)]; }
int live_chosen() { return chosen; }

double live_overlap(double T) {
    const Distribution p = softmax_at(rows[0], T), q = softmax_at(rows[1], T);
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += std::min(p[i], q[i]);
    set_stage(0, p), set_stage(1, q), set_stage(2, plain_residual(p, q));
    return sum;
}

int live_draft(double T, double u) { return draw(rows[1], T, u); }
int live_correction(double u) { return plain_draw(stages[2], u); }

int live_beams(int beams, int length, int eos) {
    BeamRequest request;
    request.stop.max_new_tokens = length, request.stop.eos = {eos};
    request.keep_lattice = true;
    request.beams.num_beams = 1;
    const std::vector<int> first_choices = search(request).results()[0].ids;
    request.beams.num_beams = beams;
    const BeamSearch found = search(request);
    const std::vector<LatticeNode>& all = found.lattice();
    const std::vector<bool> best = path_of(all, found.results()[0].ids),
                            by_greedy = path_of(all, first_choices);
    nodes.clear(), whys.clear();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const LatticeNode& n = all[i];
        nodes.push_back({n.log_probability, n.sum, n.score, n.step, n.parent, n.token,
                         static_cast<int>(n.fate), best[i], by_greedy[i]});
        whys.push_back(n.why);
    }
    return to_int(nodes.size());
}

const LiveNode* live_node(int i) { return &nodes[index(i)]; }
const char* live_why(int i) { return whys[index(i)].c_str(); }

int live_fill(int confidence, int passes, int block_length, int seed) {
    Hole hole{text, 0, text.size()};
    canvases.clear();
    const MaskedDistribution noted = [](const Canvas& row, std::size_t place) {
        if (canvases.empty() || canvases.back() != row) canvases.push_back(row);
        return recorded_guess(row, place);
    };
    Rng rng(static_cast<std::uint64_t>(seed));
    fill_once(hole, greedy(noted), drawing(rng),
              {confidence ? "confidence" : "random", passes, block_length}, recorded_guess);
    canvases.push_back(hole.row);
    return to_int(canvases.size()) - 1;
}

const int* live_canvas(int pass) { return canvases[index(pass)].data(); }

char* live_bytes(int length) {
    bytes.resize(index(length));
    return bytes.data();
}

void live_token() { tokens.push_back(bytes); }

int live_json() {
    json = JsonRecognizer();
    reads.assign(1, read_at(json.start()));
    for (const char c : bytes) {
        const Recognizer::State state =
            json.next(reads.back().state, static_cast<unsigned char>(c));
        if (state == Recognizer::dead) break;
        reads.push_back(read_at(state));
    }
    return to_int(reads.size()) - 1;
}

const LiveByte* live_after(int i) { return &reads[index(i)].numbers; }
const char* live_expects(int i) { return reads[index(i)].expects.c_str(); }
const char* live_open(int i) { return reads[index(i)].open.c_str(); }

const unsigned char* live_follow() {
    flags.resize(256);
    for (std::size_t byte = 0; byte < 256; ++byte)
        flags[byte] = may_follow(reads.back().state, byte);
    return flags.data();
}

const unsigned char* live_legal(int eos) {
    const std::vector<bool> legal = plain_mask(json, reads.back().state, tokens, eos);
    flags.assign(legal.begin(), legal.end());
    return flags.data();
}

}  // extern "C"

}  // namespace tbt
