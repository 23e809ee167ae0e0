//! What is forbidden in a language, as one value that the judge asks.

use super::{
    javascript::{calls, words as javascript},
    python::{modules, words as python},
    texts::Text,
    words::{Keyword, has},
};

/// An object of which only some members may be read, and nothing else may be done with it.
pub(super) struct Guarded {
    pub(super) name: &'static str,
    /// Members that may be read.
    pub(super) allowed: &'static [&'static str],
    /// Members that a refusal names.
    pub(super) named: &'static [&'static str],
    /// Whether variables and members often have its name: then only a name that nobody declares is it.
    pub(super) is_common: bool,
}

/// Whether a text that a call gets is code, or leads to it.
type IsCode = fn(&Text<'_>) -> bool;

/// All that is forbidden in a language.
pub(super) struct Rules {
    /// The blocklist.
    pub(super) keywords: &'static [Keyword],
    /// Names that are not even mentioned.
    pub(super) values: &'static [&'static str],
    /// Members that lead out of anything.
    pub(super) members: &'static [&'static str],
    /// Members that lead out of a module.
    pub(super) module_members: &'static [&'static str],
    /// Members that only tell something, of members that lead out: `x.constructor.name`.
    pub(super) tells: &'static [(&'static str, &'static [&'static str])],
    pub(super) guarded: &'static [Guarded],
    /// Names of the global object, and those that are also common names of variables.
    pub(super) globals: &'static [&'static str],
    pub(super) common_globals: &'static [&'static str],
    /// Members that are a global object, whatever they are members of.
    pub(super) windows: &'static [&'static str],
    /// Calls whose first argument is run if it is a text; they are called and nothing else.
    pub(super) runs_text: &'static [&'static str],
    /// Calls that call what they get.
    pub(super) calls_back: &'static [&'static str],
    /// Calls that call what they get after the first.
    pub(super) calls_second: &'static [&'static str],
    /// Members that are called without the look of a call.
    pub(super) called_unseen: &'static [&'static str],
    /// The same, where a name that ends like the first is mentioned.
    pub(super) called_unseen_by: &'static [(&'static str, &'static [&'static str])],
    /// Calls that give what is in something, or what they get.
    pub(super) gives_back: &'static [&'static str],
    /// Functions that give a text or a number.
    pub(super) makes_plain: &'static [&'static str],
    /// Objects and functions that are there from the start, and methods that objects have: functions, or full of them.
    pub(super) built_in: &'static [&'static str],
    pub(super) methods: &'static [&'static str],
    /// Calls whose texts are code, names of members or names of modules.
    pub(super) reads_text: &'static [&'static str],
    /// Calls that make one text of others.
    pub(super) makes_text: &'static [&'static str],
    /// Calls in which no text may be like this: `createElement("script")`.
    pub(super) arguments: &'static [(&'static str, IsCode)],
    /// Modules that compute and do nothing else.
    pub(super) modules: &'static [&'static str],
    /// Modules of which some members may be read.
    pub(super) parts: &'static [Guarded],
    /// Modules that a refusal names.
    pub(super) well_known: &'static [&'static str],
    /// Names that are not even mentioned unless they are the payload's own.
    pub(super) names: &'static [&'static str],
    /// Members that are allowed of one object: `re.compile`.
    pub(super) of_object: &'static [(&'static str, &'static str)],
    /// Whether a member that is chosen when the code runs is read without being asked for (`x[k]`), so that it is no reason to refuse.
    pub(super) has_open_keys: bool,
    /// Names that are forbidden by their form, as far as a refusal names them.
    pub(super) special: &'static [&'static str],
    /// Whether a name is forbidden by its form.
    pub(super) is_forbidden_name: fn(&str) -> bool,
    /// Whether a member is private by its form.
    pub(super) is_private: fn(&str) -> bool,
    /// Private members that nothing has as its own.
    pub(super) foreign: &'static [&'static str],
    /// What a text is that is code or leads to members, wherever it stands.
    pub(super) telling_text: fn(&str) -> Option<&'static str>,
}

