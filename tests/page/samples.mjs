// Traces of version 2 made by hand: a model of a few words stands for the real one, so that the
// page can be tested without one, and with whatever is awkward.
let seed = 1;
const luck = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
};
const words = " the| a| fox| tower| rain| was| saw|,|.| and| old|\n| 🦊| café| very| went".split("|");
const log = (p) => (p > 0 ? Math.log(p) : null);
const sum = (list) => list.reduce((a, b) => a + b, 0);

const distribution = () => {
    const w = words.map(() => Math.exp(4 * luck()));
    return w.map((x) => x / sum(w));
};
const standing = (p, id) => ({
    rank: p[id] > 0 ? 1 + p.filter((x) => x > p[id]).length : 0,
    probability: p[id],
});
const entropy = (p) => -sum(p.map((x) => (x > 0 ? x * Math.log(x) : 0)));

const steps = {
    temperature: (p) => p.map((x) => x ** 1.25),
    "top-k": (p) => p.map((x) => (p.filter((y) => y > x).length < 6 ? x : 0)),
    "top-p": (p) => {
        const order = p.map((x, i) => [x, i]).sort((a, b) => b[0] - a[0]);
        let mass = 0;
        const kept = new Set();
        for (const [x, i] of order) if (mass < 0.9) (kept.add(i), (mass += x));
        return p.map((x, i) => (kept.has(i) ? x : 0));
    },
    grammar: (p) => p.map((x, i) => (i % 3 === 0 ? x : 0)),
};

// Both sides of a mask, the most probable first.
const sides = (p, allowed) => {
    const side = (wanted) =>
        p
            .map((x, id) => [id, words[id], x])
            .filter(([id]) => allowed[id] === wanted)
            .sort((a, b) => b[2] - a[2])
            .slice(0, 8);
    return { kept: side(true), removed: side(false) };
};

export const token = (sample, step, names, draws) => {
    let p = distribution();
    const raw = p;
    const u = luck();
    const rows = [p],
        notes = [];
    for (const name of names) {
        const before = p;
        p = steps[name](p);
        p = p.map((x) => x / sum(p));
        rows.push(p);
        notes.push({ name, before, after: p });
    }
    let at = 0,
        left = u;
    while (left >= p[at]) left -= p[at++];
    const count = (q) => q.filter((x) => x > 0).length;
    let from = 0;
    const wheel = p
        .map((x, id) => [id, words[id], from, (from += x)])
        .filter(([, , a, b]) => b > a);
    const top = raw
        .map((x, id) => [x, id])
        .sort((a, b) => b[0] - a[0])
        .slice(0, 8)
        .map(([, id]) => id);
    if (!top.includes(at)) top.push(at);
    return {
        sample,
        step,
        id: at,
        token: words[at],
        u: draws ? u : null,
        raw: { candidates: count(raw), entropy: entropy(raw), log_probability: log(raw[at]) },
        processed: { candidates: count(p), entropy: entropy(p), log_probability: log(p[at]) },
        steps: notes.map(({ name, before, after }) => ({
            name,
            parameters: { temperature: "0.8", "top-k": "6", "top-p": "0.9" }[name] || "",
            before: count(before),
            after: count(after),
            mass_removed: sum(before.filter((_, i) => after[i] === 0)),
            entropy_before: entropy(before),
            entropy_after: entropy(after),
            chosen_before: standing(before, at),
            chosen_after: standing(after, at),
        })),
        top: top.map((id) => {
            const gone = rows.findIndex((q) => q[id] === 0);
            return {
                id,
                token: words[id],
                raw: log(raw[id]),
                processed: log(p[id]),
                removed_by: gone > 0 ? names[gone - 1] : null,
                after: rows.slice(1).map((q) => log(q[id])),
            };
        }),
        wheel,
        ...(names.includes("grammar")
            ? {
                  guide: {
                      allowed: 6,
                      complete: step % 4 === 3,
                      bytes: [
                          [34, 34],
                          [48, 57],
                          [97, 122],
                      ],
                      closing_bytes: 5,
                      closing_tokens: 3,
                      remaining: Math.max(4, 30 - step),
                      state: "the object › likes › item 2: in a string",
                      ...sides(raw, raw.map((_, i) => i % 3 === 0)),
                  },
              }
            : {}),
    };
};

export const header = (more) => ({
    format: "token-by-token trace 2",
    version: "by hand",
    command: "build/23_text_generator --top-p 0.9 'Once upon a time'",
    model: "by hand",
    weights: {
        hash: "0123456789abcdef",
        parameters: 1,
        vocabulary: words.length,
        context: 512,
        layers: 1,
        cache_bytes_per_token: 9216,
    },
    decoder: "sampling",
    seed: 7,
    samples: 1,
    texts: 1,
    chain: [
        { name: "temperature", parameters: "0.8" },
        { name: "top-p", parameters: "0.9" },
    ],
    prompts: [
        { prompt: "Once upon a time", prompt_ids: [1, 2], prompt_tokens: ["Once upon", " a time"] },
    ],
    ...more,
});
export const lines = (list) => list.map((x) => JSON.stringify(x)).join("\n") + "\n";
export const result = (tokens, number = 0) => ({
    result: number,
    text: tokens.map((t) => t.token).join(""),
    ids: tokens.map((t) => t.id),
    finish_reason: "length",
});

// A text of n tokens that was drawn.
export const drawn = (n, names = ["temperature", "top-k", "top-p"], more = {}) => {
    seed = 1;
    const tokens = Array.from({ length: n }, (_, i) => token(0, i, names, true));
    const passes = tokens.map((_, i) => ({
        pass: i + 1,
        computed: i ? 1 : 2,
        texts: [[0, 2 + i, 1]],
    }));
    return lines([
        header({ chain: names.map((name) => ({ name, parameters: "" })), ...more }),
        ...tokens,
        ...passes,
        result(tokens),
    ]);
};
// A text with what could break a page.
export const hostile = () => {
    const evil = "</script><script>document.title='broken'</script><!-- \u2028 🦊";
    const t = token(0, 0, ["top-p"], true);
    t.token = t.top[0].token = evil;
    t.top[0].id = t.id;
    const cut = { ...token(0, 1, ["top-p"], true), token: "�", bytes: [240, 159] };
    return lines([
        header({
            prompts: [{ prompt: evil, prompt_ids: [1], prompt_tokens: [evil] }],
            command: evil,
            model: evil,
        }),
        t,
        cut,
        result([t, cut]),
    ]);
};
