//! Values that are source text: types, other values by their names, and calls. None of them is a secret.

use super::{Link, is_mixed};
use crate::secret::names::secrecy;

/// Types, without what is in their brackets.
#[rustfmt::skip]
const TYPES: &[&str] = &[
    "any", "array", "blob", "bool", "boolean", "box", "buffer", "bytea", "byte", "bytes", "cell", "char",
    "character", "chararray", "cow", "decimal", "dict", "double", "f32", "f64", "float", "i8", "i16", "i32", "i64",
    "i128", "int", "integer", "isize", "list", "long", "map", "never", "number", "object", "option", "optional",
    "promise", "record", "secretbox", "secretstr", "secretstring", "short", "str", "string", "text", "u8", "u16",
    "u32", "u64", "u128", "uint", "union", "unknown", "usize", "uuid", "varchar", "vec", "void",
];

/// Words that stand before what a value is computed from.
const OPERATORS: &[&str] = &["async", "await", "lambda", "match", "new", "typeof", "yield"];

/// First names of what every program has at hand, whatever it looks up there.
#[rustfmt::skip]
const SURROUNDINGS: &[&str] = &[
    "crate", "env", "environ", "local", "module", "os", "process", "self", "std", "super", "sys", "this", "var",
];

/// First names of what a program was given, and takes values from by names that tell.
#[rustfmt::skip]
const GIVEN: &[&str] = &[
    "app", "args", "body", "client", "config", "context", "credentials", "ctx", "data", "each",
    "event", "headers", "input", "options", "opts", "params", "props", "req", "request", "res", "response",
    "session", "settings", "state", "user",
];

/// How statements start.
#[rustfmt::skip]
const STATEMENTS: &[&str] = &[
    "assert", "const", "def", "export", "final", "if", "let", "private", "protected", "pub", "public", "return",
    "static", "val", "var",
];

/// What usage texts call a value.
const ARGUMENTS: &[&str] = &["KEY", "NAME", "STRING", "TEXT", "VALUE"];

/// The longest name of a value.
const LONGEST_NAME: usize = 40;

/// How many names stand behind the first one at most, where every program has that: `process.env.NAME`.
const MOST_LOOKED_UP: usize = 2;

/// How far behind a call its bracket is looked for.
const LONGEST_CALL: usize = 256;

/// A value that a name is given.
#[derive(Debug, Clone, Copy)]
pub(in crate::secret) struct Given<'t> {
    /// What stands before the name on its line.
    pub before: &'t str,
    pub name: &'t str,
    /// What joins them.
    pub sign: &'t str,
    pub value: &'t str,
    /// The text from the value on.
    pub rest: &'t str,
    pub link: Link,
    /// Spaces around the sign, as programs have them.
    pub is_spaced: bool,
}

impl Given<'_> {
    /// Whether the value is a piece of a program, or of the usage of one.
    pub(in crate::secret) fn is_source(&self) -> bool {
        match self.link {
            Link::Tight | Link::Loose => {
                is_type(self.value) || self.is_same() || self.is_operation() || self.is_expression()
            }
            Link::Flag => is_type(self.value) || is_argument(self.value),
            Link::Quoted | Link::Column | Link::Spoken | Link::Told => is_type(self.value),
            Link::Compared => self.is_same(),
            Link::Pair => false,
        }
    }

    /// `password=password`, and in a program `password = db_password`
    fn is_same(&self) -> bool {
        let name = self.name.trim_start_matches('-');
        let last = name.rsplit(['.', '-']).next().unwrap_or_default();
        let before =
            self.value.len().checked_sub(last.len()).and_then(|it| self.value.split_at_checked(it));
        before.is_some_and(|(before, same)| {
            let is_joined = before.is_empty()
                || (self.is_spaced || self.is_passed())
                    && before.ends_with('_')
                    && before.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
            is_joined && same == last && !last.is_empty()
        })
    }

    /// `login(user, password=raw_password)`
    fn is_passed(&self) -> bool {
        let after = self.rest.get(self.value.len()..).unwrap_or_default();
        self.before.contains('(') && after.starts_with([',', ')'])
    }

    /// `await load()`
    fn is_operation(&self) -> bool {
        let after = self.rest.get(self.value.len()..).and_then(|it| it.strip_prefix(' '));
        self.is_spaced
            && OPERATORS.contains(&self.value)
            && after.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_alphabetic()))
    }

    /// `self.token`, `next_token(input)`, `tokens[at]`: believed where the text around is a program, and where no password looks so.
    fn is_expression(&self) -> bool {
        let value = self.value.trim_start_matches(['&', '*', '!']);
        let Some(path) = Path::of(value) else { return false };
        let is_at_hand = path.is_at_hand();
        let (open, inside) = path.after.split_at_checked(1).unwrap_or_default();
        let close = match open {
            // A word with a number behind it may as well be a password, and no program has a name with a dash.
            "" if path.is_numbered() || self.name.contains('-') => return false,
            "" if !self.is_spaced => {
                return is_at_hand && path.names.len() == 2 && self.is_named_by(&path);
            }
            "" => {
                let is_assigned = self.link == Link::Tight && self.is_named_by(&path);
                return is_at_hand || is_assigned || path.names.len() > 1 && self.is_code();
            }
            "(" => ')',
            "[" => ']',
            _ => return false,
        };
        let inside = inside.trim_start_matches(['"', '\'']);
        let is_assigned = self.link == Link::Tight
            && (self.is_spaced && (path.is_telling() || self.is_lexed()) || path.is_compound());
        let is_variable = inside.starts_with('$');
        let is_keyed = open == "[" && secrecy(inside).is_some() || is_variable;
        // `z.string()`
        let is_empty = path.names.len() > 1 && inside.is_empty() && self.line().contains("()");
        let is_believed =
            is_at_hand || is_assigned || is_empty || self.is_spaced && (is_keyed || self.is_code());
        is_believed && self.line().contains(close) && !is_mixed(inside)
    }

    /// A token may be one of a parser: `token = parts[1]`.
    fn is_lexed(&self) -> bool {
        matches!(self.name, "tok" | "token" | "tokens")
    }

    /// `password = account.password`, `password = random_password.db.result`
    fn is_named_by(&self, path: &Path<'_>) -> bool {
        let own = self.name.rsplit(['.', '_']).next();
        let is_same = path.names.len() > 1 && path.names.last().copied() == own;
        is_same || path.is_compound() || path.has_parts && path.is_telling()
    }

    /// Whether the text around is a program: a statement, or a line of a listing.
    fn is_code(&self) -> bool {
        let line = self.before.trim_start_matches([' ', '\t', '+', '-', '>']);
        let listed = line.trim_start_matches(|it: char| it.is_ascii_digit());
        let is_listed =
            listed.len() < line.len() && listed.trim_start().starts_with(['|', ':', '+', '-']);
        let first = line.split([' ', '(']).next().unwrap_or_default();
        let is_member = ["self.", "this.", "@"].iter().any(|it| self.name.starts_with(it));
        is_listed
            || is_member
            || self.sign.contains(":=")
            || STATEMENTS.contains(&first)
            || self.line().trim_end().ends_with(';')
    }

    /// What is left of the line, from the value on.
    fn line(&self) -> &str {
        let near = self.rest.get(..super::floor_boundary(self.rest, LONGEST_CALL));
        near.and_then(|it| it.lines().next()).unwrap_or_default()
    }
}

