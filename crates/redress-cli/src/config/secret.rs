//! `Secret`: a text that is never shown, with `${VAR}` for a variable of the environment.

use std::fmt;

use redress::redact::holds_secret;

use super::{
    kind::ValueKind,
    table::{Given, Reading},
    value::{Shown, Value},
};

/// A text that may be secret. It is shown as it was written, without what is not a variable.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    text: String,
    shown: String,
    /// The variables that it is made of.
    variables: Vec<String>,
}

impl Secret {
    /// A secret that comes from elsewhere.
    pub(crate) fn new(text: String) -> Self {
        Self { text, shown: HIDDEN.to_owned(), variables: Vec::new() }
    }

    /// The text itself, for the one who needs it.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// Whether some of it comes from the environment.
    pub(crate) const fn has_variable(&self) -> bool {
        !self.variables.is_empty()
    }

    /// Whether a name says that it is secret: the one that it has, or that of a variable in it. Other texts, such as a folder
    /// or a level of logging, are no secrets, and a server may name them.
    pub(crate) fn is_telling(&self, name: &str) -> bool {
        let mut names = self.variables.iter().map(String::as_str).chain([name]);
        names.any(|it| holds_secret(it, &self.text))
    }
}

/// What replaces anything that may be secret.
pub(super) const HIDDEN: &str = "…";

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Value for Secret {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let written = given.text(reading)?;
        match pieces(written, &|it| reading.environment.variable(it)) {
            Ok(pieces) => Some(Self::of(&pieces)),
            Err(problem) => {
                given.refuse(reading, &problem);
                None
            }
        }
    }

    fn kind() -> ValueKind {
        ValueKind::Text("text, `${VAR}` for a variable of the environment")
    }

    fn shown(&self) -> Shown {
        Shown::text(&self.shown)
    }
}

/// A piece of a text with variables.
pub(super) enum Piece<'w> {
    /// As it was written.
    Plain(&'w str),
    /// `${VAR}`.
    Variable {
        /// What it is called.
        name: &'w str,
        /// The value of the variable.
        value: String,
    },
}

/// Puts in the value of each `${VAR}`; `$${` is `${` itself. A problem names the variable, never a value.
pub(super) fn pieces<'w>(
    written: &'w str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Piece<'w>>, String> {
    let mut pieces = Vec::new();
    let mut rest = written;
    while let Some(at) = rest.find("${") {
        let (before, reference) = rest.split_at(at);
        let after = reference.get(2..).unwrap_or_default();
        if let Some(plain) = before.strip_suffix('$') {
            pieces.extend([Piece::Plain(plain), Piece::Plain("${")]);
            rest = after;
            continue;
        }
        pieces.push(Piece::Plain(before));
        let (name, behind) =
            after.split_once('}').ok_or("has a `${` without its `}`; `$${` stands for `${`")?;
        if !is_variable(name) {
            return Err("has a `${…}` that names no variable: letters, digits and `_`".to_owned());
        }
        let value =
            variable(name).ok_or_else(|| format!("needs the variable {name}, which is not set"))?;
        pieces.push(Piece::Variable { name, value });
        rest = behind;
    }
    pieces.push(Piece::Plain(rest));
    // A key in a variable has several lines; where only one may stand, that is checked there.
    let has_nul = |it: &Piece<'_>| match it {
        Piece::Plain(text) => text.contains('\0'),
        Piece::Variable { value, .. } => value.contains('\0'),
    };
    if pieces.iter().any(has_nul) {
        return Err("must not hold a NUL".to_owned());
    }
    Ok(pieces)
}

impl Secret {
    fn of(pieces: &[Piece<'_>]) -> Self {
        let mut secret = Self { text: String::new(), shown: String::new(), variables: Vec::new() };
        for piece in pieces {
            match piece {
                Piece::Plain(plain) => secret.add(plain),
                Piece::Variable { name, value } => {
                    secret.text += value;
                    secret.shown.extend(["${", name, "}"]);
                    secret.variables.push((*name).to_owned());
                }
            }
        }
        secret
    }

    fn add(&mut self, plain: &str) {
        self.text += plain;
        if !plain.is_empty() && !self.shown.ends_with(HIDDEN) {
            self.shown += HIDDEN;
        }
    }
}

/// Such names can be shown: no secret looks like a variable that is set.
fn is_variable(name: &str) -> bool {
    const MOST_CHARS: usize = 128;
    (1..=MOST_CHARS).contains(&name.len())
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
        && !name.starts_with(|it: char| it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{Secret, pieces};

    fn expand(written: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Secret, String> {
        pieces(written, variable).map(|it| Secret::of(&it))
    }

    fn vars(name: &str) -> Option<String> {
        (name == "TOKEN").then(|| "s3cr3t".to_owned())
    }

    #[test]
    fn a_variable_is_put_in_and_never_shown() {
        let secret = expand("Bearer ${TOKEN}", &vars).unwrap();
        assert_eq!(secret.reveal(), "Bearer s3cr3t");
        assert_eq!(format!("{secret:?}"), "…${TOKEN}");
        assert_eq!(expand("$${TOKEN}$", &vars).unwrap().reveal(), "${TOKEN}$");
        assert_eq!(expand("", &vars).unwrap().reveal(), "");
        assert_eq!(expand("a\nb", &vars).unwrap().reveal(), "a\nb");
    }

    #[test]
    fn a_problem_names_the_variable_and_no_value() {
        for (written, problem) in [
            ("pa55${MISSING}", "needs the variable MISSING, which is not set"),
            ("pa55${MISSING", "has a `${` without its `}`; `$${` stands for `${`"),
            ("${pa55 word}", "has a `${…}` that names no variable: letters, digits and `_`"),
            ("pa55\0word", "must not hold a NUL"),
        ] {
            assert_eq!(expand(written, &vars).unwrap_err(), problem);
        }
    }
}
