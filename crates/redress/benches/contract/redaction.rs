//! Redaction of 4 KiB: a log without secrets, and one with some.

use std::hint::black_box;

use redress::redact::Redactor;

use crate::measure::{Row, median_ns};

/// What a server logs.
const LINES: [&str; 6] = [
    "2026-01-19T10:00:00Z INFO tools::files read /srv/data/report-2026.csv in 12 ms, 4096 bytes\n",
    "2026-01-19T10:00:01Z WARN http::client retry 2 of 3: GET https://api.example.com/v1/items?page=2 timed out\n",
    "    at Object.readFile (node:internal/fs/promises:1237:24) and handler.ts:88:17\n",
    "2026-01-19T10:00:02Z ERROR auth: the key of the mapping was not found, signature of 'load' differs\n",
    "TypeError: Cannot read properties of undefined (reading 'items')\n",
    "2026-01-19T10:00:03Z DEBUG parser: unexpected end of input while the body of message 17 was read\n",
];

/// And where it is careless.
const SECRETS: [&str; 3] = [
    "connect postgres://app:hunter2Zeb9@db:5432/shop\n",
    "DEBUG env API_TOKEN=u8jzPde0IgxLd6GncfBAepfJBd0Kh8oO PORT=80\n",
    "header Authorization: Bearer abcdefgh0123456789\n",
];

const LENGTH: usize = 4 << 10;

pub(crate) fn rows() -> [Row; 2] {
    let careless = LINES.iter().chain(&SECRETS);
    [
        row("redact 4 KiB of a log without secrets", LINES.iter()),
        row("redact 4 KiB of a log with 10 secrets", careless),
    ]
}

fn row<'l>(what: &'static str, lines: impl Iterator<Item = &'l &'l str> + Clone) -> Row {
    let known = [
        "u8jzPde0IgxLd6GncfBAepfJBd0Kh8oO",
        "correct-horse-battery",
        "hunter2hunter2",
        "a9b8c7d6e5f4",
    ];
    let redactor = Redactor::new(known);
    let text: String = lines.cycle().flat_map(|it| it.chars()).take(LENGTH).collect();
    let ns = median_ns(|| {
        black_box(redactor.text(black_box(&text)));
    });
    Row { what, ns, beside: None, bar: "≤ 20 µs", fine: ns <= 20e3 }
}
