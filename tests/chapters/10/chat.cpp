// The chat loop, line by line, with an assistant that says what it is told to.
#include "tests/catch.hpp"

#include "chapters/10_generate/chat.hpp"
#include "chapters/10_generate/generate.hpp"

using namespace tbt;

namespace {

// One token a byte.
std::vector<int> encode(std::string_view text) {
    std::vector<int> ids;
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return ids;
}

std::string decode(const std::vector<int>& ids) {
    std::string text;
    for (const int id : ids) text += static_cast<char>(id);
    return text;
}

// A scripted session: what was typed, what the model writes for each prompt (before any cut),
// and what came of it.
struct Session {
    std::deque<std::string> lines, writes;
    int budget = 1000;

    std::vector<std::string> prompts, answers, complaints;
    std::vector<Turn> turns;

    void run() {
        Conversation conversation(lines_prompt(encode), budget);
        const Answer answer = [&](const std::vector<int>& prompt,
                                  const std::function<void(const std::string&)>& show) {
            prompts.push_back(decode(prompt));
            // The stub goes through the real generator: bytes as tokens, stop strings, streaming.
            std::vector<int> written = encode(writes.front());
            writes.pop_front();
            std::vector<float> row;
            const NextLogits model =
                [&, n = prompt.size()](std::span<const int> ids) -> std::span<const float> {
                row.assign(257, -std::numeric_limits<float>::infinity());
                row[ids.size() - n < written.size() ? index(written[ids.size() - n]) : 256] = 0;
                return row;
            };
            GenerateRequest r;
            r.stop.eos = {256};
            r.stop.strings = StopStrings(chat_stop_strings);
            std::string byte;
            const TokenBytes bytes = [&byte](int id) {
                return byte = std::string(1, static_cast<char>(id)), std::string_view(byte);
            };
            GenerateObserver observer;
            observer.on_text = [&](std::size_t, const std::string& piece) { show(piece); };
            return generate_texts(one_at_a_time(model), bytes, prompt, r, observer)[0].text;
        };
        ChatScreen screen;
        screen.read_line = [&]() -> std::optional<std::string> {
            if (lines.empty()) return std::nullopt;
            const std::string line = lines.front();
            lines.pop_front();
            return line;
        };
        screen.before_answer = [&](const std::string&) { answers.emplace_back(); };
        screen.show = [&](const std::string& piece) { answers.back() += piece; };
        screen.after_answer = [] {};
        screen.complain = [&](const std::string& message) { complaints.push_back(message); };
        chat(conversation, answer, screen);
        turns = conversation.turns();
    }
};

Session session(std::deque<std::string> lines, std::deque<std::string> writes, int budget = 1000) {
    Session s{std::move(lines), std::move(writes), budget, {}, {}, {}, {}};
    s.run();
    return s;
}

}  // namespace

TEST_CASE("the prompt of a chat is the line between the two names") {
    const Session s = session({"hi"}, {" Hello!\n"});
    REQUIRE(s.prompts == std::vector<std::string>{"User: hi\nAssistant:"});
    REQUIRE(s.answers == std::vector<std::string>{"Hello!"});
}

TEST_CASE("the next prompt contains the turns before it") {
    const Session s = session({"hi", "  and you? "}, {" Hello!\n", " Fine."});
    REQUIRE(s.prompts[1] == "User: hi\nAssistant: Hello!\nUser: and you?\nAssistant:");
    REQUIRE(s.turns.size() == 2);
}

TEST_CASE("an answer ends where the model begins to write the user's part") {
    const Session s = session({"hi", "more"}, {"ok\nUser: x\nAssistant: y", " ok User: z"});
    REQUIRE(s.answers == std::vector<std::string>{"ok", "ok"});
    REQUIRE(s.prompts[1] == "User: hi\nAssistant: ok\nUser: more\nAssistant:");
    REQUIRE(s.prompts[1].find('x') == std::string::npos);
}

TEST_CASE("an empty answer is an answer") {
    const Session s = session({"hi", "hm", "so"}, {"", " \n User: x", " yes"});
    REQUIRE(s.answers == std::vector<std::string>{"", "", "yes"});
    REQUIRE(s.prompts[2] == "User: hi\nAssistant:\nUser: hm\nAssistant:\nUser: so\nAssistant:");
}

