// What a text is held to: how many tokens were allowed at each place, and what might have come.
{
    const { h, percent, count, many } = tbt;

    const character = (byte) =>
        ({ 9: "tab", 10: "line break", 13: "carriage return", 32: "space" })[byte] ||
        String.fromCharCode(byte);
    const named = [
        [97, 122, "a–z"],
        [65, 90, "A–Z"],
        [48, 57, "0–9"],
    ];

    // Which bytes may come next: names of characters and of ranges of them.
    tbt.byteWords = (ranges) => {
        const set = new Set();
        for (const [from, to] of ranges) for (let byte = from; byte <= to; ++byte) set.add(byte);
        const printable = (byte) => byte > 31 && byte < 127;
        const ascii = [...set].filter(printable);
        const beyond = [...set].some((byte) => byte >= 128);
        if (ascii.length > 80) {
            const without = [];
            for (let byte = 32; byte < 127; ++byte)
                if (!set.has(byte)) without.push(character(byte));
            return [
                without.length ? "any character but" : "any character",
                ...without.slice(0, 12),
            ];
        }
        const words = [];
        for (const [from, to, name] of named) {
            const inside = ascii.filter((byte) => byte >= from && byte <= to);
            if (inside.length === to - from + 1)
                (inside.forEach((byte) => set.delete(byte)), words.push(name));
        }
        for (const byte of [...set].filter((b) => b < 128).sort((a, b) => a - b))
            words.push(character(byte));
        if (beyond) words.push("characters beyond ASCII");
        return words.length > 20 ? [...words.slice(0, 20), "…"] : words;
    };

    const shares = (list, className) =>
        list.map(([, token, p]) => [
            h(
                "span",
                { class: `chip ${className}`, title: percent(p) },
                `${tbt.label(token)} ${percent(p)}`,
            ),
            " ",
        ]);

    // Both sides of the mask, each by what the model likes best of it.
    const sides = (g, vocabulary) => {
        if (!g.kept) return null;
        const removed = vocabulary - g.allowed;
        const row = (name, n, list, className) => [
            h("dt", {}, `${name} ${count(n)}`),
            h(
                "dd",
                {},
                n ? shares(list, className) : "none",
                n > list.length ? h("span", { class: "small" }, `and ${count(n - list.length)} more`) : "",
            ),
        ];
        return h(
            "dl",
            { class: "sides" },
            row("allowed", g.allowed, g.kept, "yes"),
            row("taken away", removed, g.removed, "no"),
        );
    };

    const ending = (g) => {
        if (g.complete) return "The text may end here. ";
        const bytes = g.closing_bytes ? `Its end takes at least ${many(g.closing_bytes, "byte")}` : "";
        if (g.closing_tokens) return `${bytes}; ${many(g.closing_tokens, "token")} are enough. `;
        return bytes && `${bytes}. `;
    };

    // How much of the room that is left the end needs.
    const budget = (g) => {
        if (g.remaining === undefined) return null;
        const needed = g.closing_tokens ?? 0;
        return h(
            "p",
            { class: "small budget" },
            h(
                "span",
                { class: "meter", "aria-hidden": "true" },
                h("span", {
                    class: "fill",
                    style: `width:${(100 * Math.min(1, needed / Math.max(g.remaining, 1))).toFixed(1)}%`,
                }),
            ),
            `${ending(g)}There is room for ${many(g.remaining, "token")}.`,
        );
    };

    // Beside the step: what the guide said here.
    tbt.guideState = (run) => {
        const element = h("div", { class: "guidestate" });
        const show = (token) => {
            const g = token.guide;
            element.hidden = !g;
            if (!g) return;
            const step = token.steps.find((s) => s.name === "grammar");
            const next = tbt.byteWords(g.bytes || []);
            const parts = [
                h("span", { class: "label" }, `Held to ${tbt.guideName(run)}`),
                g.state && h("p", { class: "where" }, g.state),
                h(
                    "p",
                    {},
                    h("b", {}, `${count(g.allowed)} of ${count(token.raw.candidates)}`),
                    " tokens were allowed",
                    step && step.mass_removed > 0
                        ? `; the others had ${percent(step.mass_removed)} of the model’s probability`
                        : "",
                    ".",
                ),
                sides(g, token.raw.candidates),
                h(
                    "p",
                    { class: "small" },
                    "Characters that may come next: ",
                    next.length ? next.map((name) => [tbt.chip(name), " "]) : "none",
                ),
                budget(g) || h("p", { class: "small" }, ending(g)),
            ];
            element.replaceChildren(...parts.filter(Boolean));
        };
        return { element, show };
    };

    // Numbers of the whole text, a skyline each.
    const skylines = (text, guided, vocabulary, go) => {
        const all = [
            {
                title: `Tokens allowed at each place (logarithmic, up to ${count(vocabulary)})`,
                values: text.tokens.map((t) => (t.guide ? Math.log(t.guide.allowed) + 0.15 : 0)),
                most: Math.log(vocabulary),
                colour: "var(--blue)",
                words: `how many tokens were allowed at each of ${guided.length} places`,
            },
            {
                title: "Probability that the mask took away",
                values: text.tokens.map(
                    (t) => t.steps.find((s) => s.name === "grammar")?.mass_removed || 0,
                ),
                most: 1,
                colour: "var(--vermillion)",
                words: "how much probability the mask took away at each place",
            },
        ];
        if (guided.every((t) => t.guide.remaining !== undefined && t.guide.closing_tokens !== undefined))
            all.push({
                title: "Tokens that are enough to end the text (green), and those there is room for (line)",
                values: text.tokens.map((t) => t.guide?.closing_tokens ?? 0),
                most: Math.max(...guided.map((t) => t.guide.remaining)),
                colour: "var(--green)",
                words: "at each place, how many tokens are enough for the end, below the room that is left",
                line: text.tokens.map((t) => t.guide?.remaining ?? 0),
            });
        return all.map((a) => ({ ...a, ...tbt.skyline(a.values, a.most, a.colour, a.words, go, a.line) }));
    };

    tbt.guideView = (run, text, go) => {
        const guided = text.tokens.filter((t) => t.guide);
        if (!guided.length) return null;
        const vocabulary =
            run.head.weights?.vocabulary || Math.max(...guided.map((t) => t.raw.candidates));
        const forced = guided.filter(tbt.forced).length;
        const removed = guided.map(
            (t) => t.steps.find((s) => s.name === "grammar")?.mass_removed || 0,
        );
        const mean = removed.reduce((a, b) => a + b, 0) / removed.length;
        const pictures = skylines(text, guided, vocabulary, go);
        const element = h(
            "section",
            { class: "card" },
            h("h2", {}, "The form it keeps"),
            h(
                "p",
                {},
                h("b", {}, tbt.guideName(run)),
                forced
                    ? `: ${many(forced, "token")} of ${count(guided.length)} without a choice; `
                    : `: ${many(guided.length, "token")}, each with a choice; `,
                `the mask took away ${percent(mean)} of the probability on average.`,
            ),
            pictures.map((p) => [h("p", { class: "small" }, p.title), p.element]),
        );
        return { element, show: (i) => pictures.forEach((p) => p.show(i)) };
    };
}
