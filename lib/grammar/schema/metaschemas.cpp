#include "lib/grammar/schema/metaschemas.hpp"

#include "lib/grammar/schema/metaschemas/draft_2019.hpp"
#include "lib/grammar/schema/metaschemas/draft_2019_values.hpp"
#include "lib/grammar/schema/metaschemas/draft_2020.hpp"
#include "lib/grammar/schema/metaschemas/draft_2020_values.hpp"
#include "lib/grammar/schema/metaschemas/draft_4.hpp"
#include "lib/grammar/schema/metaschemas/draft_6.hpp"
#include "lib/grammar/schema/metaschemas/draft_7.hpp"

namespace tbt {

std::vector<std::string_view> metaschemas_beside(const std::string& uri) {
    using namespace metaschemas;
    static const struct {
        std::string_view folder;
        std::vector<std::string_view> texts;
    } drafts[] = {
        {"http://json-schema.org/draft-04/", {draft_4}},
        {"http://json-schema.org/draft-06/", {draft_6}},
        {"http://json-schema.org/draft-07/", {draft_7}},
        {"https://json-schema.org/draft/2019-09/",
         {draft_2019, draft_2019_core, draft_2019_applicator, draft_2019_validation,
          draft_2019_meta_data, draft_2019_format, draft_2019_content}},
        {"https://json-schema.org/draft/2020-12/",
         {draft_2020, draft_2020_core, draft_2020_applicator, draft_2020_unevaluated,
          draft_2020_validation, draft_2020_meta_data, draft_2020_format_annotation,
          draft_2020_format_assertion, draft_2020_content}},
    };
    for (const auto& draft : drafts)
        if (uri.rfind(draft.folder, 0) == 0) return draft.texts;
    return {};
}

}  // namespace tbt
