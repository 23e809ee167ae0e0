//! Where each table of a file begins and ends, and how text is cut out and pasted in there.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// The tables of a file that have a header of their own, in file order.
pub(super) struct Layout {
    text: String,
    sections: Vec<Section>,
}

/// A header with the keys below it.
struct Section {
    path: Vec<String>,
    /// From the header's bracket to the end of the last line that holds a key.
    span: Range<usize>,
}

impl Layout {
    /// The layout of a text that was read.
    pub(super) fn of(text: &str) -> Self {
        let mut sections = Vec::new();
        let (root, _) = DeTable::parse_recoverable(text);
        collect(text, root.get_ref(), &mut Vec::new(), &mut sections);
        sections.sort_by_key(|it| it.span.start);
        Self { text: text.to_owned(), sections }
    }

    /// The end of `[table.row]` itself, without tables below it.
    pub(super) fn end_of(&self, table: &str, row: &str) -> Option<usize> {
        self.sections.iter().find(|it| it.path == [table, row]).map(|it| it.span.end)
    }

    /// The end of the last of these rows, with the tables below them.
    pub(super) fn end_of_any(&self, table: &str, rows: &[&str]) -> Option<usize> {
        let ends = self.sections.iter().filter(|it| match it.path.as_slice() {
            [of, row, ..] => of == table && rows.contains(&row.as_str()),
            _ => false,
        });
        ends.map(|it| it.span.end).max()
    }

    /// The end of the last `[table.X]`.
    pub(super) fn end_of_all(&self, table: &str) -> Option<usize> {
        let ends = self.sections.iter().filter(|it| it.path.first().is_some_and(|it| it == table));
        ends.map(|it| it.span.end).max()
    }

    /// The text with lines put in at the end of a section.
    pub(super) fn paste(&self, at: usize, lines: &str) -> String {
        let (before, after) = self.text.split_at_checked(at).unwrap_or((&self.text, ""));
        let missing_end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        let lines = format!("{missing_end}{lines}");
        let is_crlf = self.text.split_once('\n').is_some_and(|(line, _)| line.ends_with('\r'));
        let lines = if is_crlf { lines.replace('\n', "\r\n") } else { lines };
        [before, &lines, after].concat()
    }

    /// The text without `[table.row]`, the tables below it and the comments that stand right above.
    pub(super) fn cut(&self, table: &str, row: &str) -> String {
        let mut kept = String::new();
        let mut from = 0;
        for section in
            self.sections.iter().filter(|it| it.path.starts_with(&[table.into(), row.into()]))
        {
            let gone = self.with_its_comments(section);
            kept.push_str(self.text.get(from..gone.start).unwrap_or_default());
            from = gone.end;
        }
        kept + self.text.get(from..).unwrap_or_default()
    }

    /// A section, its indentation, the comments right above its header, and the blank lines that
    /// would be left over: those below it, or at the end of the file those above it.
    fn with_its_comments(&self, section: &Section) -> Range<usize> {
        let (before, rest) = self.text.split_at_checked(section.span.start).unwrap_or_default();
        let after = rest.get(section.span.len()..).unwrap_or_default();
        let is_comment = |it: &&str| it.trim_start().starts_with('#');
        let is_blank = |it: &&str| it.trim().is_empty();
        let indent = before.len() - before.trim_end_matches([' ', '\t']).len();
        let above = before.get(..before.len() - indent).unwrap_or_default();
        let start = above.len() - length(above.split_inclusive('\n').rev().take_while(is_comment));
        let blank = length(after.split_inclusive('\n').take_while(is_blank));
        if blank < after.len() {
            return start..section.span.end + blank;
        }
        let above = above.get(..start).unwrap_or_default();
        let blank = length(above.split_inclusive('\n').rev().take_while(is_blank));
        start - blank..self.text.len()
    }
}

fn length<'a>(lines: impl Iterator<Item = &'a str>) -> usize {
    lines.map(str::len).sum()
}

/// Adds the sections of a table; returns how far the keys reach that stand in it without a header.
fn collect(
    text: &str,
    table: &DeTable<'_>,
    path: &mut Vec<String>,
    sections: &mut Vec<Section>,
) -> usize {
    let mut reach = 0;
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        let span = value.span();
        match value.get_ref() {
            DeValue::Table(inner) if !has_header(text, &span) && !is_inline(text, &span) => {
                reach = reach.max(collect(text, inner, path, sections));
            }
            DeValue::Table(inner) if has_header(text, &span) => {
                section(text, inner, span, path, sections);
            }
            DeValue::Array(items) if items.iter().any(|it| has_header(text, &it.span())) => {
                for item in items {
                    if let DeValue::Table(inner) = item.get_ref() {
                        section(text, inner, item.span(), path, sections);
                    }
                }
            }
            _ => reach = reach.max(span.end),
        }
        path.pop();
    }
    reach
}

fn section(
    text: &str,
    table: &DeTable<'_>,
    header: Range<usize>,
    path: &mut Vec<String>,
    sections: &mut Vec<Section>,
) {
    let reach = collect(text, table, path, sections).max(header.end);
    let rest = text.get(reach..).unwrap_or_default();
    let end = rest.find('\n').map_or(text.len(), |it| reach + it + 1);
    sections.push(Section { path: path.clone(), span: header.start..end });
}

/// Whether a table was opened by `[name]` or `[[name]]`.
fn has_header(text: &str, span: &Range<usize>) -> bool {
    text.as_bytes().get(span.start) == Some(&b'[')
}

fn is_inline(text: &str, span: &Range<usize>) -> bool {
    text.as_bytes().get(span.start) == Some(&b'{')
}
