// One step: what happened in words, and the waterfall from the model's first choices to the draw.
{
    const { h, percent, count, share } = tbt;

    const bar = (p, most) =>
        h("span", { class: "bar", style: `width:${(100 * Math.min(1, p / most)).toFixed(2)}%` });

    const cell = (p, most, className = "") =>
        h(
            "td",
            { class: className },
            h("span", { class: "barbox" }, bar(p, most)),
            h("span", { class: "number" }, percent(p)),
        );

    // The columns: the model, each step, each with how many candidates it left.
    const columns = (token) => [
        { name: "the model", parameters: "", left: token.raw.candidates },
        ...token.steps.map((s) => ({
            name: s.name,
            parameters: s.parameters,
            left: s.after,
            cut: s.before - s.after,
            mass: s.mass_removed,
        })),
    ];

    const header = (c) =>
        h(
            "th",
            { scope: "col" },
            h("span", { class: "stepname" }, c.name),
            c.parameters && h("span", { class: "parameter" }, c.parameters),
            h(
                "span",
                { class: "left" },
                c.cut ? [h("b", {}, `−${count(c.cut)}`), ` → ${count(c.left)}`] : count(c.left),
            ),
            c.mass > 0 && h("span", { class: "left" }, `cuts ${percent(c.mass)}`),
        );

    // A first choice on its way through the chain. after: log-probabilities after each step; older
    // traces have the last one only.
    const row = (token, t, most) => {
        const chosen = t.id === token.id;
        const cells = [cell(share(t.raw), most)];
        let gone = false;
        token.steps.forEach((s, k) => {
            const last = k + 1 === token.steps.length;
            const log = t.after ? t.after[k] : last ? t.processed : undefined;
            if (gone) return cells.push(h("td", { class: "gone" }));
            if (t.removed_by === s.name && (!t.after || t.after[k] === null)) {
                gone = true;
                return cells.push(h("td", { class: "cut" }, h("span", {}, `✕ ${s.name}`)));
            }
            cells.push(
                log === undefined ? h("td", { class: "gone" }, "…") : cell(share(log), most),
            );
        });
        const mark = chosen ? h("span", { class: "drawnmark", title: "written" }, "◀") : null;
        return h(
            "tr",
            { class: chosen ? "chosen" : gone ? "out" : "" },
            h("th", { scope: "row" }, tbt.chip(t.label), mark),
            cells,
        );
    };

    tbt.waterfall = (token) => {
        if (!token.top.length) return null;
        const most = Math.max(
            ...token.top.flatMap((t) => [
                share(t.raw),
                share(t.processed),
                ...(t.after || []).map(share),
            ]),
            1e-9,
        );
        return h(
            "div",
            {
                class: "scroll",
                tabindex: 0,
                role: "region",
                "aria-label": "the first choices, step by step",
            },
            h(
                "table",
                { class: "waterfall" },
                h(
                    "caption",
                    {},
                    "The model’s first choices, and what each step of the chain made of them. ",
                    "Each column adds up to 100\u202f% over all tokens that are left.",
                ),
                h(
                    "thead",
                    {},
                    h(
                        "tr",
                        {},
                        h("td", { class: "corner" }, "candidates"),
                        columns(token).map(header),
                    ),
                ),
                h(
                    "tbody",
                    {},
                    token.top.map((t) => row(token, t, most)),
                ),
            ),
        );
    };

    const facts = (token) => {
        if (!token.raw) return null;
        const rank = tbt.rank(token);
        return h(
            "dl",
            { class: "facts" },
            [
                ["surprise", `${token.bits.toFixed(2)} bits`],
                ["the model’s order", rank > 0 ? tbt.ordinal(rank) : "–"],
                ["entropy before", `${(token.raw.entropy / Math.LN2).toFixed(2)} bits`],
                ["and after the chain", `${(token.processed.entropy / Math.LN2).toFixed(2)} bits`],
            ].map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
        );
    };

    tbt.stepView = (run, text, go) => {
        const story = h("p", { class: "story", "aria-live": "polite" });
        const title = h("h2", {});
        const where = h("span", { class: "small" });
        const wheel = tbt.wheelView(),
            guide = tbt.guideState(run);
        const table = h("div", {}),
            numbers = h("div", {});
        let at = 0;
        const button = (sign, name, by) =>
            h(
                "button",
                { type: "button", "aria-label": name, title: name, onclick: () => go(at + by) },
                sign,
            );
        const element = h(
            "section",
            { class: "card stepcard" },
            h(
                "header",
                { class: "row" },
                title,
                h(
                    "span",
                    { class: "stepper" },
                    where,
                    button("←", "the token before (←)", -1),
                    button("→", "the next token (→)", 1),
                ),
            ),
            story,
            guide.element,
            wheel.element,
            table,
            numbers,
        );
        const show = (i) => {
            const token = text.tokens[i];
            at = i;
            if (!token) return story.replaceChildren("This text has no token here.");
            title.replaceChildren(tbt.chip(token.label, "big"));
            where.textContent = `token ${count(i + 1)} of ${count(text.tokens.length)}`;
            story.replaceChildren(...tbt.story(run, text, i).flat(Infinity).filter(Boolean));
            guide.show(token);
            wheel.show(token, run);
            table.replaceChildren(...[token.raw && tbt.waterfall(token)].filter(Boolean));
            numbers.replaceChildren(...[facts(token)].filter(Boolean));
        };
        return { element, show };
    };
}
