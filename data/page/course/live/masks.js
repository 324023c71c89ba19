// The live figure of chapter 22: the masks of a gap are filled, pass by pass.
{
    const { h, core } = tbt;
    const { percent, padded } = tbt.live;
    const L = 12, mask = -1;
    const name = (id) => (id === mask ? "░" : tbtLive.masks.names[id]);
    // A recorded key is a gap; each of its masks has a row.
    const keys = (run) => (run.all ??= run.keys.flatMap((gap) => gap.flatMap((id, i) => (id === mask ? [[...gap, i]] : []))));

    const orders = [
        { words: "the most certain first", options: () => [], play: { order: "confidence" } },
        { words: "from left to right", options: (passes) => ["--block-length", L / passes], play: { order: "confidence" } },
        { words: "in random order", options: () => ["--diffusion-order", "random", "--seed", 0], play: { order: "random", seed: 0 } },
        { words: "in another random order", options: () => ["--diffusion-order", "random", "--seed", 1], play: { order: "random", seed: 1 } },
    ];
    const fill = (order, passes) => {
        core.key(Array(L).fill(mask));
        const n = core.call("fill", Number(order < 2), passes, order === 1 ? L / passes : 0, order === 3 ? 1 : 0);
        return Array.from({ length: n + 1 }, (_, i) => core.ints(L, "canvas", i));
    };
    // The most probable token at each mask, and how sure the model is.
    const guesses = (gap) =>
        gap.map((id, i) => {
            if (id !== mask) return null;
            core.key([...gap, i]);
            core.call("recall");
            core.call("temperature", 1);
            const best = core.call("argmax");
            return { id: best, p: core.stage(0)[best] };
        });

    const text = () => {
        const element = h("p", { class: "livetext gap" });
        const set = (run, gap, before, found, filled) => {
            const token = (id, i) => {
                const guess = found[i] && h("small", {}, name(found[i].id).replace("·", " "));
                const kind = id === mask ? (filled[i] ? "next" : "masked") : before && before[i] === mask ? "new" : "";
                return h("span", { class: `gaptoken ${kind}` }, id === mask ? guess : name(id).replace("·", " "));
            };
            element.replaceChildren(run.prompt, ...gap.map(token), run.suffix);
        };
        return { element, set };
    };

    tbt.figures.masks = {
        title: "Fill the gap, pass by pass",
        runs: () => tbtLive.masks.texts,
        state: { step: 0, rounds: 6, order: 0 },
        controls: [
            { kind: "select", name: "order", label: "Which masks first", values: orders.map((o, i) => [i, o.words]) },
            { kind: "select", name: "rounds", label: "Passes of the model", values: [12, 6, 4, 3, 2, 1].map((n) => [n, `${n}: ${tbt.many(L / n, "mask")} each`]) },
            ...tbt.steps("step", (state) => state.rounds, "Fill, predict again →"),
        ],
        parts: () => ({ text: text(), bars: tbt.bars(["probability"]) }),
        show: (state, run, { text, bars }) => {
            core.remember(run, keys(run));
            const { words, options, play } = orders[state.order];
            const gaps = fill(state.order, state.rounds);
            const step = (state.step = Math.min(state.step, state.rounds)), gap = gaps[step], next = gaps[step + 1];
            const found = guesses(gap), filled = gap.map((id, i) => Boolean(next) && id === mask && next[i] !== mask);
            text.set(run, gap, gaps[step - 1], found, filled);
            const row = ({ id, p }, i) => ({ label: name(id), was: p, is: p, kind: filled[i] ? "drawn" : "kept" });
            bars.element.hidden = !next;
            bars.set(found.flatMap((guess, i) => (guess ? [row(guess, i)] : [])), 1);
            const chosen = found.flatMap((guess, i) => (filled[i] ? [tbt.chip(name(guess.id)), ` ${percent(guess.p, 1)} `] : []));
            const width = String(state.rounds).length;
            const cells = (ids) => ids.map((id, i) => ` ${padded(name(id), Array.from(name(gaps.at(-1)[i])).length)}`).join("");
            const told = [...options(state.rounds), "--diffusion-steps", state.rounds].join(" ");
            const whole = `${run.prompt}___${run.suffix}`;
            return {
                said: next
                    ? [`Pass ${step + 1} of ${state.rounds}, ${words}: ${tbt.many(filled.filter(Boolean).length, "mask")} of ${found.filter(Boolean).length} become `, ...chosen]
                    : `All is filled after ${tbt.many(state.rounds, "pass", "passes")}, ${words}.`,
                command: `make run-22 ARGS='--part 2 ${told}${run === tbtLive.masks.texts[0] ? "" : ` "${whole}"`}'`,
                lines: gaps.slice(0, step + 1).map((ids, i) => `   ${String(i).padStart(width)} ${cells(ids)}`),
                play: state.order === 1 ? "" : tbt.play(run, { infill: run.suffix, ...play, steps: state.rounds, length: L, temperature: 0 }),
            };
        },
    };
}
