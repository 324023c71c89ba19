// Draws a roofline picture from the results of build/bench.
//
//   build/bench --only limits,matmul --json bench.json
//   build/roofline bench.json --figure roofline.svg
#include <algorithm>
#include <cstdio>

#include "chapters/07_kv_cache/tools/roofline.hpp"
#include "lib/machine/command_line.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string file, figure;
    int threads = 0;
    return run_program(
        argc, argv, "Matrix products under the limits of this machine, from the bench's JSON.",
        [&](CommandLine line) {
            line.option("file", file, "what build/bench --json wrote").required();
            line.option("--figure", figure, "write the picture to this file (SVG)");
            line.option("--threads", threads,
                        "use the figures for this many threads (0: the largest number in the file)")
                .shows_default()
                .between(0, 1024);
        },
        [&] {
            const Roofline roofline = read_roofline(file, threads);
            std::printf("%.0f thread%s: at most %.0f GF/s", roofline.threads,
                        roofline.threads == 1 ? "" : "s", roofline.peak);
            for (const Slope& slope : roofline.slopes)
                std::printf(", %s at %.0f GB/s", slope.name.c_str(), slope.gigabytes);
            std::printf("\n\n    M      K      N   op/byte      GF/s   GB/s   of peak\n");
            std::vector<Product> products = roofline.products;
            std::stable_sort(
                products.begin(), products.end(),
                [](const Product& a, const Product& b) { return a.intensity() < b.intensity(); });
            for (const Product& p : products) {
                std::printf("%5.0f  %5.0f  %5.0f  %8.2f  %8.1f  %5.0f      %3.0f%%\n", p.m, p.k,
                            p.n, p.intensity(), p.gigaflops(), p.bytes() / p.microseconds * 1e-3,
                            100 * p.gigaflops() / roofline.peak);
            }
            if (!figure.empty()) write_svg(figure, chart_of(roofline));
        });
}
