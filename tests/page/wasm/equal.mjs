// The program in WebAssembly writes what the program of this machine writes: random requests, the texts, what is said on
// stderr, the exit status and the traces compared byte for byte.
//   node tests/page/wasm/equal.mjs PROGRAM build-wasm/text_generator.js [COUNT [SEED]]
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { requests } from "./requests.mjs";

const [program, script, count = "126", seed = "1"] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const { tbtRun } = require("../../../data/page/playground/runner.js");
const create = require(path.resolve(script));
const module = await WebAssembly.compile(fs.readFileSync(script.replace(/\.js$/, ".wasm")));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "equal-"));
const trace = "trace.jsonl";

const native = (words) => {
    const run = { status: 0, out: Buffer.alloc(0), err: Buffer.alloc(0) };
    const file = path.join(folder, trace);
    fs.rmSync(file, { force: true });
    try {
        run.out = execFileSync(path.resolve(program), words, {
            cwd: folder,
            env: { ...process.env, TBT_THREADS: "1" },
            stdio: ["ignore", "pipe", "pipe"],
        });
    } catch (e) {
        Object.assign(run, { status: e.status, out: e.stdout, err: e.stderr });
    }
    run.trace = fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0);
    return run;
};
const wasm = async (words) => {
    const out = [];
    const err = [];
    const { status, FS } = await tbtRun({
        create,
        module,
        name: path.resolve(program),
        words,
        stdout: (byte) => out.push(byte & 255),
        stderr: (byte) => err.push(byte & 255),
        mount: ({ FS, NODEFS }) => {
            FS.mkdir("/data");
            FS.mount(NODEFS, { root: path.resolve("data") }, "/data");
        },
    });
    return {
        status,
        out: Buffer.from(out),
        err: Buffer.from(err),
        trace: FS.analyzePath(trace).exists ? Buffer.from(FS.readFile(trace)) : Buffer.alloc(0),
    };
};

// Each works in a folder of its own that has the repository's data.
fs.symlinkSync(path.resolve("data"), path.join(folder, "data"));
let equal = 0;
let refused = 0;
const failures = [];
const all = requests(Number(count), Number(seed));
for (const { name, words } of all) {
    const line = [...words, "--trace", trace];
    const a = native(line);
    const b = await wasm(line);
    const parts = ["status", "out", "err", "trace"].filter((part) =>
        part === "status" ? a.status !== b.status : !a[part].equals(b[part]),
    );
    if (a.status !== 0) ++refused;
    if (parts.length === 0) ++equal;
    else {
        failures.push(name);
        console.log(`not equal (${parts.join(", ")}): ${name}: ${words.join(" ")}`);
        if (process.env.SHOW) for (const p of parts) console.log(String(a[p]).slice(0, 1500), "\n---\n", String(b[p]).slice(0, 1500));
    }
}
fs.rmSync(folder, { recursive: true });
console.log(`wasm: ${all.length} requests, ${refused} of them refused by both`);
if (refused > all.length / 4) failures.push("most requests were refused");
console.log(`${equal} passed, ${failures.length} failed`);
process.exit(failures.length ? 1 : 0);
