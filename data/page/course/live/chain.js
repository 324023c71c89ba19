// The live figures of chapters 06 and 08: a chain's steps as columns, what each cuts, and the draw.
{
    const { h, core } = tbt;
    const { T, k, p, m, spin } = tbt.control;

    // The trace page's waterfall of a choice.
    const waterfall = () => {
        const element = h("div", {});
        const log = (q) => (q >= 0 ? Math.log(q) : null);
        const set = ({ steps, stages, chosen }, order) => {
            const shown = order.slice(0, 8);
            if (!shown.includes(chosen)) shown.push(chosen);
            const top = shown.map((id) => {
                const after = stages.slice(1).map((q) => log(q[id]));
                const gone = after.indexOf(null);
                const removed_by = gone < 0 ? undefined : steps[gone].text.split(" ")[0];
                return { id, label: core.names[id], raw: Math.log(stages[0][id]), after, removed_by };
            });
            const columns = steps.map((step) => {
                const [name, parameters] = step.text.split(" ");
                return { ...step, name, parameters, mass_removed: step.mass };
            });
            element.replaceChildren(
                tbt.waterfall({ id: chosen, top, raw: { candidates: order.length }, steps: columns }),
            );
        };
        return { element, set };
    };
    const pick = (state, names) => Object.fromEntries(names.map((name) => [name, state[name]]));
    const parts = () => ({ waterfall: waterfall(), wheel: tbt.wheel() });
    const show = (row, options, dialect, parts, command) => {
        const u = core.uniform(Number(options.seed));
        const order = core.order(), entropy = core.call("temperature", 1);
        const chain = core.chain(options, dialect, u);
        const { steps, stages, chosen } = chain;
        parts.waterfall.set(chain, order);
        parts.wheel.set(stages.at(-1), u, chosen);
        const left = steps.length ? steps.at(-1).after : order.length;
        return {
            said: [`${tbt.many(left, "token is", "tokens are")} left; u = ${tbt.luck(u)} draws `, tbt.chip(core.names[chosen]), "."],
            command,
            lines: tbt.explained(chain, order, entropy),
        };
    };

    const dialects = ["ours", "transformers", "llama.cpp", "vllm"];
    tbt.figures.chain = {
        title: "A chain of steps, in the order of four programs",
        rows: tbt.contexts,
        controls: [
            { kind: "select", name: "dialect", label: "Order of", value: 0, values: dialects.map((name, i) => [i, name]) },
            { ...T, range: [0.1, 2, 0.05], value: 0.8 },
            { ...k, value: 40 },
            { ...p, value: 0.9 },
            m,
            spin,
        ],
        parts,
        show: (state, row, parts) => {
            const options = pick(state, ["temperature", "top-k", "top-p", "min-p", "seed"]);
            const command = tbt.explain(row, { dialect: dialects[state.dialect], ...options });
            const shown = show(row, options, state.dialect, parts, command);
            return { ...shown, play: tbt.play(row, options) };
        },
    };

    const slider = (name, label, range, value) => ({ kind: "slider", name, label, range, value });
    tbt.figures.penalties = {
        title: "Talk the model out of its loop",
        rows: (row) => row.ids.length > 10,
        controls: [
            slider("repetition-penalty", "Repetition penalty (1: off)", [1, 2, 0.05], 1.3),
            slider("frequency-penalty", "Frequency penalty (0: off)", [0, 2, 0.1], 0),
            slider("presence-penalty", "Presence penalty (0: off)", [0, 2, 0.1], 0),
            slider("no-repeat-ngram-size", "No n-gram twice, n (0: off)", [0, 5, 1], 0),
            spin,
        ],
        parts: () => ({ text: text(), ...parts() }),
        show: (state, row, parts) => {
            const names = ["repetition-penalty", "frequency-penalty", "presence-penalty", "no-repeat-ngram-size", "seed"];
            const options = { temperature: 1, "top-p": 1, ...pick(state, names) };
            const command = tbt.explain(row, { "penalty-scope": "all", ...options });
            parts.text.set(row);
            const shown = show(row, options, 0, parts, command);
            return { ...shown, play: tbt.play(row, options) };
        },
    };

    // The text so far; what is written more than once is marked by how often.
    const text = () => {
        const element = h("p", { class: "livetext" });
        const set = (row) => {
            const times = new Map();
            for (const id of row.ids) times.set(id, (times.get(id) ?? 0) + 1);
            const token = (id) =>
                h(
                    "span",
                    { class: times.get(id) > 1 ? "twice" : "", title: `written ${tbt.many(times.get(id), "time")}` },
                    core.names[id].replace("·", " "),
                );
            element.replaceChildren(...row.ids.map(token), " …");
        };
        return { element, set };
    };
}
