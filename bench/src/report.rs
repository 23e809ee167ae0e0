//! Markdown tables.

use std::fmt;

/// A table with so many columns; the first holds words, the others figures.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    head: [&'static str; N],
    lines: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    pub(crate) const fn new(head: [&'static str; N]) -> Self {
        Self { head, lines: Vec::new() }
    }

    pub(crate) fn add(&mut self, line: [String; N]) {
        self.lines.push(line);
    }
}

impl<const N: usize> fmt::Display for Table<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| {} |", self.head.join(" | "))?;
        writeln!(f, "|---|{}", "---:|".repeat(N - 1))?;
        for line in &self.lines {
            writeln!(f, "| {} |", line.join(" | "))?;
        }
        Ok(())
    }
}

/// A figure with as many digits as mean something.
pub(crate) fn number(figure: f64) -> String {
    match figure.abs() {
        _ if !figure.is_finite() => "–".to_owned(),
        size if size >= 100.0 => format!("{figure:.0}"),
        size if size >= 10.0 => format!("{figure:.1}"),
        size if size >= 0.1 || size == 0.0 => format!("{figure:.2}"),
        _ => format!("{figure:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, number};

    #[test]
    fn a_table_is_markdown() {
        let mut table = Table::new(["row", "calls/s"]);
        table.add(["pipe".to_owned(), number(0.95)]);
        assert_eq!(table.to_string(), "| row | calls/s |\n|---|---:|\n| pipe | 0.95 |\n");
        assert_eq!([number(1234.5), number(0.0123)], ["1234", "0.0123"]);
    }
}
