// The passes of the model: what each of them read, and what was in the cache already.
{
    const { h, s, count, many, bytes } = tbt;
    const height = 120,
        bottom = 18;

    // A pass as lengths: what was known, what it read, and how much of it was taken back later.
    const measured = (passes) => {
        const last = new Map(); // of each slot: its last pass and the tokens it had then
        const all = passes.map((p) => {
            const total = p.texts.reduce((sum, [, length]) => sum + length, 0);
            return {
                total,
                read: p.computed,
                known: Math.max(0, total - p.computed),
                back: 0,
                texts: p.texts.length,
            };
        });
        passes.forEach((p, i) => {
            for (const [slot, length, rows] of p.texts) {
                const before = last.get(slot);
                if (before)
                    all[before.pass].back += Math.max(0, before.length - Math.max(0, length - rows));
                last.set(slot, { pass: i, length });
            }
        });
        return all;
    };

    // On top of each pass, what of it did not stay.
    const caps = (all, step, y) =>
        all
            .map((p, i) =>
                p.back
                    ? `M${(i * step).toFixed(2)} ${y(p.total).toFixed(1)}h${step.toFixed(2)}V${y(p.total - p.back).toFixed(1)}h${(-step).toFixed(2)}Z`
                    : "",
            )
            .join("");

    const chart = (all, width, drafts) => {
        const most = Math.max(...all.map((p) => p.total), 1),
            step = width / all.length;
        const y = (n) => (height - bottom) * (1 - n / most);
        const area = (value) => {
            let d = `M0 ${y(0)}`;
            all.forEach(
                (p, i) => (d += `V${y(value(p)).toFixed(1)}H${((i + 1) * step).toFixed(2)}`),
            );
            return `${d}V${y(0)}Z`;
        };
        return s(
            "svg",
            {
                viewBox: `0 0 ${width} ${height}`,
                width,
                height,
                role: "img",
                "aria-label": `${all.length} passes; the longest had ${most} tokens in the cache`,
            },
            s("path", { d: area((p) => p.total), fill: "var(--orange)" }),
            s("path", { d: area((p) => p.known), fill: "var(--blue)" }),
            drafts && s("path", { class: "back", d: caps(all, step, y), fill: "var(--pink)" }),
            s(
                "g",
                { class: "axis" },
                s("text", { x: 0, y: height - 4 }, "pass 1"),
                s(
                    "text",
                    { x: width, y: height - 4, "text-anchor": "end" },
                    all.length > 1 ? `pass ${count(all.length)}` : "",
                ),
            ),
        );
    };

    tbt.passesView = (run) => {
        if (!run.passes.length) return null;
        const all = measured(run.passes);
        const read = all.reduce((n, p) => n + p.read, 0),
            whole = all.reduce((n, p) => n + p.total, 0);
        const largest = Math.max(...all.map((p) => p.total)),
            together = Math.max(...all.map((p) => p.texts));
        const each = run.head.weights?.cache_bytes_per_token;
        const drafts = run.texts.some((t) => t.rounds.length);
        const picture = tbt.picture("passes", (width) => chart(all, width, drafts));
        const rolled = drafts && all.reduce((n, p) => n + p.back, 0);
        const element = h(
            "section",
            { class: "card" },
            h("h2", {}, "What it took"),
            h(
                "p",
                {},
                h("b", {}, many(all.length, "pass", "passes")),
                ` of the model read ${many(read, "token")}. `,
                `Without the cache they would have read ${count(whole)}.`,
                rolled
                    ? ` ${many(rolled, "guess", "guesses")} had to be taken back out of the cache.`
                    : "",
            ),
            picture.element,
            h(
                "p",
                { class: "legend keys" },
                h("span", { class: "swatch cached" }, "in the cache already"),
                h("span", { class: "swatch read" }, "read in this pass"),
                rolled ? h("span", { class: "swatch back" }, "and taken back: a wrong guess") : null,
            ),
            each &&
                h(
                    "p",
                    { class: "small" },
                    `The cache takes ${bytes(each)} a token: ${bytes(largest * each)} `,
                    `for the ${count(largest)} tokens of the largest pass`,
                    together > 1 ? `, less what its ${together} texts share.` : ".",
                ),
        );
        return { element };
    };
}
