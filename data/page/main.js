// The page: one run, or two side by side; one token that all views look at.
{
    const { h, clamp } = tbt;
    // addressed: the place shows in the page's address.
    const state = { at: 0, views: [], addressed: false };

    // Where to begin: a token that has something to show.
    const interesting = (text) => {
        const score = (t) =>
            (t.bits === null ? 0 : Math.min(t.bits, 8)) +
            (t.top[0]?.removed_by ? 1 : 0) +
            (tbt.forced(t) ? -4 : 0);
        let best = 0;
        text.tokens.forEach((t, i) => {
            if (t.label !== "⟨end⟩" && score(t) > score(text.tokens[best]) + 0.5) best = i;
        });
        return best;
    };

    // What a view cannot make of a trace is said, and the others are shown.
    const guarded = (run, draw) => {
        try {
            return draw();
        } catch {
            run.problem ||= "Fields of this trace are missing or strange; what can be shown, is shown.";
            return null;
        }
    };

    const go = (i) => {
        const most = Math.max(...state.views.map((v) => v.text.tokens.length)) - 1;
        state.at = clamp(i, 0, Math.max(most, 0));
        for (const view of state.views)
            for (const part of view.parts)
                guarded(view.run, () =>
                    part.show?.(Math.min(state.at, Math.max(view.text.tokens.length - 1, 0))),
                );
        state.views.forEach((view) => view.tell());
        if (!state.addressed) return;
        try {
            history.replaceState(null, "", `#${state.at + 1}`);
        } catch {
            // Some browsers do not let pages from disk; then the address stays.
        }
    };

    const runView = (run, text) => {
        const made = (view) => guarded(run, () => tbt[view](run, text, go));
        const nothing = () => ({ element: h("section") });
        const words = made("textView") || nothing(),
            step = made("stepView") || nothing();
        const more = ["gridView", "beamsView", "draftView", "guideView", "attentionView"]
            .concat(["passesView", "aboutView"])
            .map(made)
            .filter(Boolean);
        return {
            run,
            text,
            words,
            parts: [words, step, ...more],
            top: [words.element, step.element],
            more: more.map((v) => v.element),
        };
    };

    const tabs = (run, current, choose) =>
        run.texts.length < 2
            ? null
            : h(
                  "nav",
                  { class: "tabs", "aria-label": "texts" },
                  run.texts.map((text, i) =>
                      h(
                          "button",
                          {
                              type: "button",
                              "aria-pressed": text === current ? "true" : "false",
                              onclick: () => choose(text),
                          },
                          `text ${i + 1}`,
                          text.score !== null &&
                              h("span", { class: "small" }, ` ${tbt.number(text.score, 3)}`),
                      ),
                  ),
              );

    // A place for what is wrong with a trace, also when that turns out later.
    const runHeader = (view, choose, level) => {
        const notice = h("div", {});
        view.tell = () => {
            if (view.run.problem && !notice.firstChild)
                notice.append(h("p", { class: "notice", role: "alert" }, view.run.problem));
        };
        view.tell();
        return h(
            "header",
            { class: "runheader" },
            h(level, {}, guarded(view.run, () => tbt.summary(view.run)) || "A run"),
            notice,
            tabs(view.run, view.text, choose),
        );
    };

    const showOne = (main, run, text) => {
        const view = runView(run, text);
        state.views = [view];
        main.replaceChildren(
            runHeader(
                view,
                (t) => (showOne(main, run, t), go(Math.min(state.at, t.tokens.length - 1))),
                "h1",
            ),
            h("div", { class: "two" }, view.top),
            h("div", { class: "rest" }, view.more),
        );
    };

    const showTwo = (main, runs, texts) => {
        const views = runs.map((run, i) => runView(run, texts[i]));
        state.views = views;
        const compare = tbt.compareView(runs, texts, go);
        if (compare.at >= 0) views.forEach((v) => v.words.part?.(compare.at));
        const choose = (i) => (t) => (
            showTwo(
                main,
                runs,
                texts.map((old, k) => (k === i ? t : old)),
            ),
            go(state.at)
        );
        main.replaceChildren(
            compare.element,
            h(
                "div",
                { class: "two runs" },
                views.map((v, i) =>
                    h(
                        "div",
                        { class: "run" },
                        h("p", { class: "label" }, v.run.name),
                        runHeader(v, choose(i), "h2"),
                        v.top,
                        v.more,
                    ),
                ),
            ),
        );
        return compare.at;
    };

    tbt.keys = (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const typing = event.target.matches?.("input, textarea, select");
        if (event.key === "/" && !typing) {
            event.preventDefault();
            document.querySelector("input[type=search]")?.focus();
        }
        if (typing) return;
        const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
        if (by && !(event.key.startsWith("Page") && !event.target.closest(".text")))
            (event.preventDefault(), go(state.at + by));
        if (event.key === "Home" && event.target.closest(".text")) (event.preventDefault(), go(0));
        if (event.key === "End" && event.target.closest(".text"))
            (event.preventDefault(), go(Infinity));
    };

    // The page of --html: the traces that stand in it.
    tbt.start = () => {
        const main = document.querySelector("main");
        const runs = [...document.querySelectorAll("script.trace")].map((e) =>
            tbt.readTrace(e.dataset.name, e.textContent.replace(/^\n/, "")),
        );
        if (!runs.length)
            return main.replaceChildren(
                h("p", { class: "notice" }, "There is no trace in this page."),
            );
        document.title =
            runs.length > 1
                ? `${runs[0].name} and ${runs[1].name}`
                : `${runs[0].prompts[0].text.trim().slice(0, 60)} – Token by Token`;
        const asked = Number(location.hash.slice(1)) - 1;
        const at = tbt.open(main, runs);
        state.addressed = true;
        document.addEventListener("keydown", tbt.keys);
        go(asked >= 0 ? asked : at);
    };

    // Shows one run, or two side by side; returns the token to begin with.
    tbt.open = (main, runs) => {
        let at = 0;
        if (runs.length > 1)
            at = Math.max(
                0,
                showTwo(
                    main,
                    runs.slice(0, 2),
                    runs.slice(0, 2).map((r) => r.texts[0]),
                ),
            );
        else {
            showOne(main, runs[0], runs[0].texts[0]);
            at = guarded(runs[0], () => interesting(runs[0].texts[0])) || 0;
        }
        return at;
    };
    tbt.go = go;
}
