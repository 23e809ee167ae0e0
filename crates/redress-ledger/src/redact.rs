//! `Redactor`: takes secrets out of everything before it is stored or sent: known values, credentials, then telling names.

mod cut;
mod disguise;
mod parts;
mod within;

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, MatchKind};
use redress::{
    fault::Redact,
    json::{Doc, Kind, Limits, RawJson, Value, write_list, write_str},
    secret::{self, MAX_SECRET, Spaces, floor_boundary},
    text,
};

pub use redress::secret::REDACTED;
pub(crate) use within::Within;

/// Known values that are shorter would take harmless words with them.
const SHORTEST: usize = 6;

/// Longer texts are cut here.
const MOST: usize = 256 << 10;

/// How long a byte is at most in an escape that is usual, such as `\u0041`.
const ESCAPED: usize = 6;

/// How often a text is looked through at most; more than twice is rare.
const MOST_LOOKS: usize = 8;

/// How many bytes of a document are looked through at most, so that nobody waits for a long one. One that is longer than a document may
/// be goes whole.
const MOST_WORK: usize = 8 << 20;

/// Takes secrets out of texts and documents. The work is linear in their length.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    known: Option<AhoCorasick>,
    /// The length of the longest known value in any disguise, escaped.
    longest: usize,
    /// How white space is read: folded, if a known value has some.
    spaces: Spaces,
}

impl Redactor {
    /// Knows these values (of the environment, of the configuration), and the passwords that stand in them as in a `Basic` header. It
    /// finds them plain, in base64 and in hex, whatever of that is escaped, and of several lines each. Values of less than 6 bytes are
    /// not known.
    pub fn new<S: AsRef<str>>(known: impl IntoIterator<Item = S>) -> Self {
        let (mut patterns, mut longest) = (Vec::new(), 0);
        let mut spaces = Spaces::Kept;
        for value in known {
            let value = value.as_ref().trim();
            let folded = value.split_whitespace().collect::<Vec<_>>().join(" ");
            let folded = Some(folded).filter(|it| it.contains(' '));
            if folded.is_some() {
                spaces = Spaces::Folded;
            }
            let others = [secret::without_escapes(value), disguise::password(value), folded];
            let values = others.iter().flatten().map(String::as_str).chain([value]);
            for value in values.filter(|it| it.len() >= SHORTEST) {
                longest = longest.max(value.len() * ESCAPED);
                patterns.extend(disguise::all(value));
                patterns.extend(parts::lines(value).map(|it| it.as_bytes().to_vec()));
            }
        }
        let mut builder = AhoCorasick::builder();
        builder.match_kind(MatchKind::LeftmostLongest).ascii_case_insensitive(true);
        let known = if patterns.is_empty() { None } else { builder.build(&patterns).ok() };
        Self { known, longest, spaces }
    }

    /// Knows what is secret of these variables.
    pub fn of_variables<S: AsRef<str>>(variables: impl IntoIterator<Item = (S, S)>) -> Self {
        let variables: Vec<_> = variables.into_iter().collect();
        Self::new(variables.iter().flat_map(|it| Self::secrets_of(it.0.as_ref(), it.1.as_ref())))
    }

