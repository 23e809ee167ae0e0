//! What a telling name of a document hides: its value, and of an object below it whatever does not only describe the secret.

use super::{
    Secrecy, secrecy,
    value::{has_value, is_harmless, is_mixed, is_prose, is_scheme},
};

/// How a name above hides what stands at a place of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hidden {
    secrecy: Secrecy,
    place: Place,
    /// The name is that of several, which may as well be the words of a text.
    is_several: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is the value of the name, or one of several.
    Value,
    /// It is a member of an object that is the value.
    Member,
    /// It says something of the value.
    Said,
    /// It is a measure of the value.
    Measured,
    /// It says how the value is, in words or in a number.
    State,
}

/// Keys of what schemas and validators say of a value.
#[rustfmt::skip]
const SAID: &[&str] = &[
    "type", "types", "kind", "format", "title", "description", "message", "messages", "msg",
    "reason", "code", "rule", "error", "errors", "_errors", "issues", "path", "loc", "location",
    "in", "field", "expected", "required", "scheme", "flow", "scope", "scopes",
];

/// Keys of numbers that are no secret.
#[rustfmt::skip]
const MEASURED: &[&str] = &[
    "min", "max", "minimum", "maximum", "minlength", "maxlength", "length", "len", "size", "count",
    "limit", "total", "remaining", "expires", "expires_in", "ttl",
];

/// Keys of the words of a text, which are called tokens, too.
const WORDS: &[&str] = &["text", "word", "form", "lemma", "pos", "tag"];

/// Whether a key is one of what is said of a value, or of a measure of it.
pub(super) fn describes(key: &str) -> bool {
    let mut keys = SAID.iter().chain(MEASURED).chain(&["name", "status"]);
    keys.any(|it| it.eq_ignore_ascii_case(key))
}

impl Hidden {
    /// What a name hides.
    pub fn by(name: &str) -> Option<Self> {
        let is_several = name.ends_with(['s', 'S']);
        secrecy(name).map(|secrecy| Self { secrecy, place: Place::Value, is_several })
    }

    /// What is hidden of a member of an object that stands there.
    #[must_use]
    pub fn under(self, key: &str) -> Self {
        let is_one_of = |keys: &[&str]| keys.iter().any(|it| it.eq_ignore_ascii_case(key));
        let place = match self.place {
            _ if is_one_of(&["status"]) => Place::State,
            _ if is_one_of(MEASURED) => Place::Measured,
            _ if is_one_of(SAID) => Place::Said,
            _ if self.is_words() && is_one_of(WORDS) => Place::Said,
            Place::Said | Place::Measured | Place::State => self.place,
            Place::Value | Place::Member => Place::Member,
        };
        Self::by(key).unwrap_or(Self { place, ..self })
    }

    /// Whether a text there is hidden.
    pub fn hides_text(self, text: &str) -> bool {
        let is_code = || text.bytes().all(|it| it.is_ascii_digit());
        match self.place {
            Place::Value | Place::Member => !is_harmless(text, self.secrecy),
            Place::Said | Place::State => has_value(text) && !is_scheme(text) || is_code(),
            Place::Measured => is_mixed(text) || is_code() || !says_how_much(text),
        }
    }

    fn is_words(self) -> bool {
        self.secrecy == Secrecy::Texts && self.is_several
    }

    /// Whether a number there is hidden.
    pub fn hides_number(self) -> bool {
        let is_measure = matches!(self.place, Place::Measured | Place::State);
        self.secrecy == Secrecy::Strong && !is_measure
    }
}

/// `8 characters`, `in 5 minutes`, `never`
fn says_how_much(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_digit()) || is_prose(text) || text == "never"
}

#[cfg(test)]
mod tests {
    use super::Hidden;

    #[test]
    fn what_is_said_of_a_secret_stays() {
        let password = Hidden::by("password").unwrap();
        let token = Hidden::by("tokens").unwrap();
        for (hidden, text) in [
            (password, "is too short"),
            (password, "${PASSWORD}"),
            (password.under("type"), "string"),
            (password.under("_errors"), "Required"),
            (password.under("errors").under("0"), "Required"),
            (token.under("text"), "Hello"),
            (token.under("type"), "oauth2"),
            (token.under("status"), "expired"),
            (password.under("length"), "8 to 64"),
            (password.under("message"), "String must contain at least 8 character(s)"),
            (password.under("message"), "Value error, must be base64"),
        ] {
            assert!(!hidden.hides_text(text), "{hidden:?} {text}");
        }
        for (hidden, text) in [
            (password, "hunter"),
            (password.under("prod"), "hunter"),
            (password.under("message"), "hunter2Z99"),
            (password.under("code"), "123456"),
            (token, "hunter"),
            (token.under("access"), "hunter2"),
            (token.under("access"), "sesameopen"),
            (password.under("received"), "correcthorse"),
            (password.under("input"), "correcthorse"),
            (password, "is invalid: hunter2Z99"),
            (token, "not found: abcd1234efgh5678"),
            (token.under("type").under("secret"), "hunter"),
            (password, "is invalid: corgi99"),
            (password, "is invalid: corgi"),
            (password, "was hunter2"),
            (token, "not found: abc123"),
            (password.under("type"), "corgi99"),
            (password.under("message"), "value corgi-tail is weak"),
            (password.under("length"), "corgitail"),
            (Hidden::by("token").unwrap().under("text"), "corgitail"),
        ] {
            assert!(hidden.hides_text(text), "{hidden:?} {text}");
        }
        assert!(password.hides_number() && password.under("code").hides_number());
        assert!(password.under("line").hides_number());
        assert!(!password.under("minLength").hides_number() && !token.hides_number());
    }
}
