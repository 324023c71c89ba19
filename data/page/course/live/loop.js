// The live figure of chapters 01 and 02: predict, pick, append, repeat, one press at a time.
{
    const { h, core } = tbt;
    const { percent, padded } = tbt.live;
    const steps = tbtLive.rows.filter((row) => row.step !== undefined).length;

    // The text so far as tokens; the new one is marked.
    const text = () => {
        const element = h("p", { class: "livetext looptext" });
        const set = (row, begin) => {
            const token = (id, i) => {
                const kind = i < begin ? "given" : i + 1 === row.ids.length ? "new" : "";
                return h("span", { class: `looptoken ${kind}` }, core.names[id].replace("·", " "));
            };
            element.replaceChildren(...row.ids.map(token), h("span", { class: "loopnext" }, "?"));
        };
        return { element, set };
    };

    const loop = (title, command, line) => ({
        title,
        stepped: true,
        rows: (row) => row.step !== undefined,
        controls: tbt.steps("row", () => steps - 1, "Pick, append, predict →"),
        parts: () => ({ text: text(), bars: tbt.bars(["probability"]) }),
        show: (state, row, parts) => {
            core.call("temperature", 1);
            const p = core.stage(0), order = core.order(), id = core.call("argmax");
            parts.text.set(row, row.ids.length - state.row);
            parts.bars.set(tbt.rowsOf(order, p, p, id, 8), 1);
            return {
                said: [
                    `Step ${state.row + 1} of ${steps}: read ${tbt.many(row.ids.length, "token")}; most probable is `,
                    tbt.chip(core.names[id]),
                    ` with ${percent(p[id], 1)}.`,
                ],
                command,
                lines: line(row, state.row + 1, order, p),
                play: tbt.play(row, { temperature: 0 }),
            };
        },
    });
    const share = (p, width) => `${(100 * p).toFixed(1).padStart(width)} %`;
    tbt.figures.loop = loop("The loop, step by step", "make run-01", (row, step, order, p) => [
        `   step ${step}: "${row.prompt}" + ?`,
        ...order.slice(0, 4).map((id) => `   ${padded(core.names[id], 14)} ${share(p[id], 5)}`),
    ]);
    tbt.figures.greedy = loop(
        "Always the first choice: how far is it ahead?",
        `make run-02 ARGS='"The weather today" -n ${steps}'`,
        (row, step, [first, second], p) => [
            `   ${String(step).padStart(4)}  ${padded(core.names[first], 13)} ${share(p[first], 5)}  ${padded(core.names[second], 13)} ${share(p[second], 5)}`,
        ],
    );
}
