//! Licence expressions as manifests have them: SPDX, and the old slash that means "or".

/// An expression whose parts were read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Licence {
    /// One licence, with its exception if it has one: `Apache-2.0 WITH LLVM-exception`.
    One(String),
    All(Vec<Self>),
    Any(Vec<Self>),
}

impl Licence {
    /// Reads an expression, or says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { words: words(text), at: 0 };
        let licence = reader.any()?;
        match reader.next() {
            None => Ok(licence),
            Some(word) => Err(format!("`{word}` is not expected in `{text}`")),
        }
    }

    /// Whether the licences that are allowed are enough.
    pub(super) fn fits(&self, is_allowed: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::One(name) => is_allowed(name),
            Self::All(parts) => parts.iter().all(|it| it.fits(is_allowed)),
            Self::Any(parts) => parts.iter().any(|it| it.fits(is_allowed)),
        }
    }
}

/// Names, operators and brackets.
fn words(text: &str) -> Vec<String> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

struct Reader {
    words: Vec<String>,
    at: usize,
}

impl Reader {
    fn next(&mut self) -> Option<String> {
        let word = self.words.get(self.at).cloned();
        self.at += 1;
        word
    }

    /// Takes the next word if it is this one.
    fn takes(&mut self, word: &str) -> bool {
        let is_next = self.words.get(self.at).is_some_and(|it| it == word);
        self.at += usize::from(is_next);
        is_next
    }

    /// `OR` binds least.
    fn any(&mut self) -> Result<Licence, String> {
        let mut parts = vec![self.all()?];
        while self.takes("OR") {
            parts.push(self.all()?);
        }
        Ok(single(parts, Licence::Any))
    }

    fn all(&mut self) -> Result<Licence, String> {
        let mut parts = vec![self.one()?];
        while self.takes("AND") {
            parts.push(self.one()?);
        }
        Ok(single(parts, Licence::All))
    }

    fn one(&mut self) -> Result<Licence, String> {
        if self.takes("(") {
            let inner = self.any()?;
            return if self.takes(")") { Ok(inner) } else { Err("a bracket stays open".into()) };
        }
        let name = self.name()?;
        if self.takes("WITH") {
            return Ok(Licence::One(format!("{name} WITH {}", self.name()?)));
        }
        Ok(Licence::One(name))
    }

    fn name(&mut self) -> Result<String, String> {
        let word = self.next().ok_or("the expression ends too early")?;
        match word.as_str() {
            "(" | ")" | "AND" | "OR" | "WITH" => Err(format!("`{word}` is no licence")),
            _ => Ok(word),
        }
    }
}

fn single(mut parts: Vec<Licence>, many: fn(Vec<Licence>) -> Licence) -> Licence {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => only,
        (_, last) => many(parts.into_iter().chain(last).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::Licence;

    /// Whether an expression fits `MIT`, `Apache-2.0 WITH LLVM-exception` and `ISC`.
    fn fits(text: &str) -> bool {
        let allowed = ["MIT", "Apache-2.0 WITH LLVM-exception", "ISC"];
        Licence::parse(text).unwrap().fits(&|it| allowed.contains(&it))
    }

    #[test]
    fn one_of_several_is_enough() {
        assert!(fits("MIT") && fits("MIT OR GPL-3.0") && fits("GPL-3.0 OR MIT"));
        assert!(!fits("GPL-3.0") && !fits("GPL-3.0 OR LGPL-2.1"));
    }

    #[test]
    fn the_old_slash_means_or() {
        assert!(fits("GPL-3.0/MIT") && fits("Unlicense / MIT"));
        assert!(!fits("GPL-3.0/Unlicense"));
    }

    #[test]
    fn all_of_several_are_needed_and_bind_tighter() {
        assert!(fits("MIT AND ISC") && !fits("MIT AND GPL-3.0"));
        assert!(fits("MIT OR GPL-3.0 AND ISC"));
        assert!(!fits("(MIT OR ISC) AND GPL-3.0"));
        assert!(fits("(GPL-3.0 OR MIT) AND (ISC)"));
    }

    #[test]
    fn an_exception_belongs_to_its_licence() {
        assert!(fits("Apache-2.0 WITH LLVM-exception"));
        assert!(!fits("Apache-2.0") && !fits("MIT WITH LLVM-exception"));
        assert!(fits("Apache-2.0 WITH LLVM-exception AND MIT"));
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        for text in ["", "MIT OR", "AND MIT", "(MIT", "MIT)", "MIT ISC", "MIT WITH", "()"] {
            assert!(Licence::parse(text).is_err(), "{text}");
        }
    }
}
