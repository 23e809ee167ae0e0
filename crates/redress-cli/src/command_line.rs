//! `docs/reference/command-line.md`: every command with its options and examples, from the parser of the command line.

use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory as _};

use crate::Args;

/// The page.
pub fn page() -> String {
    let mut text = String::from(
        "# The command line\n\n`redress COMMAND --help` prints the same. Exit codes: 0 fine, 1 findings, 2 usage or bad input, 3 environment.\n\n\
         `cargo xtask codegen` writes this page.\n",
    );
    let mut root = Args::command();
    root.build();
    below(&mut text, &root);
    text
}

/// The commands below one, in their order, each with those below it.
fn below(text: &mut String, command: &Command) {
    for command in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        if command.get_name() == "help" {
            continue;
        }
        section(text, command);
        below(text, command);
    }
}

fn section(text: &mut String, command: &Command) {
    let about = command.get_long_about().or_else(|| command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    write!(text, "\n## {name}\n\n{about}\n\n```text\n{usage}\n```\n").unwrap_or_default();
    let options: Vec<&Arg> = command.get_arguments().filter(|it| is_shown(it)).collect();
    if !options.is_empty() {
        text.push_str("\n| option | meaning | values | default |\n| --- | --- | --- | --- |\n");
    }
    for option in options {
        row(text, option);
    }
    if let Some(examples) = command.get_after_help() {
        write!(text, "\n```text\n{}\n```\n", examples.to_string().trim_end()).unwrap_or_default();
    }
}

fn is_shown(option: &Arg) -> bool {
    !option.is_hide_set() && option.get_id() != "help" && option.get_id() != "version"
}

fn row(text: &mut String, option: &Arg) {
    let help = option.get_long_help().or_else(|| option.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let is_flag = !option.get_action().takes_values();
    let values: Vec<String> = option
        .get_possible_values()
        .iter()
        .filter(|it| !is_flag && !it.is_hide_set())
        .map(|it| format!("`{}`", it.get_name()))
        .collect();
    let defaults: Vec<String> = option
        .get_default_values()
        .iter()
        .filter(|_| !is_flag)
        .map(|it| format!("`{}`", it.to_string_lossy()))
        .collect();
    let cells = [format!("`{option}`"), help, values.join(", "), defaults.join(", ")];
    let cells = cells.map(|it| it.replace('\n', " ").replace('|', "\\|"));
    writeln!(text, "| {} |", cells.join(" | ")).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn every_command_has_its_options_and_no_hidden_one() {
        let page = page();
        for part in [
            "\n## redress run\n",
            "\n## redress ledger verify\n",
            "| `--mode <M>` | How far the gate goes",
            "| `observe`, `annotate`, `enforce` |",
            "  redress ledger verify",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains("__watch") && !page.contains("## redress help"), "{page}");
    }
}