    /// What is secret of a variable: its value if the name says so, and credentials that stand in it, such as the password of a URL.
    pub fn secrets_of<'v>(name: &str, value: &'v str) -> Vec<&'v str> {
        let within = secret::find(value).into_iter().filter_map(|it| value.get(it));
        let whole = secret::holds_secret(name, value).then_some(value);
        let password = whole.and_then(parts::password);
        within.chain(whole).chain(password).collect()
    }

    /// What is secret of a header that is configured: all of it, and what servers repeat of it: a token without the word before it, and
    /// the values in it.
    pub fn secrets_of_header(value: &str) -> Vec<&str> {
        let without_scheme = value.split_once(' ').map(|it| it.1);
        let parts = parts::values(value).filter(|it| it.len() >= SHORTEST);
        [value].into_iter().chain(without_scheme).chain(parts).collect()
    }

    /// What is secret of the address of a server: parts of its path, values of its query.
    pub fn secrets_of_url(url: &str) -> impl Iterator<Item = &str> {
        parts::of_url(url)
    }

    /// Whether a part of the path of an address is secret.
    pub fn is_secret_part(part: &str) -> bool {
        parts::is_secret_part(part)
    }

    /// The text without its secrets, cut if it is very long. A text that is a JSON document stays one.
    pub fn text(&self, text: &str) -> String {
        self.settled(text, Within::Open)
    }

    /// What a server said, in one line, without the values that are known; of a document also what its names hide. Rules have looked
    /// at its lines before these were joined: now they would take the next line for a value.
    pub fn told(&self, text: &str) -> String {
        self.settled(text, Within::Told)
    }

    fn settled(&self, text: &str, within: Within) -> String {
        let look = |it: &str| self.text_once(it, within);
        settle(look(text), MOST_LOOKS, look)
    }

    /// The JSON document without its secrets; `None` if it is not one, or too long to be looked through.
    pub(crate) fn document(&self, text: &str, within: Within) -> Option<String> {
        let again = |it: &str| self.document_once(it, within).unwrap_or_else(|| it.to_owned());
        let looks = MOST_LOOKS.min(MOST_WORK / text.len().max(1)).max(2);
        self.document_once(text, within).map(|it| settle(it, looks, again))
    }

    fn text_once(&self, text: &str, within: Within) -> String {
        let start = text.get(..floor_boundary(text, MOST)).unwrap_or(text);
        let is_document = start.trim_start().starts_with(['{', '[']);
        let document = || {
            let whole = self.document_once(start, within);
            whole.or_else(|| self.open_document(start, within))
        };
        let clean = if is_document { document() } else { None };
        let clean = clean.unwrap_or_else(|| self.words(start, within));
        if start.len() < text.len() { self.without_end(clean) } else { clean }
    }

    /// A text that is no document.
    fn words(&self, text: &str, within: Within) -> String {
        match within {
            Within::Told => self.known(text).into_owned(),
            _ => self.plain(text),
        }
    }

    fn document_once(&self, text: &str, within: Within) -> Option<String> {
        let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).ok()?;
        let mut out = String::with_capacity(text.len());
        self.value(doc.root(), within, &mut out);
        Some(out)
    }

    /// The same of a document whose end is missing, as far as it goes.
    fn open_document(&self, text: &str, within: Within) -> Option<String> {
        cut::completions(text).find_map(|it| {
            let mut clean = self.document_once(&it.text, within)?;
            clean.truncate(clean.len().saturating_sub(it.added));
            clean.push_str(&self.words(it.rest, within));
            Some(clean)
        })
    }

    /// The start of bytes of any kind, without its secrets and without what nobody sees; what is not UTF-8 is replaced. More is looked
    /// at than is kept, so that no secret stands in it that the cut goes through.
    pub fn start(&self, bytes: &[u8], keep: usize) -> String {
        let seen = bytes.get(..keep + MAX_SECRET).unwrap_or(bytes);
        let clean = self.text(&text::strip_lines(&String::from_utf8_lossy(seen)));
        let clean = if seen.len() < bytes.len() { self.without_end(clean) } else { clean };
        text::cut_bytes(&clean, keep).into_owned()
    }

    /// What is left when the cut at the end of a text may have gone through a secret that was not seen therefore. What nobody sees makes
    /// no secret shorter.
    fn without_end(&self, mut clean: String) -> String {
        let mut end = self.longest.max(MAX_SECRET);
        let keep = clean.char_indices().rev().find(|(_, it)| {
            end = end.saturating_sub(if text::is_unseen(*it) { 0 } else { it.len_utf8() });
            end == 0
        });
        clean.truncate(keep.map_or(0, |it| it.0));
        clean.push('…');
        clean
    }

    /// The value without its secrets; everything else keeps its spelling.
    pub fn json(&self, json: &RawJson) -> RawJson {
        self.json_within(json, Within::Open)
    }

    /// The same of the details of a failure, in which a server's words are in one line.
    pub fn details(&self, details: &RawJson) -> RawJson {
        self.json_within(details, Within::Details)
    }

    /// The same of the envelope of a failure.
    pub fn envelope(&self, envelope: &RawJson) -> RawJson {
        self.json_within(envelope, Within::Envelope)
    }

    fn json_within(&self, json: &RawJson, within: Within) -> RawJson {
        let clean = self.document(json.as_str(), within);
        let clean = clean.and_then(|it| RawJson::parse(it.as_bytes()).ok());
        clean.unwrap_or_else(|| RawJson::string(REDACTED))
    }

    fn plain(&self, text: &str) -> String {
        let known = self.without_known(text);
        let credentials = secret::find(&known);
        secret::without(known, credentials, REDACTED).into_owned()
    }

    /// The text without the values that are known, and nothing else: for what must else reach its reader whole.
    pub fn known<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.without_known(text)
    }

    fn without_known<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.known {
            Some(known) => {
                let look = |it: &[u8]| known.find_iter(it).map(|it| it.range()).collect::<Vec<_>>();
                let mut places = look(text.as_bytes());
                places.extend(secret::find_meant(text, self.spaces, look));
                places.sort_unstable_by_key(|it| (it.start, it.end));
                secret::without(text.into(), places, REDACTED)
            }
            None => Cow::Borrowed(text),
        }
    }

    /// Writes a value. Documents nest at most 64 deep.
    fn value(&self, value: Value<'_>, within: Within, out: &mut String) {
        match value.kind() {
            Kind::Object => self.object(value, within, out),
            Kind::Array => self.array(value, within, out),
            Kind::String => {
                let text = value.as_str().unwrap_or_default();
                match within {
                    Within::Hidden(it) if it.hides_text(&text) => write_str(out, REDACTED),
                    _ => write_str(out, &self.text_once(&text, within.of_text())),
                }
            }
            Kind::Number => {
                let is_known = self.without_known(value.raw()) != value.raw();
                if is_known || within.hides_number() {
                    write_str(out, REDACTED);
                } else {
                    out.push_str(value.raw());
                }
            }
            Kind::Bool | Kind::Null => out.push_str(value.raw()),
        }
    }

    fn object(&self, object: Value<'_>, within: Within, out: &mut String) {
        out.push('{');
        for (at, (key, value, beside)) in secret::members(object).enumerate() {
            if at > 0 {
                out.push(',');
            }
            write_str(out, &self.plain(&key));
            out.push(':');
            self.value(value, beside.map_or_else(|| within.under(&key), Within::Hidden), out);
        }
        out.push('}');
    }

    fn array(&self, array: Value<'_>, within: Within, out: &mut String) {
        write_list(out, secret::elements(array), |(value, beside), out| {
            self.value(value, within.or_hidden(beside), out);
        });
    }
}

impl Redact for Redactor {
    fn redact(&self, text: &str) -> String {
        self.text(text)
    }

    fn said(&self, text: &str) -> String {
        self.told(text)
    }

    fn known(&self, text: &str) -> String {
        self.without_known(text).into_owned()
    }

    fn document(&self, document: &RawJson) -> RawJson {
        self.json(document)
    }

    fn details(&self, details: &RawJson) -> RawJson {
        self.details(details)
    }
}

/// Looks again as long as something is found: where a secret is gone, another may stand that it hid.
fn settle(first: String, looks: usize, again: impl Fn(&str) -> String) -> String {
    let mut clean = first;
    for _ in 1..looks {
        if !clean.contains(REDACTED) {
            break;
        }
        let next = again(&clean);
        if next == clean {
            break;
        }
        clean = next;
    }
    clean
}

#[cfg(test)]
mod tests;
