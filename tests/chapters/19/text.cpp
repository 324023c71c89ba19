#include "tests/catch.hpp"

#include "lib/corpus/corpus.hpp"
#include "lib/corpus/documents.hpp"
#include "tests/support/text_folder.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

std::set<std::string> texts(const TextDocuments& source) {
    std::set<std::string> all;
    for (std::uint64_t i = 0; i < source.count(); ++i) all.insert(source.document(1, i).text);
    return all;
}

}  // namespace

TEST_CASE("each document of a text comes once an epoch, in another order each time") {
    const Folder folder;
    const auto source = TextDocuments::load(folder.file("a.txt", some_text()), 100);
    const std::uint64_t n = source.count();
    REQUIRE(n > 15);
    std::vector<std::string> first, second;
    for (std::uint64_t i = 0; i < n; ++i) {
        first.push_back(source.document(7, i).text);
        second.push_back(source.document(7, n + i).text);
    }
    CHECK(first != second);
    CHECK(std::set<std::string>(first.begin(), first.end()).size() == n);
    CHECK(std::is_permutation(first.begin(), first.end(), second.begin()));
    CHECK(source.document(8, 0).text + source.document(8, 1).text != first[0] + first[1]);
}

TEST_CASE("texts are cut for a model as they were in its training") {
    const Folder folder;
    const auto longest = [&](const std::string& options) {
        folder.file("recipe.json", "{\"options\": {" + options + "}}");
        return trained_on(std::filesystem::path(folder.file("a.txt", "a")).parent_path()).longest;
    };
    CHECK(longest("\"context\": 256") == 512);
    CHECK(longest("\"context\": 256, \"sequence\": 64") == 128);
    CHECK(longest("") == 1024);
}

TEST_CASE("the order of a text's documents is that of every release") {
    const Folder folder;
    std::string letters;
    for (char c = 'a'; c <= 'l'; ++c) letters += std::string(1, c) + "<|endoftext|>";
    const auto source = TextDocuments::load(folder.file("a.txt", letters), 100);
    std::string order;
    for (std::uint64_t i = 0; i < 24; ++i) order += source.document(7, i).text;
    CHECK(order == "faeidcjbklhgbdjafhelikcg");
}

TEST_CASE(
    "a long text is cut where a paragraph, a line, a sentence or a word ends, and nothing is "
    "lost") {
    const Folder folder;
    const auto parts = [&](const std::string& text, std::size_t longest) {
        return texts(TextDocuments::load(folder.file("a.txt", text), longest));
    };
    CHECK(parts("one two\nthree\n\nfour", 18) == std::set<std::string>{"one two\nthree", "four"});
    CHECK(parts("one two\nthree", 10) == std::set<std::string>{"one two", "three"});
    CHECK(parts("It is. It was so.", 12) == std::set<std::string>{"It is.", "It was so."});
    CHECK(parts("aaa bbb ccc", 8) == std::set<std::string>{"aaa bbb", "ccc"});
    CHECK(parts("éèê", 3) == std::set<std::string>{"é", "è", "ê"});  // never inside a character
    CHECK(parts("a\r\n\r\nb<|endoftext|>c", 100) == std::set<std::string>{"a\n\nb", "c"});
    CHECK(parts("\xef\xbb\xbfone<|endoftext|>two", 100) == std::set<std::string>{"one", "two"});
}

TEST_CASE("a line of JSON is a document, and all its parts are held out together") {
    const Folder folder;
    std::string lines;
    for (int i = 0; i < 60; ++i)
        lines += R"({"id": 1, "text": "first )" + std::to_string(i) + "\\n\\nsecond " +
                 std::to_string(i) + "\"}\n\n";
    const auto source = TextDocuments::load(folder.file("a.jsonl", lines), 12);
    CHECK(source.count() == 120);
    std::map<std::string, int> held;
    int all = 0;
    for (std::uint64_t i = 0; i < source.count(); ++i) {
        const Document d = source.document(1, i);
        if (!d.held_out) continue;
        ++all;
        ++held[d.text.substr(d.text.find(' '))];
    }
    CHECK(all == 2 * 3);  // one line in twenty, two parts each
    CHECK(held.size() == 3);
}

TEST_CASE("what is held out is never trained on, and is the same however the files are named") {
    const Folder folder;
    const auto a = TextDocuments::load(folder.file("a.txt", some_text()), 100);
    const auto b = TextDocuments::load(folder.file("other/b.md", some_text()), 100);
    CHECK(a.hash() == b.hash());
    std::set<std::string> held;
    for (std::uint64_t i = 0; i < a.count(); ++i)
        if (a.document(1, i).held_out) held.insert(a.document(1, i).text);
    CHECK(held.size() == (a.count() + 19) / 20);
    for (std::uint64_t i = 0; i < b.count(); ++i)
        CHECK(b.document(5, i).held_out == held.contains(b.document(5, i).text));
}

TEST_CASE("a text that nothing can be learned from is refused in one line") {
    const Folder folder;
    const auto said = [&](const std::string& name, const std::string& content) {
        const std::string path = folder.file(name, content);
        const std::string line = error_of([&] { TextDocuments::load(path); });
        CHECK(line.starts_with(path));
        CHECK(line.find('\n') == std::string::npos);
        return line.substr(path.size());
    };
    CHECK(said("empty.txt", "").starts_with(": holds no text, expected at least two documents"));
    CHECK(said("blank.txt", " \n\n \n").starts_with(": holds no text"));
    CHECK(said("one.txt", "Only this.").starts_with(": holds one document"));
    CHECK(said("same.txt", "twice<|endoftext|>twice").starts_with(": holds one document"));
    CHECK(said("binary.txt", "ab\xff\xfe").starts_with(": byte 3 is not UTF-8"));
    CHECK(said("zero.txt", std::string("ab\0cd", 5)).starts_with(": byte 3 is not UTF-8"));
    CHECK(said("a.jsonl", "{\"text\": \"x\"}\n{\"txt\": \"y\"}\n")
              .starts_with(": line 2: expected an object with a string \"text\""));
    CHECK(contains(said("b.jsonl", "{\"text\": \n"), "line 1"));
    CHECK(
        contains(error_of([&] { TextDocuments::load(folder.path / "none.txt"); }), "no such file"));
    fs::create_directories(folder.path / "nothing");
    CHECK(contains(error_of([&] { TextDocuments::load(folder.path / "nothing"); }), "has no .txt"));
}

TEST_CASE("shares of the bytes are shares of the documents times their length") {
    const auto drawn = [](const std::string& shares) {
        const Corpus corpus = Corpus::from_text(
            {{"t.grammar", "genre long " + shares + "\n  {n=int 10 99}" + std::string(98, 'x') +
                               "{n}\ngenre short " + shares + "\n  {n=int 0 9}abcd{n}\n"}});
        double bytes[2] = {0, 0};
        for (std::uint64_t i = 0; i < 4000; ++i) {
            const Document d = corpus.document(1, i);
            bytes[d.genre] += static_cast<double>(d.text.size());
        }
        return bytes[0] / (bytes[0] + bytes[1]);
    };
    // 4000 documents, of which 190 are long ones: 14 more or less is one standard deviation.
    CHECK(std::abs(drawn("50%") - 0.5) < 0.1);
    CHECK(std::abs(drawn("50") - 100.0 / 105.0) < 0.01);
    const std::string mixed = "genre a 50%\n  a\ngenre b 50\n  b\n";
    CHECK(contains(error_of([&] {
                       Corpus::from_text({{"t.grammar", mixed}});
                   }),
                   "all the same kind"));
}
