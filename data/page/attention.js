// What one head looked at when a token was chosen: the text before it, each token shaded by its share.
{
    const { h, percent, label, clamp } = tbt;
    const most = 5; // that are named

    const shade = (share) => (share > 0 ? 0.08 + 0.62 * Math.sqrt(clamp(share, 0, 1)) : 0);

    const row = (share, name) =>
        h(
            "tr",
            {},
            h("th", { scope: "row" }, tbt.chip(name)),
            h(
                "td",
                {},
                h(
                    "span",
                    { class: "barbox" },
                    h("span", { class: "bar", style: `width:${(100 * share).toFixed(2)}%` }),
                ),
                h("span", { class: "number" }, percent(share)),
            ),
        );

    // go(i): somebody wants to see token i.
    tbt.attentionView = (run, text, go) => {
        const place = run.head.attention;
        if (!place || !text.tokens.some((t) => Array.isArray(t.attention))) return null;
        const given = run.prompts[text.prompt].tokens || [];
        const names = [...given, ...text.tokens.map((t) => t.token)].map(String);
        const spans = names.map((name, k) =>
            h("span", { class: "looked", "data-i": k < given.length ? null : k - given.length }, name),
        );
        const body = h(
            "div",
            {
                class: "text looks",
                tabindex: 0,
                role: "group",
                "aria-label": "the text before this token, shaded by what the head looked at",
                onclick: (e) => {
                    const span = e.target.closest("[data-i]");
                    if (span) go(Number(span.dataset.i));
                },
            },
            spans,
        );
        const words = h("p", {});
        const table = h("tbody", {});
        const element = h(
            "section",
            { class: "card attention" },
            h("h2", {}, `What head ${place.head} of layer ${place.layer} looked at`),
            words,
            body,
            h("table", { class: "waterfall looked-at" }, table),
            h(
                "p",
                { class: "small" },
                "The shares of all tokens before add up to 100\u202f%. Layers and heads are counted from 0; ",
                "each of them looks at something else.",
            ),
        );
        const show = (i) => {
            const shares = text.tokens[i]?.attention || [];
            const end = given.length + i;
            const first = end - shares.length;
            spans.forEach((span, k) => {
                const share = k >= first && k < end ? Number(shares[k - first]) || 0 : 0;
                span.style.setProperty("--share", shade(share).toFixed(3));
                span.title = k < end ? `${label(names[k])}: ${percent(share)}` : "";
                span.classList.toggle("later", k >= end);
                span.classList.toggle("asking", k === end - 1);
            });
            const best = shares
                .map((share, k) => ({ share, name: label(names[first + k] ?? "") }))
                .sort((a, b) => b.share - a.share)
                .slice(0, most);
            words.replaceChildren(
                ...(best.length
                    ? [
                          "To choose ",
                          tbt.chip(text.tokens[i].label),
                          ", the model stood at ",
                          tbt.chip(label(names[end - 1])),
                          ". From there this head looked most at ",
                          tbt.chip(best[0].name),
                          ` (${percent(best[0].share)}).`,
                      ]
                    : ["Nothing is known of this token."]),
            );
            table.replaceChildren(...best.map(({ share, name }) => row(share, name)));
        };
        return { element, show };
    };
}
