// make bench: what this machine can do, how much of it we use, and how the opponents
// do on the same work.
//
//   build/bench                             everything
//   build/bench --only matmul --threads 1   one section, one thread
//   build/bench --json bench.json           the figures as JSON, beside the tables
//   build/bench --quick                     does every section still run? Without figures
//   build/bench --thorough                  every figure measured more often, and larger models
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "lib/core/error.hpp"
#include "lib/core/simd.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/threads.hpp"
#include "tests/bench/bench.hpp"

namespace {

using namespace tbt;

std::vector<bench::Section> chosen(const std::vector<std::string>& only) {
    std::vector<bench::Section> all = bench::sections();
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.order < b.order; });
    if (only.empty()) return all;
    std::vector<bench::Section> some;
    for (const std::string& name : only) {
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const bench::Section& s) { return s.name == name; });
        if (found == all.end()) {
            std::string names;
            for (const bench::Section& s : all) names += " " + s.name;
            throw UsageError("there is no section '" + name + "'; the sections are:" + names);
        }
        some.push_back(*found);
    }
    return some;
}

void write_json(const std::string& path, const bench::Settings& settings) {
    nlohmann::ordered_json file;
    file["simd_bits"] = simd::batch_size * 32;
    file["threads"] = settings.threads;
    file["sections"] = bench::results();
    std::ofstream out(path);
    out << file.dump(1) << "\n";
    out.close();
    if (!out) throw Error("bench: cannot write " + path);
}

std::vector<int> default_thread_counts() {
    if (bench::quick() || default_threads() == 1) return {default_threads()};
    return {1, default_threads()};
}

// The names of the sections that failed: what the others measure is not lost. Limits (the section
// up to 10) are always measured with one thread, too.
std::vector<std::string> run_all(const std::vector<bench::Section>& sections,
                                 const bench::Settings& settings, bool one_thread_too) {
    std::vector<std::string> failed;
    const bench::Settings all_threads{{settings.threads.back()}};
    for (const bench::Section& section : sections) {
        std::printf("\n%s: %s\n", section.name.c_str(), section.about.c_str());
        try {
            section.run(one_thread_too || section.order <= 10 ? settings : all_threads);
        } catch (const Error& error) {
            std::printf("  FAIL: %s\n", error.what());
            failed.push_back(section.name);
        }
    }
    return failed;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> only;
    std::vector<int> threads;
    std::string json;
    bool once = false, thorough = false;
    const auto options = [&](CommandLine line) {
        line.option("--only", only, "sections to run, for example matmul,limits").separated_by(',');
        line.option("--threads", threads,
                    "numbers of threads (default: all cores; 1, too, for limits, and for all "
                    "sections with --thorough)")
            .separated_by(',')
            .between(1, 1024);
        line.option("--json", json, "write the figures to this file too");
        const DeclaredOption quick =
            line.option("--quick", once, "run everything once: shows what fails, measures nothing");
        line.option("--thorough", thorough, "measure more often, and larger models")
            .excludes(quick);
    };
    return run_program(
        argc, argv, "Measures this machine's limits and our share of them.", options, [&] {
            const std::vector<bench::Section> sections = chosen(only);
            if (once) bench::set_quick();
            if (thorough) bench::set_thorough();
            const bool one_thread_too = thorough || !threads.empty();
            if (threads.empty()) threads = default_thread_counts();
            let_teams_shrink(false);  // a measurement with two threads means two
            const bench::Settings settings{threads};
            std::printf("SIMD: %d bits; cores: %d\n", simd::batch_size * 32, default_threads());
            const std::vector<std::string> failed = run_all(sections, settings, one_thread_too);
            if (!json.empty()) write_json(json, settings);
            if (once)
                std::printf("\n%zu passed, %zu failed\n", sections.size() - failed.size(),
                            failed.size());
            if (!failed.empty())
                throw Error("bench: " + std::to_string(failed.size()) + " of " +
                            std::to_string(sections.size()) + " sections failed, see FAIL above");
        });
}
