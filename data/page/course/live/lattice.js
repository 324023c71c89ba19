// The live figure of chapter 11: two searches with different numbers of beams, side by side.
{
    const { h, s, core } = tbt;
    const { padded } = tbt.live;
    const tokens = 6, fates = ["live", "finished", "pruned"];

    const search = (beams) => {
        const n = core.call("beams", beams, tokens, core.names.indexOf("<|endoftext|>"));
        return Array.from({ length: n }, (_, i) => {
            const [p, sum, score] = core.doubles(3, "node", i);
            const [step, parent, token, fate, best, greedy] = core.ints(12, "node", i).slice(6);
            return { i, p, sum, score, step, parent, token, fate, best, greedy, why: core.text("why", i) };
        });
    };
    const text = (nodes, node) => (node ? text(nodes, nodes[node.parent]) + core.names[node.token].replace("·", " ") : "");
    // The best beginning of a step; at the end the best text.
    const leader = (nodes, step) => nodes.find((n) => n.step === step && (step < tokens ? n.fate < 2 : n.best));

    // A column for each step, the best candidate on top.
    const lattice = () => {
        const head = h("p", { class: "latticehead" });
        let data = null;
        const draw = (width) => {
            const { beams, nodes, step } = data, row = 36, each = width / tokens;
            const shown = nodes.filter((n) => n.step <= step);
            const way = new Set();
            for (let n = leader(nodes, step); n; n = nodes[n.parent]) way.add(n.i);
            const first = (n) => nodes.findIndex((m) => m.step === n.step);
            const X = (n) => (n.step - 1) * each, Y = (n) => (n.i - first(n)) * row + 18;
            const kind = (n) => `${n.fate < 2 ? "kept" : "pruned"}${way.has(n.i) ? " way" : ""}`;
            const edge = (n) => {
                const from = nodes[n.parent];
                return from && n.fate < 2 && s("line", { class: kind(n), x1: X(from) + each - 11, x2: X(n), y1: Y(from) + 15, y2: Y(n) + 15 });
            };
            const box = (n) =>
                s(
                    "g",
                    { class: kind(n), transform: `translate(${X(n)} ${Y(n)})` },
                    s("title", {}, `${core.names[n.token]}: ln p ${n.p.toFixed(4)}, sum ${n.sum.toFixed(4)}, ${fates[n.fate]} ${n.why}`),
                    s("rect", { width: each - 11, height: 30, rx: 4 }),
                    s("text", { x: (each - 11) / 2, y: 13, "text-anchor": "middle" }, tbt.fitting(core.names[n.token], each)),
                    s("text", { x: (each - 11) / 2, y: 26, "text-anchor": "middle" }, tbt.number(n.sum)),
                );
            const height = 18 + row * 2 * beams;
            const label = (i) => s("text", { class: "step", x: i * each + (each - 11) / 2, y: 11, "text-anchor": "middle" }, i + 1);
            const kept = nodes.filter((n) => n.step === step && n.fate < 2).map((n) => `${text(nodes, n)} ${n.sum.toFixed(2)}`);
            return s(
                "svg",
                { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `step ${step}, kept: ${kept.join("; ")}` },
                Array.from({ length: step }, (_, i) => label(i)),
                shown.map(edge),
                shown.map(box),
            );
        };
        const picture = tbt.picture("lattice", (w) => (data ? draw(w) : h("span", {})));
        const set = (next) => {
            data = next;
            const best = leader(next.nodes, next.step);
            head.replaceChildren(h("b", {}, tbt.many(next.beams, "beam")), " best: ", tbt.chip(text(next.nodes, best)), ` ${tbt.number(best.sum)}`);
            picture.redraw();
        };
        return { element: h("div", {}, head, picture.element), set };
    };
    const both = () => {
        const sides = [lattice(), lattice()];
        return { element: h("div", { class: "lattices" }, sides.map((side) => side.element)), sides };
    };

    const width = (name, label, value) => ({ kind: "select", name, label, value, values: [1, 2, 3, 4, 6].map((n) => [n, tbt.many(n, "beam")]) });
    tbt.figures.lattice = {
        title: "Grow two lattices, step by step",
        runs: () => tbtLive.lattice,
        state: { step: 0 },
        controls: [
            width("left", "One search", 1),
            width("right", "The other", 4),
            ...tbt.steps("step", () => tokens - 1, "Extend all, keep the best →"),
        ],
        parts: () => ({ both: both() }),
        show: (state, run, { both }) => {
            core.remember(run, run.keys);
            const step = state.step + 1, searches = [state.left, state.right].map(search);
            both.sides.forEach((side, i) => side.set({ beams: [state.left, state.right][i], nodes: searches[i], step }));
            const [left, right] = searches.map((nodes) => leader(nodes, step));
            const times = Math.exp(Math.abs(right.sum - left.sum)).toFixed(2);
            const same = text(searches[0], left) === text(searches[1], right);
            const [more, less] = right.sum > left.sum ? [state.right, state.left] : [state.left, state.right];
            const nodes = searches[1];
            const line = (n) => {
                const from = n.parent < 0 ? "" : `#${n.parent}`, why = n.why ? `: ${n.why}` : "";
                const number = (value, columns) => value.toFixed(4).padStart(columns);
                return ` ${n.best ? "*" : " "}${n.greedy ? "g" : " "} ${`#${n.i}`.padEnd(5)} ${from.padEnd(5)} ${padded(core.names[n.token], 15)} ${number(n.p, 8)} ${number(n.sum, 9)} ${number(n.score, 8)}  ${fates[n.fate]}${why}`;
            };
            const lines = (at) => [`   ${`step ${at}`.padEnd(27)}     ln p       sum    score`, ...nodes.filter((n) => n.step === at).map(line)];
            const found = [
                `--- 1: score ${right.score.toFixed(4)} = ln p ${right.sum.toFixed(4)} over ${tokens} tokens, ended by length ---`,
                run.prompt + text(nodes, right),
            ];
            return {
                said: `Step ${step} of ${tokens}: ${same ? "both searches have the same best beginning" : `the best of ${tbt.many(more, "beam")} is ${times} times as probable as that of ${less}`}.`,
                command: `make run-11 ARGS='"${run.prompt}" --max-new-tokens ${tokens} --num-beams ${state.right} --lattice ${step} --horizon 0'`,
                lines: [...(step < tokens ? [] : found), ...Array.from({ length: step }, (_, i) => lines(i + 1)).flat()],
                play: tbt.play(run, { decoder: "beams", "num-beams": state.right, length: tokens }),
            };
        },
    };
}
