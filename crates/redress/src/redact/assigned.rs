//! The rule `name separator value`: what a telling name is given, however both are joined.

use std::ops::Range;

use super::{
    MAX_SECRET, REDACTED,
    document::VALUE_KEYS,
    floor_boundary,
    names::{Strength, is_header, strength},
    score::{Link, has_value, is_placeholder, is_random, is_wordlike, is_worth_hiding},
    value::{Quote, bare, below, called, listed, quoted, quoted_below},
};

/// The longest name that is looked at.
const MAX_NAME: usize = 128;

/// How much of a text around a name is looked at for a form.
const MOST_AROUND: usize = 256;

/// How much of a value tells whether it is one. What is longer is hidden.
const LOOKED_AT: usize = 512;

/// The name that a hint is a part of: a run of letters, digits and what joins them, whole at its end.
pub(super) fn name_around(text: &str, hint: &Range<usize>) -> Range<usize> {
    let is_name = |it: &(usize, char)| it.1.is_alphanumeric() || matches!(it.1, '_' | '-' | '.');
    let from = floor_boundary(text, hint.end.saturating_sub(MAX_NAME));
    let before = text.get(from..hint.end).unwrap_or_default();
    let start =
        before.char_indices().rev().take_while(is_name).last().map_or(hint.end, |it| from + it.0);
    let after = text.get(hint.end..).unwrap_or_default().char_indices();
    let end = after.take_while(is_name).last().map_or(0, |it| it.0 + it.1.len_utf8());
    start..hint.end + end
}

/// The values that a name is given, if it is a telling one. Most have one.
pub(super) fn values(text: &str, name: &Range<usize>, found: &mut Vec<Range<usize>>) {
    let Some(site) = Site::of(text, name) else { return };
    if let Some(range) = site.element().or_else(|| site.column()) {
        let is_worth = text
            .get(range.clone())
            .is_some_and(|it| is_worth_hiding(it, site.strength, Link::Assigned));
        found.extend(is_worth.then_some(range));
        return;
    }
    match site.joined() {
        Some(given) => match site.value(given) {
            Some(range) => found.push(range),
            None => site.children(found),
        },
        None => found.extend(site.spoken()),
    }
}

