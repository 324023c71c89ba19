// The text, each token shaded by how little the model expected it, and the same as a skyline.
{
    const { h, s, clamp } = tbt;
    const fullShade = 6; // bits

    const shade = (bits) => (bits === null ? 0 : 0.05 + 0.55 * clamp(bits / fullShade, 0, 1));

    // A space in front stands between the words and not in the shade.
    const spaced = (token) => /^ ./s.test(token.token) && !token.bytes && token.label !== "⟨end⟩";

    // What a token looks like in running text. Parts of a character show as their bytes.
    const seen = (token) => {
        if (token.label === "⟨end⟩" || token.bytes) return token.label;
        return (spaced(token) ? token.token.slice(1) : token.token).replace(/\n/g, "⏎\n");
    };

    const classOf = (token, guess) => {
        const names = ["token"];
        if (tbt.forced(token)) names.push("forced");
        if (guess && guess.accepted) names.push("guessed");
        if (token.bytes || token.label === "⟨end⟩") names.push("special");
        return names.join(" ");
    };

    const guessAt = (text, i) => {
        const round = tbt.roundAt(text, i);
        return round ? round.drafted[i - round.step] : null;
    };

    const tokens = (text) =>
        text.tokens.map((token, i) =>
            h(
                "span",
                {
                    class: classOf(token, guessAt(text, i)),
                    "data-i": i,
                    style: token.bits === null ? null : `--shade:${shade(token.bits).toFixed(3)}`,
                    title:
                        token.bits === null
                            ? token.label
                            : `${token.label}: ${token.bits.toFixed(1)} bits`,
                },
                seen(token),
            ),
        );

    const legend = (text) =>
        h(
            "p",
            { class: "legend" },
            h("span", {}, "expected"),
            h("span", { class: "ramp", "aria-hidden": "true" }),
            h("span", {}, "surprising"),
            text.tokens.some(tbt.forced) &&
                h("span", { class: "key" }, h("span", { class: "token forced" }, "forced")),
            text.rounds.length > 0 &&
                h("span", { class: "key" }, h("span", { class: "token guessed" }, "guessed right")),
        );

    // A picture of one number a token: steps of a path, so that thousands of tokens are one element.
    // line: a second number a token, as a line above it.
    tbt.skyline = (values, most, colour, words, go, line = null) => {
        const height = 56;
        let at = -1,
            marker = null;
        const picture = tbt.picture("skyline", (width) => {
            const step = width / values.length;
            const stairs = (numbers) =>
                numbers
                    .map((v, i) => {
                        const y = (height - 2) * (1 - clamp((v ?? 0) / most, 0, 1)) + 2;
                        return `${i ? "L" : "M"}${(i * step).toFixed(2)} ${y.toFixed(1)}H${((i + 1) * step).toFixed(2)}`;
                    })
                    .join("");
            marker = s("rect", {
                class: "marker",
                x: 0,
                y: 1,
                width: Math.max(step, 2),
                height: height - 1,
                "pointer-events": "none",
            });
            const place = (e) => {
                const box = e.currentTarget.getBoundingClientRect();
                go(clamp(Math.floor((e.clientX - box.left) / step), 0, values.length - 1));
            };
            const svg = s(
                "svg",
                {
                    viewBox: `0 0 ${width} ${height}`,
                    width,
                    height,
                    role: "img",
                    "aria-label": words,
                    onpointerdown: (e) => (
                        place(e),
                        e.currentTarget.setPointerCapture(e.pointerId)
                    ),
                    onpointermove: (e) => e.buttons & 1 && place(e),
                },
                s("path", { d: `${stairs(values)}V${height}H0Z`, fill: colour }),
                line && s("path", { class: "over", d: stairs(line) }),
                marker,
            );
            move();
            return svg;
        });
        const move = () =>
            marker?.setAttribute(
                "x",
                (at * marker.ownerSVGElement.width.baseVal.value) / values.length,
            );
        return { element: picture.element, show: (i) => ((at = i), move()) };
    };

    const find = (text, wanted, from) => {
        const all = text.tokens.map((t) => t.token);
        const starts = [];
        all.reduce((sum, t) => (starts.push(sum), sum + t.length), 0);
        const whole = all.join("").toLowerCase();
        if (!wanted) return -1;
        let at = whole.indexOf(wanted.toLowerCase(), starts[from] ?? 0);
        if (at < 0) at = whole.indexOf(wanted.toLowerCase());
        return at < 0 ? -1 : starts.findLastIndex((start) => start <= at);
    };

    const search = (text, current, go) => {
        const said = h("span", { class: "said", role: "status" });
        const look = (field, from) => {
            const at = find(text, field.value, from);
            said.textContent = field.value && at < 0 ? "not in this text" : "";
            if (at >= 0) go(at);
        };
        return h(
            "p",
            { class: "search" },
            h("input", {
                type: "search",
                placeholder: "search  /",
                "aria-label": "search in the text",
                oninput: (e) => look(e.target, current()),
                onkeydown: (e) => {
                    if (e.key === "Enter") look(e.target, current() + 1);
                    if (e.key === "Escape") e.target.blur();
                },
            }),
            said,
        );
    };

    // go(i): somebody wants to see token i.
    tbt.textView = (run, text, go) => {
        let at = 0,
            selected = null;
        const spans = tokens(text);
        const prompt = run.prompts[text.prompt] || { text: "" };
        const body = h(
            "div",
            {
                class: "text",
                tabindex: 0,
                role: "group",
                "aria-label": "the text, token by token: ← and → step through it",
                onclick: (e) => {
                    const span = e.target.closest("[data-i]");
                    if (span) go(Number(span.dataset.i));
                },
            },
            h("span", { class: "prompt", title: "the prompt" }, prompt.text),
            spans.map((span, i) => (spaced(text.tokens[i]) ? [" ", span] : span)),
            run.head.suffix &&
                h("span", { class: "prompt", title: "what comes after the gap" }, run.head.suffix),
        );
        const bits = text.tokens.map((t) => t.bits);
        const known = bits.some((b) => b !== null);
        const mean = known ? bits.reduce((a, b) => a + (b ?? 0), 0) / bits.length : 0;
        const line =
            known &&
            tbt.skyline(
                bits,
                Math.max(fullShade, ...bits.slice(0, 4000)),
                "var(--vermillion)",
                `the surprise of each of ${bits.length} tokens, ${mean.toFixed(1)} bits on average`,
                go,
            );
        const ended =
            tbt.reason(text) && `Ended: ${tbt.reason(text)}${text.stop ? ` (“${text.stop}”)` : ""}`;
        const element = h(
            "section",
            { class: "card textcard" },
            body,
            known && legend(text),
            line &&
                h(
                    "div",
                    {},
                    line.element,
                    h(
                        "p",
                        { class: "small" },
                        `Surprise in bits, token by token; ${mean.toFixed(1)} on average, `,
                        `as if each were one of ${(2 ** mean).toFixed(1)} equal choices.`,
                    ),
                ),
            h(
                "div",
                { class: "row" },
                search(text, () => at, go),
                h("p", { class: "small" }, ended),
            ),
        );
        const show = (i) => {
            selected?.classList.remove("selected");
            selected?.removeAttribute("aria-current");
            ((at = i), (selected = spans[i] || null));
            line && line.show(i);
            if (!selected) return;
            selected.classList.add("selected");
            selected.setAttribute("aria-current", "true");
            const top = selected.offsetTop - body.offsetTop;
            if (
                top < body.scrollTop ||
                top + selected.offsetHeight > body.scrollTop + body.clientHeight
            )
                body.scrollTop = top - body.clientHeight / 2;
        };
        const part = (i) => spans[i]?.classList.add("apart");
        return { element, show, part };
    };
}
