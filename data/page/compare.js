// Two runs side by side: where their texts part, and what decided it.
{
    const { h, count, percent, share } = tbt;

    // The first place where two texts are not the same token; -1: nowhere.
    const parting = (a, b) => {
        const most = Math.max(a.tokens.length, b.tokens.length);
        for (let i = 0; i < most; ++i) if (a.tokens[i]?.id !== b.tokens[i]?.id) return i;
        return -1;
    };

    // Options that differ, from the two commands' headers.
    const differences = (a, b) => {
        const rows = [];
        const say = (name, x, y) => x !== y && rows.push([name, x, y]);
        say("how", tbt.summary(a), tbt.summary(b));
        say("model", a.head.model ?? "–", b.head.model ?? "–");
        say("weights", a.head.weights?.hash ?? "–", b.head.weights?.hash ?? "–");
        say("prompt", a.prompts[0].text, b.prompts[0].text);
        say("passes", a.passes.length, b.passes.length);
        return rows;
    };

    const here = (text, i, name) => {
        const token = text.tokens[i];
        if (!token) return [`${name} has ended there`];
        const own = token.top.find((t) => t.id === token.id);
        return [
            `${name} writes `,
            tbt.chip(token.label),
            own ? ` (${percent(share(own.processed))} after its chain)` : "",
        ];
    };

    tbt.compareView = (runs, texts, go) => {
        const at = parting(texts[0], texts[1]);
        const rows = differences(runs[0], runs[1]);
        const words =
            at < 0
                ? h("p", {}, "Both texts are the same, token for token.")
                : h(
                      "p",
                      {},
                      `The texts part at token `,
                      h("b", {}, count(at + 1)),
                      ": ",
                      here(texts[0], at, "the first"),
                      ", ",
                      here(texts[1], at, "the second"),
                      ". ",
                      h("button", { type: "button", onclick: () => go(at) }, "Show it"),
                  );
        const table = rows.length
            ? h(
                  "div",
                  { class: "scroll" },
                  h(
                      "table",
                      { class: "plain" },
                      h(
                          "thead",
                          {},
                          h(
                              "tr",
                              {},
                              h("td", {}),
                              runs.map((r) => h("th", { scope: "col" }, r.name)),
                          ),
                      ),
                      h(
                          "tbody",
                          {},
                          rows.map(([name, x, y]) =>
                              h(
                                  "tr",
                                  {},
                                  h("th", { scope: "row" }, name),
                                  h("td", {}, x),
                                  h("td", {}, y),
                              ),
                          ),
                      ),
                  ),
              )
            : h("p", { class: "small" }, "Both were asked for the same.");
        return {
            element: h("section", { class: "card" }, h("h1", {}, "Two runs"), words, table),
            at,
        };
    };
}