/// A telling name in a text.
struct Site<'t> {
    text: &'t str,
    name: Range<usize>,
    spelled: &'t str,
    strength: Strength,
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
    fn of(text: &'t str, name: &Range<usize>) -> Option<Self> {
        let spelled = text.get(name.clone())?;
        let strength = Self::strength_of(text, name, spelled)?;
        Some(Self { text, name: name.clone(), spelled, strength })
    }

    /// What a name holds. `API key` is a name of two words, and `?signature=` and `?key=` stand for the proof of a request.
    fn strength_of(text: &str, name: &Range<usize>, spelled: &str) -> Option<Strength> {
        let before = text.get(..name.start)?;
        let is_proof =
            |name: &str| spelled.eq_ignore_ascii_case(name) && before.ends_with(['?', '&']);
        if is_proof("signature") {
            return Some(Strength::Token);
        }
        if is_proof("key") {
            return Some(Strength::Mention);
        }
        let is_key = ["key", "keys"].iter().any(|it| spelled.eq_ignore_ascii_case(it));
        if !is_key {
            // A part of an identifier, as in `arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db`.
            let near =
                before.get(floor_boundary(before, before.len().saturating_sub(MAX_NAME))..)?;
            let path = near.rsplit(char::is_whitespace).next().filter(|it| it.ends_with(':'));
            let is_part =
                path.is_some_and(|it| it.matches(':').count() > 2 && !it.contains(['=', '"']));
            return strength(spelled.trim_start_matches('-')).filter(|_| !is_part);
        }
        let before = before.strip_suffix(' ')?;
        let first = name_around(text, &(before.len()..before.len()));
        strength(text.get(first.start..name.end)?)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.name.end..).unwrap_or_default()
    }

    /// What stands before the name on its line.
    fn before(&self) -> &'t str {
        let start = floor_boundary(self.text, self.name.start.saturating_sub(MOST_AROUND));
        let near = self.text.get(start..self.name.start).unwrap_or_default();
        near.rsplit('\n').next().unwrap_or_default()
    }

    /// The sign that joins the name to a value; the quotes around the name and the bracket behind it are passed over.
    fn joined(&self) -> Option<Joint> {
        const MOST_SIGNS: usize = 8;
        let rest = self.rest();
        let unquoted = rest.trim_start_matches(['"', '\'', '`', '”', '’', '»', '*']);
        let is_quoted = unquoted.len() < rest.len();
        (rest.len() - unquoted.len() <= MOST_SIGNS).then_some(())?;
        let to = |link, value: &str, is_spaced| {
            Some(Joint { link, at: self.text.len() - value.len(), is_spaced })
        };
        if let Some(value) = keyed(unquoted, is_quoted) {
            return to(Link::Assigned, value, false);
        }
        let bare = unquoted.strip_prefix(']').unwrap_or(unquoted);
        let sign = bare.trim_start_matches([' ', '\t']);
        let is_apart = sign.len() < bare.len();
        let trimmed = |it: &'t str| it.trim_start_matches([' ', '\t', '*']);
        for same in ["===", "==", "!==", "!="] {
            if let Some(after) = sign.strip_prefix(same) {
                return to(Link::Beside, trimmed(after), true);
            }
        }
        for assigns in ["=>", ":=", "?=", "="] {
            if let Some(after) = sign.strip_prefix(assigns) {
                // After `name=` a space ends an empty value; in `name = value` it does not.
                let value = if is_apart { trimmed(after) } else { after };
                return to(Link::Assigned, value, is_apart && value.len() < after.len());
            }
        }
        if let Some(after) = sign.strip_prefix([':', '：']) {
            let is_end_of_text = || {
                let after = after.strip_prefix(['"', '\'', '`']);
                !is_quoted && after.is_some_and(|it| it.starts_with([',', ')']))
            };
            // A scheme, a path of names and the end of a text have no value.
            let is_path = |it: &str| {
                let word = it.split(char::is_whitespace).next().unwrap_or_default();
                let near = word.get(..floor_boundary(word, MAX_NAME)).unwrap_or_default();
                near.contains("::") || !is_worth_hiding(near, Strength::Token, Link::Loose)
            };
            let is_none = after.starts_with("//") || after.strip_prefix(':').is_some_and(is_path);
            return if is_none || is_end_of_text() {
                None
            } else {
                to(Link::Loose, trimmed(after), false)
            };
        }
        if let Some(after) = sign.strip_prefix(',').filter(|_| is_quoted) {
            let value = after.trim_start();
            Quote::at(value)?;
            return to(Link::Beside, value, false);
        }
        let is_option = self.spelled.starts_with("--") && !sign.starts_with('-');
        let is_joined = is_option && (is_apart || sign.starts_with(['\n', '\r']));
        if is_joined { to(Link::Loose, sign, false) } else { None }
    }

    /// What is hidden behind a sign. What is no secret is told from its start, so that a text full of names costs no more than its length.
    fn value(&self, joint: Joint) -> Option<Range<usize>> {
        let from = self.text.get(joint.at..)?;
        let near = from.get(..floor_boundary(from, LOOKED_AT))?;
        let is_quoted = near.starts_with(['"', '\'', '[']);
        if is_header(self.spelled) && joint.link != Link::Beside && !is_quoted {
            return self.header(near, joint.at);
        }
        let (mut range, link) = self.extent(near, joint)?;
        let value = near.get(range.clone())?;
        let is_cut = range.end == near.len() && near.len() < from.len();
        let is_sure = link == Link::Assigned && self.strength > Strength::Mention;
        let is_worth = is_cut && is_sure || is_worth_hiding(value, self.strength, link);
        (is_worth && !self.is_reference(value, near, joint)).then_some(())?;
        if is_cut {
            range = self.extent(from.get(..floor_boundary(from, MAX_SECRET))?, joint)?.0;
        }
        Some(joint.at + range.start..joint.at + range.end)
    }

    /// Where the value stands that a text starts with, and how surely it is one.
    fn extent(&self, near: &str, joint: Joint) -> Option<(Range<usize>, Link)> {
        let sure = if joint.link == Link::Beside { Link::Beside } else { Link::Assigned };
        if let Some(range) = listed(near) {
            return Some((range, sure));
        }
        if let Some((callee, range)) = called(near) {
            // A value is looked up by its name.
            let inside = near.get(range.clone())?;
            let is_name = strength(inside).is_some() || inside.ends_with([':', ' ']);
            return (!is_look_up(callee) && !is_name).then_some((range, sure));
        }
        if let Some(range) = quoted(near, 0).or_else(|| quoted_below(near)) {
            // In a sentence a token may be one of a parser.
            let is_parsed = self.strength <= Strength::Token
                && joint.link == Link::Loose
                && self.before().trim_end_matches(' ').len() < self.before().len()
                && self.before().trim_end().ends_with(|it: char| it.is_ascii_alphabetic());
            return Some((range, if is_parsed { Link::Loose } else { sure }));
        }
        if let Some((range, is_block)) = below(near) {
            return Some((range, if is_block { Link::Assigned } else { Link::Loose }));
        }
        let inside = near.strip_prefix('[').map_or(near, str::trim_start);
        let starts_structure = inside
            .strip_prefix('{')
            .is_some_and(|it| it.starts_with(['"', '\'', ' ', '\n', '\r', '\\']));
        let range = 0..bare(near);
        (!starts_structure && !range.is_empty()).then_some(())?;
        if let Some(end) = self.phrase(near, range.end) {
            return Some((0..end, Link::Assigned));
        }
        let after = near.get(range.end..)?;
        // What ends with a colon names something else.
        let is_label = |it: &str| it.ends_with(':') || it.contains('=');
        let word = near.get(range.clone())?;
        (!(word.ends_with(':') && after.starts_with([' ', '\n']))).then_some(())?;
        let next =
            after.trim_start_matches(' ').split(char::is_whitespace).next().unwrap_or_default();
        let is_sentence = after.starts_with(' ')
            && next.starts_with(|it: char| it.is_alphanumeric() || matches!(it, '"' | '\'' | '`'))
            && !is_label(next);
        let link = match joint.link {
            // Only a tag has a space behind it.
            Link::Loose if word.contains(' ') => Link::Assigned,
            Link::Loose if is_sentence => Link::Spoken,
            link => link,
        };
        Some((range, link))
    }

    /// The end of a password of several words: small letters only, up to the end of the line, and nothing that is said of a password.
    fn phrase(&self, near: &str, first: usize) -> Option<usize> {
        const WORDS: std::ops::RangeInclusive<usize> = 3..=8;
        const LONGEST: usize = 96;
        (self.strength == Strength::Password).then_some(())?;
        let line = near.get(..floor_boundary(near, LONGEST))?;
        let end =
            line.find(['\n', '\r', ',', ';', '"', '\'', '&', ')', '}', '<']).unwrap_or(line.len());
        let line = line.get(..end)?.trim_end();
        let is_word = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_lowercase());
        let mut words = line.split(' ');
        let is_phrase = first < line.len()
            && WORDS.contains(&words.clone().count())
            && words.all(|it| {
                is_word(it) && is_worth_hiding(&format!("{it} of it"), self.strength, Link::Loose)
            });
        is_phrase.then_some(line.len())
    }

    /// The line of a header, unless it is a sentence.
    fn header(&self, near: &str, at: usize) -> Option<Range<usize>> {
        const MOST_WORDS: usize = 16;
        let line = near.lines().next()?.trim_end();
        let end = line
            .find(['"', '`'])
            .filter(|it| !line.get(..*it).is_some_and(|it| it.ends_with('=')))
            .unwrap_or(line.len());
        let line = line.get(..end)?.trim_end_matches(['\'', ',', ' ']);
        let mut words = line.split(' ').take(MOST_WORDS);
        let is_value = |it: &str| {
            let it = it.trim_matches([',', ';']);
            it.contains('=') && !it.ends_with('=')
                || is_worth_hiding(it, self.strength, Link::Spoken)
                || has_value(it)
        };
        let is_kept = line.starts_with(REDACTED)
            && !line
                .get(REDACTED.len()..)
                .is_some_and(|it| it.starts_with(|it: char| it.is_alphanumeric()));
        // The name of a scheme is none.
        let is_one = !line.contains(' ')
            && is_worth_hiding(line, self.strength, Link::Loose)
            && is_worth_hiding(line, Strength::Token, Link::Assigned);
        if !is_kept && (is_one || words.any(is_value)) {
            let rest = self.text.get(at + line.len()..)?;
            let is_cut = line.len() == near.len();
            let more = if is_cut {
                rest.bytes().take(MAX_SECRET).take_while(|it| *it != b'\n').count()
            } else {
                0
            };
            return Some(at..at + line.len() + floor_boundary(rest, more));
        }
        // A scheme may stand alone, with the credential on the next line.
        near_value(self.text, at)
    }

    /// Whether a value refers to another one, as programs do: `self.token`, `process.env.TOKEN`, `load(user)`.
    fn is_reference(&self, value: &str, near: &str, joint: Joint) -> bool {
        const ENVIRONMENTS: [&str; 4] = ["env", "environ", "getenv", "process"];
        const LONGEST_INDEX: usize = 3;
        let own =
            self.spelled.trim_start_matches('-').rsplit(['.', '-']).next().unwrap_or_default();
        let is_path = |it: &u8| it.is_ascii_alphabetic() || b"_.:?&*".contains(it);
        let length = value.bytes().take_while(is_path).count();
        let (path, after) = value.split_at_checked(length).unwrap_or_default();
        let parts = path.split(['.', ':', '?', '&', '*']).filter(|it| !it.is_empty());
        let count = parts.clone().count();
        let line = near.lines().next().unwrap_or_default();
        let (open, inside) = after.split_at_checked(1).unwrap_or_default();
        let is_bare = near.starts_with(value);
        let is_passed = || {
            self.before().contains('(')
                && line.get(value.len()..).is_some_and(|it| it.starts_with([',', ')']))
        };
        let is_named = match parts.clone().next_back() {
            _ if !is_bare || !after.is_empty() => false,
            Some(last) if count == 1 && !is_passed() => last.eq_ignore_ascii_case(own),
            Some(last) => {
                last.ends_with(own) || joint.is_spaced && parts.clone().any(|it| it.ends_with(own))
            }
            None => false,
        };
        let is_of_environment = count > 1 && parts.clone().any(|it| ENVIRONMENTS.contains(&it));
        let is_wrapper = count == 1 && path.starts_with(|it: char| it.is_ascii_uppercase());
        let is_computed = match open {
            "(" => line.contains(')') && !has_value(inside) && !is_wrapper,
            "[" => {
                let bare = inside.trim_start_matches(['"', '\'', '$']);
                let is_place = self.strength == Strength::Token
                    && (is_wordlike(inside) || inside.len() <= LONGEST_INDEX);
                line.contains(']') && (strength(bare).is_some() || is_place)
            }
            _ => false,
        };
        !path.is_empty()
            && joint.link != Link::Beside
            && (is_named || is_of_environment || joint.is_spaced && is_computed)
    }

    /// What follows a name in a sentence, in a table, or on the next line.
    fn spoken(&self) -> Option<Range<usize>> {
        let is_plural = self.spelled.ends_with(['s', 'S'])
            && !self.spelled.to_ascii_lowercase().ends_with("pass");
        (self.strength > Strength::Mention && !is_plural).then_some(())?;
        let rest = self.rest();
        let rest = rest.get(..floor_boundary(rest, MOST_AROUND))?;
        // What is escaped is looked at when the escapes are undone.
        (!rest.starts_with(['%', '\\', '&'])).then_some(())?;
        let value = rest.trim_start_matches([' ', '\'', '"', '`']);
        let gap = rest.len() - value.len();
        let word = value
            .split(|it: char| {
                it.is_whitespace() || matches!(it, '\'' | '"' | '`' | ',' | ')' | '|')
            })
            .next()?;
        let word = word.trim_end_matches(['.', ':']);
        let is_plain = !word.contains(['=', ':', '/', '(', '[']) && word.len() <= LOOKED_AT;
        let is_token =
            self.strength == Strength::Token && rest.get(..gap)?.contains(['\'', '"', '`']);
        let link = if is_token { Link::Beside } else { Link::Spoken };
        if (1..=3).contains(&gap) && is_plain && is_worth_hiding(word, self.strength, link) {
            let at = self.name.end + gap;
            return Some(at..at + word.len());
        }
        near_value(self.text, self.name.end)
    }

    /// The values on the lines below a name, indented, one on each.
    fn children(&self, found: &mut Vec<Range<usize>>) {
        let Some(lines) = self
            .rest()
            .trim_start_matches(['"', '\''])
            .strip_prefix(":")
            .map(|it| it.trim_start_matches('\r'))
        else {
            return;
        };
        let Some(lines) = lines.strip_prefix('\n') else { return };
        let near = lines.get(..floor_boundary(lines, LOOKED_AT)).unwrap_or_default();
        let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let mut at = self.text.len() - lines.len();
        for line in near.split_inclusive('\n').take_while(|it| indent(it) > indent(self.before())) {
            let value = line.rsplit([' ', '\t']).next().unwrap_or_default();
            let value =
                value.trim_matches(|it: char| it.is_whitespace() || matches!(it, '"' | '\''));
            let start = line.rfind(value).map_or(at, |it| at + it);
            found.extend(is_random(value).then_some(start..start + value.len()));
            at += line.len();
        }
    }

    /// What an element of XML holds: `<name>…</name>`, `<entry key="name">…</entry>`, `<key>name</key><string>…</string>`.
    fn element(&self) -> Option<Range<usize>> {
        const CDATA: &str = "<![CDATA[";
        let before = self.before();
        let prefix = before
            .strip_suffix(':')
            .map_or(before, |it| it.trim_end_matches(|it: char| it.is_ascii_alphanumeric()));
        let is_tag = prefix.ends_with('<');
        let is_attribute = || before.ends_with(['"', '\'']) && before.contains('<');
        let is_key = before.ends_with('>') && self.rest().starts_with("</");
        (is_tag || is_key || is_attribute()).then_some(())?;
        let rest = self.rest();
        let near = rest.get(..floor_boundary(rest, MOST_AROUND))?;
        let mut end = near.find('>')?;
        if is_key {
            end += 1 + near.get(end + 1..)?.find('>')?;
            near.get(..end)?
                .trim_end_matches(|it: char| it.is_ascii_alphanumeric())
                .ends_with('<')
                .then_some(())?;
        } else {
            let attributes = near.get(..end)?;
            let is_whole = attributes.is_empty()
                || attributes == before.get(before.len() - 1..)?
                || is_tag && attributes.contains('=') && attributes.starts_with(' ');
            (is_whole && !attributes.contains('<')).then_some(())?;
        }
        let at = self.name.end + end + 1;
        let inside = self.text.get(at..)?;
        let inside = inside.get(..floor_boundary(inside, MAX_SECRET))?;
        let (from, end, close) = match inside.strip_prefix(CDATA) {
            Some(within) => (CDATA.len(), CDATA.len() + within.find("]]>")?, "]]></"),
            None => (0, inside.find('<')?, "</"),
        };
        inside.get(end..)?.starts_with(close).then_some(at + from..at + end)
    }

    /// The value at the place that the name has among columns: `(name, password) VALUES ('bob', '…')`, `Key (token)=(…)`.
    fn column(&self) -> Option<Range<usize>> {
        const JOINTS: [&str; 4] = ["=(", " VALUES (", " values (", " VALUES("];
        let is_list = |it: &&str| {
            it.chars()
                .all(|it| it.is_alphanumeric() || matches!(it, '_' | ',' | ' ' | '"' | '`' | '.'))
        };
        let rest = self.rest();
        let near = rest.get(..floor_boundary(rest, MOST_AROUND))?;
        let (columns, after) = near.split_once(')').filter(|it| is_list(&it.0))?;
        let joint = JOINTS.iter().find(|it| after.starts_with(**it))?;
        let (_, first) = self.before().rsplit_once('(').filter(|it| is_list(&it.1))?;
        let start = self.name.end + columns.len() + 1 + joint.len();
        let (mut at, mut quote, mut left) = (start, None, first.matches(',').count());
        let mut from = start;
        for it in self.text.get(start..)?.chars().take(MAX_SECRET) {
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
        let bare = element.trim_matches([' ', '\'', '"']);
        // What is inserted without quotes is computed.
        let is_literal = *joint == "=(" || element.trim_start().starts_with(['\'', '"']);
        let from = from + element.find(bare)?;
        is_literal.then_some(from..from + bare.len())
    }
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
    let value =
        after.trim_start_matches(['"', '\'']).trim_start_matches(' ').strip_prefix([':', '='])?;
    Some(value.trim_start_matches([' ', '\t']))
}

