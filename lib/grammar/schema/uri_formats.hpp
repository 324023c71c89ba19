// The formats of web addresses, letter by letter from their grammars: uri [RFC 3986, appendix A],
// iri [RFC 3987, §2.2], uri-template [RFC 6570, §2].
#pragma once

#include <string>

namespace tbt {

// As regular expressions. relative: references too, "../a?b"; international: an IRI.
std::string uri_pattern(bool relative, bool international);
std::string uri_template_pattern();

}  // namespace tbt
