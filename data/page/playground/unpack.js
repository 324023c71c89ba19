// What pack.mjs packed: characters of the page back into bytes, bytes into files.
{
    // The 256 characters of windows-1252, as bytes.
    const byteOf = () => {
        const table = new Map();
        const all = new TextDecoder("windows-1252").decode(
            Uint8Array.from({ length: 256 }, (_, i) => i),
        );
        for (let i = 0; i < 256; ++i) table.set(all.charCodeAt(i), i);
        return table;
    };

    tbt.unescape = (text) => {
        const table = byteOf();
        const bytes = new Uint8Array(text.length);
        let n = 0;
        let shift = 0; // 64 after an escape
        for (let i = 0; i < text.length; ++i) {
            const code = text.charCodeAt(i);
            const byte = code < 128 ? code : code > 255 || code < 160 ? table.get(code) : code;
            if (byte === 61 && !shift) shift = 64;
            else {
                bytes[n++] = byte - shift;
                shift = 0;
            }
        }
        return bytes.slice(0, n);
    };

    const joined = (bytes) => {
        const half = (bytes.length + 1) >> 1;
        const out = new Uint8Array(bytes.length);
        for (let i = 0; i < half; ++i) out[2 * i] = bytes[i];
        for (let i = half; i < bytes.length; ++i) out[2 * (i - half) + 1] = bytes[i];
        return out;
    };

    // { name: bytes } of all files. Throws Error where the browser cannot inflate.
    tbt.unpack = async (bytes, index) => {
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
        const all = new Uint8Array(await new Response(stream).arrayBuffer());
        const files = {};
        let at = 0;
        for (const { name, size, split, same } of index) {
            if (same) {
                files[name] = files[same];
                continue;
            }
            const part = all.subarray(at, (at += size));
            files[name] = split ? joined(part) : part.slice();
        }
        if (at !== all.length) throw new Error("the page is cut off or changed");
        return files;
    };
}
