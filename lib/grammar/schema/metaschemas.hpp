// The meta-schemas of JSON Schema's drafts, for references to them. A schema can demand that a
// member is itself a schema: {"$ref": "http://json-schema.org/draft-07/schema#"}.
//
// metaschemas.cpp has them as json-schema.org publishes them, without white space, titles,
// descriptions and comments. They are the work of the JSON Schema specification's authors, under
// the Revised BSD licence (metaschemas.LICENSE) or the Academic Free License 3.0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tbt {

// All files of the draft that has a file at this address; each has its own identifier. Empty if no
// draft has one there.
const std::vector<std::string_view>& metaschemas_beside(const std::string& uri);

}  // namespace tbt
