//! The rule `name separator value`: what a telling name is given, however both are joined.

use std::ops::Range;

use super::{
    MAX_SECRET, REDACTED, behind,
    document::VALUE_KEYS,
    names::{Strength, is_header, strength},
    near,
    score::{Link, has_value, is_placeholder, is_random, is_worth_hiding},
    value::{bare, below, called, listed, quoted},
};

/// The longest name that is looked at.
const MAX_NAME: usize = 128;

/// How much of a text around a name is looked at for a form.
const AROUND: usize = 256;

/// How much of a value tells whether it is one.
const LOOKED_AT: usize = 512;

/// The name that a hint is a part of: a run of letters, digits and what joins them, whole at its end.
pub(super) fn name_around(text: &str, hint: &Range<usize>) -> Range<usize> {
    let is_other = |it: char| !it.is_alphanumeric() && !matches!(it, '_' | '-' | '.');
    let before = behind(text, hint.end, MAX_NAME);
    let length = before.len()
        - before.rfind(is_other).map_or(0, |at| {
            at + before.get(at..).and_then(|it| it.chars().next()).map_or(0, char::len_utf8)
        });
    let rest = text.get(hint.end..).unwrap_or_default();
    hint.end - length..hint.end + rest.find(is_other).unwrap_or(rest.len())
}

/// The values that a name is given, if it is a telling one. Most have one.
pub(super) fn values(text: &str, name: &Range<usize>, found: &mut Vec<Range<usize>>) {
    let Some(site) = Site::of(text, name) else { return };
    if let Some(range) = site.element().or_else(|| site.column()) {
        let value = text.get(range.clone()).unwrap_or_default();
        found.extend(is_worth_hiding(value, site.strength, Link::Assigned).then_some(range));
        return;
    }
    match site.joined() {
        Some(joint) => match site.value(joint) {
            Some(range) => found.push(range),
            None => site.children(found),
        },
        None => found.extend(site.spoken()),
    }
}

/// A telling name in a text.
struct Site<'t> {
    text: &'t str,
    /// Where the name ends.
    end: usize,
    name: &'t str,
    strength: Strength,
    /// What is before the name on its line.
    before: &'t str,
    rest: &'t str,
}

/// How a name and its value are joined, and where the value starts.
#[derive(Clone, Copy)]
struct Joint {
    link: Link,
    at: usize,
    /// Spaces around the sign, as programs have them.
    is_spaced: bool,
}

impl<'t> Site<'t> {
    fn of(text: &'t str, range: &Range<usize>) -> Option<Self> {
        let (name, rest) = (text.get(range.clone())?, text.get(range.end..)?);
        let before = behind(text, range.start, AROUND).rsplit('\n').next()?;
        let is = |word: &str| name.eq_ignore_ascii_case(word);
        let is_in_query = before.ends_with(['?', '&']);
        let path = before.rsplit(char::is_whitespace).next()?;
        let strength = match name {
            _ if is("signature") && is_in_query => Some(Strength::Token),
            _ if is("key") && is_in_query => Some(Strength::Mention),
            // A part of an identifier, as in `arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db`.
            _ if path.ends_with(':')
                && path.matches(':').count() > 2
                && !path.contains(['=', '"']) =>
            {
                None
            }
            // `API key` is a name of two words.
            _ if is("key") || is("keys") => {
                let first = before.strip_suffix(' ')?;
                let first = name_around(first, &(first.len()..first.len()));
                strength(before.get(first.start..).map(|it| format!("{it}{name}"))?.as_str())
            }
            _ => strength(name.trim_start_matches('-')),
        }?;
        Some(Self { text, end: range.end, name, strength, before, rest })
    }

