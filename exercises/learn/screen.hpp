// A terminal without a library: raw keys, the second screen, and pages drawn whole in one write, so
// that nothing flickers.
#pragma once

#include <termios.h>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "exercises/learn/session.hpp"

namespace tbt::learn {

// A line of the body broken at spaces to `width` columns; what follows is indented with it.
std::vector<Line> wrapped(const Line& line, int width);

class Screen {
public:
    Screen();   // takes the terminal over
    ~Screen();  // gives it back as it was
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    void enter();
    void leave();
    void draw(const Page& page);
    int width() const;  // columns
    void scroll(Key key);
    // The page is another one: shown from its beginning.
    void to_top() { scroll_ = 0; }
    // The keys that wait: letters, and Key for arrows and page keys.
    std::vector<int> keys();

private:
    void put(std::string& frame, std::string_view text, std::string_view style, int width) const;

    termios before_{};
    bool entered_ = false;
    std::size_t scroll_ = 0, page_ = 1, most_ = 0;
    bool colour_ = true;
    std::string drawn_;
};

}  // namespace tbt::learn
