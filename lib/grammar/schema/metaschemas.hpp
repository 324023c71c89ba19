// The schemas of JSON Schema's own drafts: "a member that is a schema" is
// {"$ref": "http://json-schema.org/draft-07/schema#"}.
//
// metaschemas.cpp has them as json-schema.org publishes them, without blanks, titles, descriptions
// and comments: the work of the JSON Schema specification's authors, under the Revised BSD licence
// (metaschemas.LICENSE) or the Academic Free License 3.0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tbt {

// All files of the draft that has one at this address, each with an identifier of its own; none
// where no draft does.
const std::vector<std::string_view>& metaschemas_beside(const std::string& uri);

}  // namespace tbt
