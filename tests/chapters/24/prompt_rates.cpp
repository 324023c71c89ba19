#include "tests/catch.hpp"

#include "chapters/24_which_decoder/tools/texts_to_read.hpp"
#include "chapters/24_which_decoder/write_texts.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

TEST_CASE("a reply holds a name only as whole words, a continuation begins with its answer") {
    const PromptQuestion name =
        prompt_question("names: chat: my name is Tobias | who am I? => Tobias", "rates.txt");
    CHECK(name.rate == "names");
    CHECK(name.prompt == "my name is Tobias | who am I?");
    CHECK(is_answered(name, " You are Tobias."));
    CHECK(!is_answered(name, " You are Tobas."));
    CHECK(!is_answered(name, " You are Tobiasson."));
    const PromptQuestion sum = prompt_question("sums: text: 9 times 9 is => 81", "rates.txt");
    CHECK(is_answered(sum, " 81."));
    CHECK(!is_answered(sum, " 8."));
    CHECK(!is_answered(sum, " 811"));
    CHECK(!is_answered(sum, " not 81"));
}

TEST_CASE("a record is right when prompt and text together are one JSON value") {
    const PromptQuestion q = prompt_question(R"(records: json: {"name": "Ada", "age":)", "rates");
    CHECK(is_answered(q, " 7}"));
    CHECK(is_answered(q, " 7, \"tags\": []}\n"));
    CHECK(!is_answered(q, " 7"));
    CHECK(!is_answered(q, " seven}"));
    CHECK(!is_answered(q, " 7} {"));
}

TEST_CASE("a line of rates.txt that is none is refused with its file") {
    CHECK_THROWS_WITH(prompt_question("names", "rates.txt"),
                      Catch::Contains("rates.txt: expected RATE: HOW"));
    CHECK_THROWS_AS(prompt_question("names: song: x => y", "rates.txt"), Error);
    CHECK_THROWS_AS(prompt_question("names: chat: x", "rates.txt"), Error);
    for (const std::string& line : lines_of("data/prompts/voice/rates.txt"))
        if (line[0] != '#') CHECK_NOTHROW(prompt_question(line, "rates.txt"));
}

TEST_CASE("a chat question is asked as a conversation, any other is continued as it is") {
    Model model = load_model("data/models/storyteller");
    const test::TemporaryFolder folder;
    folder.write("rates.txt", "a: chat: hello => zebra\nb: text: hello => zebra\n");
    WriteOptions chat, text;
    chat.stop = "\n", chat.max_new_tokens = 80;
    text.max_new_tokens = 20;
    const std::string reply = write_texts(model, {"User: hello\nAssistant:"}, chat)[0].text,
                      more = write_texts(model, {"hello"}, text)[0].text;
    REQUIRE(reply != more);
    CHECK(prompt_rates(model, folder.path()) ==
          "missed: [hello]" + reply + "/   (zebra)\nmissed: [hello]" + on_one_line(more) +
              "   (zebra)\na: 0 of 1\nb: 0 of 1\n");
}
