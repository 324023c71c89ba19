// Finds out what forms (grammars, schemas) allow next, in a thread beside the forward passes: a
// grammar may be so ambiguous that a mask takes longer than many passes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace tbt {

// A form belongs to this thread while is_busy() says so, and to the caller's otherwise.
class FormWorker {
public:
    using Form = const void*;

    FormWorker() = default;
    ~FormWorker();
    FormWorker(const FormWorker&) = delete;

    // Work for a text. Forms take turns. What it throws is lost: it is thrown again where its
    // result is used.
    void add(Form form, int text, std::function<void()> work);
    bool is_busy(Form form) const;
    // Until the form is not busy; until some work was done, or for so long.
    void wait_for(Form form);
    void wait(std::chrono::milliseconds longest);
    // Seconds that a text has taken; once asked for with `forget`, it is not known here.
    double seconds(int text) const;
    void forget(int text);

private:
    struct Item {
        Form form;
        int text;
        std::function<void()> work;
    };
    void run();

    mutable std::mutex mutex_;  // of what follows
    std::condition_variable wake_, done_;
    std::deque<Item> items_;
    std::map<Form, int> busy_;  // items that wait or run
    std::map<int, double> seconds_;
    bool stop_ = false;
    std::thread thread_;  // begins with the first work
};

}  // namespace tbt
