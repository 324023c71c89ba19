// Traces: JSON lines of version 2, or of chapters 10, 11 and 12 before it, as one run to look at.
{
    const formats = {
        "token-by-token trace 2": 2,
        "token-by-token trace 1": 1,
        "token-by-token beams 1": 1,
        "token-by-token rounds 1": 1,
    };

    const named_controls = { "\n": "⏎", "\t": "⇥" };
    const hex = (byte) => `‹${byte.toString(16).toUpperCase().padStart(2, "0")}›`;

    // A token as it is named in tables and pictures: its space shown, its end said.
    const label = (token, bytes) => {
        if (token === "<|endoftext|>") return "⟨end⟩";
        if (bytes) return bytes.map(hex).join("");
        if (token === "") return "⟨empty⟩";
        return Array.from(token.replace(/^ /, "·").replace(/^·? +$/, (s) => "·".repeat(s.length)))
            .map((c) => named_controls[c] || (/\p{Cc}/u.test(c) ? hex(c.codePointAt(0)) : c))
            .join("");
    };
    tbt.label = label;

    const named = (x) => ({
        ...x,
        token: String(x.token ?? ""),
        label: label(String(x.token ?? ""), x.bytes),
    });

    // What stands before something else in a trace: nobody follows himself, not even in a broken one.
    const earlier = (parent, own) => (Number.isInteger(parent) && parent < own ? parent : null);

    const newText = (number) => ({
        number,
        prompt: 0,
        tokens: [],
        rounds: [],
        text: null,
        reason: null,
        stop: null,
        sum: null,
        score: null,
    });

    const textOf = (run, number) => {
        while (run.texts.length <= number) run.texts.push(newText(run.texts.length));
        return run.texts[number];
    };

    const readHeader = (run, line, format) => {
        const first = !run.format;
        if (!first && line.format !== run.format)
            throw new Error(`there are two kinds of traces in it`);
        run.format = line.format;
        if (first) run.head = line;
        for (const p of line.prompts || [line]) {
            run.prompts.push({
                text: String(p.prompt ?? ""),
                ids: p.prompt_ids || [],
                tokens: p.prompt_tokens,
            });
        }
        run.version = format;
    };

    const readToken = (run, line) => {
        const text = textOf(run, line.sample);
        const token = named(line);
        token.steps = line.steps || [];
        token.top = (line.top || []).map(named);
        token.wheel = (line.wheel || []).map(([id, t, from, to]) => ({
            id,
            from,
            to,
            label: label(t),
        }));
        token.bits = line.raw ? -line.raw.log_probability / Math.LN2 : null;
        text.tokens.push(token);
    };

    const readRound = (run, line) => {
        const text = textOf(run, line.sample || 0);
        const plain = line.step === undefined;
        const round = { ...line, step: plain ? text.tokens.length : line.step };
        round.tokens = line.tokens.map(named);
        const names = line.drafted_tokens || [];
        round.drafted = line.drafted.map((id, i) => {
            const kept = round.tokens.find((t) => t.id === id);
            const name = names[i] ?? (kept ? kept.token : `token ${id}`);
            return { id, label: label(name), ...line.judged[i], judged: i < line.judged.length };
        });
        round.tree = (line.tree || []).map((t, i) => ({
            ...named(t),
            parent: earlier(t.parent, i),
        }));
        text.rounds.push(round);
        if (plain)
            for (const t of round.tokens)
                text.tokens.push({ ...t, steps: [], top: [], wheel: [], bits: null });
    };

    const readResult = (run, line) => {
        const text = textOf(run, line.result);
        Object.assign(text, {
            text: line.text,
            reason: line.finish_reason,
            stop: line.stop_string ?? null,
            sum: line.sum ?? null,
            score: line.score ?? null,
            ids: line.ids,
            prompt: line.prompt ?? 0,
        });
    };

    const readLine = (run, line) => {
        if (line === null || typeof line !== "object") throw new Error("it is no object");
        if ("format" in line) {
            const version = formats[line.format];
            if (!version)
                throw new Error(
                    `its format is “${line.format}”, and this page reads versions 1 and 2`,
                );
            readHeader(run, line, version);
        } else if (!run.format)
            throw new Error("it does not begin with a header that names its format");
        else if ("node" in line)
            run.nodes.push({
                ...named(line),
                step: Math.max(1, Math.trunc(Number(line.step)) || 1),
                parent: earlier(line.parent, line.node),
            });
        else if ("round" in line) readRound(run, line);
        else if ("result" in line) readResult(run, line);
        else if ("pass" in line) run.passes.push(line);
        else if ("sample" in line) readToken(run, line);
    };

    // Traces of chapter 11 have no lines for tokens: the texts' ids, named by the search's nodes.
    const nameIds = (run) => {
        const names = new Map(run.nodes.map((n) => [n.id, n]));
        for (const text of run.texts) {
            if (text.tokens.length || !text.ids) continue;
            text.tokens = text.ids.map((id) => {
                const node = names.get(id) || { token: `token ${id}` };
                return {
                    ...named({ id, token: node.token }),
                    steps: [],
                    top: [],
                    wheel: [],
                    bits: null,
                };
            });
        }
    };

    const finish = (run) => {
        nameIds(run);
        const samples = Math.max(1, run.head.samples || 1);
        for (const text of run.texts) {
            // A search may find fewer texts of a prompt than were asked for: its line says which.
            text.prompt ||= Math.floor(text.number / samples);
            text.prompt = Math.min(text.prompt, run.prompts.length - 1);
            if (run.version === 1 && !text.reason) text.reason = run.head.finish_reason ?? null;
            if (text.reason === "eos" && text.tokens.length) text.tokens.at(-1).label = "⟨end⟩";
        }
        const expected = run.head.texts ?? 0;
        const missing =
            run.version === 2 &&
            !run.problem &&
            run.texts.filter((t) => t.reason).length < expected;
        if (missing)
            run.problem =
                "This trace is cut off: the lines at its end are missing. What there is, is shown.";
        if (!run.texts.some((t) => t.tokens.length)) {
            run.problem ||= "There is no token in this trace: nothing was written.";
            if (!run.texts.length) run.texts.push(newText(0));
        }
    };

    // What happened, as far as the lines say it; run.problem says in words what is wrong with them.
    tbt.readTrace = (name, content) => {
        const run = {
            name,
            problem: "",
            format: "",
            version: 0,
            head: {},
            prompts: [],
            texts: [],
            nodes: [],
            passes: [],
        };
        const lines = content.split("\n");
        while (lines.length && lines.at(-1).trim() === "") lines.pop();
        for (let i = 0; i < lines.length && !run.problem; ++i) {
            if (lines[i].trim() === "") continue;
            try {
                readLine(run, JSON.parse(lines[i]));
            } catch (e) {
                const last = i + 1 === lines.length && e instanceof SyntaxError;
                if (!run.format && !(e instanceof SyntaxError))
                    run.problem = `This trace cannot be shown: ${e.message}.`;
                else if (!run.format) run.problem = "This is no trace: its first line is not JSON.";
                else if (last)
                    run.problem = `This trace is cut off in line ${i + 1}. What stands before it is shown.`;
                else
                    run.problem = `Line ${i + 1} of this trace is at fault; what stands before it is shown.`;
            }
        }
        if (!lines.length) run.problem = "This trace is empty.";
        if (!run.prompts.length) run.prompts.push({ text: "", ids: [] });
        finish(run);
        return run;
    };
}
