"use strict";
// What all views share: elements, numbers in words, the palette.
// The files of this folder are put into one script, in the order that page.cpp names.
const tbt = {};
{
    const svgSpace = document.getElementById("svg").namespaceURI;

    const fill = (element, attributes, children) => {
        for (const [name, value] of Object.entries(attributes || {})) {
            if (value === null || value === undefined || value === false) continue;
            if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
            else element.setAttribute(name, value === true ? "" : value);
        }
        for (const child of children.flat(Infinity)) {
            if (child === null || child === undefined || child === false) continue;
            element.append(child instanceof Node ? child : String(child));
        }
        return element;
    };

    // An element of HTML or SVG: name, attributes ("onclick" is a listener), children.
    // Text only ever becomes text.
    tbt.h = (name, attributes, ...children) =>
        fill(document.createElement(name), attributes, children);
    tbt.s = (name, attributes, ...children) =>
        fill(document.createElementNS(svgSpace, name), attributes, children);

    // A picture as wide as its place: draw(width) is called again when that changes. What it shows
    // is said in words, too.
    tbt.picture = (className, draw) => {
        const box = tbt.h("div", { class: className });
        let width = 0;
        const redraw = () => {
            width = box.clientWidth;
            if (width > 0) box.replaceChildren(draw(Math.max(width, 160)));
        };
        new ResizeObserver(() => {
            if (box.clientWidth !== width) redraw();
        }).observe(box);
        return { element: box, redraw };
    };

    const thin = "\u202f";
    // 0.312 is "31 %", 0.00021 is "0.02 %", next to nothing "< 0.01 %".
    tbt.percent = (p) => {
        if (!(p > 0)) return `0${thin}%`;
        if (p < 0.0001) return `<${thin}0.01${thin}%`;
        const hundred = 100 * p;
        if (p < 1 && hundred >= 99.95) return `>${thin}99.9${thin}%`;
        const digits =
            hundred >= 9.995 ? (hundred > 99 && p < 1 ? 1 : 0) : hundred >= 0.995 ? 1 : 2;
        return `${hundred.toFixed(digits)}${thin}%`;
    };
    tbt.count = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
    tbt.many = (n, one, more) => `${tbt.count(n)} ${n === 1 ? one : more || `${one}s`}`;
    tbt.ordinal = (n) => {
        const tens = n % 100;
        const end = tens > 10 && tens < 14 ? "th" : ["th", "st", "nd", "rd"][n % 10] || "th";
        return `${tbt.count(n)}${end}`;
    };
    tbt.number = (x, digits = 2) =>
        x === null || x === undefined ? "–" : x.toFixed(digits).replace("-", "−");
    // A random number in [0, 1), never rounded up to 1.
    tbt.luck = (u, digits = 4) => (Math.floor(u * 10 ** digits) / 10 ** digits).toFixed(digits);
    tbt.bytes = (n) => {
        if (n < 1000) return `${n} bytes`;
        const units = ["kB", "MB", "GB"];
        let size = n / 1000;
        while (size >= 1000 && units.length > 1) ((size /= 1000), units.shift());
        return `${size.toFixed(size < 10 ? 1 : 0)} ${units[0]}`;
    };
    tbt.clamp = (x, low, high) => Math.min(Math.max(x, low), high);

    // What fits into so many pixels of the small type, about.
    tbt.fitting = (text, pixels) => {
        const most = Math.floor(pixels / 7.6);
        const characters = Array.from(text);
        if (characters.length <= most) return text;
        return most < 2 ? "" : `${characters.slice(0, most - 1).join("")}…`;
    };

    tbt.calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
}
