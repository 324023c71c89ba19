// A tree of guesses: what each of them follows, and the way that the text went.
{
    const { s, fitting, many } = tbt;
    const column = 118,
        line = 34,
        box = 26;

    // depth: how many guesses stand before it; row: its place in the picture; kept: the text went here.
    const placed = (round) => {
        const nodes = round.tree.map((t) => ({ ...t, kept: false }));
        const children = (i) => nodes.filter((n) => n.parent === i);
        let rows = 0;
        const lay = (node, depth) => {
            node.depth = depth;
            const own = children(nodes.indexOf(node));
            if (!own.length) node.row = rows++;
            else {
                own.forEach((child) => lay(child, depth + 1));
                node.row = (own[0].row + own.at(-1).row) / 2;
            }
        };
        children(null).forEach((node) => lay(node, 0));
        let at = null;
        for (const token of round.tokens) {
            const next = children(at).find((n) => n.id === token.id);
            if (!next) break;
            next.kept = true;
            at = nodes.indexOf(next);
        }
        return { nodes, rows };
    };

    const nodeOf = (n) =>
        s(
            "g",
            { class: n.kept ? "guess kept" : "guess" },
            s("title", {}, `${n.label}: ${n.kept ? "the target drew it, too" : "not what the target drew"}`),
            s("rect", { x: n.x, y: n.y, width: column - 26, height: box, rx: 4 }),
            s("text", { x: n.x + 8, y: n.y + 18 }, fitting(n.label, column - 40)),
        );

    // From the text on the left to each first guess, and from each guess to those after it.
    tbt.treePicture = (round) => {
        const { nodes, rows } = placed(round);
        for (const n of nodes) ((n.x = 22 + n.depth * column), (n.y = 4 + n.row * line));
        const deepest = Math.max(...nodes.map((n) => n.depth)) + 1;
        const width = 22 + deepest * column,
            height = rows * line + 4,
            kept = nodes.filter((n) => n.kept);
        const edge = (n) => {
            const from = n.parent === null ? null : nodes[n.parent];
            const x = from ? from.x + column - 26 : 8,
                y = from ? from.y + box / 2 : height / 2;
            const to = n.y + box / 2;
            return s("path", {
                class: n.kept ? "branch kept" : "branch",
                d: `M${x} ${y}C${x + 14} ${y} ${n.x - 14} ${to} ${n.x} ${to}`,
            });
        };
        const order = [...nodes].sort((a, b) => a.kept - b.kept);
        return s(
            "svg",
            {
                class: "tree",
                viewBox: `0 0 ${width} ${height}`,
                width,
                height,
                role: "img",
                "aria-label":
                    `a tree of ${many(nodes.length, "guess", "guesses")}; the text went along ` +
                    (kept.map((n) => n.label).join(", ") || "none of them"),
            },
            s("circle", { class: "treeroot", cx: 6, cy: height / 2, r: 5 }),
            order.map(edge),
            order.map(nodeOf),
        );
    };
}
