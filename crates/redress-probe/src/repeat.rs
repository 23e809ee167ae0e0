//! The command that runs a case again, as a shell takes it.

use std::ffi::OsString;

use crate::{client::ServerAddress, options::ProbeOptions};

/// The command for one case, or for all.
pub(crate) fn command(options: &ProbeOptions, case: Option<&str>) -> String {
    let mut words = vec!["redress".to_owned(), "probe".into(), "--seed".into()];
    words.push(options.seed.to_string());
    if let Some(case) = case {
        words.extend(["--only".to_owned(), quoted(case)]);
    }
    if options.allow_effects {
        words.push("--allow-effects".into());
    }
    words.extend(options.repeat.iter().map(|it| quoted(it)));
    match &options.target {
        ServerAddress::Command(command) => add(&mut words, command),
        ServerAddress::Program(program) => add(&mut words, &program.command),
        ServerAddress::Url { url, headers } => {
            for (name, _) in headers {
                words.extend(["--header".to_owned(), quoted(&format!("{name}: …"))]);
            }
            words.extend(["--url".to_owned(), quoted(url)]);
        }
    }
    words.join(" ")
}

fn add(words: &mut Vec<String>, command: &[OsString]) {
    words.push("--".into());
    words.extend(command.iter().map(|it| quoted(&it.to_string_lossy())));
}

/// A word as a shell reads it again.
fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-./:=@%+,".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_reads_a_word_as_it_was() {
        for (word, shown) in [
            ("a/b.c", "a/b.c"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$(x)", "'$(x)'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), shown);
        }
    }
}
