//! A governed gate over HTTP from options alone: it cannot be, so lines for a shell make the file that is needed.

use std::{env, path::Path};

use super::confine::absolute;
use crate::{
    config::{Config, Server, toml_key, toml_string},
    failure::Failure,
};

/// Why a governed gate without tokens does not start, with what to type.
pub(super) fn needs_file(config: &Config) -> Failure {
    let file = quoted(&file(config));
    let failure = Failure::config("--governed", super::NO_TOKENS)
        .note("TOKEN=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \\n')")
        .note(format!("printf '%s\\n' {} > {file}", lines(config).join(" ")))
        .note(format!("echo \"$TOKEN\"; redress serve --config {file}"));
    failure.fix("Run these lines in a shell, and give the token to your client; or govern `redress run`, which needs none.")
}

/// The lines of the file, as words of a shell.
fn lines(config: &Config) -> Vec<String> {
    let governance = &config.general.governance;
    let mut lines = vec!["[governance]".to_owned()];
    lines.extend(governance.preset.map(|it| format!("preset = {}", toml_string(it.name()))));
    lines.extend(governance.root.as_ref().map(|it| format!("root = {}", path(&it.0))));
    if !governance.allow_eval.is_empty() {
        lines.push(format!("allow_eval = [{}]", list(governance.allow_eval.iter())));
    }
    let mut lines: Vec<String> = lines.iter().map(|it| quoted(it)).collect();
    lines.push("[auth.caller.me]".to_owned());
    lines.push(r#""sha256 = \"$(printf %s "$TOKEN" | sha256sum | cut -c-64)\"""#.to_owned());
    // The last role of the preset is the one that writes.
    let role = governance.policy().ok().and_then(|it| it.0.names().last().map(toml_string));
    lines.extend(role.map(|it| quoted(&format!("role = {it}"))));
    lines.extend(config.servers.iter().flat_map(server).map(|it| quoted(&it)));
    lines
}

fn server(server: &Server) -> Vec<String> {
    let mut lines = vec![format!("[server.{}]", toml_key(&server.name.to_lowercase()))];
    lines.push(match &server.workspace {
        Some(root) => format!("workspace = {}", path(&root.0)),
        None => {
            let words = server.command.iter().map(|it| it.0.to_string_lossy().into_owned());
            format!("command = [{}]", list(words))
        }
    });
    lines.extend(server.contract.file.as_ref().map(|it| format!("contract = {}", path(it))));
    lines
}

fn list(all: impl Iterator<Item = impl AsRef<str>>) -> String {
    all.map(|it| toml_string(it.as_ref())).collect::<Vec<_>>().join(", ")
}

/// Where the file is put: here, unless a governed server could write it there.
fn file(config: &Config) -> String {
    let name = "redress.toml";
    let (here, root) = (env::current_dir().unwrap_or_default(), &config.general.governance.root);
    let inside = root.as_ref().filter(|it| here.starts_with(&it.0));
    let outside = inside.and_then(|it| it.0.parent()).map(|it| it.join(name));
    outside.map_or_else(|| name.to_owned(), |it| it.to_string_lossy().into_owned())
}

fn path(path: &Path) -> String {
    toml_string(&absolute(path))
}

/// A word as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_./:=@%+,".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
