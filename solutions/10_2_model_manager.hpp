// Exercise 10_2: a model manager, as `ollama pull` has one: it keeps models,
// and finds the cheapest one that can do a task.
//
//     pull       adds a model; one of the same name is replaced.
//                An empty name, or a size that is not above 0: throw tbt::Error.
//     remove     takes a model away and says whether it was there.
//     total      the gigabytes of all models.
//     find_best  the smallest model that can do the task (of equal sizes the first name);
//                its use is counted. If no model can: none, and nothing is counted.
//     usage      each model that is here or was used: how often, and the percentage of all uses
//                (0 if there are no uses); the most used first, of equal counts the first name.
//
// Write five member functions, about 25 lines. Check: make check EX=10_2
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex10_2 {

struct ModelInfo {
    std::string name;
    double gigabytes = 0;
    std::vector<std::string> tasks;

    bool can(const std::string& task) const {
        return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
    }
};

struct Usage {
    std::string name;
    int count = 0;
    double percent = 0;
};

class ModelManager {
public:
    void pull([[maybe_unused]] const ModelInfo& model) {
        // >>> write here
        if (model.name.empty()) throw Error("pull: a model without a name");
        if (!(model.gigabytes > 0))
            throw Error("pull: " + model.name + ": its size must be above 0");
        models_[model.name] = model;
        // <<< to here
    }

    bool remove([[maybe_unused]] const std::string& name) {
        // >>> write here
        return models_.erase(name) > 0;
        // <<< to here
    }

    // By name: a map is in order.
    std::vector<ModelInfo> list() const {
        std::vector<ModelInfo> all;
        for (const auto& [name, model] : models_) all.push_back(model);
        return all;
    }

    double total() const {
        // >>> write here
        double sum = 0;
        for (const auto& [name, model] : models_) sum += model.gigabytes;
        return sum;
        // <<< to here
    }

    std::optional<std::string> find_best([[maybe_unused]] const std::string& task) {
        // >>> write here
        const ModelInfo* best = nullptr;
        for (const auto& [name, model] : models_) {
            if (model.can(task) && (!best || model.gigabytes < best->gigabytes)) best = &model;
        }
        if (!best) return std::nullopt;
        ++used_[best->name];
        return best->name;
        // <<< to here
    }

    std::vector<Usage> usage() const {
        // >>> write here
        std::map<std::string, int> counts = used_;
        int all = 0;
        for (const auto& [name, count] : used_) all += count;
        for (const auto& [name, model] : models_) counts.try_emplace(name, 0);
        std::vector<Usage> report;
        for (const auto& [name, count] : counts)
            report.push_back({name, count, all > 0 ? 100.0 * count / all : 0.0});
        std::stable_sort(report.begin(), report.end(),
                         [](const Usage& a, const Usage& b) { return a.count > b.count; });
        return report;
        // <<< to here
    }

private:
    std::map<std::string, ModelInfo> models_;
    std::map<std::string, int> used_;  // by name
};

}  // namespace tbt::ex10_2
