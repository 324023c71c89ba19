// The lattice of a search: nodes placed, the ways through them, the picture.
{
    const { s, number, fitting } = tbt;
    const column = 132,
        row = 40,
        box = { width: 104, height: 32 },
        head = 26;

    // The nodes of one group of beams, placed: step is the column, the order of the sums the row.
    const placed = (nodes) => {
        const rows = new Map(),
            by = new Map();
        for (const n of nodes) {
            const y = rows.get(n.step) || 0;
            rows.set(n.step, y + 1);
            by.set(n.node, { ...n, x: (n.step - 1) * column + 8, y: head + y * row });
        }
        return by;
    };

    // The nodes that lead to a text, as far as this group has them.
    const pathOf = (by, ids) => {
        const path = new Set();
        let parent = null,
            step = 1;
        for (const n of by.values()) {
            if (step > ids.length || n.step > step) break;
            if (n.step !== step || n.parent !== parent || n.id !== ids[step - 1]) continue;
            (path.add(n.node), (parent = n.node), ++step);
        }
        return path;
    };

    // Greedy's way: the most probable continuation, again and again, until the search left it.
    // The best child of a beam is looked at whenever any of its children is.
    const greedyOf = (by) => {
        const children = new Map(),
            path = new Set();
        for (const n of by.values()) {
            const best = children.get(n.parent);
            if (!best || n.log_probability > best.log_probability) children.set(n.parent, n);
        }
        let at = children.get(null);
        while (at) (path.add(at.node), (at = children.get(at.node)));
        return path;
    };

    const edge = (a, b, className) => {
        const from = { x: a.x + box.width, y: a.y + box.height / 2 };
        const to = { x: b.x, y: b.y + box.height / 2 };
        return s("path", {
            class: className,
            d: `M${from.x} ${from.y}C${from.x + 16} ${from.y} ${to.x - 16} ${to.y} ${to.x} ${to.y}`,
        });
    };

    const nodeOf = (n, className, select) =>
        s(
            "g",
            { class: `node ${n.fate} ${className}`, "data-node": n.node, onclick: () => select(n) },
            s(
                "rect",
                { x: n.x, y: n.y, width: box.width, height: box.height, rx: 4 },
                s(
                    "title",
                    {},
                    `${n.label}: sum ${number(n.sum)}, score ${number(n.score)}; ${n.fate}`,
                    n.why ? `, ${n.why}` : "",
                ),
            ),
            s("text", { class: "name", x: n.x + 8, y: n.y + 14 }, fitting(n.label, box.width - 14)),
            s(
                "text",
                { class: "scores", x: n.x + 8, y: n.y + 27 },
                `${number(n.sum)} / ${number(n.score)}${n.fate === "finished" ? " ■" : ""}`,
            ),
        );

    const lattice = (by, best, greedy, select) => {
        const all = [...by.values()];
        const steps = Math.max(...all.map((n) => n.step)),
            rows = Math.max(...all.map((n) => n.y));
        const width = steps * column,
            height = rows + row + 4;
        const mark = s("rect", { class: "column", x: 0, y: 0, width: column - 12, height, rx: 6 });
        const edges = all
            .filter((n) => n.parent !== null && by.has(n.parent))
            .map((n) =>
                edge(
                    by.get(n.parent),
                    n,
                    best.has(n.node)
                        ? "edge best"
                        : greedy.has(n.node)
                          ? "edge greedy"
                          : `edge ${n.fate}`,
                ),
            );
        const classOf = (n) =>
            `${best.has(n.node) ? "best" : ""} ${greedy.has(n.node) ? "greedy" : ""}`;
        const names = [];
        for (let i = 1; i <= steps; ++i)
            names.push(
                s("text", { class: "stepnumber", x: (i - 1) * column + 10, y: 16 }, `token ${i}`),
            );
        const svg = s(
            "svg",
            {
                viewBox: `0 0 ${width} ${height}`,
                width,
                height,
                role: "img",
                "aria-label": `what the search looked at in ${steps} steps; said in words below`,
            },
            mark,
            names,
            edges,
            all.map((n) => nodeOf(n, classOf(n), select)),
        );
        return { svg, mark };
    };

    tbt.lattice = { column, placed, pathOf, greedyOf, picture: lattice };
}
