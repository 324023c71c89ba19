// make learn: the exercise, its lesson, your file and the last result on one screen. Saves are
// noticed, the check runs by
// itself, and the next exercise comes when it passes. Where stdout is no terminal the same comes
// line by line, and the keys
// are read as lines.
#include <poll.h>
#include <signal.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "exercises/learn/screen.hpp"
#include "exercises/learn/session.hpp"

namespace {

using namespace tbt::learn;

volatile std::sig_atomic_t stop_signal = 0, suspended = 0;
void on_stop(int signal) { stop_signal = signal; }
void on_suspend(int) { suspended = 1; }
void nothing(int) {}  // a resized terminal only ends the waiting

void listen(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(signal, &action, nullptr);
}

// The lesson in the learner's pager, its lines broken at spaces.
void open_lesson(Screen& screen, const std::string& lesson) {
    const char* pager = std::getenv("PAGER");
    screen.leave();
    const std::string line = "sh exercises/exercise.sh lesson " + lesson + " " +
                             std::to_string(screen.width()) + " | " +
                             (pager && *pager ? pager : "less");
    const int status = std::system(line.c_str());
    screen.enter();
    (void)status;
}

// Waits for a key, the check, or a fifth of a second, in which a save is noticed.
void wait(const Session& session) {
    pollfd from[2] = {{STDIN_FILENO, POLLIN, 0}, {session.check_handle(), POLLIN, 0}};
    poll(from, session.check_handle() < 0 ? 1 : 2, 100);
}

void on_a_terminal(const std::string& wanted) {
    Session session(wanted);
    Screen screen;
    for (int tick = 0; !session.over() && !stop_signal; ++tick) {
        screen.draw(session.page(tick));
        wait(session);
        for (const int key : screen.keys()) {
            if (key >= static_cast<int>(Key::up)) screen.scroll(static_cast<Key>(key));
            else session.press(key), screen.to_top();
        }
        if (session.look()) screen.to_top();
        const std::string lesson = session.lesson_wanted();
        if (!lesson.empty()) open_lesson(screen, lesson);
        if (suspended) {
            suspended = 0;
            screen.leave();
            raise(SIGSTOP);  // until fg
            screen.enter();
        }
    }
}

void print(const Page& page) {
    for (const Line& line : page.head) std::printf("%s\n", line.text.c_str());
    std::printf("\n");
    for (const Line& line : page.body) std::printf("%s\n", line.text.c_str());
    std::printf("\n");
    std::fflush(stdout);
}

void line_by_line(const std::string& wanted) {
    Session session(wanted);
    const auto finish_check = [&] {
        while (session.check_handle() >= 0 && !stop_signal) {
            pollfd from = {session.check_handle(), POLLIN, 0};
            poll(&from, 1, 1000);
            session.look();
        }
    };
    finish_check();
    print(session.page(0));
    std::printf("Keys, one a line: %s  c check\n", session.page(0).keys.c_str());
    for (std::string line; !session.over() && !stop_signal && std::getline(std::cin, line);) {
        for (const char key : line) session.press(static_cast<unsigned char>(key));
        session.look();
        finish_check();
        if (session.over()) break;
        print(session.page(0));
        const std::string lesson = session.lesson_wanted();
        if (!lesson.empty()) std::printf("The lesson is %s\n", lesson.c_str());
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string wanted = argc > 1 ? argv[1] : "";  // an exercise's whole name
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) listen(signal, on_stop);
    listen(SIGWINCH, nothing);
    // Not what make was told for itself: the check has a make of its own.
    unsetenv("MAKEFLAGS"), unsetenv("MFLAGS"), unsetenv("MAKELEVEL");
    try {
        if (isatty(STDOUT_FILENO) && isatty(STDIN_FILENO)) {
            listen(SIGTSTP, on_suspend);
            on_a_terminal(wanted);
        } else {
            line_by_line(wanted);
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
