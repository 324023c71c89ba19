// make try EX=20_1: what each bit gains, on 10,000 random weights and on two matrices of the
// shipped model.
#include <cstdio>
#include <string>

#include "exercises/20_1_quantize.hpp"
#include "lib/files/model.hpp"
#include "lib/files/safetensors.hpp"

namespace {

using namespace tbt;

void table(const char* what, std::span<const float> weights) {
    const double keep = ex20_1::threshold_of(weights, .01);
    std::printf("%s\n bits         MSE   max error  SNR dB   1 %% kept: SNR dB  bits on average\n",
                what);
    for (const int bits : {2, 3, 4, 5, 6, 8}) {
        const ex20_1::Loss plain = ex20_1::loss(weights, ex20_1::quantized(weights, bits));
        const ex20_1::Loss kept = ex20_1::loss(weights, ex20_1::quantized(weights, bits, keep));
        std::printf("%5d  %.4e  %.3e  %6.2f  %17.2f  %15.2f\n", bits, plain.mse, plain.max_error,
                    plain.snr, kept.snr, ex20_1::average_bits(bits, .01));
    }
}

}  // namespace

int main() {
    try {
        table("10,000 normal weights", ex20_1::normal_weights(10000, 42));
        const Safetensors file = Safetensors::open_directory(shipped_model("storyteller").string());
        for (const char* name : {"wte.weight", "h.0.mlp.c_fc.weight"}) {
            const StoredTensor* stored = file.find(name);
            if (!stored) continue;
            const Tensor weights = file.read(name, stored->shape);
            std::printf("\n");
            table((std::string("the storyteller's ") + name).c_str(), weights.values());
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "20_1: %s\n", e.what());
        return 1;
    }
}
