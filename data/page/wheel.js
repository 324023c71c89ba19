// The draw: the wheel, unrolled. Each candidate has a slice as wide as its probability, in the
// order of the ids; u in [0, 1) points at one.
{
    const { h, s, percent, fitting } = tbt;
    const height = 74,
        top = 22,
        bar = 30;

    const slice = (x, width, part, label, chosen) => [
        s(
            "rect",
            {
                class: chosen ? "slice chosen" : `slice tone${part % 2}`,
                x,
                y: top,
                width: Math.max(width - 1, 0.6),
                height: bar,
            },
            s("title", {}, label),
        ),
        width > 26 &&
            s(
                "text",
                {
                    class: chosen ? "slicename chosen" : "slicename",
                    x: x + width / 2,
                    y: top + 20,
                    "text-anchor": "middle",
                },
                fitting(label, width - 8),
            ),
    ];

    const pointer = (x, width, u, from) => {
        const words = `u = ${tbt.luck(u)}`;
        const anchor = x < 40 ? "start" : x > width - 40 ? "end" : "middle";
        const group = s(
            "g",
            { class: "pointer" },
            s(
                "text",
                { x: anchor === "middle" ? x : x < 40 ? 0 : width, y: 11, "text-anchor": anchor },
                words,
            ),
            s("path", { d: `M${x - 6} ${top - 7}h12l-6 9z` }),
            s("line", { x1: x, x2: x, y1: top, y2: top + bar }),
        );
        // It runs from where it was, so that the eye can follow.
        if (from !== null && !tbt.calm() && group.animate)
            group.animate([{ transform: `translateX(${from - x}px)` }, { transform: "none" }], {
                duration: 220,
                easing: "ease-out",
            });
        return group;
    };

    const inWords = (token, own) => {
        const points = token.u === null ? "" : `; u = ${tbt.luck(token.u)} points at it`;
        return `${token.label} has ${percent(own.to - own.from)} of the wheel${points}`;
    };

    const draw = (token, width, from) => {
        const parts = [];
        let end = 0,
            n = 0;
        for (const w of token.wheel) {
            if (w.from - end > 1e-4)
                parts.push(
                    s(
                        "rect",
                        {
                            class: "rest",
                            x: end * width,
                            y: top,
                            width: Math.max((w.from - end) * width - 1, 0.6),
                            height: bar,
                            fill: "url(#hatch)",
                        },
                        s("title", {}, `many small slices: ${percent(w.from - end)} together`),
                    ),
                );
            parts.push(
                slice(
                    w.from * width,
                    (w.to - w.from) * width,
                    n++,
                    `${w.label} ${percent(w.to - w.from)}`,
                    w.id === token.id,
                ),
            );
            end = w.to;
        }
        if (1 - end > 1e-4)
            parts.push(
                s("rect", {
                    class: "rest",
                    x: end * width,
                    y: top,
                    width: (1 - end) * width,
                    height: bar,
                    fill: "url(#hatch)",
                }),
            );
        const x = token.u === null || token.u === undefined ? null : token.u * width;
        const own = token.wheel.find((w) => w.id === token.id);
        return s(
            "svg",
            {
                viewBox: `0 0 ${width} ${height}`,
                width,
                height,
                role: "img",
                "aria-label": own ? inWords(token, own) : "the wheel",
            },
            parts,
            s(
                "g",
                { class: "axis" },
                s("text", { x: 0, y: height - 8 }, "0"),
                s("text", { x: width / 2, y: height - 8, "text-anchor": "middle" }, "0.5"),
                s("text", { x: width, y: height - 8, "text-anchor": "end" }, "1"),
            ),
            x !== null && pointer(x, width, token.u, from),
        );
    };

    tbt.wheelView = () => {
        let token = null,
            last = null,
            width = 0;
        const picture = tbt.picture("wheel", (w) => {
            const from = last !== null && width === w ? last * w : null;
            width = w;
            return token ? draw(token, w, from) : h("span", {});
        });
        const words = h("p", { class: "small" });
        const element = h(
            "figure",
            { class: "wheelbox" },
            h("figcaption", { class: "label" }, "The draw"),
            picture.element,
            words,
        );
        const show = (next, run) => {
            element.hidden = !next.wheel.length || tbt.decoder(run) === "beams" || tbt.forced(next);
            if (element.hidden) return;
            token = next;
            picture.redraw();
            const drawn = token.u !== null && token.u !== undefined;
            words.textContent =
                tbt.decoder(run) === "diffusion"
                    ? "The distribution at this place, when it was filled."
                    : tbt.decoder(run) === "greedy"
                    ? "Greedy: one slice is the whole wheel."
                    : drawn
                      ? "Each token that is left has a slice as wide as its probability; u points at one."
                      : "The distribution of this token. It was drawn by judging a draft: see the rounds below.";
            last = drawn ? token.u : null;
        };
        return { element, show };
    };
}
