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

    // Beside the step: what the guide said here.
    tbt.guideState = (run) => {
        const element = h("div", { class: "guidestate" });
        const show = (token) => {
            const g = token.guide;
            element.hidden = !g;
            if (!g) return;
            const step = token.steps.find((s) => s.name === "grammar");
            const end = g.complete
                ? "the text may end here"
                : g.closing_bytes
                  ? `at least ${many(g.closing_bytes, "byte")} to its end`
                  : "";
            const next = tbt.byteWords(g.bytes || []);
            element.replaceChildren(
                h("span", { class: "label" }, `Held to ${tbt.guideName(run)}`),
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
                h(
                    "p",
                    { class: "small" },
                    "May come next: ",
                    next.length ? next.map((name) => [tbt.chip(name), " "]) : "nothing",
                    end ? ` · ${end}` : "",
                ),
            );
        };
        return { element, show };
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
        const allowed = tbt.skyline(
            text.tokens.map((t) => (t.guide ? Math.log(t.guide.allowed) + 0.15 : 0)),
            Math.log(vocabulary),
            "var(--blue)",
            `how many tokens were allowed at each of ${guided.length} places`,
            go,
        );
        const mass = tbt.skyline(
            text.tokens.map((t) => t.steps.find((s) => s.name === "grammar")?.mass_removed || 0),
            1,
            "var(--vermillion)",
            "how much probability the mask took away at each place",
            go,
        );
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
            h(
                "p",
                { class: "small" },
                `Tokens allowed at each place (logarithmic, up to ${count(vocabulary)})`,
            ),
            allowed.element,
            h("p", { class: "small" }, "Probability that the mask took away"),
            mass.element,
        );
        return { element, show: (i) => (allowed.show(i), mass.show(i)) };
    };
}
