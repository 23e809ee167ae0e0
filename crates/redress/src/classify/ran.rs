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
const CODE: [&str; 11] = [
    "code",
    "python code",
    "source code",
    "javascript",
    "js",
    "python",
    "function",
    "snippet",
    "expression",
    "expr",
    "program",
];

/// How an interpreter names code that is in no file.
const UNNAMED_CODE: [&str; 3] = ["File \"<string>\"", "File \"<stdin>\"", "[eval]:"];
/// What a program puts after its name, before it says what is wrong.
const AFTER_NAME: [&str; 4] = [":", " ERR!", " error", " WARN"];
const SHORTEST_NAME: usize = 2;
/// The rules about what interpreters say of code.
const LANGUAGE: &str = "language.";
/// The rules about what they say of code with a mistake in it.
const BUG: &str = "bug.";

/// Whether an argument is a program to run. One word can be the name of an action: `{"command":"view"}` of an editor.
pub(super) fn is_program(key: &str, value: &str, facts: Facts) -> bool {
    let has_words = value.bytes().any(|it| it.is_ascii_alphabetic());
    let is_command = COMMANDS.contains(&&*normal(key));
    is_command && has_words && (facts.has(Fact::Runner) || !is_word(value))
        || is_code(key, value, facts)
}

/// Whether an argument is code to run.
pub(super) fn is_code(key: &str, value: &str, facts: Facts) -> bool {
    facts.has(Fact::Runner) && CODE.contains(&&*normal(key)) && !is_word(value)
}

fn is_word(value: &str) -> bool {
    value.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-".contains(&it))
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
    let is_of_code = facts.has(Fact::Code) && (facts.has(Fact::Stack) || rule.id.starts_with(BUG));
    facts.has(Fact::Runs) && (facts.has(Fact::Ran) || rule.id.starts_with(LANGUAGE) || is_of_code)
}

/// What a failure is that a program reported: its options and operands are no arguments of the tool, and a defect of code that
/// was handed over is none of the server. Of a command that did not speak, the defect may be one of the server.
pub(super) fn blame(facts: Facts, rule: Named<'_>) -> Named<'_> {
    let code = codes::INVALID_INPUT_VALUE.name();
    let is_of_language = rule.id.starts_with(LANGUAGE) || rule.id.starts_with(BUG);
    let is_theirs = facts.has(Fact::Ran) || facts.has(Fact::Code);
    match rule.code {
        it if it == codes::MISSING_REQUIRED_FIELD.name() => Named { code, ..rule },
        it if it == codes::INVALID_INPUT_TYPE.name() => Named { code, ..rule },
        it if it == codes::INTERNAL_ERROR.name() && is_of_language && is_theirs => {
            Named { code, retry: None, ..rule }
        }
        _ => rule,
    }
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
            ("code", "1/0", runner, true),
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
