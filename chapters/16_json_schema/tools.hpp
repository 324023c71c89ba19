// Lists of tools that a model may call, in the forms that the interfaces of the day have for them.
#pragma once

#include <string>

namespace tbt {

// A schema of one call: {"name": one of the tools, "arguments": what its own schema allows}.
//
// The text is a list of tools, or an object with such a list under "tools". A tool is written as
//   OpenAI:    {"type": "function", "function": {"name", "description", "parameters"}},
//              or these members without the wrapping;
//   Anthropic: {"name", "description", "input_schema"};
//   MCP:       {"name", "title", "description", "inputSchema"}.
// References inside a tool's schema ("#/$defs/City") are resolved within that schema. A tool
// without a schema takes no arguments. UsageError, with `name` in front: no such list, a member
// that no form has, two schemas for one tool, two tools of one name.
std::string schema_of_tools(const std::string& tools, const std::string& name);

}  // namespace tbt