    /// The sign that joins the name to a value; the quotes around the name and the bracket behind it are passed over.
    fn joined(&self) -> Option<Joint> {
        const MOST_QUOTES: usize = 8;
        const SIGNS: [(&str, Link); 10] = [
            ("===", Link::Beside),
            ("==", Link::Beside),
            ("!==", Link::Beside),
            ("!=", Link::Beside),
            ("=>", Link::Assigned),
            (":=", Link::Assigned),
            ("?=", Link::Assigned),
            ("=", Link::Assigned),
            (":", Link::Loose),
            ("：", Link::Loose),
        ];
        let to = |link, value: &str, is_spaced| {
            Some(Joint { link, at: self.text.len() - value.len(), is_spaced })
        };
        let unquoted = self.rest.trim_start_matches(['"', '\'', '`', '”', '’', '»', '*']);
        let quotes = self.rest.len() - unquoted.len();
        if quotes > MOST_QUOTES {
            return None;
        }
        if let Some(value) = keyed(unquoted, quotes > 0) {
            return to(Link::Assigned, value, false);
        }
        let bare = unquoted.strip_prefix(']').unwrap_or(unquoted);
        let sign = bare.trim_start_matches([' ', '\t']);
        let is_apart = sign.len() < bare.len();
        if let Some((link, after)) =
            SIGNS.iter().find_map(|it| Some((it.1, sign.strip_prefix(it.0)?)))
        {
            let value = after.trim_start_matches([' ', '\t', '*']);
            let ends_text = || {
                after.starts_with(['"', '\'', '`'])
                    && after.get(1..).is_some_and(|it| it.starts_with([',', ')']))
            };
            // Another name follows, unless it may be a value.
            let is_path = |it: &str| {
                let word =
                    near(it, 0, MAX_NAME).split(char::is_whitespace).next().unwrap_or_default();
                word.contains("::") || !is_worth_hiding(word, Strength::Token, Link::Loose)
            };
            return match link {
                Link::Loose if after.starts_with("//") || quotes == 0 && ends_text() => None,
                Link::Loose if after.strip_prefix(':').is_some_and(is_path) => None,
                // After `name=` a space ends an empty value; in `name = value` it does not.
                Link::Assigned if !is_apart => to(link, after, false),
                link => to(link, value, link == Link::Assigned && value.len() < after.len()),
            };
        }
        if let Some(value) = sign.strip_prefix(',').filter(|_| quotes > 0).map(str::trim_start) {
            return quoted(near(value, 0, 8), 0).and_then(|_| to(Link::Beside, value, false));
        }
        let is_option = self.name.starts_with("--") && !sign.starts_with('-');
        if is_option && (is_apart || sign.starts_with(['\n', '\r'])) {
            to(Link::Loose, sign, false)
        } else {
            None
        }
    }

    /// What is hidden behind a sign. What is no secret is told from its start, so that a text full of names costs no more than its length.
    fn value(&self, joint: Joint) -> Option<Range<usize>> {
        let start = near(self.text, joint.at, LOOKED_AT);
        let is_quoted = start.starts_with(['"', '\'', '[']);
        if is_header(self.name) && joint.link != Link::Beside && !is_quoted {
            return self.header(start, joint.at);
        }
        let (mut range, link) = self.extent(start, joint)?;
        let value = start.get(range.clone())?;
        let is_cut = range.end == start.len() && joint.at + start.len() < self.text.len();
        let is_sure = link == Link::Assigned && self.strength > Strength::Mention;
        let is_worth = is_cut && is_sure || is_worth_hiding(value, self.strength, link);
        (is_worth && !self.is_reference(value, start, joint)).then_some(())?;
        if is_cut {
            range = self.extent(near(self.text, joint.at, MAX_SECRET), joint)?.0;
        }
        Some(joint.at + range.start..joint.at + range.end)
    }

    /// Where the value is that a text starts with, and how surely it is one.
    fn extent(&self, text: &str, joint: Joint) -> Option<(Range<usize>, Link)> {
        let sure = if joint.link == Link::Beside { Link::Beside } else { Link::Assigned };
        if let Some((callee, range)) = called(text) {
            // A value is looked up by its name.
            let inside = text.get(range.clone())?;
            let is_name = strength(inside).is_some() || inside.ends_with([':', ' ']);
            return (!is_look_up(callee) && !is_name).then_some((range, sure));
        }
        if let Some(range) = listed(text).or_else(|| quoted(text, 0)) {
            // In a sentence a token may be one of a parser.
            let is_parsed = self.strength <= Strength::Token
                && joint.link == Link::Loose
                && self
                    .before
                    .strip_suffix(' ')
                    .is_some_and(|it| it.ends_with(|it: char| it.is_ascii_alphabetic()));
            return Some((range, if is_parsed { Link::Loose } else { sure }));
        }
        if let Some((range, is_sure)) = below(text) {
            return Some((range, if is_sure { sure } else { Link::Loose }));
        }
        let inside = text.strip_prefix('[').map_or(text, str::trim_start).strip_prefix('{');
        let is_structure =
            inside.is_some_and(|it| it.starts_with(['"', '\'', ' ', '\n', '\r', '\\']));
        let (word, after) = text.split_at_checked(bare(text))?;
        let (next, is_apart) = (after.trim_start_matches(' '), after.starts_with([' ', '\n']));
        let next = near(next, 0, MAX_NAME).split(char::is_whitespace).next()?;
        // What ends with a colon names something else.
        let is_other = is_structure || word.is_empty() || word.ends_with(':') && is_apart;
        (!is_other).then_some(())?;
        let is_sentence = after.starts_with(' ')
            && next.starts_with(|it: char| it.is_alphanumeric() || matches!(it, '"' | '\'' | '`'))
            && !(next.ends_with(':') || next.contains('='));
        let range = 0..word.len();
        Some(match joint.link {
            _ if self.strength == Strength::Password && is_sentence && phrase(text).is_some() => {
                (0..phrase(text)?, Link::Assigned)
            }
            // Only a tag has a space behind it.
            Link::Loose if word.contains(' ') => (range, Link::Assigned),
            Link::Loose if is_sentence => (range, Link::Spoken),
            link => (range, link),
        })
    }