/// The names that an expression starts with.
struct Path<'t> {
    names: Vec<&'t str>,
    /// Two colons are between them.
    has_parts: bool,
    /// What stands behind them.
    after: &'t str,
}

impl<'t> Path<'t> {
    fn of(value: &'t str) -> Option<Self> {
        let is_path =
            |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.' | b':' | b'?');
        let length = value.bytes().take_while(|it| is_path(*it)).count();
        let (path, after) = value.split_at_checked(length)?;
        let names = path.split(['.', ':']).map(|it| it.trim_end_matches('?'));
        let names: Vec<_> = names.filter(|it| !it.is_empty()).collect();
        let is_named = !names.is_empty() && names.iter().all(|it| is_identifier(it));
        is_named.then_some(Self { names, has_parts: path.contains("::"), after })
    }

    /// Whether it starts with something that every program has, or with what one is given and goes on with a name that tells.
    fn is_at_hand(&self) -> bool {
        let [first, rest @ ..] = &*self.names else { return false };
        let is_taken = || rest.iter().any(|it| secrecy(it).is_some());
        let is_short = (1..=MOST_LOOKED_UP).contains(&rest.len());
        is_short && SURROUNDINGS.contains(first) || GIVEN.contains(first) && is_taken()
    }

    fn is_telling(&self) -> bool {
        self.names.iter().any(|it| secrecy(it).is_some()) && !self.is_wrapper()
    }

    /// Whether one of the names has several words, and they tell.
    fn is_compound(&self) -> bool {
        self.names.iter().any(|it| it.contains('_') && secrecy(it).is_some())
    }

    /// `Secret(…)`, which is how a value is shown.
    fn is_wrapper(&self) -> bool {
        matches!(&*self.names, [only] if only.starts_with("Secret"))
    }

    fn is_numbered(&self) -> bool {
        !self.has_parts && self.names.iter().any(|it| it.bytes().any(|it| it.is_ascii_digit()))
    }
}

/// Whether a text is a name as programs have them, and not one that only a machine can think of.
fn is_identifier(name: &str) -> bool {
    const MOST_DIGITS: usize = 3;
    let start = name.trim_end_matches(|it: char| it.is_ascii_digit());
    name.len() <= LONGEST_NAME
        && name.len() - start.len() <= MOST_DIGITS
        && start.bytes().all(|it| it.is_ascii_alphabetic() || it == b'_')
        && !start.is_empty()
}

/// `string`, `VARCHAR(255`, `Optional[str`, `[u8; 32]`
pub(super) fn is_type(value: &str) -> bool {
    let bare = value.trim_start_matches(['&', '*', '[']);
    let is_name = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'.' | b':');
    let length = bare.bytes().take_while(|it| is_name(*it)).count();
    let (path, after) = bare.split_at_checked(length).unwrap_or_default();
    let name = path.rsplit(['.', ':']).next().unwrap_or_default();
    let mut inside = after.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    let is_number = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
    let is_named =
        |it: &str| is_type_name(it) || it.starts_with(|it: char| it.is_ascii_uppercase());
    let is_closed = match after.bytes().next() {
        None | Some(b'?') => true,
        Some(b'(' | b';') => inside.all(is_number),
        Some(b'[') => inside.all(|it| is_number(it) || is_named(it) && !is_mixed(it)),
        Some(_) => false,
    };
    is_closed && is_type_name(name)
}

fn is_type_name(name: &str) -> bool {
    TYPES.iter().any(|it| it.eq_ignore_ascii_case(name))
}

/// `--token TOKEN`
fn is_argument(value: &str) -> bool {
    let is_shouted = value.bytes().all(|it| it.is_ascii_uppercase() || matches!(it, b'_' | b'-'));
    is_shouted && (ARGUMENTS.contains(&value) || secrecy(value).is_some())
}