TEST_CASE("a goodbye, a blank line and the end of input end a chat") {
    for (const char* word : {"quit", "exit", "q", "Quit", "EXIT", " Q\t", "", "   ", "\r"}) {
        const Session s = session({"hi", word, "still there?"}, {"ok", "no"});
        INFO(word);
        REQUIRE(s.prompts.size() == 1);
    }
    REQUIRE(session({"hi"}, {"ok"}).prompts.size() == 1);
    REQUIRE(session({}, {}).prompts.empty());
    REQUIRE(session({"quit it", "queue"}, {"ok", "ok"}).prompts.size() == 2);
}

TEST_CASE("the oldest turns go, whole ones, when the prompt would not fit") {
    const std::string last = "User: c\nAssistant:", second = "User: b\nAssistant: two\n",
                      first = "User: a\nAssistant: one\n";
    const auto run = [&](std::size_t budget) {
        return session({"a", "b", "c"}, {" one", " two", " three"}, static_cast<int>(budget))
            .prompts.back();
    };
    REQUIRE(run(first.size() + second.size() + last.size()) == first + second + last);
    REQUIRE(run(first.size() + second.size() + last.size() - 1) == second + last);
    REQUIRE(run(second.size() + last.size()) == second + last);
    REQUIRE(run(second.size() + last.size() - 1) == last);
    REQUIRE(run(last.size()) == last);
}

TEST_CASE("a line that could not fit alone is refused and not kept, and the chat goes on") {
    const std::string longest(60 - std::string("User: \nAssistant:").size(), 'x');
    const Session s =
        session({"hi", longest + "x", "there", longest}, {" one", " two", " three"}, 60);
    REQUIRE(s.complaints.size() == 1);
    REQUIRE_THAT(s.complaints[0], Catch::Contains("61 tokens") && Catch::Contains("room for 60"));
    REQUIRE(s.prompts.size() == 3);
    REQUIRE(
        s.prompts[1] ==
        "User: hi\nAssistant: one\nUser: there\nAssistant:");  // the refused line cost no history
    REQUIRE(s.prompts[2] == "User: " + longest + "\nAssistant:");
}

TEST_CASE("a chat speaks UTF-8, and a line that doesn't is refused") {
    const Session s = session({"wie heißt du? 🙂", "\xFF\xFE", "gut"}, {" Zoë 🙃\n", " ja"});
    REQUIRE(s.answers == std::vector<std::string>{"Zoë 🙃", "ja"});
    REQUIRE(s.complaints.size() == 1);
    REQUIRE_THAT(s.complaints[0], Catch::Contains("not valid UTF-8"));
    REQUIRE(s.prompts[1] ==
            "User: wie heißt du? 🙂\nAssistant: Zoë 🙃\nUser: gut\nAssistant:");
}

TEST_CASE("an answer is shown trimmed while it comes, and what is shown is what is kept") {
    const std::string text = "\n  one \n two\t\n\n three  \n";
    for (unsigned long cuts = 0; cuts < 1ul << (text.size() - 1); cuts += 37) {
        TrimmedStream stream;
        std::string shown, piece;
        for (std::size_t i = 0; i < text.size(); ++i) {
            piece += text[i];
            if (!(cuts >> i & 1) && i + 1 < text.size()) continue;
            shown += stream.push(piece);
            piece.clear();
        }
        if (shown != "one \n two\t\n\n three") REQUIRE(shown == "one \n two\t\n\n three");
    }
    REQUIRE(trimmed(text) == "one \n two\t\n\n three");
}

TEST_CASE("a budget without room for any question is refused") {
    REQUIRE_THROWS_AS(Conversation(lines_prompt(encode), 0), UsageError);
}

TEST_CASE("a line that is not UTF-8 is refused with the place of its first wrong byte") {
    const Session s = session({"ab\xff", "\xc3", "hi"}, {" ok"});
    REQUIRE(s.complaints ==
            std::vector<std::string>{"this line was not used: its byte 3 is not valid UTF-8",
                                     "this line was not used: its byte 1 is not valid UTF-8"});
    REQUIRE(s.prompts == std::vector<std::string>{"User: hi\nAssistant:"});
}