    /// The line of a header, unless it is a sentence.
    fn header(&self, start: &str, at: usize) -> Option<Range<usize>> {
        const MOST_WORDS: usize = 16;
        let line = start.lines().next()?.trim_end();
        let ends = |it: &usize| !line.get(..*it).is_some_and(|it| it.ends_with('='));
        let end = line.find(['"', '`']).filter(ends).unwrap_or(line.len());
        let line = line.get(..end)?.trim_end_matches(['\'', ',', ' ']);
        let is_value = |it: &str| {
            let it = it.trim_matches([',', ';']);
            it.contains('=') && !it.ends_with('=')
                || is_worth_hiding(it, self.strength, Link::Spoken)
                || has_value(it)
        };
        // The name of a scheme is no value.
        let is_one = !line.contains(' ')
            && is_worth_hiding(line, self.strength, Link::Loose)
            && is_worth_hiding(line, Strength::Token, Link::Assigned);
        let is_kept =
            line.strip_prefix(REDACTED).is_some_and(|it| !it.starts_with(char::is_alphanumeric));
        if is_kept || !is_one && !line.split(' ').take(MOST_WORDS).any(is_value) {
            // A scheme may stand alone, with the credential on the next line.
            return near_value(self.text, at, None);
        }
        let whole = near(self.text, at, MAX_SECRET);
        let is_cut = line.len() == start.len();
        Some(at..at + if is_cut { whole.find('\n').unwrap_or(whole.len()) } else { line.len() })
    }

    /// Whether a value refers to another one, as programs do: `self.token`, `process.env.TOKEN`, `load(user)`.
    fn is_reference(&self, value: &str, text: &str, joint: Joint) -> bool {
        const ENVIRONMENTS: [&str; 4] = ["env", "environ", "getenv", "process"];
        const LONGEST_INDEX: usize = 3;
        let own = self.name.trim_start_matches('-').rsplit(['.', '-']).next().unwrap_or_default();
        let end = value
            .find(|it: char| !it.is_ascii_alphabetic() && !"_.:?&*".contains(it))
            .unwrap_or(value.len());
        let (path, after) = value.split_at_checked(end).unwrap_or_default();
        let mut parts = path.split(['.', ':', '?', '&', '*']).filter(|it| !it.is_empty());
        let (count, line) = (parts.clone().count(), text.lines().next().unwrap_or_default());
        let inside = after.get(1..).unwrap_or_default();
        let is_of_environment = count > 1 && parts.clone().any(|it| ENVIRONMENTS.contains(&it));
        let is_known = match after.chars().next() {
            None if !text.starts_with(value) => false,
            None if count == 1 => path.eq_ignore_ascii_case(own),
            None => parts.any(|it| it.ends_with(own)),
            // A name with a capital shows a value: `Secret(…)`.
            Some('(') if joint.is_spaced => {
                let is_wrapper = count == 1 && path.starts_with(|it: char| it.is_ascii_uppercase());
                line.contains(')') && !has_value(inside) && !is_wrapper
            }
            Some('[') if joint.is_spaced => {
                let is_place = self.strength == Strength::Token && inside.len() <= LONGEST_INDEX;
                line.contains(']')
                    && (is_place || strength(inside.trim_start_matches(['"', '\'', '$'])).is_some())
            }
            _ => false,
        };
        !path.is_empty() && joint.link != Link::Beside && (is_known || is_of_environment)
    }

    /// What follows a name in a sentence, in a table, or on the next line.
    fn spoken(&self) -> Option<Range<usize>> {
        let is_plural =
            self.name.ends_with(['s', 'S']) && !self.name.to_ascii_lowercase().ends_with("pass");
        // What is escaped is looked at when the escapes are undone.
        let is_escaped = self.rest.starts_with(['%', '\\', '&']);
        (self.strength > Strength::Mention && !is_plural && !is_escaped).then_some(())?;
        near_value(self.text, self.end, Some(self.strength))
    }

