//! Texts hold no character that a reader does not see.

use std::ops::Range;

use serde_json::Value;

use crate::{
    finding::part,
    lint::scope::{Hits, Scope},
};

/// CK209.
pub(super) fn hidden(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        let mut judge = |field: &'static str, text: &str, span: &Range<usize>| {
            let bad = text.chars().find(|it| {
                let is_break = field == "explain" && matches!(it, '\n' | '\r' | '\t');
                is_hidden(*it) && !is_break
            });
            if let Some(bad) = bad {
                let character = format!("U+{:04X}", u32::from(bad));
                let context = [part("field", field), part("character", character)];
                hits.on(code, span, "The {field} holds the character {character}.", context);
            }
        };
        let fields = [
            ("title", &code.title),
            ("message", &code.message),
            ("hint", &code.hint),
            ("explain", &code.explain),
        ];
        for (field, text) in fields {
            if let Some(text) = text {
                judge(field, &text.value, &text.span);
            }
        }
        for param in code.params.iter().map(|it| &it.value) {
            if let Some(doc) = &param.doc {
                judge("doc", &doc.value, &doc.span);
            }
        }
        for spelling in code.alias.iter().flat_map(|it| &it.1) {
            judge("alias", &spelling.value, &spelling.span);
        }
        for next in &code.next {
            let args = next.value.args.iter().flat_map(|it| it.value.values());
            for text in args.filter_map(Value::as_str) {
                judge("next", text, &next.span);
            }
        }
    }
}

/// Control and escape characters, marks that turn the direction of text, and marks without width.
fn is_hidden(it: char) -> bool {
    it.is_control()
        || matches!(it,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
