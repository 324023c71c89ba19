// What the live figures are drawn with: bars that keep their place, the curve of the probability
// that is kept, lines as the terminal prints them; and the figures of chapters 03 to 05.
{
    const { h, s, core } = tbt;
    const percent = (p, digits = 2) => `${(100 * p).toFixed(digits)} %`;
    // As in lib/show/terminal.hpp: what is too long ends with "…".
    const padded = (text, width) => {
        const letters = Array.from(text);
        if (letters.length > width) return `${letters.slice(0, width - 1).join("")}…`;
        return text + " ".repeat(width - letters.length);
    };
    tbt.live = { percent, padded };

    // Rows {label, was, is, kind: kept, lost or drawn}; a row stays, so that its bar moves.
    // heads: of the numbers was and is; one head, if there is no difference.
    tbt.bars = (heads) => {
        const body = h("tbody", {});
        const head = (text) => h("th", { scope: "col" }, text);
        const table = h(
            "table",
            { class: "livebars" },
            h("thead", {}, h("tr", {}, head("token"), h("td", {}), heads.map(head))),
            body,
        );
        const row = () => {
            const name = h("th", { scope: "row" }), was = h("span", { class: "was" });
            const bar = h("span", { class: "bar" }), numbers = heads.map(() => h("td", {}));
            return { name, was, bar, numbers, tr: h("tr", {}, name, h("td", { class: "track" }, was, bar), numbers) };
        };
        const rows = [];
        const set = (list, most) => {
            while (rows.length < list.length) body.append((rows[rows.length] = row()).tr);
            rows.forEach(({ name, was, bar, numbers, tr }, i) => {
                tr.hidden = i >= list.length;
                if (tr.hidden) return;
                const { label, kind, ...p } = list[i];
                tr.className = kind;
                name.replaceChildren(tbt.chip(label));
                was.style.width = `${Math.min(100, (100 * p.was) / most)}%`;
                bar.style.width = `${Math.min(100, (100 * p.is) / most)}%`;
                numbers[0].textContent = percent(p.was);
                numbers.at(-1).textContent = kind.startsWith("lost") ? "cut" : percent(p.is);
            });
        };
        return { element: h("div", { class: "scroll" }, table), set };
    };

    // The first ones of the model's order, the drawn one, and the others together.
    tbt.rowsOf = (order, before, after, drawn = -1, n = 10) => {
        const shown = order.slice(0, n);
        if (drawn >= 0 && !shown.includes(drawn)) shown[n - 1] = drawn;
        const rest = { label: `${tbt.count(order.length - n)} others`, was: 1, is: 1, kind: "kept tail" };
        const rows = shown.map((id) => {
            rest.was -= before[id];
            rest.is -= Math.max(0, after[id]);
            const kind = id === drawn ? "drawn" : after[id] >= 0 ? "kept" : "lost";
            return { label: core.names[id], was: before[id], is: after[id], kind };
        });
        rest.was = Math.max(0, rest.was);
        rest.is = Math.max(0, rest.is);
        if (rest.is < 1e-12) rest.kind = "lost tail";
        return [...rows, rest];
    };

    // The probability of the first n tokens over n, on a logarithmic scale, filled up to what is kept.
    tbt.curve = () => {
        let data = null;
        const draw = (width) => {
            const { sums, kept, mass, level } = data;
            const height = 150, left = 4, right = width - 4, top = 18, bottom = height - 22;
            const X = (n) => left + ((right - left) * Math.log(n)) / Math.log(sums.length);
            const Y = (m) => bottom - (bottom - top) * m;
            const points = [];
            for (let n = 1; n < sums.length; n = Math.max(n + 1, Math.floor(n * 1.04))) points.push(n);
            points.push(sums.length);
            const path = (ns) => ns.map((n) => `L${X(n).toFixed(1)} ${Y(sums[n - 1]).toFixed(1)}`).join("");
            const area = (ns) =>
                ns.length ? `M${X(ns[0])} ${bottom}${path(ns)}L${X(ns.at(-1))} ${bottom}Z` : "M0 0";
            const inside = points.filter((n) => n < kept).concat(kept);
            const words = `${tbt.many(kept, "token")} kept, ${percent(mass)} of the probability`;
            const half = Math.min(width / 2, 3.7 * words.length);
            const tick = (n) =>
                s("text", { x: X(n), y: height - 6, "text-anchor": n === 1 ? "start" : n === sums.length ? "end" : "middle" }, tbt.count(n));
            return s(
                "svg",
                { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `the first ${kept} tokens have ${percent(mass)} of the probability` },
                s("path", { class: "curverest", d: area(points) }),
                s("path", { class: "curvekept", d: kept > 1 ? area(inside) : `M${left} ${bottom}V${Y(mass)}h3V${bottom}Z` }),
                level < 1 && s("line", { class: "level", x1: left, x2: right, y1: Y(level), y2: Y(level) }),
                s("line", { class: "curvecut", x1: X(kept), x2: X(kept), y1: top - 4, y2: bottom }),
                s("circle", { class: "curvecut", cx: X(kept), cy: Y(mass), r: 4 }),
                s(
                    "text",
                    { class: "strong", x: tbt.clamp(X(kept), half, width - half), y: 12, "text-anchor": "middle" },
                    words,
                ),
                [1, 10, 100, ...(width > 420 ? [1000] : []), sums.length].map(tick),
            );
        };
        const picture = tbt.picture("curve", (w) => (data ? draw(w) : h("span", {})));
        return { element: picture.element, set: (next) => ((data = next), picture.redraw()) };
    };

    // What is drawn: the trace page's wheel, unrolled, on a distribution.
    const run = { head: {}, nodes: [] };
    tbt.wheel = () => {
        const wheel = tbt.wheelView();
        const set = (p, u, id) => {
            const slices = [];
            let from = 0;
            p.forEach((share, i) => {
                if (share >= 1 / 80 || i === id)
                    slices.push({ id: i, label: core.names[i], from, to: from + share });
                from += Math.max(0, share);
            });
            wheel.show({ wheel: slices, u, id, label: core.names[id], steps: [], top: [] }, run);
        };
        return { element: wheel.element, set };
    };

    // ---- what chapter 10 prints with --explain ----
    tbt.explained = ({ steps, stages, chosen, u }, order, entropy) => {
        const name = core.names[chosen];
        const standing = (p) => {
            if (p[chosen] < 0) return "      removed";
            const rank = 1 + p.reduce((n, q, id) => n + (q > p[chosen] || (q === p[chosen] && id < chosen)), 0);
            return `${String(rank).padStart(5)}  ${percent(p[chosen])}`;
        };
        const number = (value, digits, width) => value.toFixed(digits).padStart(width);
        const model = `   ${padded("the model", 24)} ${String(order.length).padStart(7)}                   ${number(entropy, 3, 7)}`;
        const last = stages.at(-1);
        const cutter = (id) => steps[stages.findIndex((p, i) => i > 0 && p[id] < 0) - 1].text.split(" ")[0];
        return [
            `1. ${name}, drawn with u = ${u.toFixed(6)}`,
            steps.length ? `${model}  ${standing(stages[0])}` : model,
            ...steps.map(
                (t, i) =>
                    `   ${padded(t.text, 24)} ${String(t.after).padStart(7)} ${String(t.before - t.after).padStart(6)}  ${number(t.mass, 4, 8)}  ${number(t.entropy, 3, 7)}  ${standing(stages[i + 1])}`,
            ),
            ...order.slice(0, 5).map((id) => {
                const line = `   ${padded(core.names[id], 24)} ${percent(stages[0][id]).padStart(9)}  `;
                if (last[id] < 0) return `${line}cut by ${cutter(id)}`;
                return `${line}-> ${percent(last[id])}${id === chosen ? "  <- drawn" : ""}`;
            }),
        ];
    };
    tbt.explain = (row, options) => {
        const words = Object.entries(options).map(([name, value]) => `--${name} ${value}`);
        return `make run-10 ARGS='"${row.prompt}" -n 1 --explain ${words.join(" ")}'`;
    };
    tbt.play = (row, options) => new URLSearchParams({ prompt: row.prompt, ...options }).toString();

    // ---- chapters 03, 04, 05 ----
    const contexts = (row) => (row.step ?? 1) === 1 && row.ids.length < 10;
    tbt.contexts = contexts;
    tbt.control = {
        T: { kind: "slider", name: "temperature", label: "Temperature T", range: [0, 2, 0.05], value: 1 },
        k: { kind: "slider", name: "top-k", label: "Top-k (0: off)", range: [0, 100, 1], value: 0 },
        p: { kind: "slider", name: "top-p", label: "Top-p (1: off)", range: [0, 1, 0.01], value: 1 },
        m: { kind: "slider", name: "min-p", label: "Min-p (0: off)", range: [0, 0.5, 0.01], value: 0 },
        spin: { kind: "button", name: "seed", label: "Draw again", value: 0, press: (state) => ++state.seed },
    };
    const { T, k, p, spin } = tbt.control;

    tbt.figures.temperature = {
        title: "Bend the distribution, then draw",
        rows: contexts,
        controls: [T, spin],
        parts: () => ({ bars: tbt.bars(["T = 1", "at T"]), wheel: tbt.wheel() }),
        show: (state, row, { bars, wheel }) => {
            const options = { temperature: state.temperature, "top-p": 1, seed: state.seed };
            const entropy = core.call("temperature", 1), raw = core.stage(0), order = core.order();
            const bent = core.call("temperature", state.temperature), now = core.stage(0);
            const u = core.uniform(state.seed), id = core.call("draw", state.temperature, u);
            bars.set(tbt.rowsOf(order, raw, now, id), Math.max(1.4 * raw[order[0]], now[order[0]]));
            wheel.set(now, u, id);
            return {
                said: [`T = ${state.temperature}: entropy ${bent.toFixed(3)} nats. u = ${tbt.luck(u)} draws `, tbt.chip(core.names[id]), "."],
                command: tbt.explain(row, options),
                lines: tbt.explained(core.chain(options, 0, u), order, entropy),
                play: tbt.play(row, options),
            };
        },
    };

    // A truncation: what it keeps, and how much of the probability that is.
    const truncated = (how, amount, at, { bars, curve }, level = 1) => {
        const entropy = core.call("temperature", at), before = core.stage(0), order = core.order();
        const kept = core.call("cut", how, at, amount), after = core.stage(1);
        let sum = 0;
        const sums = order.map((id) => (sum += before[id]));
        const mass = Math.min(1, sums[kept - 1]);
        bars.set(tbt.rowsOf(order, before, after), Math.max(...after) * 1.05);
        curve.set({ sums, kept, mass, level });
        return { entropy, before, order, kept, mass };
    };
    const both = () => ({ bars: tbt.bars(["before", "after"]), curve: tbt.curve() });

    tbt.figures["top-k"] = {
        title: "Keep the k most probable tokens",
        rows: contexts,
        controls: [{ ...k, label: "k", range: [1, 200, 1], value: 10 }],
        parts: both,
        show: (state, row, parts) => {
            const { entropy, before, order, kept, mass } = truncated(0, state["top-k"], 1, parts);
            // As chapter 04 prints them: the first three and the last one, or up to five.
            const ranks = kept > 5 ? [0, 1, 2, 3, kept - 1] : order.slice(0, kept).keys();
            const line = (i) =>
                `   ${String(i + 1).padStart(3)} ${padded(core.names[order[i]], 14)} ${(100 * before[order[i]]).toFixed(4).padStart(8)} %`;
            return {
                said: `k = ${kept} keeps ${percent(mass)} of the probability and cuts ${tbt.many(order.length - kept, "token")} with ${percent(1 - mass)}.`,
                command: `make run-04 ARGS='"${row.prompt}" --part 4 --top-k ${state["top-k"]}'`,
                lines: [
                    `   "${row.prompt}": ${percent(mass, 1)} of the probability, entropy ${entropy.toFixed(2)} nats`,
                    ...Array.from(ranks, line),
                ],
                play: tbt.play(row, { temperature: 1, "top-p": 1, "top-k": kept }),
            };
        },
    };

    tbt.figures["top-p"] = {
        title: "Keep a share of the probability, however many tokens that takes",
        rows: contexts,
        controls: [
            { kind: "select", name: "cut", label: "Truncation", value: 1, values: [[1, "top-p"], [2, "min-p"]] },
            { ...p, label: "p (of min-p: m)", range: [0, 1, 0.01], value: 0.9 },
            { ...T, range: [0.1, 2, 0.05] },
        ],
        parts: both,
        show: (state, row, parts) => {
            const at = state.temperature, amount = state["top-p"], nucleus = state.cut === 1;
            const options = { temperature: at, "top-p": nucleus ? amount : 1, "min-p": nucleus ? 0 : amount };
            const { order, kept, mass } = truncated(state.cut, amount, at, parts, nucleus ? amount : 1);
            const chain = core.chain(options, 0, core.uniform(0));
            return {
                said: `${nucleus ? "Top-p" : "Min-p"} ${amount} keeps ${tbt.many(kept, "token")} with ${percent(mass)} of the probability and cuts ${tbt.count(order.length - kept)}.`,
                command: tbt.explain(row, options),
                lines: tbt.explained(chain, order, core.call("temperature", 1)),
                play: tbt.play(row, options),
            };
        },
    };
}
