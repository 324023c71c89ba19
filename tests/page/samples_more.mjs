// Traces by hand of the other decoders: a search, a draft, a tree of guesses, a gap.
import { header, lines, result, token } from "./samples.mjs";

const steps = ["temperature", "top-p"];
const name = (id, token) => ({ id, token });

export const searched = () => {
    const tokens = Array.from({ length: 4 }, (_, i) => token(0, i, steps, false));
    const nodes = [];
    const add = (step, parent, t, p, fate, why = "") => {
        const sum = (parent === null ? 0 : nodes[parent].sum) + p;
        nodes.push({ node: nodes.length, prompt: 0, group: 0, step, parent, ...t });
        Object.assign(nodes.at(-1), { log_probability: p, sum, score: sum / step, fate, why });
        return nodes.length - 1;
    };
    let live = null;
    tokens.forEach((t, i) => {
        const last = i + 1 === tokens.length;
        const parent = live;
        live = add(i + 1, parent, name(t.id, t.token), -0.5, last ? "finished" : "live");
        add(i + 1, parent, name(90 + i, " other"), -0.9, i < 2 ? "live" : "pruned", i < 2 ? "" : "3 others have a greater sum");
        add(i + 1, parent, name(80 + i, " third"), -2.5, "pruned", "2 others have a greater sum");
    });
    const beams = { num_beams: 2, num_beam_groups: 1, length_penalty: 1, early_stopping: "false", do_sample: false };
    return lines([
        header({ decoder: "beams", beams }),
        ...tokens,
        ...nodes,
        { ...result(tokens), sum: -2, score: -0.5 },
    ]);
};

// Guesses in rounds: some kept, one not, the last with a bonus. tree: of heads.
export const guessed = (coupling, tree = false) => {
    const tokens = Array.from({ length: 8 }, (_, i) => token(0, i, steps, coupling === "seed"));
    const judged = (t, p, q, u, accepted) => ({ id: t.id, p, q, u, accepted });
    const wrong = { id: 99, token: " wrong" };
    const name_of = (t) => name(t.id, t.token);
    const all = [
        {
            step: 0,
            drafted: [tokens[0], tokens[1], wrong, wrong],
            judged: [judged(tokens[0], 0.5, 0.4, 0.9, true), judged(tokens[1], 0.2, 0.4, 0.3, true), judged(wrong, 0.01, 0.6, 0.4, false)],
            tokens: tokens.slice(0, 3),
        },
        {
            step: 3,
            drafted: tokens.slice(3, 7),
            judged: tokens.slice(3, 7).map((t) => judged(t, 0.7, 0.6, 0.5, true)),
            tokens: tokens.slice(3, 8),
            bonus: true,
        },
    ];
    const rounds = all.map((r, i) => ({
        round: i + 1,
        sample: 0,
        step: r.step,
        drafted: r.drafted.map((t) => t.id),
        drafted_tokens: r.drafted.map((t) => t.token),
        judged: r.judged,
        tokens: r.tokens.map(name_of),
        bonus: r.bonus || false,
        ...(tree
            ? {
                  tree: [
                      { ...name_of(r.drafted[0]), parent: null },
                      { ...name(98, " other"), parent: null },
                      { ...name_of(r.drafted[1]), parent: 0 },
                      { ...name(97, " third"), parent: 0 },
                      { ...name_of(r.drafted[2]), parent: 2 },
                      { ...name(96, " last"), parent: 1 },
                  ],
              }
            : {}),
    }));
    const passes = [
        { pass: 1, computed: 6, texts: [[0, 6, 5]] },
        { pass: 2, computed: 5, texts: [[0, 9, 5]] },
    ];
    const draft = { from: tree ? "medusa" : "sketch", coupling };
    return lines([header({ draft }), ...tokens, ...rounds, ...passes, result(tokens)]);
};

export const filled = () => {
    const order = [3, 1, 2, 4, 2, 1];
    const tokens = order.map((pass, i) => ({ ...token(0, i, steps, false), pass_filled: pass }));
    const more = { decoder: "diffusion", order: "confidence", steps: 4, block_length: 0, suffix: " The end." };
    return lines([header(more), ...tokens, result(tokens)]);
};
