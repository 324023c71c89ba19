// The controls, the words of a command line that they stand for, and the address that keeps them.
{
    const { h } = tbt;

    const prompts = ["Once upon a time", "The weather today is", "The old lighthouse keeper"];
    const person = "A person: ";

    // name: of the option and in the address; the default is the program's, and then it is not said.
    const controls = [
        { name: "temperature", label: "Temperature (0: greedy)", value: 0.8, range: [0, 2, 0.05] },
        { name: "top-k", label: "Top-k (0: all)", value: 0, range: [0, 100, 1] },
        { name: "top-p", label: "Top-p (1: all)", value: 0.9, range: [0.05, 1, 0.01] },
        { name: "min-p", label: "Min-p (0: all)", value: 0, range: [0, 0.5, 0.01] },
        { name: "repetition-penalty", label: "Repetition penalty", value: 1, range: [1, 2, 0.05] },
        { name: "frequency-penalty", label: "Frequency penalty", value: 0, range: [0, 2, 0.05] },
        { name: "presence-penalty", label: "Presence penalty", value: 0, range: [0, 2, 0.05] },
    ];
    const ways = {
        plain: "one token after the other",
        beams: "a search with beams",
        sketch: "a small model drafts",
        heads: "heads guess a tree",
        schema: "held to a JSON Schema",
        gap: "a gap is filled from both sides",
    };
    // What pack.mjs says of this page: its files, its ways to write, the layers and heads to look at.
    tbt.inPage = JSON.parse(document.getElementById("index").textContent);
    const { offers, heads, weights } = tbt.inPage;
    const decoders = Object.fromEntries(offers.map((name) => [name, ways[name]]));
    const gap = ["I'm going to the beach to build a", " Would you like to come with us?"];
    const defaults = {
        prompt: offers[0] === "gap" ? gap[0] : prompts[0],
        decoder: offers[0],
        infill: gap[1],
        order: "confidence",
        steps: "0",
        attention: "",
        "num-beams": "4",
        schema: "person",
        length: offers[0] === "gap" ? "12" : "40",
        seed: "0",
        ...Object.fromEntries(controls.map((c) => [c.name, String(c.value)])),
    };
    // A search takes the best and draws nothing: what cuts or draws has no say in it.
    const drawing = ["temperature", "top-k", "top-p", "min-p", "seed"];
    // A gap has no text so far that a penalty could look at.
    const penalties = ["repetition-penalty", "frequency-penalty", "presence-penalty"];

    const slider = (c, changed) => {
        const [min, max, step] = c.range;
        const shown = h("output", { for: c.name }, String(c.value));
        const input = h("input", { type: "range", id: c.name, min, max, step, value: c.value });
        input.addEventListener("input", () => ((shown.textContent = input.value), changed()));
        const field = h("div", { class: "field" }, h("label", { for: c.name }, c.label), shown, input);
        return { field, input, set: (v) => ((input.value = v), (shown.textContent = input.value)) };
    };
    const simple = (label, input) => ({
        field: h("div", { class: "field" }, h("label", { for: input.id }, label), input),
        input,
        set: (v) => (input.value = v),
    });
    const number = (id, label, min, max) =>
        simple(label, h("input", { type: "number", id, min, max, step: 1, value: defaults[id] }));
    const choice = (id, label, from) =>
        simple(
            label,
            h(
                "select",
                { id },
                Object.entries(from).map(([value, text]) => h("option", { value }, text)),
            ),
        );

    // Which head to look at: "2.5" is head 5 of layer 2.
    const headChoice = () => {
        const [layers, each] = heads || [0, 0];
        const named = (n, make) => Array.from({ length: n }, (_, i) => make(i));
        const group = (layer) =>
            h(
                "optgroup",
                { label: `layer ${layer}` },
                named(each, (head) =>
                    h("option", { value: `${layer}.${head}` }, `layer ${layer}, head ${head}`),
                ),
            );
        const none = h("option", { value: "" }, "none");
        return simple("Look at what a head looks at", h("select", { id: "attention" }, none, named(layers, group)));
    };

    // { element, values(), set(values), words(values), address(values) }
    tbt.form = (changed) => {
        const prompt = simple("Prompt", h("textarea", { id: "prompt", rows: 2, spellcheck: "false" }));
        prompt.set(defaults.prompt);
        const fields = {
            prompt,
            infill: simple(
                "What comes after the gap",
                h("textarea", { id: "infill", rows: 2, spellcheck: "false" }),
            ),
            decoder: choice("decoder", "How it is written", decoders),
            order: choice("order", "Which place first", {
                confidence: "the most probable",
                random: "any, at random",
            }),
            steps: number("steps", "Passes (0: one for each token)", 0, 64),
            attention: headChoice(),
            "num-beams": number("num-beams", "Beams", 2, 8),
            schema: choice("schema", "Schema", {
                person: "a person",
                weather: "the weather",
                order: "an order",
                own: "my own",
            }),
            length: number("length", "Tokens", 1, 200),
            seed: number("seed", "Seed", 0, 4294967295),
            ...Object.fromEntries(controls.map((c) => [c.name, slider(c, () => changed())])),
        };
        const own = h("textarea", { id: "own", rows: 6, spellcheck: "false", "aria-label": "JSON Schema" });
        own.value = '{"type": "object", "properties": {"name": {"type": "string", "maxLength": 12},\n "age": {"type": "integer", "minimum": 1, "maximum": 99}}, "required": ["name", "age"]}';
        const values = () => ({
            ...Object.fromEntries(Object.entries(fields).map(([name, f]) => [name, f.input.value])),
            own: own.value,
        });
        const show = () => {
            const now = values();
            fields["num-beams"].field.hidden = now.decoder !== "beams";
            fields.schema.field.hidden = now.decoder !== "schema";
            own.hidden = now.decoder !== "schema" || now.schema !== "own";
            for (const name of drawing) fields[name].input.disabled = now.decoder === "beams";
            for (const name of ["infill", "order", "steps"])
                fields[name].field.hidden = now.decoder !== "gap";
            fields.attention.field.hidden = now.decoder === "gap";
            fields.decoder.field.hidden = offers.length < 2;
        };
        const set = (wanted) => {
            for (const [name, value] of Object.entries(wanted))
                if (name === "own") own.value = value;
                else fields[name]?.set(value);
            show();
        };
        fields.decoder.input.addEventListener("change", () => {
            const p = fields.prompt.input;
            if (fields.decoder.input.value === "schema" && prompts.includes(p.value)) p.value = person;
            show();
            changed();
        });
        fields.schema.input.addEventListener("change", show);
        fields.infill.set(defaults.infill);
        const group = (title, names, open = true) =>
            h(
                "details",
                { open, hidden: names === penalties && offers[0] === "gap" },
                h("summary", {}, title),
                names.map((name) => fields[name].field),
            );
        const element = h("form", { class: "card controls" }, [
            fields.prompt.field,
            fields.infill.field,
            fields.decoder.field,
            fields.order.field,
            fields.steps.field,
            fields["num-beams"].field,
            fields.schema.field,
            own,
            h("div", { class: "trio" }, ["length", "seed"].map((n) => fields[n].field)),
            group("Choosing", ["temperature", "top-k", "top-p", "min-p"]),
            group("Penalties", penalties, false),
            fields.attention.field,
        ]);
        show();
        return { element, values, set };
    };

    // The words after the program's name, and files that they name besides those in the page.
    tbt.words = (v) => {
        const prompt = v.prompt.startsWith("-") ? `--prompt=${v.prompt}` : v.prompt;
        const words = [prompt, "-n", v.length];
        const searches = v.decoder === "beams";
        if (searches) words.push("--num-beams", v["num-beams"]);
        if (v.decoder === "sketch") words.push("--assistant-model", "sketch");
        if (v.decoder === "heads") words.push("--medusa");
        const fills = v.decoder === "gap";
        if (fills) {
            words.push(`--infill=${v.infill}`, "--diffusion-order", v.order);
            if (v.steps !== "0") words.push("--diffusion-steps", v.steps);
        }
        if (v.attention && !fills) words.push("--attention", v.attention);
        const more = {};
        if (v.decoder === "schema") {
            const file = v.schema === "own" ? "schema.json" : `data/schemas/${v.schema}.json`;
            if (v.schema === "own") more[file] = v.own;
            words.push("--json-schema", file, "--max-whitespace", "1");
        }
        for (const c of controls)
            if (
                Number(v[c.name]) !== c.value &&
                !(searches && drawing.includes(c.name)) &&
                !(fills && penalties.includes(c.name))
            )
                words.push(`--${c.name}`, v[c.name]);
        if (!searches) words.push("--seed", v.seed);
        if (weights) words.push("--weights", weights);
        return { words, more };
    };

    // A word as a shell reads it.
    tbt.quoted = (word) =>
        /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

    // "#top-k=40&prompt=…": what differs from the defaults.
    tbt.address = (v) => {
        const said = Object.entries(v).filter(([name, value]) => name in defaults && value !== defaults[name]);
        if (v.decoder === "schema" && v.schema === "own") said.push(["own", v.own]);
        return new URLSearchParams(said).toString();
    };
    tbt.fromAddress = (hash) => {
        const said = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
        return { ...defaults, ...said };
    };
}
