//! `Redactor`: takes secrets out of everything before it is stored or sent: known values, tokens of services, then what telling names have.

use std::borrow::Cow;

use super::{
    MAX_SECRET, REDACTED,
    document::{Hidden, elements, members},
    find, find_written, floor_boundary,
    known::{self, Forms, SHORTEST},
    open_document::completions,
    places,
    score::{holds_secret, is_plain_word, is_wordlike},
    without,
};
use crate::{fault::Redact, text};
use redress_wire::json::{Doc, Kind, Limits, RawJson, Value, write_list, write_str};

/// Longer texts are cut here.
pub(super) const MOST: usize = 256 << 10;

/// How long a byte is at most in an escape that is usual, such as `\u0041`.
const ESCAPED: usize = 6;

/// How often a text is looked through at most; more than twice is rare. One in which something is still found then goes whole.
const MOST_LOOKS: usize = 8;

/// How many bytes of a document are looked through at most, so that a long one does not take long. One that is longer than a document may
/// be goes whole.
const MOST_WORK: usize = 8 << 20;

/// Takes secrets out of texts and documents. The work is linear in their length.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// The known values in all of their forms.
    values: Forms,
    /// The length of the longest known value in any form, escaped.
    longest: usize,
}

impl Redactor {
    /// Knows these values (of the environment, of the configuration), and the passwords that stand in them as in a `Basic` header. It
    /// finds them in every case, with any white space, in base64 once or twice and in hex, whatever of that is escaped, wrapped or
    /// interleaved with what is not seen, and of several lines each. Values of less than 6 bytes are not known.
    pub fn new<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> Self {
        let (mut forms, mut longest) = (Vec::new(), 0);
        for value in values {
            let value = value.as_ref().trim();
            longest = longest.max(value.len() * ESCAPED);
            forms.extend(known::forms(value));
        }
        Self { values: Forms::new(forms), longest }
    }

    /// Knows what is secret of these variables.
    pub fn of_variables<S: AsRef<str>>(variables: impl IntoIterator<Item = (S, S)>) -> Self {
        let variables: Vec<_> = variables.into_iter().collect();
        Self::new(variables.iter().flat_map(|it| Self::secrets_of(it.0.as_ref(), it.1.as_ref())))
    }

