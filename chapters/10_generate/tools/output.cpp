#include "chapters/10_generate/tools/output.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <limits>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/06_combining/candidates.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/10_generate/tools/recording.hpp"
#include "lib/core/check.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

constexpr int explained_choices = 5;

double log_of(double probability) {
    return probability > 0 ? portable_log(probability) : -INFINITY;
}

std::string percent(double p) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %%", 100 * p);
    return text;
}

[[gnu::format(printf, 2, 3)]] void append(std::string& out, const char* format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    out += text;
}

const std::string& step_name(const Chain& chain, int step) {
    return chain.steps()[checked_place("step", step, chain.steps().size())].name;
}

}  // namespace

std::string seen(const Tokenizer& tokenizer, int id) {
    return id < tokenizer.vocab_size() ? visible(tokenizer.token_bytes(id))
                                       : "token " + std::to_string(id);
}

TokenLogprob prompt_token(int id, std::span<const float> before, int choices) {
    TokenLogprob token{id, std::numeric_limits<double>::quiet_NaN(), {}};
    if (before.empty()) return token;
    Candidates distribution(before);
    token.log_probability = distribution.log_probability(index(id));
    for (const Candidate& top : top_candidates(before, choices))
        token.choices.push_back({top.id, distribution.log_probability(index(top.id))});
    return token;
}

std::vector<TokenLogprob> prompt_logprobs(Transformer& gpt, std::span<const int> ids, int choices) {
    KvCache cache(gpt.config());
    const Logits rows = gpt.forward_all(cache, ids);
    std::vector<TokenLogprob> tokens;
    for (int i = 0; i < count(ids); ++i)
        tokens.push_back(prompt_token(ids[index(i)],
                                      i > 0 ? rows.row(i - 1) : std::span<const float>(), choices));
    return tokens;
}

static void print_prompt_logprobs(const Tokenizer& tokenizer,
                                  const std::vector<TokenLogprob>& tokens) {
    std::printf("   prompt               raw   first choices\n");
    for (const TokenLogprob& token : tokens) {
        std::printf("   %s ", padded(seen(tokenizer, token.id), 14).c_str());
        if (std::isnan(token.log_probability)) std::printf("        –");
        else std::printf("%9.4f", token.log_probability);
        std::printf("  ");
        for (const TokenLogprob::Choice& choice : token.choices)
            std::printf(" %s %.4f", seen(tokenizer, choice.id).c_str(), choice.log_probability);
        std::printf("\n");
    }
    std::printf("\n");
}

std::string explanation(const Tokenizer& tokenizer, const Chain& chain, const Trace& t, int step) {
    std::string out = std::to_string(step + 1) + ". " + seen(tokenizer, t.chosen);
    append(out, ", drawn with u = %.6f\n", t.u);
    out +=
        "   step                        kept    cut  mass cut  entropy   token's rank and "
        "probability\n";
    const auto standing_of = [](const Standing& s) {
        return s.rank == 0 ? std::string("      removed")
                           : padded("", 5 - to_int(std::to_string(s.rank).size())) +
                                 std::to_string(s.rank) + "  " + percent(s.probability);
    };
    append(out, "   %s %7zu                   %7.3f  %s\n", padded("the model", 24).c_str(),
           t.raw_candidates, t.raw_entropy,
           standing_of({t.raw_rank, portable_exp(t.raw_log_probability)}).c_str());
    for (const StepTrace& s : t.steps) {
        const std::string name = s.parameters.empty() ? s.name : s.name + " " + s.parameters;
        append(out, "   %s %7zu %6zu  %8.4f  %7.3f  %s\n", padded(name, 24).c_str(),
               s.candidates_after, s.candidates_before - s.candidates_after, s.mass_removed,
               s.entropy_after, standing_of(s.chosen_after).c_str());
    }
    for (const TracedToken& token : t.top) {
        append(out, "   %s %9s  ", padded(seen(tokenizer, token.id), 24).c_str(),
               percent(token.raw_probability).c_str());
        if (token.removed_by >= 0) out += "cut by " + step_name(chain, token.removed_by) + "\n";
        else
            out += "-> " + percent(token.final_probability) +
                   (token.id == t.chosen ? "  <- drawn\n" : "\n");
    }
    return out + "\n";
}

// --logprobs: one line for each token.
static void print_log_probabilities(const Tokenizer& tokenizer, const GeneratedText& text) {
    std::printf("   token                raw  processed   first choices (raw)\n");
    for (const Trace& t : text.traces) {
        std::printf("   %s %9.4f  %9.4f  ", padded(seen(tokenizer, t.chosen), 14).c_str(),
                    t.raw_log_probability, t.final_log_probability);
        for (const TracedToken& token : t.top)
            std::printf(" %s %.2f", seen(tokenizer, token.id).c_str(),
                        log_of(token.raw_probability));
        std::printf("\n");
    }
}

