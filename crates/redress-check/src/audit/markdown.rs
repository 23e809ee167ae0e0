//! Texts of sources in Markdown, where none of them can become markup.

/// The first line of each document, by which the next scan knows that a program wrote it.
pub(super) const HEAD: &str = "<!-- Written by redress check --report. Do not edit. -->\n\n";

/// How much of a source line is shown.
const MAX_CHARS: usize = 200;

/// A text as it can stand in a sentence or in a cell of a table.
pub(super) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '|' | '`' | '[' | ']' | '*' | '\\' => out.extend(['\\', letter]),
            it if it.is_control() => out.push(' '),
            it => out.push(it),
        }
    }
    out
}

/// Lines as a block of code, cut where they are long.
pub(super) fn block(language: &str, lines: &str) -> String {
    let shown: Vec<String> = lines
        .lines()
        .map(|it| it.chars().take(MAX_CHARS).filter(|it| !it.is_control() || *it == '\t').collect())
        .collect();
    let shown = shown.join("\n");
    // A fence is longer than any run of backticks inside of it.
    let mut fence = "```".to_owned();
    while shown.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{shown}\n{fence}\n")
}

/// `1 finding`, `2 findings`.
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::{block, text};

    #[test]
    fn no_source_becomes_markup() {
        assert_eq!(text("a|b <script> `x` [y](z)\n"), "a\\|b &lt;script> \\`x\\` \\[y\\](z) ");
        assert_eq!(block("ts", "let a = '````';"), "`````ts\nlet a = '````';\n`````\n");
    }
}