    /// What is secret of a variable: its value if the name says so, and credentials that stand in it, such as the password of a URL.
    pub fn secrets_of<'v>(name: &str, value: &'v str) -> Vec<&'v str> {
        let within = find(value).into_iter().filter_map(|it| value.get(it));
        let whole = holds_secret(name, value).then_some(value);
        let password = whole.and_then(|it| it.split_once(':')).filter(|(user, password)| {
            let is_user = |it: char| it.is_alphanumeric() || "_-.@+".contains(it);
            !user.is_empty() && user.chars().all(is_user) && !password.starts_with("//")
        });
        within.chain(whole).chain(password.map(|it| it.1)).collect()
    }

    /// What is secret of a header that is configured: all of it, a token without the word before it, and the values in it.
    pub fn secrets_of_header(header: &str) -> Vec<&str> {
        #[rustfmt::skip]
        const PLAIN: [&str; 12] = [
            "algorithm", "charset", "domain", "expires", "nc", "opaque", "path", "qop", "realm", "uri", "username",
            "version",
        ];
        let values = header.split([';', ',']).filter_map(|it| {
            let (name, value) = it.trim().split_once('=')?;
            let name = name.rsplit(' ').next().unwrap_or_default();
            let is_name = name.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-.".contains(&it));
            let is_plain = PLAIN.iter().any(|it| it.eq_ignore_ascii_case(name));
            (is_name && !name.is_empty() && !is_plain).then(|| value.trim_matches(['"', ' ']))
        });
        let token = header.split_once(' ').map(|it| it.1);
        [header].into_iter().chain(token).chain(values).filter(|it| it.len() >= SHORTEST).collect()
    }

    /// What is secret of the address of a server: parts of its path, values of its query, unless they are words, short numbers or
    /// versions.
    pub fn secrets_of_url(url: &str) -> impl Iterator<Item = &str> {
        let rest = url.split_once("://").map_or(url, |it| it.1);
        let rest = rest.split('#').next().unwrap_or_default();
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let path = place.split('/').skip(1).filter(|it| Self::is_secret_part(it));
        let query = query.split(['&', ';']).filter_map(|it| {
            let (name, value) = it.split_once('=').unwrap_or(("", it));
            (holds_secret(name, value) || Self::is_secret_part(value)).then_some(value)
        });
        path.chain(query)
    }

    /// Whether a part of the path of an address is made like a credential.
    pub fn is_secret_part(part: &str) -> bool {
        const LONGEST_VERSION: usize = 8;
        let is_version = |it: &str| {
            let number = it.strip_prefix('v').filter(|_| it.len() <= LONGEST_VERSION);
            number.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()))
        };
        let is_number = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
        let is_plain =
            |it: &str| is_plain_word(it) && (is_wordlike(it) || is_number(it)) || is_version(it);
        !part.split(|it: char| !it.is_ascii_alphanumeric()).all(is_plain)
    }

    /// The text without its secrets, cut if it is very long. A text that is a JSON document stays one.
    pub fn text(&self, text: &str) -> String {
        let settled = settle(self.text_once(text), MOST_LOOKS, |it| self.text_once(it));
        settled.unwrap_or_else(|| {
            let is_document = RawJson::parse(text.as_bytes()).is_ok();
            if is_document {
                RawJson::string(REDACTED).as_str().to_owned()
            } else {
                REDACTED.to_owned()
            }
        })
    }

    /// The JSON document without its secrets; `None` if it is not one, or too long to be looked through.
    pub fn document_text(&self, text: &str) -> Option<String> {
        let again = |it: &str| self.document_once(it).unwrap_or_else(|| it.to_owned());
        let looks = MOST_LOOKS.min(MOST_WORK / text.len().max(1)).max(2);
        let settled = settle(self.document_once(text)?, looks, again);
        Some(settled.unwrap_or_else(|| RawJson::string(REDACTED).as_str().to_owned()))
    }

    /// The value without its secrets; everything else keeps its spelling.
    pub fn json(&self, json: &RawJson) -> RawJson {
        let clean =
            self.document_text(json.as_str()).and_then(|it| RawJson::parse(it.as_bytes()).ok());
        clean.unwrap_or_else(|| RawJson::string(REDACTED))
    }

    /// The text without the values that are known, and nothing else: for what must else reach its reader whole.
    pub fn known<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.values.is_empty() {
            return Cow::Borrowed(text);
        }
        without(text.into(), places(text, |it| self.values.find(it)), REDACTED)
    }

    /// The start of bytes of any kind, without its secrets and unseen characters; what is not UTF-8 is replaced. More is looked
    /// at than is kept, so that no secret is in it that the cut goes through.
    pub fn start(&self, bytes: &[u8], keep: usize) -> String {
        let seen = bytes.get(..keep + MAX_SECRET).unwrap_or(bytes);
        let clean = self.text(&text::strip_lines(&String::from_utf8_lossy(seen)));
        let clean = if seen.len() < bytes.len() { self.without_end(clean) } else { clean };
        text::cut_bytes(&clean, keep).into_owned()
    }

    fn text_once(&self, text: &str) -> String {
        let start = text.get(..floor_boundary(text, MOST)).unwrap_or(text);
        let is_document = start.trim_start().starts_with(['{', '[']);
        let document = || self.document_once(start).or_else(|| self.open_document(start));
        let clean = if is_document { document() } else { None };
        let clean = clean.unwrap_or_else(|| self.plain(start));
        if start.len() < text.len() { self.without_end(clean) } else { clean }
    }

    /// A text that is no document.
    fn plain(&self, text: &str) -> String {
        let look = |it: &[u8]| {
            let mut found = find_written(it);
            found.extend(self.values.find(it));
            found
        };
        without(text.into(), places(text, look), REDACTED).into_owned()
    }

    fn document_once(&self, text: &str) -> Option<String> {
        let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).ok()?;
        let mut out = String::with_capacity(text.len());
        self.value(doc.root(), None, &mut out);
        Some(out)
    }

    /// The same of a document whose end is missing, as far as it goes.
    fn open_document(&self, text: &str) -> Option<String> {
        completions(text).find_map(|it| {
            let mut clean = self.document_once(&it.text)?;
            clean.truncate(clean.len().saturating_sub(it.added));
            clean.push_str(&self.plain(it.rest));
            Some(clean)
        })
    }

    /// What is left when the cut at the end of a text may have gone through a secret that was not seen therefore. What nobody sees makes
    /// no secret shorter.
    fn without_end(&self, mut clean: String) -> String {
        let mut end = self.longest.max(MAX_SECRET);
        let keep = clean.char_indices().rev().find(|(_, it)| {
            end = end.saturating_sub(if redress_wire::unseen::is_unseen(*it) {
                0
            } else {
                it.len_utf8()
            });
            end == 0
        });
        clean.truncate(keep.map_or(0, |it| it.0));
        clean.push('…');
        clean
    }

    /// Writes a value. Documents nest at most 64 deep.
    fn value(&self, value: Value<'_>, hidden: Option<Hidden>, out: &mut String) {
        match value.kind() {
            Kind::Object => {
                out.push('{');
                for (at, (key, value, beside)) in members(value).enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    write_str(out, &self.plain(&key));
                    out.push(':');
                    let by_name =
                        || hidden.map_or_else(|| Hidden::by(&key), |it| Some(it.under(&key)));
                    self.value(value, beside.or_else(by_name), out);
                }
                out.push('}');
            }
            Kind::Array => write_list(out, elements(value), |(value, beside), out| {
                self.value(value, hidden.or(beside), out);
            }),
            Kind::String => {
                let text = value.as_str().unwrap_or_default();
                match hidden {
                    Some(it) if it.hides_text(&text) => write_str(out, REDACTED),
                    _ => write_str(out, &self.text_once(&text)),
                }
            }
            Kind::Number => {
                let is_hidden = hidden.is_some_and(Hidden::hides_number);
                if is_hidden || self.known(value.raw()) != value.raw() {
                    write_str(out, REDACTED);
                } else {
                    out.push_str(value.raw());
                }
            }
            Kind::Bool | Kind::Null => out.push_str(value.raw()),
        }
    }
}

impl Redact for Redactor {
    fn redact(&self, text: &str) -> String {
        self.text(text)
    }

    fn known(&self, text: &str) -> String {
        self.known(text).into_owned()
    }

    fn document(&self, document: &RawJson) -> RawJson {
        self.json(document)
    }
}

/// Looks again as long as something is found: where a secret is gone, another may be that it hid. `None` if something is still
/// found after the last look: such a text goes whole.
fn settle(first: String, looks: usize, again: impl Fn(&str) -> String) -> Option<String> {
    let mut clean = first;
    for _ in 1..looks {
        if !clean.contains(REDACTED) {
            return Some(clean);
        }
        let next = again(&clean);
        if next == clean {
            return Some(clean);
        }
        clean = next;
    }
    (!clean.contains(REDACTED)).then_some(clean)
}
