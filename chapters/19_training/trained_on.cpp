#include "chapters/19_training/trained_on.hpp"

#include "chapters/19_training/corpus/genre_mix.hpp"
#include "chapters/19_training/text_documents.hpp"
#include "lib/core/error.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

TrainedOn trained_on(const std::filesystem::path& model) {
    TrainedOn from;
    const std::filesystem::path file = model / "recipe.json";
    if (!std::filesystem::exists(file)) return from;
    const Json recipe = read_json(file.string());
    const auto take = [&](std::string& value, const char* key, const char* member) {
        const auto found = recipe.find(key);
        if (found != recipe.end() && found->is_object()) value = found->value(member, value);
    };
    take(from.corpus, "corpus", "folder");
    take(from.genres, "options", "genres");
    take(from.text, "text", "folder");
    return from;
}

std::unique_ptr<DocumentSource> open_documents(const TrainedOn& from, std::size_t longest) {
    if (!from.text.empty()) {
        if (!from.genres.empty())
            throw UsageError("--genres are those of the corpus, and --text takes its place");
        return std::make_unique<TextDocuments>(TextDocuments::load(from.text, longest));
    }
    Corpus corpus = Corpus::load(from.corpus);
    if (from.genres.empty()) return std::make_unique<Corpus>(std::move(corpus));
    return std::make_unique<GenreMix>(std::move(corpus), from.genres);
}

std::unique_ptr<DocumentSource> documents_for(const std::filesystem::path& model,
                                              const std::string& corpus, std::size_t longest) {
    return open_documents(corpus.empty() ? trained_on(model) : TrainedOn{corpus, {}, {}}, longest);
}

}  // namespace tbt