void write_surprise_figure(const std::string& file, const Tokenizer& tokenizer,
                           const std::string& prompt, const GeneratedText& text) {
    constexpr double left = 24, right = 696, letter = 8.2, row = 40;
    constexpr double bits_of_full_shade = 6;
    const std::string mono = "style=\"font-family:monospace\"";
    double x = left, y = 66;
    std::string out = svg_text(
        left, 28, "How surprised was the model? The bits of each token, −log₂ of its probability",
        "start", 15, "font-weight=\"bold\"");
    const auto put = [&](const std::string& label, const std::string& below, double shade) {
        const double width = std::max(letter * columns(label) + 6, 25.0);
        if (x + width > right) x = left, y += row;
        if (shade >= 0) {
            char opacity[48];
            std::snprintf(opacity, sizeof opacity, "opacity=\"%.2f\" rx=\"3\"",
                          0.06 + 0.74 * std::min(1.0, shade));
            out += svg_rect(x, y - 15, width - 2, 20, svg_colour(1), opacity);
        }
        out += svg_text(x + (width - 2) / 2, y, label, "middle", 14, mono);
        out += svg_text(x + (width - 2) / 2, y + 16, below, "middle", 9);
        x += width;
    };
    put(visible(prompt), "prompt", -1);
    for (const Trace& t : text.traces) {
        const double bits = -t.raw_log_probability / portable_log(2.0);
        char number[16];
        std::snprintf(number, sizeof number, "%.1f", bits);
        put(seen(tokenizer, t.chosen), number, bits / bits_of_full_shade);
    }
    write_svg(file, "How surprised was the model? The bits of each token", 720,
              static_cast<int>(y) + 40, out);
}

int Output::traced_tokens() const {
    if (logprobs) return *logprobs;
    return explain || !trace_file.empty() || !figure.empty() ? explained_choices : -1;
}

void add_output_options(OptionTable& app, Output& o) {
    CommandLine line(app, "What is shown");
    line.option("--output-format", o.format,
                "text; json: everything in one object; jsonl: a line for each text")
        .one_of({"text", "json", "jsonl"})
        .shows_default();
    line.option("--explain", o.explain, "what each step of the chain did, token by token");
    line.option("--logprobs", o.logprobs,
                "show log-probabilities, raw and processed, and this many top choices");
    line.option("--prompt-logprobs", o.prompt_logprobs,
                "the same for the tokens of the prompt, after the texts");
    line.option("--trace", o.trace_file, "write what --explain shows as JSON lines to a file");
    line.option("--figure", o.figure, "write the text as a picture, shaded by surprise (SVG)");
    page_option(line, o.html);
    line.option("--no-stream", o.no_stream, "show the text when it is complete");
    line.option("--no-display-prompt", o.no_display_prompt, "show the continuation only");
    line.option("--stats", o.stats, "the chain, speed and reason of the end, on stderr");
}

void check_output(const Output& o, std::size_t texts, int vocab_size) {
    const auto both = [](const std::string& a, const char* b, const char* why) {
        throw UsageError(a + " and " + b + ": " + why);
    };
    check_files(o.html, o.trace_file, o.figure);
    const std::string format = "--output-format " + o.format;
    if (!o.text() && o.explain)
        both(format, "--explain",
             "one is for programs, the other for people; --trace FILE writes what --explain shows");
    if (!o.text() && o.no_display_prompt)
        both(format, "--no-display-prompt", "the prompt has a field of its own there");
    if (o.explain && o.logprobs)
        both("--explain", "--logprobs",
             "--explain shows these probabilities already; use one of the two");
    if (!o.figure.empty() && texts > 1)
        throw UsageError("--figure: the picture shows one text, and " + std::to_string(texts) +
                         " are asked for; ask for one");
    for (const auto& [name, choices] :
         {std::pair{"--logprobs", o.logprobs}, std::pair{"--prompt-logprobs", o.prompt_logprobs}}) {
        if (choices && (*choices < 0 || *choices > vocab_size))
            throw UsageError(std::string(name) + ": got " + std::to_string(*choices) +
                             ", expected the number of top choices to show, 0 to " +
                             std::to_string(vocab_size));
    }
    if (o.prompt_logprobs && o.format == "jsonl")
        both(format, "--prompt-logprobs", "a line is one text; take --output-format json");
}

TextPrinter::TextPrinter(const Output& output, const std::string& model, const Tokenizer& tokenizer,
                         const std::vector<ShownPrompt>& prompts, const GenerateRequest& request,
                         bool streams)
    : output_(&output),
      model_(&model),
      tokenizer_(&tokenizer),
      prompts_(&prompts),
      request_(&request),
      streams_(streams && prompts.size() == 1 && request.samples == 1 && output.text() &&
               !output.explain && !output.no_stream) {
    traced_.assign(prompts.size() * index(request.samples), 0);
    try_writing(output.figure);
    if (output.trace_file.empty()) return;
    trace_file_ = std::make_unique<AtomicFile>(output.trace_file);
    for (const ShownPrompt& prompt : prompts) {
        const std::string header = trace_header(model, prompt.text, request, prompt.ids);
        trace_file_->write(header.data(), header.size());
    }
}

