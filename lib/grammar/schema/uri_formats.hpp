// The formats of web addresses, taken rule by rule from their grammars: uri [RFC 3986, appendix A],
// iri [RFC 3987, §2.2], uri-template [RFC 6570, §2].
#pragma once

#include <string>

namespace tbt {

// Regular expressions. relative: also relative references, "../a?b". international: IRIs, with
// characters of all scripts.
std::string uri_pattern(bool relative, bool international);
std::string uri_template_pattern();

}  // namespace tbt
