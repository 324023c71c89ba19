// The live figure of chapter 12: p and q as areas of equal widths, and darts thrown into q's. A dart
// that lands under p, too, is an accepted guess.
{
    const { h, s, core } = tbt;
    const { padded } = tbt.live;
    const most = 12; // tokens with a column of their own

    // The rounds of a seed: the draft's token, the number that judges it, the correction.
    const thrown = (T, p, q, seed) => {
        const id = core.call("draft", T, core.uniform(seed)), u = core.uniform(seed, 1);
        const ratio = Math.min(1, p[id] / q[id]);
        return { id, u, ratio, accepted: u < p[id] / q[id], at: core.uniform(seed, 3) };
    };

    const areas = () => {
        let data = null;
        const draw = (width) => {
            const { p, q, columns, throws, last } = data;
            const height = 250, top = 12, bottom = height - 74;
            // The first column's name begins to the left of it.
            const left = 16, each = (width - left) / columns.length;
            const high = Math.max(...columns.map((c) => Math.max(c.p, c.q)));
            const Y = (value) => bottom - ((bottom - top) * value) / high;
            const box = (name, i, from, to, title) =>
                to > from &&
                s(
                    "rect",
                    { class: name, x: left + i * each + 1.5, width: each - 3, y: Y(to), height: Y(from) - Y(to) },
                    s("title", {}, title),
                );
            const column = (c, i) => [
                box("both", i, 0, Math.min(c.p, c.q), `${c.label}: min(p, q) ${Math.min(c.p, c.q).toFixed(4)}`),
                box("residual", i, c.q, c.p, `${c.label}: p − q ${(c.p - c.q).toFixed(4)}`),
                box("toomuch", i, c.p, c.q, `${c.label}: q − p ${(c.q - c.p).toFixed(4)}`),
                s(
                    "text",
                    { class: last && last.column === i ? "strong" : "", transform: `translate(${left + i * each + each / 2 + 4} ${bottom + 10}) rotate(-50)`, "text-anchor": "end" },
                    tbt.fitting(c.label, 84),
                ),
            ];
            const dart = (t) =>
                s("circle", {
                    class: `dart ${t.accepted ? "yes" : "no"}${t === last ? " last" : ""}`,
                    cx: left + (t.column + 0.15 + 0.7 * t.at) * each,
                    cy: Y(t.u * columns[t.column].q),
                    r: t === last ? 5 : 2,
                });
            const sum = p.reduce((total, value, id) => total + Math.min(value, q[id]), 0);
            return s(
                "svg",
                { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `p and q overlap in ${sum.toFixed(3)} of their area` },
                columns.map(column),
                s("line", { class: "base", x1: left, x2: width, y1: bottom, y2: bottom }),
                throws.map(dart),
            );
        };
        const picture = tbt.picture("areas", (w) => (data ? draw(w) : h("span", {})));
        return { element: picture.element, set: (next) => ((data = next), picture.redraw()) };
    };
    const legend = () => {
        const key = (name, text) => h("span", {}, h("span", { class: `swatch ${name}` }, "\u00a0"), ` ${text}`);
        return {
            element: h(
                "p",
                { class: "legend areakeys" },
                key("both", "min(p, q): accepted"),
                key("toomuch", "q − p: drafted too often, rejected"),
                key("residual", "p − q: the residual, drawn after a rejection"),
            ),
        };
    };

    tbt.figures.speculative = {
        title: "Throw a guess: accepted where p covers q",
        rows: (row) => Boolean(row.draft),
        controls: [
            { ...tbt.control.T, range: [0.1, 2, 0.05] },
            { kind: "button", name: "seed", label: "Next guess", value: 0, press: (state) => ++state.seed },
            { kind: "button", name: "more", label: "A hundred more", press: (state) => (state.seed += 100) },
        ],
        parts: () => ({ areas: areas(), legend: legend() }),
        show: (state, row, parts) => {
            const T = state.temperature, sum = core.call("overlap", T);
            const [p, q] = [0, 1].map(core.stage);
            const top = core.order().map((id) => [Math.max(p[id], q[id]), id]);
            const shown = top.sort((a, b) => b[0] - a[0]).slice(0, most).map(([, id]) => id);
            const place = new Map(shown.map((id, i) => [id, i]));
            const columns = shown.map((id) => ({ label: core.names[id], p: p[id], q: q[id] }));
            const throws = [];
            for (let seed = Math.max(0, state.seed - 499); seed <= state.seed; ++seed) throws.push(thrown(T, p, q, seed));
            for (const t of throws) t.column = place.get(t.id);
            const last = throws.at(-1), accepted = throws.filter((t) => t.accepted).length;
            if (last.column === undefined) {
                last.column = columns.length;
                columns.push({ label: core.names[last.id], p: p[last.id], q: q[last.id] });
            }
            parts.areas.set({ p, q, columns, last, throws: throws.filter((t) => t.column !== undefined) });
            const name = padded(core.names[last.id], 12);
            const correction = last.accepted ? -1 : core.call("correction", core.uniform(state.seed, 2));
            const options = { temperature: T, "top-p": 1, seed: state.seed };
            const words = Object.entries(options).map(([option, value]) => `--${option} ${value}`);
            const number = (value, width) => value.toFixed(4).padStart(width);
            return {
                said: [
                    `Σ min(p, q) = ${sum.toFixed(3)}; accepted ${accepted} of ${throws.length}. The draft says `,
                    tbt.chip(core.names[last.id]),
                    `: u = ${tbt.luck(last.u)} is ${last.accepted ? "below" : "not below"} p/q = ${(p[last.id] / q[last.id]).toFixed(4)}, ${last.accepted ? "accepted." : "rejected; instead "}`,
                    ...(last.accepted ? [] : [tbt.chip(core.names[correction]), "."]),
                ],
                command: `make run-12 ARGS='"${row.prompt}" -n 2 --num-assistant-tokens 1 ${words.join(" ")}'`,
                lines: [
                    `     ${name}  ${number(p[last.id], 8)}  ${number(q[last.id], 8)}  ${number(last.ratio, 8)}  ${number(last.u, 7)}  ${last.accepted ? "accepted" : "rejected"}`,
                    ...(last.accepted ? [] : [`     ${padded(core.names[correction], 12)}  correction, from the residual`]),
                    `   1 drafted, 1 verified, ${Number(last.accepted)} accepted: ${Number(last.accepted).toFixed(3)} of the verified; expected from Σ min(p, q): ${sum.toFixed(3)}`,
                ],
                play: tbt.play(row, { ...options, decoder: "sketch" }),
            };
        },
    };
}
