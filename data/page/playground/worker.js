// The page's worker: runs the program while the page stays alive.
//   in:  { module, files }, once; then { id, words }
//   out: { id, text } while it writes; { id, status, errors, trace, seconds, writing } at the end
{
    let module = null;
    let files = {};

    const decoder = () => {
        const utf8 = new TextDecoder();
        let bytes = [];
        let sent = 0;
        return {
            put(byte, send) {
                bytes.push(byte & 255);
                const now = performance.now();
                if (now - sent < 30) return;
                sent = now;
                this.flush(send);
            },
            flush(send) {
                const text = utf8.decode(new Uint8Array(bytes), { stream: true });
                bytes = [];
                if (text) send(text);
            },
        };
    };

    const place = (m) => {
        const { FS } = m;
        for (const [name, bytes] of Object.entries(files)) {
            FS.mkdirTree(name.replace(/[^/]*$/, "") || "/");
            FS.writeFile(name, bytes, { canOwn: true });
        }
    };

    const trace = "trace.jsonl";
    const run = async ({ id, words, more }) => {
        const out = decoder();
        const err = decoder();
        const send = (text) => self.postMessage({ id, text });
        let errors = "";
        const keep = (text) => (errors += text);
        const start = performance.now();
        let first = 0; // when the first byte came, and the last
        let last = 0;
        const { status, FS } = await tbtRun({
            create: tbtModule,
            module,
            name: "build/23_text_generator",
            words,
            stdout: (byte) => {
                // The line's end comes after the trace.
                if (byte !== 10) last = performance.now();
                first ||= last;
                out.put(byte, send);
            },
            stderr: (byte) => err.put(byte, keep),
            mount: (m) => {
                place(m);
                for (const [name, text] of Object.entries(more || {})) m.FS.writeFile(name, text);
            },
        });
        out.flush(send);
        err.flush(keep);
        const seconds = (performance.now() - start) / 1000;
        const written = FS.analyzePath(trace).exists;
        self.postMessage({
            id,
            status,
            errors,
            seconds,
            writing: (last - first) / 1000,
            trace: written ? FS.readFile(trace, { encoding: "utf8" }) : null,
        });
    };

    self.onmessage = ({ data }) => {
        if (data.module) ({ module, files } = data);
        else
            run(data).catch((e) =>
                self.postMessage({ id: data.id, status: 1, errors: String(e), trace: null }),
            );
    };
}
