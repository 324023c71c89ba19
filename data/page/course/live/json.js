// The live figure of chapter 13: type JSON, and see which bytes and tokens may follow.
{
    const { h, core } = tbt;
    const { padded } = tbt.live;
    const examples = ['{"name": "Ada", "n": [1.5, tr', '{"a":[1,-2e3]}', '["x", {"b": nul', "[1, 2,]"];

    // A token's bytes, from its name (lib/show/terminal.hpp, visible()).
    const spelled = (name) =>
        name
            .replace(/^·/, " ")
            .replaceAll("⏎", "\n")
            .split(/(<[0-9A-F]{2}>)/)
            .flatMap((part, i) => (i % 2 ? [parseInt(part.slice(1), 16)] : Array.from(new TextEncoder().encode(part))));
    let known = false;
    const vocabulary = () => {
        if (!known) for (const name of core.names) (core.bytes(spelled(name)), core.call("token"));
        known = true;
    };

    // Buttons that type what may follow.
    const keys = (className, label) => (state, changed) => {
        const element = h("div", { class: className, role: "group", "aria-label": label });
        const type = (letters) => () => ((state.text += letters), changed());
        // Who has a keyboard types in the field: 95 stops of the tab key would be in the way.
        const key = ([letters, name, allowed]) =>
            h("button", { type: "button", class: "key", tabindex: -1, disabled: !allowed, onclick: type(letters) }, name);
        return { element, set: (list) => element.replaceChildren(...list.map(key)) };
    };
    const letters = keys("bytekeys", "Bytes that may follow"), words = keys("tokenkeys", "Tokens that may follow");
    const ascii = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
    const shown = (c) => (c === " " ? "·" : c);

    tbt.figures.json = {
        title: "Type JSON, and see the mask",
        rows: (row) => row.step === 0,
        controls: [
            { kind: "text", name: "text", label: "A JSON text, or its beginning", value: examples[0] },
            { kind: "button", name: "back", label: "Take one back", press: (state) => (state.text = state.text.slice(0, -1)) },
            {
                kind: "button",
                name: "next",
                label: "Another text",
                press: (state) => (state.text = examples[(state.example = ((state.example ?? 0) + 1) % examples.length)]),
            },
        ],
        parts: (state, changed) => ({ letters: letters(state, changed), words: words(state, changed) }),
        show: (state, row, parts) => {
            // What a command line in quotes could not say as it is: ', $ and ` are left out.
            state.text = state.text.replace(/[^ -~]|['`$]/g, "").slice(0, 60);
            state.sync();
            vocabulary();
            core.bytes(new TextEncoder().encode(state.text));
            const read = core.call("json"), ends = core.names.indexOf("<|endoftext|>");
            const at = (i) => core.ints(3, "after", i);
            const follow = core.flags(256, "follow"), legal = core.flags(core.names.length, "legal", ends);
            const refused = read < state.text.length;
            const many = legal.reduce((sum, one) => sum + one, 0);
            parts.letters.set(ascii.map((c) => [c, shown(c), !refused && follow[c.charCodeAt(0)]]));
            const long = refused
                ? []
                : core.names
                      .filter((name, id) => legal[id] && id !== ends && name.length > 1 && /^[·!-~]+$/.test(name))
                      .sort((a, b) => b.length - a.length);
            parts.words.set(long.slice(0, 24).map((name) => [name.replace(/^·/, " "), name, true]));
            const [next, closing, accepts] = at(read);
            const line = (i) => {
                const [bytes, close, end] = at(i);
                const c = padded(shown(state.text[i - 1]), 4);
                return `   ${c}  ${padded(core.text("expects", i), 16)}  ${padded(core.text("open", i), 5)}  ${String(bytes).padStart(4)}  ${String(close).padStart(8)}${end ? "  may end" : ""}`;
            };
            const lines = Array.from({ length: read }, (_, i) => line(i + 1));
            if (refused) lines.push(`   ${padded(shown(state.text[read]), 4)}  refused: no JSON text goes on like this`);
            const word = state.text.replace(/["\\]/g, "\\$&");
            return {
                said: refused
                    ? ["Refused at ", tbt.chip(shown(state.text[read])), ": no JSON text goes on like this."]
                    : `State: ${core.text("expects", read)}. ${next} of 256 bytes and ${tbt.count(many)} of ${tbt.count(core.names.length)} tokens may follow; ${accepts ? "the text may end here" : `at least ${tbt.many(closing, "byte")} to the end`}.`,
                // (The program has a text of its own, and refuses none.)
                command: `make run-13 ARGS='--part recognizer${word && ` --text "${word}"`}'`,
                lines: lines.length ? lines : ["   byte  then it expects   open  bytes  to close"],
            };
        },
    };
}
