// Live figures: where a lesson says <!-- live: NAME -->, there is a figure that answers, and a still
// one right after it gives way. Every number comes from the course's own C++ (chapter 23's
// tools/live.hpp), on real logits of the shipped model; without WebAssembly the lesson stays as it is.
{
    const { h } = tbt;
    const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const names = tbtLive.names.split("\n");
    const V = names.length;
    let x = null; // the module's functions
    let known = null; // the recorded run that it remembers
    const view = (Type, at, n) => new Type(x.memory.buffer, at, n);
    const textAt = (at) => {
        const all = view(Uint8Array, at);
        return new TextDecoder().decode(all.slice(0, all.indexOf(0)));
    };
    const write = (Type, at, values) => view(Type, at, values.length).set(values);

    // See live_rows_main.cpp: codes of all logits, then the ids and values of the largest ones.
    const logits = ({ low, packed }) => {
        const { buffer } = bytes(packed);
        const n = (buffer.byteLength - 2 * V) / 6;
        const ids = new Uint16Array(buffer, 2 * V, n);
        const values = new Float32Array(buffer, 2 * (V + n), n);
        const unit = (values[0] - low) / 65535;
        const s = Float32Array.from(new Uint16Array(buffer, 0, V), (code) => low + code * unit);
        ids.forEach((id, i) => (s[id] = values[i]));
        return s;
    };

    const settings = ["temperature", "top-k", "top-p", "min-p", "repetition-penalty"].concat(
        ["frequency-penalty", "presence-penalty", "no-repeat-ngram-size"],
    );
    const neutral = [1, 0, 1, 0, 1, 0, 0, 0];
    tbt.core = {
        names,
        // From now on: this text's logits.
        use: (row) => {
            row.logits ??= logits(row);
            write(Float32Array, x.live_row(0, V), row.logits);
            write(Int32Array, x.live_text(row.ids.length), row.ids);
            if (!row.draft) return;
            row.draft.logits ??= logits(row.draft);
            write(Float32Array, x.live_row(1, V), row.draft.logits);
        },
        // From now on: what a model said after these keys (live.hpp), as live_rows wrote it.
        remember: (run, keys) => {
            if (run === known) return;
            known = run;
            const { each, ids, logits } = run.rows, values = new Float32Array(bytes(logits).buffer);
            x.live_forget();
            keys.forEach((key, i) => {
                const last = i * (each + 1) + each;
                const row = view(Float32Array, x.live_row(0, V), V).fill(values[last]);
                for (let j = 0; j < each; ++j) row[ids[i * each + j]] = values[last - each + j];
                write(Int32Array, x.live_text(key.length), key);
                x.live_remember();
            });
        },
        key: (ids) => write(Int32Array, x.live_text(ids.length), ids),
        floats: (text) => new Float32Array(bytes(text).buffer),
        softmax: (values) => {
            write(Float32Array, x.live_row(0, values.length), values);
            x.live_temperature(1);
            return Array.from(view(Float64Array, x.live_probabilities(0), values.length));
        },
        stage: (i) => view(Float64Array, x.live_probabilities(i), V).slice(),
        order: () => Array.from(view(Int32Array, x.live_order(), V)),
        uniform: (seed, number = 0) => x.live_uniform(seed, number),
        call: (name, ...values) => x[`live_${name}`](...values),
        // Of what a function returns a pointer to: a text, numbers, flags.
        text: (name, ...values) => textAt(x[`live_${name}`](...values)),
        doubles: (n, name, ...values) => Array.from(view(Float64Array, x[`live_${name}`](...values), n)),
        ints: (n, name, ...values) => Array.from(view(Int32Array, x[`live_${name}`](...values), n)),
        flags: (n, name, ...values) => Array.from(view(Uint8Array, x[`live_${name}`](...values), n)),
        bytes: (values) => write(Uint8Array, x.live_bytes(values.length), values),
        // What a chain does: its steps, the distribution before and after each, and the draw.
        chain: (options, dialect, u) => {
            const values = settings.map((name, i) => Number(options[name] ?? neutral[i]));
            write(Float64Array, x.live_options(), values);
            const n = x.live_chain(dialect, u);
            const steps = Array.from({ length: n }, (_, i) => {
                const text = textAt(x.live_step(i));
                const [before, after, mass, entropy] = view(Float64Array, x.live_numbers(i), 4);
                return { text, before, after, mass, entropy };
            });
            const stages = Array.from({ length: n + 1 }, (_, i) => tbt.core.stage(i));
            return { steps, stages, chosen: x.live_chosen(), u };
        },
    };

    // ---- controls: each has a name, the state's member, and calls changed() ----
    const slider = (c, state, changed) => {
        const id = `live-${c.name}-${state.number}`;
        const shown = h("output", { for: id });
        const [min, max, step] = c.range;
        const input = h("input", { type: "range", id, min, max, step, "data-name": c.name });
        input.value = state[c.name];
        const say = () => (shown.textContent = c.says ? c.says(state[c.name]) : String(state[c.name]));
        input.addEventListener("input", () => ((state[c.name] = Number(input.value)), say(), changed()));
        say();
        // For a figure that moves it.
        (state.put ??= {})[c.name] = (value) => ((input.value = state[c.name] = value), say());
        return h("div", { class: "field" }, h("label", { for: id }, c.label), shown, input);
    };
    const select = (c, state, changed) => {
        const id = `live-${c.name}-${state.number}`;
        const options = c.values.map(([value, text]) => h("option", { value }, text));
        const input = h("select", { id, "data-name": c.name }, options);
        input.value = state[c.name];
        input.addEventListener("change", () => ((state[c.name] = Number(input.value)), changed()));
        return h("div", { class: `field ${c.name}` }, h("label", { for: id }, c.label), input);
    };
    // Moves on by itself are the caller's: press(state) changes the state, once for each press.
    const button = (c, state, changed) =>
        h(
            "button",
            { type: "button", "data-name": c.name, onclick: () => (c.press(state, changed), changed()) },
            c.label,
        );
    // What is typed; a figure that changes it calls state.sync().
    const text = (c, state, changed) => {
        const id = `live-${c.name}-${state.number}`;
        const input = h("input", { type: "text", id, "data-name": c.name, autocomplete: "off", spellcheck: "false", autocapitalize: "off" });
        state.sync = () => {
            if (input.value !== state[c.name]) input.value = state[c.name];
        };
        input.addEventListener("input", () => ((state[c.name] = input.value), changed()));
        return h("div", { class: "field typed" }, h("label", { for: id }, c.label), input);
    };
    // Buttons that move a member of the state from 0 to last(state), by hand or by themselves.
    tbt.steps = (member, last, label) => {
        const stop = (state) => (state.playing = clearInterval(state.playing));
        const to = (state, place) => (state[member] = tbt.clamp(place, 0, last(state)));
        const move = (by) => (state) => (stop(state), to(state, state[member] + by));
        const play = (state, changed) => {
            if (state.playing) return stop(state);
            if (state[member] >= last(state)) state[member] = 0;
            state.playing = setInterval(() => {
                if (to(state, state[member] + 1) === last(state)) stop(state);
                changed();
            }, 1200);
        };
        return [
            { kind: "button", name: "back", label: "← Back", press: move(-1) },
            { kind: "button", name: "next", label, press: move(1) },
            { kind: "button", name: "play", label: "Play / pause", press: play },
        ];
    };
    const kinds = { slider, select, text, button };

    // ---- the line for the terminal ----
    const copy = async (event, text) => {
        const own = event.currentTarget;
        await navigator.clipboard?.writeText(text).catch(() => null);
        own.textContent = "copied";
        setTimeout(() => (own.textContent = "copy"), 1500);
    };
    const terminal = (view, state) => {
        const code = h("code", {}, view.command);
        const lines = h("pre", { tabindex: 0, role: "group", "aria-label": "Numbers" });
        lines.append(view.lines.join("\n"));
        const play = document.querySelector(".try");
        const more = h("details", { class: "livenumbers" });
        more.open = state.open;
        more.addEventListener("toggle", () => (state.open = more.open));
        more.append(h("summary", {}, "The numbers, as it prints them"), lines);
        return [
            h(
                "div",
                { class: "command" },
                h("span", { class: "label" }, "The same in the terminal"),
                code,
                h("button", { type: "button", onclick: (e) => copy(e, view.command) }, "copy"),
            ),
            h(
                "div",
                { class: "row" },
                more,
                play && view.play && h("a", { href: `${play.href.split("#")[0]}#${view.play}` }, "in the playground"),
            ),
        ];
    };

    let figures = 0;
    const mount = (figure) => {
        const rows = figure.runs ? figure.runs() : tbtLive.rows.filter(figure.rows);
        if (figure.stepped) rows.sort((a, b) => a.step - b.step);
        const state = { row: 0, number: ++figures, open: false, ...figure.state };
        for (const c of figure.controls) if (c.name in state === false) state[c.name] = c.value;
        const texts = { name: "row", label: "Text", values: rows.map((r, i) => [i, `${r.prompt} …${r.suffix ?? ""}`]) };
        const parts = figure.parts(state, () => update());
        const said = h("p", { class: "livesaid", "aria-live": "polite" });
        const below = h("div", { class: "liveterminal" });
        const update = () => {
            const row = rows[state.row];
            if (row.packed) tbt.core.use(row);
            const shown = figure.show(state, row, parts);
            said.replaceChildren(...[shown.said].flat());
            below.replaceChildren(...terminal(shown, state).filter(Boolean));
        };
        const controls = (wanted) =>
            figure.controls.filter((c) => wanted.includes(c.kind)).map((c) => kinds[c.kind](c, state, update));
        const element = h(
            "figure",
            { class: "live", "aria-label": figure.title },
            h("figcaption", { class: "livetitle" }, figure.title),
            rows.length > 1 && !figure.stepped && select(texts, state, update),
            h("div", { class: "livecontrols" }, controls(["text", "select", "slider"])),
            Object.values(parts).map((part) => part.element),
            h("div", { class: "livebuttons" }, controls(["button"]), said),
            below,
        );
        return { element, update };
    };

    tbt.figures = {};
    // A figure takes the place of the still one after the comment, if there is one, and of its caption.
    const start = async () => {
        const nothing = new Proxy({}, { get: () => () => 0 });
        const module = await WebAssembly.instantiate(bytes(tbtLive.module), {
            env: nothing,
            wasi_snapshot_preview1: nothing,
        });
        x = module.instance.exports;
        x._initialize();
        for (const place of document.querySelectorAll("[data-live]")) {
            const { element, update } = mount(tbt.figures[place.dataset.live]);
            const still = place.nextElementSibling;
            place.append(element);
            update();
            if (!still?.querySelector("img")) continue;
            still.hidden = true;
            const caption = still.nextElementSibling;
            if (caption?.firstChild?.nodeName === "EM" && caption.childNodes.length === 1) caption.hidden = true;
        }
    };
    tbt.startLive = () => start().catch((error) => console.info(`live figures: ${error.message}`));
}
