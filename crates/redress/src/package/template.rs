//! Templates: text of another language with named gaps, `@@name@@` in a line or alone in a comment.

use std::collections::BTreeMap;

/// What goes into the gaps of a template.
#[derive(Default)]
pub(super) struct Gaps(BTreeMap<String, String>);

impl Gaps {
    /// Puts a text into a gap.
    pub(super) fn put(&mut self, name: &str, text: impl Into<String>) {
        self.0.insert(name.to_owned(), text.into());
    }

    /// Puts lines in the place of a comment.
    pub(super) fn lines(&mut self, name: &str, lines: impl IntoIterator<Item = String>) {
        self.put(name, lines.into_iter().collect::<Vec<_>>().join("\n"));
    }

    /// The template without gaps. What was put in is not looked at again, so no text can name a gap.
    pub(super) fn fill(&self, template: &str, comment: &str) -> String {
        let mut out = String::with_capacity(template.len() * 2);
        for line in template.lines() {
            let alone = line.trim_start().strip_prefix(comment).map(str::trim);
            let alone = alone.and_then(|it| it.strip_prefix(MARK)?.strip_suffix(MARK));
            match alone.filter(|it| !it.contains(MARK)).and_then(|it| self.0.get(it)) {
                Some(lines) if lines.is_empty() => continue,
                Some(lines) => out.push_str(lines),
                None => self.fill_line(line, &mut out),
            }
            out.push('\n');
        }
        out
    }

    fn fill_line(&self, line: &str, out: &mut String) {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once(MARK) {
            out.push_str(before);
            let filled =
                after.split_once(MARK).and_then(|(name, rest)| Some((self.0.get(name)?, rest)));
            match filled {
                Some((text, after)) => {
                    out.push_str(text);
                    rest = after;
                }
                None => {
                    out.push_str(MARK);
                    rest = after;
                }
            }
        }
        out.push_str(rest);
    }
}

const MARK: &str = "@@";

#[cfg(test)]
mod tests {
    use super::Gaps;

    #[test]
    fn what_is_put_in_cannot_name_another_gap() {
        let mut gaps = Gaps::default();
        gaps.put("a", "@@b@@");
        gaps.put("b", "B");
        gaps.lines("list", ["  1,".to_owned(), "  @@a@@,".to_owned()]);
        gaps.lines("none", []);
        let template = "x @@a@@ @@b@@ @@c@@\n# @@list@@\n  # @@none@@\nend";
        assert_eq!(gaps.fill(template, "#"), "x @@b@@ B @@c@@\n  1,\n  @@a@@,\nend\n");
    }
}