pub(super) const JAVASCRIPT: Rules = Rules {
    keywords: javascript::KEYWORDS,
    values: javascript::VALUES,
    members: javascript::MEMBERS,
    module_members: &[],
    tells: &[("constructor", &["name", "length"])],
    guarded: &[
        Guarded {
            name: "process",
            allowed: javascript::PROCESS,
            named: javascript::PROCESS_ENDS,
            is_common: false,
        },
        Guarded {
            name: "Reflect",
            allowed: &["has"],
            named: &["construct", "apply", "get"],
            is_common: false,
        },
        Guarded {
            name: "module",
            allowed: javascript::MODULE,
            named: javascript::MODULE_LOADS,
            is_common: true,
        },
    ],
    globals: &["globalThis", "global", "window"],
    common_globals: &["self", "top", "parent", "frames"],
    windows: &["defaultView", "contentWindow"],
    runs_text: javascript::RUNS_TEXT,
    calls_back: calls::CALLS_BACK,
    calls_second: calls::CALLS_SECOND,
    called_unseen: calls::CALLED_UNSEEN,
    called_unseen_by: calls::CALLED_UNSEEN_BY,
    gives_back: calls::GIVES_BACK,
    makes_plain: calls::MAKES_PLAIN,
    built_in: javascript::BUILT_IN,
    methods: javascript::METHODS,
    reads_text: javascript::READS_TEXT,
    makes_text: javascript::MAKES_TEXT,
    arguments: &[
        ("createElement", is_script),
        ("createElementNS", is_script),
        ("setAttribute", is_code_attribute),
        ("setAttributeNS", is_code_attribute),
    ],
    modules: &[],
    parts: &[],
    well_known: &[],
    names: &[],
    of_object: &[],
    has_open_keys: true,
    special: &[],
    is_forbidden_name: |_| false,
    is_private: |_| false,
    foreign: &[],
    telling_text: script_in_text,
};

pub(super) const PYTHON: Rules = Rules {
    keywords: python::KEYWORDS,
    values: python::VALUES,
    members: python::MEMBERS,
    module_members: python::MODULE_MEMBERS,
    tells: &[("__class__", &["__name__", "__qualname__", "__doc__"])],
    guarded: &[],
    globals: &[],
    common_globals: &[],
    windows: &[],
    runs_text: &[],
    calls_back: &[],
    calls_second: &[],
    called_unseen: &[],
    called_unseen_by: &[],
    gives_back: &[],
    makes_plain: &[],
    built_in: &[],
    methods: &[],
    reads_text: python::READS_TEXT,
    makes_text: python::MAKES_TEXT,
    arguments: &[],
    modules: modules::MODULES,
    parts: modules::PARTS,
    well_known: modules::WELL_KNOWN,
    names: python::NAMES,
    of_object: &[("re", "compile")],
    has_open_keys: false,
    special: python::SPECIAL,
    is_forbidden_name: |name| {
        name.starts_with("__")
            && name.ends_with("__")
            && name.len() > 4
            && !has(python::DUNDERS, name)
    },
    is_private: |name| {
        name.starts_with('_') && !name.starts_with("__") && !has(python::TUPLE_MEMBERS, name)
    },
    foreign: python::PRIVATE_MODULE_MEMBERS,
    telling_text: members_in_format,
};

impl Rules {
    /// Whether a member leads out of whatever it is taken from.
    pub(super) fn leads_out(&self, member: &str, has_imports: bool) -> bool {
        has(self.members, member)
            || (has_imports && has(self.module_members, member))
            || (!self.has_open_keys && has(self.values, member))
            || (self.is_forbidden_name)(member)
    }

    /// A word of a payload as a refusal may tell it: only if it is one of ours.
    pub(super) fn told(&self, word: &str) -> &'static str {
        let ours = [self.values, self.members, self.module_members, self.runs_text, self.special];
        ours.into_iter().flatten().find(|it| **it == word).copied().unwrap_or("a special name")
    }

    /// The same of a member.
    pub(super) fn told_member(&self, key: &str) -> String {
        match self.told(key) {
            told if told == key => format!(".{told}"),
            _ if (self.is_private)(key) => "a private member".to_owned(),
            told => told.to_owned(),
        }
    }

    /// Every word that a key must not be.
    pub(super) fn words(&self) -> impl Iterator<Item = &'static str> {
        self.members.iter().chain(self.values).copied()
    }
}

