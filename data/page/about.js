// Where this comes from: the command, the model, the seed.
{
    const { h, count } = tbt;

    const copy = async (event, command) => {
        const button = event.currentTarget;
        try {
            await navigator.clipboard.writeText(command);
        } catch {
            // A page from disk may not be let near the clipboard: the old way.
            const area = h("textarea", { class: "offscreen" });
            area.value = command;
            document.body.append(area);
            area.select();
            document.execCommand("copy");
            area.remove();
        }
        button.textContent = "copied";
        setTimeout(() => (button.textContent = "copy"), 1500);
    };

    tbt.aboutView = (run) => {
        const head = run.head,
            w = head.weights || {};
        const chain = Array.isArray(head.chain)
            ? head.chain
                  .map((s) => `${s.name} ${s.parameters}`.trim())
                  .concat(tbt.decoder(run) === "beams" ? [] : "draw")
                  .join(" → ")
            : head.chain;
        const facts = [
            ["model", head.model],
            ["its weights’ hash", w.hash],
            ["parameters", w.parameters && count(w.parameters)],
            [
                "vocabulary, context",
                w.vocabulary && `${count(w.vocabulary)} tokens, ${count(w.context)} tokens`,
            ],
            ["seed", head.seed],
            ["chain", chain],
            ["format", head.format],
            ["course", head.version],
        ].filter(([, value]) => value !== undefined && value !== "" && value !== null);
        return {
            element: h(
                "section",
                { class: "card" },
                h("h2", {}, "Where this comes from"),
                head.command &&
                    h(
                        "div",
                        { class: "command" },
                        h("code", {}, head.command),
                        h(
                            "button",
                            { type: "button", onclick: (e) => copy(e, head.command) },
                            "copy",
                        ),
                    ),
                head.command &&
                    h(
                        "p",
                        { class: "small" },
                        /(--seed|-s)[ =]-1/.test(head.command)
                            ? `With --seed ${head.seed} the command writes this text again, bit for bit, on every machine.`
                            : "The same command writes the same text, bit for bit, on every machine.",
                    ),
                h(
                    "dl",
                    { class: "provenance" },
                    facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
                ),
            ),
        };
    };
}