void show_at_once(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

double TextPrinter::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void TextPrinter::print_prompt(std::size_t prompt) const {
    const Style style(stdout);
    if (!output_->no_display_prompt)
        std::printf("%.*s%s%.*s", count(style.bold), style.bold.data(),
                    (*prompts_)[prompt].text.c_str(), count(style.reset), style.reset.data());
}

GenerateObserver TextPrinter::observer() {
    GenerateObserver observer;
    observer.go_on = [this] {
        if (++passes_ == 2) first_token_ = seconds();  // the prompt's pass is over
        return Interrupt::count() == 0;
    };
    if (streams_) {
        print_prompt(0);
        show_at_once("");
        observer.on_text = [](std::size_t, const std::string& piece) { show_at_once(piece); };
    }
    observer.on_trace = [this](std::size_t text, const Trace& trace) {
        const int step = traced_[text]++;
        if (output_->explain && traced_.size() == 1)
            std::fputs(explanation(*tokenizer_, request_->chain, trace, step).c_str(), stdout);
        if (!trace_file_) return;
        const std::string line = trace_line(*tokenizer_, trace, text, step);
        trace_file_->write(line.data(), line.size());
    };
    return observer;
}

void TextPrinter::print_texts(const std::vector<GeneratedText>& texts) const {
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const GeneratedText& text = texts[i];
        if (texts.size() > 1) {
            std::printf("%s--- %zu", i ? "\n" : "", i + 1);
            if (text.score) std::printf(": score %.4f", text.score->normalised);
            std::printf(" ---\n");
        }
        for (std::size_t s = 0; output_->explain && texts.size() > 1 && s < text.traces.size();
             ++s) {
            std::fputs(explanation(*tokenizer_, request_->chain, text.traces[s], to_int(s)).c_str(),
                       stdout);
        }
        if (!streams_) {
            print_prompt(text.prompt);
            std::fwrite(text.text.data(), 1, text.text.size(), stdout);
        }
        std::printf("\n");
        if (output_->logprobs) {
            std::printf("\n");
            print_log_probabilities(*tokenizer_, text);
        }
    }
}

// Prints one line on stderr, so that it is not mixed with the text.
void TextPrinter::print_stats(const std::vector<GeneratedText>& texts) const {
    std::size_t tokens = 0, read = 0;
    std::string reasons;
    for (const ShownPrompt& prompt : *prompts_) read += prompt.ids.size();
    for (const GeneratedText& text : texts) {
        tokens += text.ids.size();
        reasons += (reasons.empty() ? "" : ", ") + std::string(to_string(text.reason));
    }
    // If the first pass ended all texts, no other said when it was over.
    const double total = seconds(), first = passes_ > 1 ? first_token_ : total;
    const double rest = total - first;
    const double later = static_cast<double>(tokens) - static_cast<double>(texts.size());
    std::fprintf(stderr,
                 "%s\n%zu prompt tokens, first token after %.1f ms; %zu tokens in %d passes, "
                 "%.0f tokens/s; ended by: %s\n",
                 request_->chain.to_string().c_str(), read, 1e3 * first, tokens, passes_,
                 rest > 0 && later > 0 ? later / rest : static_cast<double>(tokens) / total,
                 reasons.c_str());
}

void TextPrinter::finish(const std::vector<GeneratedText>& texts) {
    if (output_->text()) {
        print_texts(texts);
        for (const ShownPrompt& prompt : *prompts_)
            if (output_->prompt_logprobs)
                std::printf("\n"), print_prompt_logprobs(*tokenizer_, prompt.tokens);
    } else if (output_->format == "json") {
        std::string all;
        for (std::size_t p = 0; p < prompts_->size(); ++p) {
            std::vector<GeneratedText> own;
            std::copy_if(texts.begin(), texts.end(), std::back_inserter(own),
                         [p](const GeneratedText& text) { return text.prompt == p; });
            all += json_result(*model_, (*prompts_)[p].text, *request_, (*prompts_)[p].ids,
                               *tokenizer_, own, (*prompts_)[p].tokens);
        }
        std::fwrite(all.data(), 1, all.size(), stdout);
    } else {
        for (const GeneratedText& text : texts) {
            const std::string line =
                jsonl_result((*prompts_)[text.prompt].text, *request_, *tokenizer_, text);
            std::fwrite(line.data(), 1, line.size(), stdout);
        }
    }
    std::fflush(stdout);
    if (trace_file_) trace_file_->commit();
    if (!output_->figure.empty())
        write_surprise_figure(output_->figure, *tokenizer_, (*prompts_)[0].text, texts[0]);
    if (output_->stats) print_stats(texts);
}

}  // namespace tbt