/// Texts that a browser runs. It leaves out line ends and tabs of an address, and what is no letter before it.
fn script_in_text(text: &str) -> Option<&'static str> {
    let address = text.chars().skip_while(|it| *it <= ' ');
    let address = address.filter(|it| !matches!(it, '\t' | '\n' | '\r'));
    if address.take(11).map(|it| it.to_ascii_lowercase()).eq("javascript:".chars()) {
        return Some("a javascript: address");
    }
    let mut tags = text.split('<').skip(1).map(inside);
    tags.any(|tag| {
        let is_script = tag.get(..6).is_some_and(|it| it.eq_ignore_ascii_case("script"));
        is_script
            || tag.contains("=javascript:")
            || tag.split(' ').skip(1).any(|it| it.contains('=') && is_handler(it))
    })
    .then_some("a script in markup")
}

/// What stands in a tag as a browser reads it: without signs that it leaves out, one space between attributes, none around `=`.
fn inside(tag: &str) -> String {
    let (mut read, mut quote) = (String::new(), None);
    let mut chars = tag.chars();
    while let Some(c) = chars.next() {
        let c = match c {
            '&' => entity(&mut chars),
            _ => c,
        };
        match (c, quote) {
            ('>', None) => break,
            ('"' | '\'', None) if read.ends_with('=') => quote = Some(c),
            (c, Some(open)) if c == open => {
                quote = None;
                read.push(' ');
            }
            ('\t' | '\n' | '\r', Some(_)) => {}
            (' ' | '\t' | '\n' | '\r' | '\x0c' | '/', None) if read.ends_with([' ', '=']) => {}
            (' ' | '\t' | '\n' | '\r' | '\x0c' | '/', None) => read.push(' '),
            (c, Some(_)) if c <= ' ' && read.ends_with('=') => {}
            ('=', None) => {
                read.truncate(read.trim_end().len());
                read.push('=');
            }
            // A sign of its own, so that no value looks like an attribute.
            (' ' | '=', Some(_)) => read.push('_'),
            (c, _) => read.push(c.to_ascii_lowercase()),
        }
    }
    read
}

/// The sign that an entity stands for, if it is a number or one that hides an address.
fn entity(chars: &mut std::str::Chars<'_>) -> char {
    let rest = chars.as_str();
    let numbered = rest.strip_prefix('#').and_then(|it| {
        let (digits, base) = it.strip_prefix(['x', 'X']).map_or((it, 10), |it| (it, 16));
        let end = digits.find(|it: char| !it.is_digit(base)).unwrap_or(digits.len());
        let sign = u32::from_str_radix(digits.get(..end)?, base).ok().and_then(char::from_u32)?;
        Some((sign, digits.get(end..)?))
    });
    let named = || {
        let names = [("colon", ':'), ("Tab", '\t'), ("NewLine", '\n')];
        names.into_iter().find_map(|(name, sign)| Some((sign, rest.strip_prefix(name)?)))
    };
    let Some((sign, after)) = numbered.or_else(named) else { return '&' };
    *chars = after.strip_prefix(';').unwrap_or(after).chars();
    sign
}

fn is_script(element: &Text<'_>) -> bool {
    element.may_be("script") || element.known.iter().any(|it| it.eq_ignore_ascii_case("script"))
}

fn is_code_attribute(name: &Text<'_>) -> bool {
    name.known.iter().any(|it| is_handler(it))
}

/// Whether the value of an attribute is code.
fn is_handler(attribute: &str) -> bool {
    let name = attribute.split('=').next().unwrap_or_default();
    let begins = name.get(..2).is_some_and(|it| it.eq_ignore_ascii_case("on"));
    (begins && name.len() > 4) || name.eq_ignore_ascii_case("srcdoc")
}

/// `"{0.__class__}".format(x)` reads members, too.
fn members_in_format(text: &str) -> Option<&'static str> {
    let fields = text.split('{').skip(1).filter_map(|it| it.split(['}', ':', '!']).next());
    let mut members =
        fields.flat_map(|it| it.split('.').skip(1)).filter_map(|it| it.split('[').next());
    members
        .any(|it| it.starts_with('_') || has(python::MEMBERS, it))
        .then_some("a member in a format")
}
