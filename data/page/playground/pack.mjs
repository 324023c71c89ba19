// Puts a playground into one file:
//   node data/page/playground/pack.mjs MODULE FOLDER/playground.html    writes from left to right
//   node data/page/playground/pack.mjs MODULE FOLDER/playground_gaps.html    fills gaps
// MODULE is build-wasm/text_generator.js; its .wasm lies beside it. Two files, because their models
// together are more than a page should have to read.
//
// The program, the models and what else it opens are packed as one piece of text. Base64 would be a
// third longer: the page is written in windows-1252 instead, where every byte is a character, and a
// few bytes that HTML changes on reading are escaped as in yEnc. The rest of the page is ASCII.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

const [module, out] = process.argv.slice(2);
const here = path.dirname(new URL(import.meta.url).pathname);
const read = (name) => fs.readFileSync(path.join(here, name), "utf8");

// What the program opens, at its place below the root of the repository. (vocab.json and merges.txt
// say what tokenizer.json says.) A model in 4 bits lies in models beside the module; the other ones are as shipped.
const model = (name) => {
    const few = path.join(path.dirname(module), "models", name);
    const from = fs.existsSync(few) ? few : `data/models/${name}`;
    return ["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"]
        .concat(["special_tokens_map.json", "model.safetensors"])
        .map((file) => ({ name: `data/models/${name}/${file}`, from: path.join(from, file) }))
        .filter((file) => fs.existsSync(file.from));
};
const schemas = ["person", "weather", "order"]
    .map((name) => `data/schemas/${name}.json`)
    .map((name) => ({ name, from: name }));
const kinds = {
    "playground.html": {
        files: [...["storyteller", "sketch", "medusa"].flatMap(model), ...schemas],
        offers: ["plain", "beams", "sketch", "heads", "schema"],
        heads: shapeOf("storyteller"),
        weights: "int4",
    },
    "playground_gaps.html": { files: model("diffusion"), offers: ["gap"] },
};
const kind = kinds[path.basename(out)];
if (!kind) throw new Error(`${out}: its name is none of ${Object.keys(kinds).join(", ")}`);

// Layers, and heads in each.
function shapeOf(name) {
    const config = JSON.parse(fs.readFileSync(`data/models/${name}/config.json`, "utf8"));
    return [config.n_layer, config.n_head];
}

// Floats of 16 bits compress better with their upper bytes together and their lower bytes together.
const halves = (bytes) =>
    Buffer.concat([0, 1].map((i) => bytes.filter((_, at) => at % 2 === i)));
// The viewer's parts in the order that page.cpp names; the last one starts a page with a trace. The
// first one, elements and numbers, is needed before anything is unpacked.
const inOrder = fs.readFileSync("chapters/10_generate/tools/page.cpp", "utf8");
const [first, ...views] = [...inOrder.matchAll(/"(\w+\.js)"/g)]
    .map((m) => m[1])
    .filter((name) => name !== "start.js")
    .map((name) => read(`../${name}`));
const worker = Buffer.from(fs.readFileSync(module, "utf8") + read("runner.js") + read("worker.js"));
const entries = [
    ...kind.files.map(({ name, from }) => ({ name, bytes: fs.readFileSync(from) })),
    { name: "program", bytes: fs.readFileSync(module.replace(/\.js$/, ".wasm")) },
    { name: "worker", bytes: worker },
    { name: "viewer", bytes: Buffer.from(views.join("\n")) },
].map(({ name, bytes }, i, all) => {
    const split = name.endsWith(".safetensors");
    const size = bytes.length;
    // The models have one tokenizer, in a file each.
    const first = all.findIndex((other) => other.bytes.equals(bytes));
    if (first < i) return { name, same: all[first].name, bytes: Buffer.alloc(0) };
    return { name, size, split, bytes: split ? halves(bytes) : bytes };
});
// Each in the way that suits it, as parts of one stream that end at whole bytes.
const deflated = (bytes, strategy, finishFlush) =>
    zlib.deflateRawSync(bytes, { level: 9, memLevel: 9, strategy, finishFlush });
const { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FULL_FLUSH, Z_FINISH } = zlib.constants;
const packed = Buffer.concat([
    ...entries
        .filter((e) => e.bytes.length > 0)
        .map((e) => deflated(e.bytes, e.split ? Z_FILTERED : Z_DEFAULT_STRATEGY, Z_FULL_FLUSH)),
    deflated(Buffer.alloc(0), Z_DEFAULT_STRATEGY, Z_FINISH),
]);

const special = new Set([0, 13, 60, 61]); // NUL, CR, "<", "=": the last one escapes
const escaped = [];
for (const byte of packed)
    if (special.has(byte)) escaped.push(61, (byte + 64) & 255);
    else escaped.push(byte);

const ascii = {
    html: (text) => text.replace(/[^\0-\x7f]/gu, (c) => `&#${c.codePointAt(0)};`),
    js: (text) =>
        text.replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
    css: (text) => text.replace(/[^\0-\x7f]/gu, (c) => `\\${c.codePointAt(0).toString(16)} `),
};
const inScript = (text) => ascii.js(text).replace(/<(?=\/script|!--)/gi, "\\x3c");

const index = {
    files: entries.map(({ name, size, split, same }) => ({ name, size, split, same })),
    offers: kind.offers,
    heads: kind.heads,
    weights: kind.weights,
};
const pieces = {
    "/* page.css */": ascii.css(read("../page.css") + read("play.css")),
    "/* index */": JSON.stringify(index),
    "/* scripts */": inScript(
        [first, read("runner.js"), read("unpack.js"), read("form.js"), read("play.js")].join("\n"),
    ),
};
let page = ascii.html(read("play.html"));
for (const [mark, content] of Object.entries(pieces)) {
    if (!page.includes(mark)) throw new Error(`play.html: has no ${mark}`);
    page = page.replace(mark, () => content);
}
const [before, after] = page.split("/* packed */");
const size = before.length + escaped.length + after.length;
const most = 9e6; // bytes of a page
if (size > most) {
    console.error(`${out}: would have ${(size / 1e6).toFixed(2)} MB, expected at most ${most / 1e6}`);
    process.exit(1);
}
fs.writeFileSync(
    `${out}.tmp`,
    Buffer.concat([Buffer.from(before), Buffer.from(escaped), Buffer.from(after)]),
);
fs.renameSync(`${out}.tmp`, out);
console.log(`${out}: ${(fs.statSync(out).size / 1e6).toFixed(2)} MB, opens from disk`);
