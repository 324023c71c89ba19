// What happened, in words.
{
    const { h, percent, count, ordinal } = tbt;

    tbt.chip = (label, className = "") => h("span", { class: `chip ${className}` }, label);

    const stepNames = {
        grammar: "the form it must keep",
        temperature: "temperature",
        "dynamic-temperature": "dynamic temperature",
        repetition: "the repetition penalty",
        frequency: "the frequency penalty",
        presence: "the presence penalty",
        "no-repeat-ngram": "the ban on repeats",
        "logit-bias": "a bias",
        mirostat: "mirostat",
    };
    const plainName = (name) => stepNames[name] || name;

    const reasons = {
        eos: "the model ended it",
        stop_string: "a stop string came",
        length: "reached the token limit",
        context: "the context was full",
        interrupted: "it was interrupted",
    };
    tbt.reason = (text) => (text.reason ? reasons[text.reason] || text.reason : "");

    const isGreedy = (run) =>
        run.head.decoder === "greedy" ||
        (run.head.chain || []).some?.((s) => s.name === "temperature" && s.parameters === "0");

    tbt.decoder = (run) => {
        if (run.head.decoder === "diffusion") return "diffusion";
        if (run.nodes.length || run.head.num_beams || run.head.decoder === "beams") return "beams";
        return isGreedy(run) ? "greedy" : "sampling";
    };

    // "temperature 0.8, top-p 0.9"
    const chainWords = (run) => {
        const chain = run.head.chain;
        if (!Array.isArray(chain))
            return (chain || "").replace(/(^| → )draw$/, "").replaceAll(" → ", ", ");
        return chain
            .filter((s) => s.name !== "grammar")
            .map((s) => `${s.name} ${s.parameters}`.trim())
            .join(", ");
    };

    // "json-schema FILE"
    tbt.guideName = (run) => (run.head.guide || "a grammar").replace(/^--/, "");

    // One line about the run: how its texts were chosen.
    tbt.summary = (run) => {
        const head = run.head,
            parts = [];
        const beams = head.beams || head;
        if (tbt.decoder(run) === "beams") {
            parts.push(`A search with ${beams.num_beams} beams`);
            if (beams.num_beam_groups > 1) parts[0] += ` in ${beams.num_beam_groups} groups`;
        } else if (isGreedy(run)) parts.push("Always the most probable token");
        else
            parts.push(
                chainWords(run) ? `Drawn, with ${chainWords(run)}` : "Drawn as the model says",
            );
        if (tbt.decoder(run) === "diffusion")
            parts.unshift(
                head.suffix ? "A gap filled from both sides" : "Filled in, in any order",
                head.order === "confidence" ? "the most probable first" : "places at random",
            );
        const draft = head.draft;
        if (draft) {
            const from = typeof draft === "string" ? draft : draft.from;
            parts.push(
                from === "lookup"
                    ? "guesses looked up in the text"
                    : `guesses by ${from.split("/").pop()}`,
            );
        }
        if (head.guide) parts.push(`held to ${tbt.guideName(run)}`);
        if (head.guidance_scale) parts.push(`guidance ${head.guidance_scale}`);
        if (!isGreedy(run) && tbt.decoder(run) !== "beams" && head.seed !== undefined)
            parts.push(`seed ${head.seed}`);
        return parts.join(" · ");
    };

    const choice = (token) => token.top.find((t) => t.id === token.id);
    // The place of the token in the model's own order; 0: not known.
    tbt.rank = (token) =>
        token.steps[0]?.chosen_before.rank ?? token.top.findIndex((t) => t.id === token.id) + 1;

    const forced = (token) => token.guide && token.guide.allowed === 1;
    tbt.forced = forced;

    const share = (log) => (log === null || log === undefined ? 0 : Math.exp(log));
    tbt.share = share;

    // Who was cut that the model liked better?
    const cutSentence = (token) => {
        const first = token.top[0];
        if (!first || first.id === token.id || !first.removed_by) return null;
        return [
            `Its first choice, `,
            tbt.chip(first.label),
            ` (${percent(share(first.raw))}), was cut by ${plainName(first.removed_by)}. `,
        ];
    };

    const wanted = (token) => {
        const first = token.top[0];
        if (!first) return null;
        if (first.id === token.id)
            return ["The model’s first choice, with ", h("b", {}, percent(share(first.raw))), ". "];
        const rank = tbt.rank(token);
        return [
            rank > 0 ? `The model’s ${ordinal(rank)} choice, with ` : "The model gave it ",
            h("b", {}, percent(share(token.raw.log_probability))),
            ". ",
        ];
    };

    const drawn = (run, token) => {
        const left = token.processed.candidates;
        if (left === 1) return `It was the only one left of ${count(token.raw.candidates)}. `;
        const own = choice(token),
            now = own ? share(own.processed) : 0;
        const steps = token.steps.filter((s) => s.after < s.before).map((s) => plainName(s.name));
        const by = steps.length ? ` ${steps.at(-1)} left ${count(left)} candidates;` : "";
        if (token.u === null || token.u === undefined)
            return now ? `After the chain it had ${percent(now)}. ` : "";
        return [
            by ? by[1].toUpperCase() + by.slice(2) : "",
            by ? " among them" : "",
            by ? " it had " : "It had ",
            percent(now),
            ", and the random number ",
            h("b", {}, `u = ${tbt.luck(token.u)}`),
            " fell on it. ",
        ];
    };

    const guessed = (run, text, i) => {
        const round = tbt.roundAt(text, i);
        if (!round) return null;
        const at = i - round.step,
            guess = round.drafted[at];
        const rejection = run.head.draft?.coupling === "rejection";
        if (guess && guess.judged && guess.accepted && rejection) {
            const ratio = guess.q > 0 ? Math.min(1, guess.p / guess.q) : 1;
            const least = `min(1, ${percent(guess.p)} / ${percent(guess.q)}) = ${ratio.toFixed(3)}`;
            return `The draft had guessed it, and it stays: u = ${tbt.luck(guess.u)} is below ${least}. `;
        }
        if (guess && guess.judged && guess.accepted)
            return "The draft had guessed it: no pass of its own was needed. ";
        if (guess && guess.judged)
            return ["The draft had guessed ", tbt.chip(guess.label), ", which was not kept. "];
        return round.bonus && at === round.drafted.length
            ? "All guesses before it were right: this one came with the same pass. "
            : null;
    };

    // The round of a draft that wrote token i, if one did.
    tbt.roundAt = (text, i) => text.rounds.find((r) => i >= r.step && i < r.step + r.tokens.length);

    // Of a gap: when, and what was known by then.
    const filled = (text, token) => {
        if (!token.pass_filled) return null;
        const passes = Math.max(...text.tokens.map((t) => t.pass_filled));
        const known = text.tokens.filter((t) => t.pass_filled < token.pass_filled).length;
        const rest = known
            ? `when ${known} of the ${text.tokens.length} places were known`
            : "with nothing of the gap known";
        return `Filled in by pass ${token.pass_filled} of ${passes}, ${rest}. `;
    };

    // What happened at a token, in two or three sentences.
    tbt.story = (run, text, i) => {
        const token = text.tokens[i];
        if (!token) return [];
        const guess = guessed(run, text, i);
        if (!token.raw) return [guess || "This trace has no more to say about this token."];
        const ends = token.label === "⟨end⟩" ? "The text ends here. " : null;
        if (forced(token)) {
            const first = token.top[0],
                other = first && first.id !== token.id;
            return [
                ends,
                "There was no choice: only this token keeps the text to its form. ",
                other
                    ? [
                          "The model would rather have written ",
                          tbt.chip(first.label),
                          ` (${percent(share(first.raw))}). `,
                      ]
                    : "The model wanted it, too. ",
            ];
        }
        if (tbt.decoder(run) === "diffusion")
            return [ends, filled(text, token), wanted(token), cutSentence(token), drawn(run, token)];
        if (tbt.decoder(run) === "beams")
            return [
                ends,
                wanted(token),
                cutSentence(token),
                "The search kept it because the whole text scores well. ",
            ];
        if (isGreedy(run))
            return [
                ends,
                wanted(token),
                cutSentence(token),
                "The most probable token that is left is always taken. ",
                guess,
            ];
        return [ends, wanted(token), cutSentence(token), drawn(run, token), guess];
    };
}
