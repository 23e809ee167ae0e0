//! Programs: whether a call hands one over to be run, and whether an answer is what a program said.
//!
//! Its last words tell nothing of what it did before them: `rm a && cp b c` has removed `a` when `b` is not there.

use redress_registry::Effect;

use super::{
    facts::{Fact, Facts},
    normal::normal,
    raise::{Looks, Named},
    request::Argument,
    table::Source,
};
use crate::codes;

/// Arguments that hold commands, in our spelling.
const COMMANDS: [&str; 10] = [
    "command",
    "commands",
    "cmd",
    "cmds",
    "command line",
    "shell command",
    "argv",
    "shell",
    "script",
    "scripts",
];
/// Arguments that hold code, where the tool is one that runs it.
const CODE: [&str; 8] =
    ["code", "python code", "source code", "javascript", "js", "python", "function", "snippet"];

/// How an interpreter names code that is in no file.
const UNNAMED_CODE: [&str; 3] = ["File \"<string>\"", "File \"<stdin>\"", "[eval]:"];
/// What a program puts after its name, before it says what is wrong.
const AFTER_NAME: [&str; 4] = [":", " ERR!", " error", " WARN"];
const SHORTEST_NAME: usize = 2;
/// The rules about what interpreters say of code.
const LANGUAGE: &str = "language.";

/// Whether an argument is a program to run. One word can be the name of an action: `{"command":"view"}` of an editor.
pub(super) fn is_program(key: &str, value: &str, facts: Facts) -> bool {
    let key = normal(key);
    let is_runner = facts.has(Fact::Runner);
    let is_word = value.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-".contains(&it));
    let has_words = value.bytes().any(|it| it.is_ascii_alphabetic());
    has_words
        && (COMMANDS.contains(&&*key) && (is_runner || !is_word)
            || CODE.contains(&&*key) && is_runner && !is_word)
}

/// Whether a text is signed by a program of the call: `ls: …`, `npm ERR! …`.
pub(super) fn is_named(text: &str, arguments: &[Argument<'_>], facts: Facts) -> bool {
    if !facts.has(Fact::Runs) {
        return false;
    }
    let names = programs(arguments, facts).flat_map(|it| names(&it.value));
    let names: Vec<&str> = names.collect();
    let is_signed = |part: &str| {
        names.iter().any(|it| {
            let after = part.trim_start().strip_prefix(it);
            after.is_some_and(|it| AFTER_NAME.iter().any(|sign| it.starts_with(sign)))
        })
    };
    UNNAMED_CODE.iter().any(|it| text.contains(it))
        || text.lines().any(|line| {
            let parts = line.match_indices(": ").filter_map(|(at, _)| line.get(at + 2..));
            is_signed(line) || parts.take(4).any(is_signed)
        })
}

/// The arguments that are programs.
pub(super) fn programs<'p, 'a>(
    arguments: &'p [Argument<'a>],
    facts: Facts,
) -> impl Iterator<Item = &'p Argument<'a>> {
    arguments.iter().filter(move |it| is_program(&it.key, &it.value, facts))
}

/// The programs that a command starts: the first word of each of its parts, without its directory.
fn names(command: &str) -> impl Iterator<Item = &str> {
    let parts = command.split([';', '|', '&', '\n', '(']);
    let words = parts.filter_map(|it| it.split_whitespace().next());
    let names = words.filter_map(|it| it.rsplit('/').next());
    names.filter(|it| it.len() >= SHORTEST_NAME && it.starts_with(|it: char| it.is_alphabetic()))
}

/// Whether a program may have done something before it said what named the failure. A row that vouches for the contrary is
/// believed where no program has spoken.
pub(super) fn may_have_worked(facts: Facts, rule: &Named<'_>, source: Source) -> bool {
    let is_answer = matches!(source, Source::Tool | Source::Silent | Source::Rpc);
    let is_refusal =
        rule.effect == Some(Effect::None) || rule.looks == Looks::Facts && !rule.asks_for_status;
    is_answer && (facts.has(Fact::Ran) || facts.has(Fact::Runs) && !is_refusal)
}

/// Whether a failure is one of the program that was handed over, and not of the call.
pub(super) fn is_about_it(facts: Facts, rule: &Named<'_>) -> bool {
    facts.has(Fact::Runs) && (facts.has(Fact::Ran) || rule.id.starts_with(LANGUAGE))
}

/// The code of a failure that a program reported: its options and operands are no arguments of the tool.
pub(super) fn code(code: &str) -> &str {
    let is_of_arguments = [codes::MISSING_REQUIRED_FIELD.name(), codes::INVALID_INPUT_TYPE.name()];
    if is_of_arguments.contains(&code) { codes::INVALID_INPUT_VALUE.name() } else { code }
}

#[cfg(test)]
mod tests {
    use super::{Argument, Fact, Facts, is_named, is_program};

    #[test]
    fn a_program_is_told_from_the_name_of_an_action() {
        let (plain, runner) = (Facts::default(), Facts::default().with(Fact::Runner));
        for (key, value, facts, expected) in [
            ("command", "rm -rf x", plain, true),
            ("command", "view", plain, false),
            ("command", "ls", runner, true),
            ("shellCommand", "make all", plain, true),
            ("code", "print(1)", runner, true),
            ("code", "print(1)", plain, false),
            ("code", "USD", runner, false),
            ("cmd", "5", runner, false),
            ("command", "", runner, false),
            ("path", "a b", runner, false),
        ] {
            assert_eq!(is_program(key, value, facts), expected, "{key} {value}");
        }
    }

    #[test]
    fn a_program_signs_what_it_says() {
        let facts = Facts::default().with(Fact::Runs).with(Fact::Runner);
        for (command, text, expected) in [
            ("ls --x", "ls: unrecognized option '--x'", true),
            ("ls --x", "Error: ls: unrecognized option '--x'", true),
            ("cd a && npm run x", "npm ERR! Missing script: \"x\"", true),
            ("/usr/bin/git x", "git: 'x' is not a git command", true),
            ("python3 -c '('", "  File \"<string>\", line 1\nSyntaxError: x", true),
            ("ls x", "Directory is required", false),
            ("ls x", "lsof: not allowed", false),
        ] {
            let argument =
                Argument { key: "command".into(), place: "/command".into(), value: command.into() };
            assert_eq!(is_named(text, &[argument], facts), expected, "{text}");
        }
    }
}
