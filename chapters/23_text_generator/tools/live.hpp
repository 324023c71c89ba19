// What the live figures of the course's pages compute (make page): the lessons' own functions,
// compiled to WebAssembly. The page writes logits into this module's memory, calls a function, and
// reads the results; data/page/course/live.js does that. There is no model in it, and no file.
#pragma once

extern "C" {

// ---- memory that the page writes ----
// Room for V logits: 0 are the model's, 1 the draft's.
float* live_row(int which, int V);
// Room for the ids of the text so far, which penalties look at.
int* live_text(int length);

// ---- memory that the page reads: V probabilities of a stage (−1: no longer a candidate) ----
const double* live_probabilities(int stage);
// Of the logits' ids, the most probable first (chapter 04's order).
const int* live_order();

// ---- recorded runs: what a model said after some texts ----
// live_text() is the key: of a search the tokens so far, of a gap its places and one of them.
void live_forget();
void live_remember();  // the model's logits belong to this text
void live_recall();    // the model's logits are those of this text

// ---- chapters 02 to 05 ----
int live_argmax();
double live_uniform(int seed, int number);  // the number-th random number of a seed
// Stage 0: softmax at T. Returns the entropy in nats.
double live_temperature(double T);
int live_draw(double T, double u);
// Stage 1: what a truncation keeps, at temperature T. how: 0 top-k, 1 top-p, 2 min-p. Returns how
// many tokens are kept.
int live_cut(int how, double T, double amount);

// ---- chapters 06 and 08: a chain ----
// Stage 0 is the model's distribution, stage i that after the i-th step. Returns the number of
// steps. dialect: its place in dialects() (chapter 06).
struct LiveOptions {
    double temperature, top_k, top_p, min_p;
    double repetition_penalty, frequency_penalty, presence_penalty, no_repeat_ngram_size;
};
LiveOptions* live_options();
int live_chain(int dialect, double u);
const char* live_step(int i);  // "top-k 40"
struct LiveStep {
    double before, after, mass_removed, entropy;
};
const LiveStep* live_numbers(int i);
int live_chosen();  // the token that u selects after the last step

// ---- chapter 12 ----
// Stages: 0 p, 1 q, 2 the residual max(0, p − q), not divided by its sum. Returns Σ min(p, q).
double live_overlap(double T);
int live_draft(double T, double u);  // the token that the draft draws
int live_correction(double u);       // drawn from the residual

// ---- chapter 11, from recorded rows ----
// Grows the lattice of a search for so many tokens. Returns how many nodes it has.
int live_beams(int beams, int length, int eos);
struct LiveNode {
    double log_probability, sum, score;
    int step, parent, token, fate;  // fate: 0 live, 1 finished, 2 pruned
    int best, greedy;               // is it on the way to the best text, on greedy's?
};
const LiveNode* live_node(int i);
const char* live_why(int i);

// ---- chapter 22, from recorded rows ----
// Fills the text's masks (−1), each with its most probable token: by confidence or in random order.
// Returns the number of passes.
int live_fill(int confidence, int passes, int block_length, int seed);
const int* live_canvas(int pass);  // the places before a pass, and at the end

// ---- chapter 13 ----
// Room for bytes: of the typed text, or of a token.
char* live_bytes(int length);
void live_token();  // these bytes are the next token of the vocabulary
// Reads the text byte by byte. Returns how many of its bytes JSON may begin with.
int live_json();
struct LiveByte {
    int next, closing, accepts;  // bytes that may follow, fewest to the end, may the text end?
};
const LiveByte* live_after(int i);         // after i bytes
const char* live_expects(int i);           // "a key or }"
const char* live_open(int i);              // "{["
const unsigned char* live_follow();        // for each of the 256 bytes: may it follow the text?
const unsigned char* live_legal(int eos);  // for each token

}  // extern "C"