    /// The random values on the lines below a name that are indented more than it, one on each.
    fn children(&self, found: &mut Vec<Range<usize>>) {
        let is_gap = |it: char| matches!(it, '"' | '\'' | ':' | '\r');
        let Some(lines) = self.rest.trim_start_matches(is_gap).strip_prefix('\n') else { return };
        let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let mut at = self.text.len() - lines.len();
        let lines = near(lines, 0, LOOKED_AT).split_inclusive('\n');
        for line in lines.take_while(|it| indent(it) > indent(self.before)) {
            let mut words = line.rsplit(|it: char| it.is_whitespace() || matches!(it, '"' | '\''));
            let last = words.find(|it| !it.is_empty()).filter(|it| is_random(it));
            let start = last.and_then(|it| line.rfind(it)).map(|it| at + it);
            found.extend(start.zip(last).map(|(start, it)| start..start + it.len()));
            at += line.len();
        }
    }

    /// What an element of XML holds: `<name>…</name>`, `<entry key="name">…</entry>`, `<key>name</key><string>…</string>`.
    fn element(&self) -> Option<Range<usize>> {
        const CDATA: &str = "<![CDATA[";
        let is_tag = self
            .before
            .trim_end_matches(|it: char| it.is_ascii_alphanumeric() || it == ':')
            .ends_with('<');
        let is_attribute = self.before.ends_with(['"', '\'']) && self.before.contains('<');
        let start = near(self.rest, 0, AROUND);
        let tags = if self.before.ends_with('>') {
            start.strip_prefix("</")?.split_once('>')?.1.trim_start()
        } else {
            start
        };
        let (attributes, _) =
            tags.split_once('>').filter(|it| !it.0.trim_start_matches('<').contains('<'))?;
        let is_whole = match attributes {
            "" => is_tag,
            "\"" | "'" => is_attribute,
            _ if attributes.starts_with('<') => tags.len() < start.len(),
            _ => is_tag && attributes.starts_with(' ') && attributes.contains('='),
        };
        is_whole.then_some(())?;
        let at = self.end + (start.len() - tags.len()) + attributes.len() + 1;
        let inside = near(self.text, at, MAX_SECRET);
        let (from, end, close) = match inside.strip_prefix(CDATA) {
            Some(within) => (CDATA.len(), CDATA.len() + within.find("]]>")?, "]]></"),
            None => (0, inside.find('<')?, "</"),
        };
        inside.get(end..)?.starts_with(close).then_some(at + from..at + end)
    }

    /// The value at the place that the name has among columns: `(name, password) VALUES ('bob', '…')`, `Key (token)=(…)`.
    fn column(&self) -> Option<Range<usize>> {
        const JOINTS: [&str; 4] = ["=(", " VALUES (", " values (", " VALUES("];
        let is_list =
            |it: &str| it.chars().all(|it| it.is_alphanumeric() || "_, \"`.".contains(it));
        let (columns, after) =
            near(self.rest, 0, AROUND).split_once(')').filter(|it| is_list(it.0))?;
        let joint = JOINTS.iter().find(|it| after.starts_with(**it))?;
        let (_, first) = self.before.rsplit_once('(').filter(|it| is_list(it.1))?;
        let mut from = self.end + columns.len() + 1 + joint.len();
        let (mut at, mut quote, mut left) = (from, None, first.matches(',').count());
        for it in near(self.text, from, MAX_SECRET).chars() {
            match (quote, it) {
                (Some(open), it) if it == open => quote = None,
                (None, '\'' | '"') => quote = Some(it),
                (None, ',' | ')') if left == 0 => break,
                (None, ',') => (left, from) = (left - 1, at + 1),
                (None, ')') => return None,
                _ => (),
            }
            at += it.len_utf8();
        }
        let element = self.text.get(from..at)?;
        let value = element.trim_matches([' ', '\'', '"']);
        // What is inserted without quotes is computed.
        let is_literal = *joint == "=(" || element.trim_start().starts_with(['\'', '"']);
        let from = from + element.find(value)?;
        is_literal.then_some(from..from + value.len())
    }
}

