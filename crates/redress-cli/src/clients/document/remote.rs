//! `Remote`: a server behind a URL in the text of a file. Wrapping makes a command of it, whose variable holds the old entry: nothing secret
//! becomes an argument, and unwrapping has all that it needs.

use std::ops::Range;

use jsonc_parser::ast::{Object, Value};

use super::{Edit, Unread, indent, json, line_end, part};
use crate::clients::{Client, Local};

/// The variable of a wrapped entry that holds the old one.
pub(crate) const VARIABLE: &str = "REDRESS_REMOTE";

/// What stands for the URL in the arguments of a wrapped entry.
pub(crate) const URL: &str = "env:REDRESS_REMOTE";

/// The names of the URL, in the order in which they are looked for.
const URLS: [&str; 3] = ["url", "httpUrl", "serverUrl"];

/// Members that mean the same for a server with a command.
const KEPT: [&str; 15] = [
    "alwaysAllow",
    "autoApprove",
    "description",
    "disabled",
    "disabledTools",
    "enabled",
    "excludeTools",
    "gallery",
    "includeTools",
    "name",
    "source",
    "timeout",
    "tools",
    "trust",
    "version",
];

/// A server behind a URL.
#[derive(Debug)]
pub(crate) struct Remote {
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
    /// Why no gate is put before it.
    pub(crate) obstacle: Option<&'static str>,
    /// The whole entry.
    range: Range<usize>,
    /// Its members that stay.
    kept: Vec<Range<usize>>,
}

impl Remote {
    /// A remote server that cannot be wrapped where it is.
    pub(super) const fn fixed(
        url: String,
        headers: Vec<(String, String)>,
        obstacle: &'static str,
    ) -> Self {
        Self { url, headers, obstacle: Some(obstacle), range: 0..0, kept: Vec::new() }
    }

    /// The entry, if it names a URL that is a text.
    pub(super) fn read(entry: &Object<'_>, client: &str) -> Option<Self> {
        let member = URLS.iter().find_map(|it| entry.get(it))?;
        let Value::StringLit(url) = &member.value else { return None };
        let mut remote = Self {
            url: url.value.to_string(),
            headers: Vec::new(),
            obstacle: None,
            range: entry.range.start..entry.range.end,
            kept: Vec::new(),
        };
        let form = entry.get_string("type").map(|it| it.value.to_string());
        let is_old = form.as_deref() == Some("sse")
            || client == "gemini" && form.is_none() && entry.get("httpUrl").is_none();
        if is_old {
            remote.obstacle = Some("it speaks the transport of 2024, by server-sent events alone");
        }
        for member in &entry.properties {
            match (member.name.as_str(), &member.value) {
                ("type", Value::StringLit(_)) => (),
                ("headers", Value::Object(headers)) => {
                    remote.headers = json::texts(headers);
                    if remote.headers.len() < headers.properties.len() {
                        remote.obstacle = Some("one of its headers is no text");
                    }
                }
                ("auth" | "authProviderType" | "headersHelper" | "oauth", _) => {
                    remote.obstacle = Some("its client signs in to it");
                }
                (name, Value::StringLit(_)) if URLS.contains(&name) => (),
                (name, _) if KEPT.contains(&name) => {
                    remote.kept.push(member.range.start..member.range.end);
                }
                _ => remote.obstacle = Some("it has a key that only a remote server has"),
            }
        }
        Some(remote)
    }

    /// Whether it says itself who asks, or is on this machine, so that its client need not sign in.
    pub(crate) fn is_signed_in(&self) -> bool {
        let host = self.url.split_once("://").map_or("", |it| it.1);
        let is_local = ["localhost", "127.", "[::1]"].iter().any(|it| host.starts_with(it));
        is_local || !self.headers.is_empty()
    }

    /// What makes a command of the entry.
    pub(crate) fn wrap(&self, text: &str, client: &Client, gate: &str, name: Option<&str>) -> Edit {
        let quote = |it: &str| serde_json::Value::from(it).to_string();
        let mut words = vec![quote("run")];
        if let Some(name) = name {
            words.extend([quote("--name"), quote(name)]);
        }
        words.extend([quote("--url"), quote(URL)]);
        let env = format!("{{ {}: {} }}", quote(VARIABLE), quote(self.original(text)));
        let mut members = Vec::new();
        if let Local::Typed(it) | Local::List(it) = client.local {
            members.push(format!("\"type\": {}", quote(it)));
        }
        if matches!(client.local, Local::List(_)) {
            words.insert(0, quote(gate));
            members.push(format!("\"command\": [{}]", words.join(", ")));
            members.push(format!("\"environment\": {env}"));
        } else {
            members.push(format!("\"command\": {}", quote(gate)));
            members.push(format!("\"args\": [{}]", words.join(", ")));
            members.push(format!("\"env\": {env}"));
        }
        members.extend(self.kept.iter().map(|it| part(text, it.clone()).to_owned()));
        Edit { range: self.range.clone(), text: self.layout(text, &members) }
    }

    /// The entry as it is written.
    fn original<'t>(&self, text: &'t str) -> &'t str {
        part(text, self.range.clone())
    }

    /// An object of these members, over as many lines as the entry.
    fn layout(&self, text: &str, members: &[String]) -> String {
        let original = self.original(text);
        let Some(last) = original.rfind('\n') else {
            return format!("{{ {} }}", members.join(", "));
        };
        let closing = part(original, last + 1..original.len()).trim_end_matches('}');
        let closing = if closing.trim().is_empty() { closing } else { "" };
        let first = original.find('"').unwrap_or_default();
        let inner = indent(original, first).filter(|it| it.len() > closing.len());
        let inner = inner.map_or_else(|| format!("{closing}  "), ToOwned::to_owned);
        let end = line_end(original, original.len());
        let between = format!(",{end}{inner}");
        format!("{{{end}{inner}{}{end}{closing}}}", members.join(&between))
    }
}

/// The URL and the headers in the entry of a client.
pub(crate) fn way(entry: &str) -> Result<(String, Vec<(String, String)>), Unread> {
    json::object(entry, |it| Remote::read(it, ""))?
        .flatten()
        .map(|it| (it.url, it.headers))
        .ok_or_else(|| Unread { offset: 0, problem: "It names no `url`".to_owned() })
}
