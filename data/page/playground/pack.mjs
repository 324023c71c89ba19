// Puts the playground into one file:
//   node data/page/playground/pack.mjs MODULE FOLDER/playground.html
// MODULE is build-wasm/text_generator.js; its .wasm lies beside it.
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

// What the program opens, at its place below the root of the repository.
const model = (name) =>
    ["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"]
        .concat(["special_tokens_map.json", "vocab.json", "merges.txt", "model.safetensors"])
        .map((file) => `data/models/${name}/${file}`);
const schemas = ["person", "weather", "order"].map((name) => `data/schemas/${name}.json`);
const files = [...model("storyteller"), ...model("sketch"), ...schemas];

// Floats of 16 bits compress better with their upper bytes together and their lower bytes together.
const halves = (bytes) =>
    Buffer.concat([0, 1].map((i) => bytes.filter((_, at) => at % 2 === i)));
const entries = [
    ...files.map((name) => ({ name, bytes: fs.readFileSync(name) })),
    { name: "program", bytes: fs.readFileSync(module.replace(/\.js$/, ".wasm")) },
].map(({ name, bytes }) => {
    const split = name.endsWith(".safetensors");
    return { name, size: bytes.length, split, bytes: split ? halves(bytes) : bytes };
});
const packed = zlib.deflateRawSync(Buffer.concat(entries.map((e) => e.bytes)), { level: 9 });

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

// The viewer's parts in the order that page.cpp names; the last one starts a page with a trace.
const viewer = fs.readFileSync("chapters/10_generate/page.cpp", "utf8");
const parts = [...viewer.matchAll(/"(\w+\.js)"/g)].map((m) => m[1]).filter((n) => n !== "start.js");
const scripts = parts.map((name) => read(`../${name}`));
const index = entries.map(({ name, size, split }) => ({ name, size, split }));
const pieces = {
    "/* page.css */": ascii.css(read("../page.css") + read("play.css")),
    "/* worker */": inScript(fs.readFileSync(module, "utf8") + read("runner.js") + read("worker.js")),
    "/* index */": JSON.stringify(index),
    "/* scripts */": inScript(
        [...scripts, read("runner.js"), read("unpack.js"), read("form.js"), read("play.js")].join("\n"),
    ),
};
let page = ascii.html(read("play.html"));
for (const [mark, content] of Object.entries(pieces)) {
    if (!page.includes(mark)) throw new Error(`play.html: has no ${mark}`);
    page = page.replace(mark, () => content);
}
const [before, after] = page.split("/* packed */");
fs.writeFileSync(
    `${out}.tmp`,
    Buffer.concat([Buffer.from(before), Buffer.from(escaped), Buffer.from(after)]),
);
fs.renameSync(`${out}.tmp`, out);
console.log(`${out}: ${(fs.statSync(out).size / 1e6).toFixed(2)} MB, opens from disk`);