/// The end of a password of several words: small letters only, up to the end of the line, and nothing that is said of a password.
fn phrase(text: &str) -> Option<usize> {
    const WORDS: std::ops::RangeInclusive<usize> = 3..=8;
    const LONGEST: usize = 96;
    let line = near(text, 0, LONGEST)
        .split(['\n', '\r', ',', ';', '"', '\'', '&', ')', '}', '<'])
        .next()?
        .trim_end();
    let is_word = |it: &str| {
        let is_plain = !it.is_empty() && it.bytes().all(|it| it.is_ascii_lowercase());
        is_plain && is_worth_hiding(&format!("{it} of it"), Strength::Password, Link::Loose)
    };
    (WORDS.contains(&line.split(' ').count()) && line.split(' ').all(is_word)).then_some(line.len())
}

/// The value that an attribute, the line below or the next member has for the name: `name="password" value="…"`, `name: password` and
/// below `value: …`, `"name": "password", "value": "…"`.
fn keyed(rest: &str, is_quoted: bool) -> Option<&str> {
    let bare = rest.trim_start_matches([' ', '\t', '\r', '\n', ',']);
    let gap = rest.get(..rest.len() - bare.len())?;
    (!gap.is_empty() && (is_quoted || gap.contains('\n'))).then_some(())?;
    let bare = bare.trim_start_matches(['"', '\'']);
    let after = VALUE_KEYS.iter().find_map(|it| {
        let (key, rest) = bare.split_at_checked(it.len())?;
        key.eq_ignore_ascii_case(it).then_some(rest)
    })?;
    let value = after.trim_start_matches(['"', '\'', ' ']).strip_prefix([':', '='])?;
    Some(value.trim_start_matches([' ', '\t']))
}

/// Whether a function looks a value up, as in `os.getenv("…")`: source text, which holds none.
fn is_look_up(callee: &str) -> bool {
    const STARTS: [&str; 7] = ["get", "lookup", "value", "env", "fetch", "input", "prompt"];
    let name = callee.rsplit(['.', ':']).next().unwrap_or_default().to_ascii_lowercase();
    STARTS.iter().any(|it| name.starts_with(it))
}

/// The random word that is a few words behind a name, in the same sentence, table or element. The next word need not be random if a
/// name of this strength is given it.
fn near_value(text: &str, from: usize, strength: Option<Strength>) -> Option<Range<usize>> {
    const MOST_WORDS: usize = 4;
    const MOST: usize = 192;
    const UUID: usize = 36;
    const MOST_SIGNS: usize = 3;
    let is_edge = |it: char| it.is_whitespace() || "\"'`()[]{}<>|\\".contains(it);
    let start = near(text, from, MOST);
    let (mut at, mut count) = (from, 0);
    for piece in start.split_inclusive(is_edge) {
        let word = piece.trim_end_matches(is_edge);
        let bare = word.trim_start_matches(['=', ':', '!']);
        let plain = bare.trim_end_matches(['.', ',', ';', ':']);
        let place = at + word.len() - bare.len();
        at += piece.len();
        if !plain.bytes().any(|it| it.is_ascii_alphanumeric()) {
            // What is in brackets is another matter, and so is what follows a list.
            let is_aside = piece == "(" && text.get(..at - 1).is_some_and(|it| it.ends_with(' '));
            if is_aside || bare.starts_with([',', ';', '=']) {
                return None;
            }
            continue;
        }
        count += 1;
        let signs = text.get(from..place).filter(|it| (1..=MOST_SIGNS).contains(&it.len()));
        let signs = signs.filter(|it| it.chars().all(|it| matches!(it, ' ' | '\'' | '"' | '`')));
        if let (1, Some(strength), Some(signs)) = (count, strength, signs) {
            let is_quoted = strength == Strength::Token && signs.len() > 1;
            let link = if is_quoted { Link::Beside } else { Link::Spoken };
            let is_one = !plain.contains(['=', ':', '/']) && !piece.ends_with(['(', '[']);
            if is_one && is_worth_hiding(plain, strength, link) {
                return Some(place..place + plain.len());
            }
        }
        let is_id = plain.len() == UUID && plain.matches('-').count() == 4 && count > 1;
        let is_one = !plain.trim_end_matches('=').contains(['.', '=', '&', ':']);
        if is_random(plain) && is_one && !is_id && !is_placeholder(plain) {
            let whole = near(text, place, MAX_SECRET).split(is_edge).next()?;
            let is_cut = at == from + start.len();
            return Some(place..place + if is_cut { whole.len() } else { plain.len() });
        }
        let is_end = bare.ends_with(['.', ',', ';']) || plain.contains(['=', '&']);
        let is_label = bare.ends_with(':')
            && plain.contains(|it: char| it.is_ascii_uppercase() || matches!(it, '_' | '-'));
        if count >= MOST_WORDS || is_end || is_label {
            return None;
        }
    }
    None
}
