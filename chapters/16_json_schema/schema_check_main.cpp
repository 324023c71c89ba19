// Does a JSON text meet a JSON Schema?
//
//   build/schema_check SCHEMA INSTANCE
//   exit status 0: it does; 1: it does not; 2: a file or the schema is faulty;
//               3: the schema uses a keyword that cannot be enforced, named on stderr
#include <cstdio>

#include "lib/grammar/schema/validator.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string schema, file, fault;
    SchemaOptions options;
    bool quiet = false, ignore_formats = false, unsupported = false;
    const int status = run_program(
        argc, argv,
        "Exit status 0: the instance meets the schema; 1: it does not; 2: a file or the schema is "
        "invalid; 3: a keyword is not supported.",
        [&](CommandLine line) {
            line.option("schema", schema, "a JSON Schema").required();
            line.option("instance", file, "the JSON text to validate").required();
            line.option("--draft", options.draft,
                        "the draft of a schema without $schema: 4, 6, 7, 2019 or 2020")
                .one_of({"4", "6", "7", "2019", "2020"});
            line.option("--ignore-formats", ignore_formats,
                        "treat format as an annotation, as draft 2020-12 allows");
            line.option("--strict", options.strict, "refuse unknown keywords and formats");
            line.option("--nullable", options.nullable,
                        "\"nullable\": true adds null to 'type', as in OpenAPI 3.0");
            line.option("--quiet", quiet, "say nothing");
        },
        [&] {
            try {
                options.formats = !ignore_formats;
                if (quiet) options.warn = [](const std::string&) {};
                fault = SchemaValidator(read_file(schema), options, schema).fault(read_file(file));
                if (!fault.empty() && !quiet)
                    std::printf("%s: rejected: %s\n", file.c_str(), fault.c_str());
            } catch (const UnsupportedSchema&) {
                unsupported = true;
                throw;
            }
        });
    return unsupported ? 3 : status != 0 ? 2 : fault.empty() ? 0 : 1;
}
