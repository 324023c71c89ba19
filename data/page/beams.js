// A search: what each step looked at, from left to right; the best candidates on top.
{
    const { h, number } = tbt;
    const { column, placed, pathOf, greedyOf } = tbt.lattice;

    const fateWords = {
        live: "It was kept: one of the best so far.",
        finished: "Its text is complete, and was kept.",
        pruned: "It was dropped",
    };

    const describe = (by, n, prompt) => {
        const words = [];
        for (let at = n; at; at = by.get(at.parent))
            words.unshift(at.label === "⟨end⟩" ? "" : at.token);
        const why =
            n.fate === "pruned"
                ? `${fateWords.pruned}: ${n.why || "others were better"}.`
                : fateWords[n.fate];
        return [
            h(
                "p",
                { class: "story" },
                tbt.chip(n.label),
                ` after “…${`${prompt}${words.slice(0, -1).join("")}`.slice(-60)}”. `,
                why,
            ),
            h(
                "dl",
                { class: "facts" },
                [
                    ["ln p of this token", n.log_probability, 4],
                    ["sum so far", n.sum, 4],
                    ["score (by length)", n.score, 4],
                ].map(([name, value, digits]) =>
                    h("div", {}, h("dt", {}, name), h("dd", {}, number(value, digits))),
                ),
            ),
        ];
    };

    // Drawn candidates may leave out the most probable one, and later groups pay for what is taken.
    const greedyIn = (run, number_) => {
        const drawn = run.version === 1 ? "seed" in run.head : run.head.beams?.do_sample;
        return !drawn && !number_;
    };

    const parting = (best, greedy, by) => {
        if (!greedy.size) return null;
        const left = [...by.values()].find((n) => best.has(n.node) && !greedy.has(n.node));
        if (!left) return "Greedy decoding would have written this text, too.";
        const other = [...by.values()].find((n) => greedy.has(n.node) && n.step === left.step);
        const lastOf = (path) => [...by.values()].filter((n) => path.has(n.node)).pop();
        const [end, own] = [lastOf(greedy), lastOf(best)];
        return [
            "Greedy decoding parts from this text at token ",
            h("b", {}, left.step),
            ": it takes ",
            tbt.chip(other ? other.label : "another"),
            ", the more probable one there, ",
            end?.fate !== "finished"
                ? "and was dropped on the way."
                : `and ends in a text with a ${end.score > own.score ? "higher" : "lower"} score.`,
        ];
    };

    const results = (run, current) =>
        h(
            "table",
            { class: "plain results" },
            h(
                "thead",
                {},
                h(
                    "tr",
                    {},
                    ["text", "score", "ln p", "tokens", "ended"].map((name) =>
                        h("th", { scope: "col" }, name),
                    ),
                ),
            ),
            h(
                "tbody",
                {},
                run.texts
                    .filter((t) => t.prompt === current.prompt)
                    .map((t, i) =>
                        h(
                            "tr",
                            { class: t === current ? "chosen" : "" },
                            h("td", {}, `${i + 1}. ${(t.text || "").trim().slice(0, 70)}`),
                            h("td", {}, number(t.score, 4)),
                            h("td", {}, number(t.sum, 3)),
                            h("td", {}, t.tokens.length),
                            h("td", {}, tbt.reason(t)),
                        ),
                    ),
            ),
        );

    const group = (run, text, nodes, number_, go) => {
        const by = placed(nodes),
            ids = text.ids || text.tokens.map((t) => t.id);
        const best = pathOf(by, ids),
            greedy = greedyIn(run, number_) ? greedyOf(by) : new Set();
        const detail = h("div", { class: "detail", "aria-live": "polite" });
        let selected = null;
        const select = (n, move = true) => {
            selected = n;
            detail.replaceChildren(...describe(by, n, run.prompts[text.prompt].text));
            picture.svg
                .querySelectorAll(".node.selected")
                .forEach((e) => e.classList.remove("selected"));
            picture.svg.querySelector(`[data-node="${n.node}"]`)?.classList.add("selected");
            if (move) go(n.step - 1);
        };
        const picture = tbt.lattice.picture(by, best, greedy, select);
        // Up and down: another candidate of the same step.
        const step = (by_) => {
            const others = [...by.values()].filter((n) => n.step === selected?.step);
            const next = others[others.indexOf(selected) + by_];
            if (next) select(next);
        };
        const scroll = h(
            "div",
            {
                class: "scroll",
                tabindex: 0,
                role: "region",
                "aria-label": "the search: up and down choose a candidate, left and right a step",
                onkeydown: (e) => {
                    if (e.key !== "ArrowUp" && e.key !== "ArrowDown") return;
                    (e.preventDefault(), step(e.key === "ArrowDown" ? 1 : -1));
                },
            },
            picture.svg,
        );
        const show = (i) => {
            const at = i * column;
            picture.mark.setAttribute("x", at);
            if (at < scroll.scrollLeft || at + column > scroll.scrollLeft + scroll.clientWidth)
                scroll.scrollLeft = at - scroll.clientWidth / 3;
            const there = [...by.values()].filter((n) => n.step === i + 1);
            const kept = there.find((n) => best.has(n.node)) || there[0];
            if (selected?.step !== i + 1 && kept) select(kept, false);
        };
        const name = number_ === null ? null : h("h3", {}, `group ${number_ + 1}`);
        const element = h(
            "div",
            {},
            name,
            best.size ? h("p", {}, parting(best, greedy, by)) : null,
            scroll,
            detail,
        );
        return { element, show };
    };

    tbt.beamsView = (run, text, go) => {
        const own = run.nodes.filter((n) => (n.prompt ?? 0) === text.prompt);
        if (!own.length) return null;
        const numbers = [...new Set(own.map((n) => n.group ?? 0))];
        const groups = numbers.map((g) =>
            group(
                run,
                text,
                own.filter((n) => (n.group ?? 0) === g),
                numbers.length > 1 ? g : null,
                go,
            ),
        );
        const element = h(
            "section",
            { class: "card" },
            h("h2", {}, "The search"),
            h(
                "p",
                { class: "small" },
                "Every column holds the candidates of one step, the greatest sum on top, with sum / score; ",
                "the score is the sum divided by the length to the power of the length penalty.",
            ),
            h(
                "p",
                { class: "legend keys" },
                [
                    ["best", "the text shown"],
                    ["live", "kept"],
                    ["finished", "complete ■"],
                    ["pruned", "dropped"],
                    ["greedy", "greedy’s way"],
                ].map(([name, words]) => h("span", { class: `swatch ${name}` }, words)),
            ),
            groups.map((g) => g.element),
            h("div", { class: "scroll" }, results(run, text)),
        );
        return { element, show: (i) => groups.forEach((g) => g.show(i)) };
    };
}
