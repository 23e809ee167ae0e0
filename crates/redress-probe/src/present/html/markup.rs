//! `Markup`: HTML in which nothing but our own literals can be markup, and every element is closed.
//!
//! Names of elements and attributes are literals; everything else goes through the escape. So a server cannot
//! write into the page, whatever it answers.

use std::fmt::Write as _;

/// Attributes of an element.
pub(super) type Attributes<'a> = &'a [(&'static str, &'a str)];

/// A piece of a page.
#[derive(Debug, Default)]
pub(super) struct Markup(String);

impl Markup {
    /// An element with what is inside.
    pub(super) fn element(
        &mut self,
        name: &'static str,
        attributes: Attributes<'_>,
        inside: impl FnOnce(&mut Self),
    ) {
        self.start(name, attributes);
        self.0.push('>');
        inside(self);
        self.0.extend(["</", name, ">"]);
    }

    /// An element with a text.
    pub(super) fn leaf(&mut self, name: &'static str, attributes: Attributes<'_>, text: &str) {
        self.element(name, attributes, |it| it.text(text));
    }

    /// An element that has no inside.
    pub(super) fn void(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.start(name, attributes);
        self.0.push_str("/>");
    }

    /// A text of anybody's.
    pub(super) fn text(&mut self, text: &str) {
        for it in text.chars() {
            if is_odd(it) {
                write!(self.0, "<b class=\"odd\">U+{:04X}</b>", u32::from(it)).unwrap_or_default();
            } else {
                self.escaped(it);
            }
        }
    }

    /// A part of the page that we wrote ourselves.
    pub(super) fn own(&mut self, text: &'static str) {
        self.0.push_str(text);
    }

    pub(super) fn finish(self) -> String {
        self.0
    }

    fn start(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.0.extend(["<", name]);
        for (key, value) in attributes {
            self.0.extend([" ", key, "=\""]);
            for it in value.chars() {
                if is_odd(it) {
                    write!(self.0, "U+{:04X}", u32::from(it)).unwrap_or_default();
                } else {
                    self.escaped(it);
                }
            }
            self.0.push('"');
        }
    }

    fn escaped(&mut self, it: char) {
        match it {
            '&' => self.0.push_str("&amp;"),
            '<' => self.0.push_str("&lt;"),
            '>' => self.0.push_str("&gt;"),
            '"' => self.0.push_str("&quot;"),
            '\'' => self.0.push_str("&#39;"),
            _ => self.0.push(it),
        }
    }
}

/// Characters that cannot be seen, or that move others about: a reader gets their number instead.
fn is_odd(it: char) -> bool {
    let hidden = matches!(it,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{fff9}'..='\u{fffb}'
    );
    hidden || (it.is_control() && !matches!(it, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::Markup;

    #[test]
    fn no_text_and_no_attribute_becomes_markup() {
        let mut markup = Markup::default();
        let hostile = "</script><img src=x onerror='a'>&\" \u{202e}\u{0}\u{1b}";
        markup.leaf("p", &[("title", hostile)], hostile);
        assert_eq!(
            markup.finish(),
            "<p title=\"&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&amp;&quot; U+202EU+0000U+001B\">\
             &lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&amp;&quot; \
             <b class=\"odd\">U+202E</b><b class=\"odd\">U+0000</b><b class=\"odd\">U+001B</b></p>"
        );
    }
}
