#include "lib/grammar/recognizer/json_modes.hpp"

namespace tbt {

using Mode = JsonRecognizer::Mode;

JsonLetter letter_after(Mode mode) {
    switch (mode) {
        case Mode::t_rue:
            return {'r', Mode::tr_ue};
        case Mode::tr_ue:
            return {'u', Mode::tru_e};
        case Mode::tru_e:
            return {'e', Mode::after};
        case Mode::f_alse:
            return {'a', Mode::fa_lse};
        case Mode::fa_lse:
            return {'l', Mode::fal_se};
        case Mode::fal_se:
            return {'s', Mode::fals_e};
        case Mode::fals_e:
            return {'e', Mode::after};
        case Mode::n_ull:
            return {'u', Mode::nu_ll};
        case Mode::nu_ll:
            return {'l', Mode::nul_l};
        case Mode::nul_l:
            return {'l', Mode::after};
        default:
            return {0, mode};
    }
}

int bytes_to_close(Mode mode, int value, int string) {
    switch (mode) {
        case Mode::value:
            return value;
        case Mode::key:
            return 4;  // "":0
        case Mode::colon:
            return 2;
        case Mode::string:
            return string;
        case Mode::escape:
        case Mode::hex4:
        case Mode::more1:
            return 1 + string;
        case Mode::hex3:
        case Mode::more2:
        case Mode::after_e0:
        case Mode::after_ed:
            return 2 + string;
        case Mode::hex2:
        case Mode::hex2_d:
        case Mode::low2:
        case Mode::more3:
        case Mode::after_f0:
        case Mode::after_f4:
            return 3 + string;
        case Mode::hex1:
        case Mode::low1:
            return 4 + string;
        case Mode::low_u:
            return 5 + string;
        case Mode::low_backslash:
            return 6 + string;
        case Mode::high4:
            return 7 + string;
        case Mode::high3:
            return 8 + string;
        case Mode::minus:
        case Mode::point:
        case Mode::exponent:
        case Mode::exponent_sign:
        case Mode::tru_e:
        case Mode::fals_e:
        case Mode::nul_l:
            return 1;
        case Mode::tr_ue:
        case Mode::fal_se:
        case Mode::nu_ll:
            return 2;
        case Mode::t_rue:
        case Mode::fa_lse:
        case Mode::n_ull:
            return 3;
        case Mode::f_alse:
            return 4;
        default:
            return 0;
    }
}

const char* JsonRecognizer::name(Mode mode) {
    if (mode == Mode::value) return "a value";
    if (mode == Mode::first_item) return "a value or ]";
    if (mode == Mode::first_key) return "a key or }";
    if (mode == Mode::key) return "a key";
    if (mode == Mode::colon) return "a colon";
    if (mode == Mode::after) return "after a value";
    if (mode < Mode::more1) return mode == Mode::string ? "in a string" : "in an escape";
    if (mode < Mode::minus) return "in a character";
    return is_number(mode) ? "in a number" : mode == Mode::beyond ? "beyond" : "in a word";
}

}  // namespace tbt
