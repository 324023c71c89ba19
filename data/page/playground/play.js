// The playground: a form, the program in a worker, what it writes, and the pictures of its trace.
{
    const { h } = tbt;
    const trace = "trace.jsonl";
    const gaps = tbt.inPage.offers.includes("gap");

    // The program: unpacked once, in a worker that is replaced when it is stopped.
    const tbtProgram = async () => {
        const packed = document.getElementById("packed");
        const { program, worker: script, viewer, ...files } = await tbt.unpack(
            tbt.unescape(packed.textContent),
            tbt.inPage.files,
        );
        packed.remove();
        document.head.append(h("script", {}, new TextDecoder().decode(viewer)));
        const module = await WebAssembly.compile(program);
        const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
        let worker = null;
        let listen = () => {};
        const start = () => {
            worker = new Worker(address);
            worker.onmessage = ({ data }) => listen(data);
            worker.onerror = (e) => listen({ status: 1, errors: e.message, trace: null });
            worker.postMessage({ module, files });
        };
        start();
        return {
            run: (words, more, told) => {
                listen = told;
                worker.postMessage({ id: 1, words, more });
            },
            stop: () => {
                worker.terminate();
                start();
            },
        };
    };

    const button = (label, onclick, className = "") =>
        h("button", { type: "button", class: className, onclick }, label);

    const panel = (actions) => {
        const written = h("div", { class: "written", role: "status", "aria-live": "polite" });
        const state = h("p", { class: "state" }, "Unpacking the models…");
        const command = h("code", {});
        const go = button("Write", actions.write, "go");
        const step = button("One more token", actions.step);
        const stop = button("Stop", actions.stop);
        const copy = button("Copy", () => navigator.clipboard?.writeText(command.textContent));
        const element = h(
            "section",
            { class: "card", "aria-label": "The text" },
            h("div", { class: "buttons" }, go, gaps ? null : step, stop),
            written,
            state,
            h("p", { class: "label" }, "In a terminal, the same text"),
            h("div", { class: "command" }, command, copy),
            h(
                "p",
                { class: "small" },
                gaps
                    ? h("a", { href: "playground.html" }, "Write from left to right")
                    : h("a", { href: "playground_gaps.html" }, "Fill a gap whose both ends are given"),
            ),
        );
        const say = (text) => (state.textContent = text);
        // Under a schema a text is whole or nothing: no token more.
        const busy = (on) => {
            go.disabled = on;
            step.disabled = on || actions.whole();
            stop.disabled = !on;
        };
        const show = (prompt, text) => {
            const given = text.startsWith(prompt) ? prompt : "";
            written.replaceChildren(
                h("span", { class: "given" }, given),
                text.slice(given.length),
            );
            written.scrollTop = written.scrollHeight;
        };
        return { element, say, busy, show, command };
    };

    const seconds = (s) => `${s.toFixed(s < 10 ? 2 : 0)} s`;

    // How many tokens the trace has, and what they took. A search shows its text at the end, and has no
    // speed of writing.
    const report = (run, data) => {
        const tokens = run.texts[0].tokens.length;
        const speed = tokens / data.writing;
        const rate = data.writing > 0.02 && tokens > 9 ? `, ${tbt.count(Math.round(speed))} a second` : "";
        return `${tbt.many(tokens, "token")}${rate}; ${seconds(data.seconds)} with the model’s loading and the trace.`;
    };

    const begin = async (place, main) => {
        let program = null;
        let length = 0; // of a text that grows token by token
        let text = "";

        const said = () => {
            const { words } = tbt.words(form.values());
            if (words.includes("--attention")) words.push("--html", "out.html");
            view.command.textContent = `build/23_text_generator ${words.map(tbt.quoted).join(" ")}`;
        };
        const changed = () => {
            length = 0;
            said();
            view.busy(!view.element.querySelector(".buttons").lastChild.disabled);
            try {
                history.replaceState(null, "", `#${tbt.address(form.values())}`);
            } catch {
                // Some browsers do not let pages from disk; then the address stays.
            }
        };
        const ended = (data, prompt) => {
            view.busy(false);
            if (data.status !== 0) {
                view.say(data.errors.trim().replace(/^build\/23_text_generator: /, "") || "It failed.");
                return;
            }
            view.show(prompt, text.replace(/\n$/, ""));
            const run = tbt.readTrace(trace, data.trace);
            view.say(report(run, data));
            tbt.go(tbt.open(main, [run]));
        };
        const write = (values) => {
            const { words, more } = tbt.words(values);
            text = "";
            view.busy(true);
            view.say("Writing…");
            view.show(values.prompt, values.prompt);
            program.run([...words, "--trace", trace], more, (data) => {
                if (data.text !== undefined) {
                    text += data.text;
                    view.show(values.prompt, text);
                } else ended(data, values.prompt);
            });
        };
        const view = panel({
            write: () => ((length = 0), write(form.values())),
            step: () => {
                const values = form.values();
                length = Math.min(length + 1, 200);
                write({ ...values, length: String(length) });
            },
            whole: () => form.values().decoder === "schema",
            stop: () => {
                program.stop();
                view.busy(false);
                view.say("Stopped.");
            },
        });
        const form = tbt.form(changed);
        form.element.addEventListener("input", changed);
        form.element.addEventListener("submit", (e) => e.preventDefault());
        form.set(tbt.fromAddress(location.hash));
        addEventListener("hashchange", () => (form.set(tbt.fromAddress(location.hash)), said()));
        document.addEventListener("keydown", (e) => main.children.length && tbt.keys?.(e));
        said();
        view.busy(true);
        place.replaceChildren(form.element, view.element);
        program = await tbtProgram();
        document.body.dataset.ready = Math.round(performance.now());
        write(form.values());
    };

    const problem = () => {
        if (typeof WebAssembly !== "object") return "has no WebAssembly";
        if (!tbtHasSimd()) return "has no WebAssembly with vectors (SIMD)";
        if (typeof DecompressionStream !== "function") return "cannot inflate what is packed here";
        return "";
    };
    const place = document.getElementById("play");
    const notice = (text) =>
        place.replaceChildren(h("p", { class: "notice", role: "alert" }, text));
    if (problem())
        notice(
            `This browser ${problem()}, which the playground needs. ` +
                "Chrome 103, Firefox 113, Safari 16.4 and newer have all of it; " +
                "or write in a terminal: make run.",
        );
    else
        begin(place, document.querySelector("main")).catch((e) =>
            notice(`The playground could not begin: ${e.message}`),
        );
}
