let { a: [b = `x${c}`], ...d } = e?.["f"] ?? class { static #g = async function* () { yield* await h }; get [i]() { return /[/]\//g } };
for await (const k of l) label: do { if (m) continue label; else break } while (!--n);
(o, p = q => ({ r, "s": 1n, get t() { return new.target } })) => u`v${w}` ** -1;
