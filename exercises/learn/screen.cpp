#include "exercises/learn/screen.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>

#include "lib/show/terminal.hpp"

namespace tbt::learn {

namespace {

void write_all(std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = write(STDOUT_FILENO, text.data(), text.size());
        if (n <= 0) return;  // the terminal is gone
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

std::string_view style_of(Look look) {
    switch (look) {
        case Look::bold:
            return "\033[1m";
        case Look::dim:
            return "\033[2m";
        case Look::good:
            return "\033[32m";
        case Look::bad:
            return "\033[31m";
        case Look::notice:
            return "\033[33m";
        case Look::plain:
            break;
    }
    return "";
}

struct Size {
    std::size_t rows = 24;
    int columns = 80;
};
Size size_of_terminal() {
    winsize w{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_row == 0 || w.ws_col == 0) return {};
    return {w.ws_row, w.ws_col};
}

}  // namespace

int Screen::width() const { return size_of_terminal().columns; }

std::vector<Line> wrapped(const Line& line, int width) {
    const std::size_t indent = std::min(line.text.find_first_not_of(' '), line.text.size());
    const std::string begin(
        std::min<std::size_t>(indent + 2, static_cast<std::size_t>(std::max(width / 2, 0))), ' ');
    std::vector<Line> lines;
    std::string_view rest = line.text;
    std::string text;
    while (columns(rest) + columns(text) > width) {
        std::size_t fits = bytes_that_fit(rest, width - columns(text));
        const std::size_t space = rest.substr(0, fits + 1).rfind(' ');
        if (space != std::string_view::npos && space > (lines.empty() ? indent : 0)) fits = space;
        if (fits == 0) break;  // not even one character
        lines.push_back({text + std::string(rest.substr(0, fits)), line.look});
        rest.remove_prefix(fits);
        while (rest.starts_with(' ')) rest.remove_prefix(1);
        text = begin;
    }
    lines.push_back({text + std::string(rest), line.look});
    return lines;
}

Screen::Screen() : colour_(std::getenv("NO_COLOR") == nullptr) {
    tcgetattr(STDIN_FILENO, &before_);
    enter();
}

Screen::~Screen() { leave(); }

void Screen::enter() {
    if (entered_) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // Ctrl-C and Ctrl-Z stay signals
    raw.c_cc[VMIN] = 0, raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    write_all("\033[?1049h\033[?25l");  // the second screen, no cursor
    entered_ = true;
    drawn_.clear();
}

void Screen::leave() {
    if (!entered_) return;
    write_all("\033[0m\033[?25h\033[?1049l");
    tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    entered_ = false;
}

void Screen::put(std::string& frame, std::string_view text, std::string_view style,
                 int width) const {
    const std::string_view cut = text.substr(0, bytes_that_fit(text, width));
    if (colour_) frame += style;
    frame += cut;
    if (colour_ && !style.empty()) frame += "\033[0m";
    frame += "\033[K";
}

void Screen::draw(const Page& page) {
    const Size size = size_of_terminal();
    std::vector<Line> body;
    std::size_t first = 0;
    for (std::size_t i = 0; i < page.body.size(); ++i) {
        if (i == page.first) first = body.size();
        for (const Line& line : wrapped(page.body[i], size.columns)) body.push_back(line);
    }
    // Head, rule, body, rule, keys; of a very small terminal the body is left out first.
    const std::size_t head = std::min(page.head.size(), size.rows);
    const std::size_t rows = size.rows > head + 3 ? size.rows - head - 3 : 0;
    page_ = std::max<std::size_t>(rows, 2) - 1;
    most_ = body.size() > rows ? body.size() - rows : 0;
    if (page.first > 0 && scroll_ == 0 && first >= rows) scroll_ = first - rows / 2;
    scroll_ = std::min(scroll_, most_);

    std::string frame = "\033[?2026h\033[H";  // terminals that can, show all of it at once
    auto next = [&, row = std::size_t{0}](std::string_view text, std::string_view style) mutable {
        if (row++ > 0) frame += "\r\n";
        put(frame, text, style, size.columns);
    };
    for (std::size_t i = 0; i < head; ++i) next(page.head[i].text, style_of(page.head[i].look));
    std::string rule;
    for (int i = 0; i < size.columns; ++i) rule += "─";
    if (size.rows > head + 3) {
        next(rule, "\033[2m");
        for (std::size_t i = scroll_; i < scroll_ + rows; ++i)
            if (i < body.size()) next(body[i].text, style_of(body[i].look));
            else next("", "");
        const std::size_t below = most_ - scroll_;
        const std::string more = below > 0
                                     ? "── " + std::to_string(below) + " more lines: space, ↓ "
                                 : scroll_ > 0 ? "── the end; ↑ "
                                               : "";
        next(more + rule, "\033[2m");
    }
    if (size.rows > head) next(page.keys, "\033[1m");
    if (frame == drawn_) return;  // nothing new
    drawn_ = frame;
    write_all(frame + "\033[J\033[?2026l");
}

void Screen::scroll(Key key) {
    const std::size_t step = key == Key::up || key == Key::down ? 1 : page_;
    if (key == Key::up || key == Key::page_up) scroll_ -= std::min(step, scroll_);
    else scroll_ = std::min(scroll_ + step, most_);
}

std::vector<int> Screen::keys() {
    char bytes[64];
    const ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    const std::string_view text(bytes, n > 0 ? static_cast<std::size_t>(n) : 0);
    std::vector<int> keys;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\033') {
            keys.push_back(text[i] == ' ' ? static_cast<int>(Key::page_down)
                                          : static_cast<unsigned char>(text[i]));
            continue;
        }
        // Escape [ or O, numbers, a letter or ~: one key.
        const std::size_t begin = i + 1;
        if (begin < text.size() && (text[begin] == '[' || text[begin] == 'O')) {
            i = begin + 1;
            while (i < text.size() && (text[i] == ';' || (text[i] >= '0' && text[i] <= '9'))) ++i;
            const std::string_view code = text.substr(begin + 1, i + 1 - begin - 1);
            if (code == "A") keys.push_back(static_cast<int>(Key::up));
            else if (code == "B") keys.push_back(static_cast<int>(Key::down));
            else if (code == "5~") keys.push_back(static_cast<int>(Key::page_up));
            else if (code == "6~") keys.push_back(static_cast<int>(Key::page_down));
        }
    }
    return keys;
}

}  // namespace tbt::learn
