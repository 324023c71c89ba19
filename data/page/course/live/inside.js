// The live figure of chapter 18: a sentence inside the model, layer by layer: a token's way along the residual stream, what a
// head looks at, and what the logit lens reads.
{
    const { h, s, core } = tbt;
    const { percent, padded } = tbt.live;
    const parts = 7; // stops of a token in each layer
    const name = (run, t) => core.names[run.tokens[t]];

    // Row t of a head: the scores of t + 1 tokens, then softmax.
    const weights = (run, layer, head) => {
        const T = run.tokens.length, each = (T * (T + 1)) / 2;
        const scores = (run.floats ??= core.floats(run.scores)).subarray((layer * run.heads + head) * each);
        return run.tokens.map((_, t) => core.softmax(scores.slice((t * (t + 1)) / 2, ((t + 1) * (t + 2)) / 2)));
    };
    // What the output matrix reads at a token before layer 0, 1, … or at the end: its three best.
    const lens = (run, layer, t) => {
        const T = run.tokens.length, place = layer * T + t;
        if (run !== lens.known) {
            core.remember(run, Array.from({ length: (run.layers + 1) * T }, (_, i) => [i]));
            lens.known = run;
        }
        core.key([place]);
        core.call("recall");
        core.call("temperature", 1);
        const p = core.stage(0);
        return run.rows.ids.slice(3 * place, 3 * place + 3).map((id) => ({ id, p: p[id] }));
    };

    // The stops: name, shape, and whether it is beside the residual stream (1) or on it (0).
    const stops = (run) => {
        const T = run.tokens.length, C = run.channels, D = C / run.heads, F = run.inner, V = core.names.length;
        const times = (a, b) => `(${a}) · (${b})`;
        return {
            first: ["wte + wpe", `(${T}, ${C})`, 0],
            layer: [
                ["norm, c_attn: q, k, v", times(`${T}, ${C}`, `${C}, ${3 * C}`), 1],
                ["q · kᵀ / √D of one head", times(`${T}, ${D}`, `${D}, ${T}`), 1],
                ["mask, softmax: weights", `(${T}, ${T})`, 1],
                ["weights · v", times(`${T}, ${T}`, `${T}, ${D}`), 1],
                [`${run.heads} heads, c_proj, added`, times(`${T}, ${C}`, `${C}, ${C}`), 0],
                ["norm, c_fc, GELU", times(`${T}, ${C}`, `${C}, ${F}`), 1],
                ["c_proj, added", times(`${T}, ${F}`, `${F}, ${C}`), 0],
            ],
            last: ["norm, · wteᵀ: logits", times(`${T}, ${C}`, `${C}, ${V}`), 0],
        };
    };
    const way = () => {
        let data = null;
        const dot = s("circle", { class: "walker", r: 7 });
        const draw = (width) => {
            const { run, at, layer } = data, { first, layer: own, last } = stops(run);
            const row = 40, x = 22, beside = 62, all = [first, ...own, last];
            const Y = (i) => 26 + i * row + (i > 0 ? 26 : 0) + (i > parts ? 26 : 0);
            const here = at === 0 ? 0 : at > run.layers * parts ? parts + 1 : 1 + ((at - 1) % parts);
            const now = `translate(${all[here][2] ? beside : x}px, ${Y(here)}px)`;
            if (dot.style.transform && dot.style.transform !== now && !tbt.calm())
                dot.animate([{ transform: dot.style.transform }, { transform: now }], { duration: 700, easing: "ease-in-out" });
            dot.style.transform = now;
            // Out of the stream, past the boxes, back into it.
            const branch = (from, to) => s("path", { class: "branch", d: `M${x} ${Y(from) - 20}H${beside}V${Y(to)}H${x}` });
            const stop = ([words, shape], i) => [
                s("text", { class: i === here ? "strong" : "", x: beside + 16, y: Y(i) - 2 }, words),
                s("text", { class: "shape", x: beside + 16, y: Y(i) + 12 }, shape),
            ];
            const other = (i, words) => s("text", { class: "shape", x: x + 12, y: Y(i) - 32 }, words);
            const height = Y(parts + 1) + 24;
            return s(
                "svg",
                { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `layer ${layer}: ${own.map(([words, shape]) => `${words} ${shape}`).join("; ")}` },
                s("line", { class: "stream", x1: x, x2: x, y1: 8, y2: height - 8 }),
                branch(1, 5),
                branch(6, 7),
                all.map((_, i) => s("circle", { class: "stop", cx: all[i][2] ? beside : x, cy: Y(i), r: 4 })),
                all.map(stop),
                other(1, layer > 0 ? `layers 0 to ${layer - 1}, then layer ${layer}` : "layer 0"),
                layer + 1 < run.layers && other(parts + 1, `layers ${layer + 1} to ${run.layers - 1}`),
                dot,
            );
        };
        const picture = tbt.picture("tokenway", (w) => (data ? draw(w) : h("span", {})));
        return { element: picture.element, set: (next) => ((data = next), picture.redraw()) };
    };

    // The weights as a triangle; a row is chosen by a click, too.
    const triangle = (choose) => {
        let data = null;
        const draw = (width) => {
            const { run, all, t } = data, T = all.length, left = 74, top = 58;
            const cell = Math.min(26, (width - left - 4) / T), height = top + T * cell + 4;
            const label = (i) => tbt.fitting(name(run, i), 72);
            const square = (w, row, u) =>
                s(
                    "rect",
                    { class: "weight", x: left + u * cell + 0.5, y: top + row * cell + 0.5, width: cell - 1, height: cell - 1, "fill-opacity": Math.max(0.04, w), onclick: () => choose(row) },
                    s("title", {}, `${name(run, row)} looks at ${name(run, u)}: ${percent(w, 1)}`),
                );
            return s(
                "svg",
                { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${name(run, t)} looks at ${all[t].map((w, u) => `${name(run, u)} ${percent(w, 1)}`).join(", ")}` },
                run.tokens.map((_, i) => [
                    s("text", { class: i === t ? "strong" : "", x: left - 6, y: top + i * cell + cell / 2 + 4, "text-anchor": "end" }, label(i)),
                    s("text", { transform: `translate(${left + i * cell + cell / 2 + 3} ${top - 6}) rotate(-50)` }, label(i)),
                ]),
                all.map((row, i) => row.map((w, u) => square(w, i, u))),
                s("rect", { class: "chosenrow", x: left, y: top + t * cell, width: (t + 1) * cell, height: cell }),
            );
        };
        const picture = tbt.picture("triangle", (w) => (data ? draw(w) : h("span", {})));
        return { element: picture.element, set: (next) => ((data = next), picture.redraw()) };
    };

    const predictions = () => {
        const body = h("tbody", {});
        const element = h("table", { class: "lens" }, h("caption", {}, "The logit lens: the prediction after each layer"), body);
        const set = (run, layer, t) =>
            body.replaceChildren(
                ...Array.from({ length: run.layers + 1 }, (_, i) =>
                    h(
                        "tr",
                        { class: i === layer + 1 ? "chosen" : "" },
                        h("th", { scope: "row" }, i ? i - 1 : "–"),
                        lens(run, i, t).map(({ id, p }) => h("td", {}, tbt.chip(core.names[id]), ` ${percent(p, 0)}`)),
                    ),
                ),
            );
        return { element, set };
    };

    const slider = (name, label, most, value, says) => ({ kind: "slider", name, label, range: [0, most, 1], value, says });
    tbt.figures.inside = {
        title: "A sentence inside the model",
        runs: () => tbtLive.inside,
        state: { at: 4 * parts + 3, seen: 4 },
        controls: [
            slider("layer", "Layer", 7, 4),
            slider("head", "Head", 7, 1),
            slider("token", "Token that looks", 11, 11, (t) => name(tbtLive.inside[0], t)),
            ...tbt.steps("at", () => 8 * parts + 1, "Walk on →"),
        ],
        parts: (state, changed) => {
            const shown = { way: way(), triangle: triangle((t) => (state.put.token(t), changed())), lens: predictions() };
            const sides = h("div", { class: "inside" }, shown.way.element, h("div", {}, shown.triangle.element, shown.lens.element));
            return { inside: { element: sides, ...shown } };
        },
        show: (state, run, { inside }) => {
            const end = run.layers * parts + 1;
            // The slider takes the token along to another layer; and walking on moves the slider.
            if (state.layer !== state.seen) state.at = 1 + state.layer * parts + (Math.max(0, state.at - 1) % parts);
            const layer = (state.seen = tbt.clamp(Math.floor((state.at - 1) / parts), 0, run.layers - 1));
            state.put.layer(layer);
            const { head, token: t, at } = state, own = name(run, t);
            const all = weights(run, layer, head), ranked = all[t].map((w, u) => [w, u]).sort((a, b) => b[0] - a[0]);
            inside.way.set({ run, at, layer });
            inside.triangle.set({ run, all, t });
            inside.lens.set(run, layer, t);
            const most = ranked.slice(0, 3).flatMap(([w, u]) => [" ", tbt.chip(name(run, u)), ` ${percent(w, 1)}`]);
            const [best] = lens(run, layer + 1, t);
            const reads = [tbt.chip(core.names[best.id]), ` ${percent(best.p, 0)}.`];
            const told = [
                ["makes q, what it looks for, and k and v, what it offers."],
                [`compares its q with the k of ${tbt.many(t + 1, "token")}, its own and those before.`],
                [`looks with head ${head} at`, ...most, "."],
                ["takes the sum of their v by these weights."],
                [`adds what all ${run.heads} heads found to its row x.`],
                [`asks ${tbt.count(run.inner)} questions about its row.`],
                ["adds the answers. After this layer the lens reads ", ...reads],
            ];
            const before = at === 0 ? ["is a row of x, its token's plus its place's."] : ["is compared with every token: ", ...reads];
            const inLayer = at > 0 && at < end;
            const line = (weights, i) => {
                const [next] = lens(run, layer + 1, i);
                return `   ${padded(name(run, i), 11)} ${padded(core.names[next.id], 12)} ${percent(next.p, 0).padStart(5)}${Array.from(weights, (w) => ` ${(100 * w).toFixed(1).padStart(5)}`).join("")}`;
            };
            return {
                said: [inLayer ? `Layer ${layer}: ` : "", tbt.chip(own), " ", ...(inLayer ? told[(at - 1) % parts] : before)],
                command: `make run-18 ARGS='--part 7 --layer ${layer} --head ${head} "${run.prompt}"'`,
                lines: all.map(line),
                play: tbt.play(run, { attention: `${layer}.${head}`, length: 24 }),
            };
        },
    };
}
