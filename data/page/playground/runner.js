"use strict";
// One run of chapter 23's program in WebAssembly: its main() with the words of a command line, as a
// terminal would call it. Shared by the page's worker and by node (terminal.cjs).
// Every run has an instance of its own, so it begins with clean memory; the compiled module is kept.
const tbtRun = async (options) => {
    const { create, module, name, words, mount, stdout, stderr, input } = options;
    const bytes = [...new TextEncoder().encode(input ?? "")];
    const instance = await create({
        thisProgram: name,
        // Told how to make an instance, the loader asks for no file.
        instantiateWasm: (imports, ready) => {
            WebAssembly.instantiate(module, imports).then((made) => ready(made, module));
            return {};
        },
        preRun: [
            (m) => {
                const put = (sink) => (byte) => byte === null || sink(byte);
                m.FS.init(() => bytes.shift() ?? null, put(stdout), put(stderr));
                mount(m);
            },
        ],
    });
    const status = instance.callMain(words);
    return { status, FS: instance.FS };
};

// The instructions that the program is compiled to: a function with a vector of 128 bits.
const tbtHasSimd = () =>
    WebAssembly.validate(
        new Uint8Array([
            0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0,
            253, 15, 253, 98, 11,
        ]),
    );

if (typeof module === "object" && module) module.exports = { tbtRun, tbtHasSimd };
