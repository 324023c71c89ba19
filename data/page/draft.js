// Drafts: a lane for each round, what was guessed, what the target said to it, what it added.
{
    const { h, percent, count, many } = tbt;

    const kindOf = (guess) =>
        !guess.judged ? "unjudged" : guess.accepted ? "accepted" : "rejected";
    const words = {
        accepted: "kept",
        rejected: "not kept",
        unjudged: "not looked at",
        correction: "the target’s own instead",
        bonus: "one more, for free",
    };

    const lane = (round, i, go) => {
        const boxes = round.drafted.map((guess) =>
            h("span", { class: `box ${kindOf(guess)}`, title: words[kindOf(guess)] }, guess.label),
        );
        const kept = round.drafted.filter((guess) => guess.judged && guess.accepted).length;
        if (round.tokens.length > kept) {
            const kind = round.bonus ? "bonus" : "correction";
            boxes.push(
                h("span", { class: `box ${kind}`, title: words[kind] }, round.tokens.at(-1).label),
            );
        }
        return h(
            "li",
            { class: "lane", onclick: () => go(round.step) },
            h(
                "button",
                {
                    type: "button",
                    class: "lanename",
                    "aria-label": `round ${i + 1}: ${kept} of ${round.drafted.length} guesses kept`,
                },
                i + 1,
            ),
            h("span", { class: "boxes" }, boxes),
        );
    };

    const meter = (value, u) =>
        h(
            "span",
            { class: "meter", "aria-hidden": "true" },
            h("span", { class: "fill", style: `width:${(100 * Math.min(1, value)).toFixed(1)}%` }),
            u === null
                ? null
                : h("span", { class: "needle", style: `left:${(100 * u).toFixed(1)}%` }),
        );

    // Coupled by seed, p, q and u decide nothing; chapter 12's own trace leaves them out then.
    const judgedByChance = (run) =>
        run.head.draft?.coupling !== "seed" &&
        !run.texts.some((t) => t.rounds.some((r) => r.judged.some((x) => x.p === undefined)));

    const verdict = (run, guess, instead) => {
        const rejection = judgedByChance(run);
        if (guess.accepted)
            return rejection ? "u is below min(1, p/q): kept" : "the target drew it too: kept";
        if (rejection)
            return [
                "u is above min(1, p/q): not kept; drawn from what p has more than q: ",
                tbt.chip(instead ?? "–"),
            ];
        return ["the target drew ", tbt.chip(instead ?? "–"), " with the same u"];
    };

    const judgements = (run, round) => {
        const rows = round.drafted.map((guess, i) => {
            if (!guess.judged)
                return h(
                    "tr",
                    { class: "out" },
                    h("th", { scope: "row" }, tbt.chip(guess.label)),
                    h("td", { colspan: 5 }, "after the first that was not kept: not verified"),
                );
            const known = guess.p !== undefined;
            const ratio = guess.q > 0 ? Math.min(1, guess.p / guess.q) : 1;
            const rejection = judgedByChance(run);
            return h(
                "tr",
                {},
                h("th", { scope: "row" }, tbt.chip(guess.label)),
                h("td", { class: "num" }, known ? percent(guess.p) : "–"),
                h("td", { class: "num" }, known ? percent(guess.q) : "–"),
                h("td", { class: "num" }, known ? ratio.toFixed(3) : "–"),
                h(
                    "td",
                    {},
                    rejection ? meter(ratio, guess.u) : null,
                    h("span", { class: "number" }, known ? `u ${tbt.luck(guess.u, 3)}` : "–"),
                ),
                h("td", { class: "verdict" }, verdict(run, guess, round.tokens[i]?.label)),
            );
        });
        if (round.bonus)
            rows.push(
                h(
                    "tr",
                    {},
                    h("th", { scope: "row" }, tbt.chip(round.tokens.at(-1).label)),
                    h(
                        "td",
                        { colspan: 5 },
                        "bonus: all guesses were kept, and the pass had one more row",
                    ),
                ),
            );
        return h(
            "div",
            {
                class: "scroll",
                tabindex: 0,
                role: "region",
                "aria-label": "the judgements of this round",
            },
            h(
                "table",
                { class: "plain" },
                h(
                    "thead",
                    {},
                    h(
                        "tr",
                        {},
                        ["guess", "p, target", "q, draft", "min(1, p/q)", "u", ""].map((name) =>
                            h("th", { scope: "col" }, name),
                        ),
                    ),
                ),
                h("tbody", {}, rows),
            ),
        );
    };

    tbt.draftView = (run, text, go) => {
        if (!text.rounds.length) return null;
        const guessed = text.rounds.reduce((n, r) => n + r.drafted.length, 0);
        const kept = text.rounds.reduce(
            (n, r) => n + r.drafted.filter((g) => g.judged && g.accepted).length,
            0,
        );
        const written = text.rounds.reduce((n, r) => n + r.tokens.length, 0);
        const lanes = text.rounds.map((round, i) => lane(round, i, go));
        const list = h("ol", { class: "lanes", tabindex: 0, "aria-label": "rounds" }, lanes);
        const title = h("h3", {}),
            detail = h("div", {});
        const coupled = !judgedByChance(run);
        const rule = coupled
            ? [
                  "Draft and target draw with the same number u at each place: a guess stays where the ",
                  "target draws it, too. The text is the one without a draft, bit for bit.",
              ]
            : [
                  "A guess x, drawn from the draft’s distribution q, stays with probability min(1, p(x)/q(x)); ",
                  "otherwise the target draws from what p has more than q. The distribution is the target’s own.",
              ];
        const element = h(
            "section",
            { class: "card" },
            h("h2", {}, "Guesses, round by round"),
            h(
                "p",
                {},
                h("b", {}, `${count(kept)} of ${many(guessed, "guess", "guesses")} kept`),
                ` in ${many(text.rounds.length, "round")}: each pass of the large model wrote `,
                `${(written / text.rounds.length).toFixed(1)} tokens.`,
            ),
            h("p", { class: "small" }, rule),
            h(
                "p",
                { class: "legend keys" },
                ["accepted", "rejected", "unjudged", "correction", "bonus"].map((kind) =>
                    h("span", { class: `box ${kind}` }, words[kind]),
                ),
            ),
            list,
            title,
            detail,
        );
        let shown = null;
        const show = (i) => {
            const n = text.rounds.findLastIndex((r) => r.step <= i);
            if (n < 0 || n === shown) return;
            lanes[shown]?.classList.remove("selected");
            shown = n;
            lanes[n].classList.add("selected");
            const top = lanes[n].offsetTop - list.offsetTop;
            if (top < list.scrollTop || top + 32 > list.scrollTop + list.clientHeight)
                list.scrollTop = top - 64;
            title.textContent = `Round ${n + 1}`;
            const round = text.rounds[n];
            const wide = { class: "scroll", tabindex: 0, role: "region", "aria-label": "the tree" };
            const tree = round.tree.length
                ? [
                      h("p", { class: "small" }, "All of them were read in one pass; the text went along the filled ones."),
                      h("div", wide, tbt.treePicture(round)),
                  ]
                : [];
            detail.replaceChildren(...tree, judgements(run, round));
        };
        return { element, show };
    };
}
