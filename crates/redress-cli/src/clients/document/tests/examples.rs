//! A configuration of each client as people write it, and changes of its layout that mean the same.

use crate::clients::{Client, FileFormat};

/// The configuration of a client.
pub(super) fn example(client: &str) -> &'static str {
    macro_rules! example {
        ($file:literal) => {
            include_str!(concat!("../../../../fixtures/clients/", $file))
        };
    }
    match client {
        "claude-code" => example!("claude-code.json"),
        "claude-desktop" => example!("claude-desktop.json"),
        "cursor" => example!("cursor.json"),
        "vscode" => example!("vscode.json"),
        "copilot" => example!("copilot.json"),
        "codex" => example!("codex.toml"),
        "gemini" => example!("gemini.json"),
        "windsurf" => example!("windsurf.json"),
        "zed" => example!("zed.json"),
        "opencode" => example!("opencode.jsonc"),
        "goose" => example!("goose.yaml"),
        "kiro" => example!("kiro.json"),
        "cline" => example!("cline.json"),
        "antigravity" => example!("antigravity.json"),
        other => panic!("there is no example of {other}"),
    }
}

/// An example in another layout: one choice for each place where there may be white space or a comment.
pub(super) fn mutated(client: &Client, choices: &[u8]) -> String {
    let text = example(client.name);
    let mut choices = choices.iter().copied().cycle();
    let mut next = || choices.next().unwrap_or_default();
    let is_crlf = next() < 64;
    let changed = match client.format {
        FileFormat::Json => json(text, &mut next),
        FileFormat::Toml => toml(text, &mut next),
        FileFormat::Yaml => text.to_owned(),
    };
    if is_crlf { changed.replace('\n', "\r\n") } else { changed }
}

fn json(text: &str, next: &mut impl FnMut() -> u8) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '"' => string(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |it| it + 2),
            _ => first.len_utf8(),
        };
        let (token, later) = rest.split_at(taken);
        out.push_str(match (token, next()) {
            // All white space may go, but for the end of a comment.
            (" " | "\t", 0..48) => "",
            ("\n", 0..12) if !ends_in_comment(&out) => "",
            _ => token,
        });
        if "{}[],:".contains(token) || token.starts_with('"') {
            out.push_str(match next() {
                0..8 => " ",
                8..14 => "\n",
                14..18 => "\t\t",
                18..24 => " /* , \"x\": [ */ ",
                24..28 => " // \"args\": }\n",
                _ => "",
            });
        }
        rest = later;
    }
    out
}

fn ends_in_comment(text: &str) -> bool {
    text.rsplit('\n').next().is_some_and(|it| it.contains("//"))
}

/// The length of the string that a text begins with.
fn string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => (),
        }
    }
    text.len()
}

fn toml(text: &str, next: &mut impl FnMut() -> u8) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for line in text.lines() {
        out.push_str(match next() {
            0..16 => "\n",
            16..32 => "# command = [\n",
            32..64 => "  ",
            64..80 => "\t",
            _ => "",
        });
        let line = match (next(), line.split_once(" = ")) {
            (0..48, Some((key, value))) => format!("{key}={value}"),
            (48..80, Some((key, value))) => format!("{key}  =\t{value}"),
            _ => line.to_owned(),
        };
        out.push_str(&line);
        out.push_str(match next() {
            0..32 => "   ",
            32..64 => " # args = \"",
            _ => "",
        });
        out.push('\n');
    }
    out
}
