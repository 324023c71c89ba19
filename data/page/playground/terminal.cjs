// The program in WebAssembly from a terminal, on the files of this folder:
//   node data/page/playground/terminal.cjs build-wasm/text_generator.js WORDS…
// What it writes is what build/23_text_generator WORDS… writes, byte for byte.
const fs = require("fs");
const path = require("path");
const { tbtRun } = require("./runner.js");

const [script, ...words] = process.argv.slice(2);
const collect = () => {
    const bytes = [];
    return { bytes, put: (byte) => bytes.push(byte & 255) };
};
const main = async () => {
    const out = collect();
    const err = collect();
    const { status } = await tbtRun({
        create: require(path.resolve(script)),
        module: await WebAssembly.compile(fs.readFileSync(script.replace(/\.js$/, ".wasm"))),
        name: process.env.TBT_PROGRAM || "build/23_text_generator",
        words,
        input: process.stdin.isTTY ? "" : fs.readFileSync(0),
        stdout: out.put,
        stderr: err.put,
        mount: ({ FS, NODEFS }) => {
            FS.mkdir("/here");
            FS.mount(NODEFS, { root: process.cwd() }, "/here");
            FS.chdir("/here");
        },
    });
    fs.writeSync(1, Buffer.from(out.bytes));
    fs.writeSync(2, Buffer.from(err.bytes));
    process.exitCode = status;
};
main();
