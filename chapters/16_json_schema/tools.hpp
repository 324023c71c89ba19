// Lists of tools that a model may call, in the formats of OpenAI, Anthropic and MCP.
#pragma once

#include <string>

namespace tbt {

// The schema of one call: {"name": one of the tools, "arguments": what that tool's schema allows}.
//
// The text is a list of tools, or an object with such a list under "tools". A tool is written as
//   OpenAI:    {"type": "function", "function": {"name", "description", "parameters"}},
//              or these members without the wrapping;
//   Anthropic: {"name", "description", "input_schema"};
//   MCP:       {"name", "title", "description", "inputSchema"}.
// References inside a tool's schema ("#/$defs/City") are resolved within that schema. A tool
// without a schema takes no arguments. Throws UsageError, which begins with `name`, for a text that
// is no such list, a member that no format has, two schemas for one tool, or two tools of one name.
std::string schema_of_tools(const std::string& tools, const std::string& name);

}  // namespace tbt