/// Whether a function looks a value up, as in `os.getenv("…")`: source text, which holds none.
fn is_look_up(callee: &str) -> bool {
    const STARTS: [&str; 7] = ["get", "lookup", "value", "env", "fetch", "input", "prompt"];
    let name = callee.rsplit(['.', ':']).next().unwrap_or_default().to_ascii_lowercase();
    STARTS.iter().any(|it| name.starts_with(it))
}

/// The random word that stands a few words behind a name, in the same sentence, table or element.
fn near_value(text: &str, from: usize) -> Option<Range<usize>> {
    const MOST_WORDS: usize = 4;
    const MOST: usize = 192;
    const UUID: usize = 36;
    let near = text.get(from..floor_boundary(text, from + MOST))?;
    let is_edge = |it: char| {
        it.is_whitespace()
            || matches!(
                it,
                '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '|' | '\\'
            )
    };
    let (mut at, mut count) = (from, 0);
    for word in near.split_inclusive(is_edge) {
        let start = at;
        at += word.len();
        let bare = word.trim_end_matches(is_edge).trim_start_matches(['=', ':', '!']);
        let start = start + (word.trim_end_matches(is_edge).len() - bare.len());
        let plain = bare.trim_end_matches(['.', ',', ';', ':', '!', '?']);
        if !plain.bytes().any(|it| it.is_ascii_alphanumeric()) {
            // What stands in brackets is another matter, and so is what follows a list.
            let is_aside =
                word.ends_with('(') && text.get(..at - 1).is_some_and(|it| it.ends_with(' '));
            if is_aside || bare.starts_with([',', ';', '=']) { return None } else { continue }
        }
        count += 1;
        let whole =
            || text.get(start..).and_then(|it| it.split(is_edge).next()).unwrap_or_default();
        let is_id = plain.len() == UUID && plain.matches('-').count() == 4 && count > 1;
        if is_random(plain)
            && !plain.trim_end_matches('=').contains(['.', '=', '&', ':'])
            && !is_id
            && !is_placeholder(plain)
        {
            let value = if at == from + near.len() { whole() } else { plain };
            return Some(start..start + value.len());
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
