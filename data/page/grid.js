// A canvas as it clears: a row for each pass of the model, a column for each place.
{
    const { h, many, share, percent } = tbt;

    // What became of the places: masked before their pass, fresh in it, known after it.
    const cell = (token, i, pass, go) => {
        if (pass < token.pass_filled)
            return h("td", { class: "masked" }, h("span", { title: "masked" }, "·"));
        const fresh = pass === token.pass_filled;
        return h(
            "td",
            { class: fresh ? "fresh" : "known" },
            h(
                "button",
                {
                    type: "button",
                    "data-i": i,
                    tabindex: fresh ? 0 : -1,
                    title: `${token.label}, ${percent(share(token.raw.log_probability))}, pass ${token.pass_filled}`,
                    onclick: () => go(i),
                },
                token.label,
            ),
        );
    };

    const orders = {
        random: "places at random, as the model’s own distribution asks for when it is one a pass",
        confidence: "the most probable first, which changes the distribution: a surer text",
    };

    const words = (run, text, passes) => {
        const n = text.tokens.length;
        const order = orders[run.head.order] || "";
        const blocks = run.head.block_length
            ? `, in blocks of ${run.head.block_length} from the left`
            : "";
        return `${many(n, "place")} in ${many(passes, "pass", "passes")}: ${order}${blocks}. In each the model read all that was known, before and after.`;
    };

    // go(i): somebody wants to see place i.
    tbt.gridView = (run, text, go) => {
        if (!text.tokens.some((t) => t.pass_filled)) return null;
        const passes = Math.max(...text.tokens.map((t) => t.pass_filled || 0));
        const rows = Array.from({ length: passes }, (_, p) =>
            h(
                "tr",
                {},
                h("th", { scope: "row" }, `pass ${p + 1}`),
                text.tokens.map((t, i) => cell(t, i, p + 1, go)),
            ),
        );
        const table = h("table", { class: "grid" }, h("tbody", {}, rows));
        const element = h(
            "section",
            { class: "card" },
            h("h2", {}, "How the gap was filled"),
            h("div", { class: "scroll" }, table),
            h("p", { class: "small" }, words(run, text, passes)),
        );
        const show = (i) => {
            for (const old of table.querySelectorAll(".selected")) old.classList.remove("selected");
            for (const b of table.querySelectorAll(`[data-i="${i}"]`)) b.classList.add("selected");
        };
        return { element, show };
    };
}
