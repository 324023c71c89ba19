// The parts of the page are one script in the end: tbt is theirs in common.
export default [
    {
        files: ["**/*.js"],
        languageOptions: {
            ecmaVersion: 2023,
            sourceType: "script",
            globals: Object.fromEntries(
                [
                    "tbt document window location history navigator matchMedia",
                    "Node ResizeObserver Map Set setTimeout",
                    // the playground
                    "WebAssembly Worker Blob URL URLSearchParams Response DecompressionStream",
                    "TextDecoder TextEncoder performance self addEventListener module",
                    "tbtRun tbtHasSimd tbtModule",
                    // the live figures
                    "tbtLive atob setInterval clearInterval console",
                ]
                    .join(" ")
                    .split(" ")
                    .map((name) => [name, name === "tbt" ? "writable" : "readonly"]),
            ),
        },
        rules: {
            "no-undef": "error",
            "no-unused-vars": ["error", { args: "after-used", varsIgnorePattern: "^tbt$" }],
            "no-implicit-globals": "off",
            "no-eval": "error",
            "no-var": "error",
            "prefer-const": "error",
            eqeqeq: "error",
            "max-lines": ["error", 300],
        },
    },
];
