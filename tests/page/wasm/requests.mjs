// Random requests to chapter 23's program, each a list of words: every decoder, with every step of the chain somewhere.
// The same seed, the same requests.
import fs from "node:fs";

// Mulberry32: enough for choosing options.
const generator = (seed) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

export const requests = (count, seed) => {
    const random = generator(seed);
    const below = (n) => Math.floor(random() * n);
    const one = (list) => list[below(list.length)];
    const between = (low, high, digits = 2) => (low + random() * (high - low)).toFixed(digits);
    const maybe = (chance, ...words) => (random() < chance ? words.map(String) : []);
    const openings = fs
        .readFileSync("data/prompts/openings.txt", "utf8")
        .split("\n")
        .filter((line) => line && !line.startsWith("#"));

    const penalties = () => [
        ...maybe(0.4, "--repetition-penalty", between(1, 1.5)),
        ...maybe(0.3, "--frequency-penalty", between(0, 0.5)),
        ...maybe(0.3, "--presence-penalty", between(0, 0.5)),
        ...maybe(0.2, "--no-repeat-ngram-size", 2 + below(3)),
        ...maybe(0.2, "--logit-bias", `${below(4000)}=-3`),
        ...maybe(0.15, "--dry-multiplier", "0.8"),
        ...maybe(0.1, "--penalty-scope", one(["generated", "all", "last-64"])),
    ];
    const cuts = () => [
        ...maybe(0.7, "--temperature", between(0.3, 1.6)),
        ...maybe(0.5, "--top-k", 1 + below(80)),
        ...maybe(0.5, "--top-p", between(0.5, 1)),
        ...maybe(0.3, "--min-p", between(0, 0.2)),
        ...maybe(0.2, "--typical-p", between(0.5, 1)),
        ...maybe(0.2, "--epsilon-cutoff", "0.0005"),
        ...maybe(0.2, "--eta-cutoff", "0.001"),
        ...maybe(0.15, "--top-n-sigma", between(1, 3)),
        ...maybe(0.15, "--xtc-probability", between(0.2, 0.9)),
        ...maybe(0.15, "--dynatemp-range", between(0.1, 0.5)),
        ...maybe(0.2, "--dialect", one(["ours", "transformers", "llama.cpp", "vllm"])),
    ];
    const drawn = () => ["--seed", String(below(1e9)), ...cuts(), ...penalties()];
    const forms = () =>
        one([
            ["--json-schema", "data/schemas/person.json", "--max-whitespace", "1"],
            ["--json-schema", "data/schemas/weather.json", "--json-layout", "compact"],
            ["--tools", "data/schemas/tools.json", "--max-whitespace", "1"],
            ["--grammar", "data/grammars/report.gbnf"],
            ["--grammar", "data/grammars/arithmetic.gbnf"],
            ["--regex", " ([A-Z][a-z]{2,9} )+[0-9]{1,4}\\."],
            ["--choice", " sunny, rainy, foggy"],
            ["--json", "--max-whitespace", "1"],
            ["--integer", "1:365"],
        ]);
    const decoders = {
        greedy: () => ["--greedy", ...penalties()],
        sampling: drawn,
        "several samples": () => [...drawn(), "--num-return-sequences", "3"],
        mirostat: () => ["--seed", "3", "--mirostat", one(["1", "2"]), "--mirostat-tau", between(2, 5)],
        beams: () => [
            "--num-beams",
            String(2 + below(4)),
            ...penalties(),
            ...maybe(0.4, "--length-penalty", between(0, 2)),
            ...maybe(0.4, "--early-stopping", one(["true", "never"])),
            ...maybe(0.4, "--num-return-sequences", "2"),
        ],
        "groups of beams": () => ["--num-beams", "4", "--num-beam-groups", "2"],
        "drawn beams": () => ["--num-beams", "3", "--do-sample", "--seed", String(below(1e9))],
        sketch: () => [...drawn(), "--assistant-model", "sketch"],
        rejection: () => ["--seed", "4", "--assistant-model", "sketch", "--coupling", "rejection"],
        lookup: () => [...drawn(), "--prompt-lookup-num-tokens", String(2 + below(6))],
        medusa: () => [...drawn(), "--medusa"],
        "a form": () => [...drawn(), ...forms()],
        "a form, searched": () => ["--num-beams", "3", ...forms()],
        "a form, drafted": () => [...drawn(), ...forms(), "--assistant-model", "sketch"],
        guidance: () => ["--seed", "5", "--guidance-scale", "1.7", "--negative-prompt", "The weather"],
        contrast: () => ["--seed", "6", "--contrast-model", "sketch", "--contrast-strength", "0.5"],
        diffusion: () => ["--decoder", "diffusion", "--seed", String(below(1e9)), ...maybe(0.5, "--diffusion-order", "confidence")],
        infill: () => ["--infill", " Then it rained.", "--seed", String(below(1e9))],
    };
    const names = Object.keys(decoders);
    return Array.from({ length: count }, (_, i) => {
        const name = names[i % names.length];
        const words = decoders[name]();
        const fills = name === "diffusion" || name === "infill";
        const held = name.startsWith("a form");
        const length = fills ? 6 + below(10) : held ? 60 : 6 + below(30);
        return {
            name,
            words: [
                one(openings),
                "-n",
                String(length),
                ...words,
                ...maybe(fills ? 0 : 0.2, "--weights", "int8"),
                ...maybe(fills ? 0 : 0.1, "--cache", "f16"),
                ...maybe(fills || name === "guidance" ? 0 : 0.2, "--attention", `${below(6)}.${below(6)}`),
                ...maybe(0.2, "--output-format", "jsonl"),
                ...maybe(fills ? 0 : 0.15, "--logprobs", "3"),
            ],
        };
    });
};
