//! Says at the start where the servers are, what belongs into a client's configuration, and who may come in.

use std::{io, net::SocketAddr, path::PathBuf};

use serde_json::{Map, Value, json};

use crate::{
    config::{Auth, Config, Listen, Server},
    govern::{confine::absolute, script::quoted},
    output::{Err, is_private},
};

/// What a client brings with each request.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// Nothing.
    None,
    /// One of the tokens that the operator gave.
    OfFile,
    /// This one, which the gate made.
    Shown(String),
    /// The one in a file, since others could read what we print.
    In(PathBuf),
}

/// Says where each server is and how a client reaches it.
pub(super) fn say(at: SocketAddr, config: &Config, has_file: bool, no_token: bool) {
    let mut err = Err::new();
    let mut line = |text: &str| err.say(text);
    let general = &config.general;
    let token = Token::of(&general.auth, is_private(&io::stderr()));
    for root in config.servers.iter().filter_map(|it| it.workspace.as_ref()) {
        line(&format!("the files below {}", absolute(&root.0)));
    }
    if no_token {
        line(&opened(at, &general.auth, &general.listen));
    }
    if let Some(made) = &general.auth.made {
        line(&format!("clients need the token in {}", made.file.display()));
    }
    let place = |server: &Server| {
        if has_file { format!("/{}/mcp", server.name) } else { "/mcp".to_owned() }
    };
    let address = address_for_clients(at, &general.listen);
    let mut clients = Map::new();
    for server in &config.servers {
        let url = format!("{}://{address}{}", general.listen.scheme(), place(server));
        line(&format!("for Claude Code: {}", token.command(&server.name, &url)));
        clients.insert(server.name.clone(), token.client(&url));
    }
    line(&format!("for your client: {}", json!({ "mcpServers": clients })));
    line(&format!("for VS Code: {}", json!({ "servers": clients })));
    for server in &config.servers {
        line(&format!("listening on {}://{at}{}", general.listen.scheme(), place(server)));
    }
}

impl Token {
    fn of(auth: &Auth, is_private: bool) -> Self {
        match &auth.made {
            _ if auth.is_open() => Self::None,
            None => Self::OfFile,
            Some(made) if is_private => Self::Shown(made.token.reveal().to_owned()),
            Some(made) => Self::In(made.file.clone()),
        }
    }

    /// What follows `Authorization: Bearer `, where a shell puts in what a file holds.
    fn for_shell(&self) -> Option<String> {
        match self {
            Self::None => None,
            Self::OfFile => Some("TOKEN".to_owned()),
            Self::Shown(token) => Some(token.clone()),
            Self::In(file) => Some(format!("$(cat {})", quoted(&file.to_string_lossy()))),
        }
    }

    /// The command that makes a server known to Claude Code.
    fn command(&self, name: &str, url: &str) -> String {
        let name: String = name
            .chars()
            .map(|it| if it.is_ascii_alphanumeric() || it == '_' { it } else { '-' })
            .collect();
        let add = format!("claude mcp add --transport http {name} {url}");
        match self.for_shell() {
            Some(token) => format!("{add} --header \"Authorization: Bearer {token}\""),
            None => add,
        }
    }

    /// A server in the configuration of a client.
    fn client(&self, url: &str) -> Value {
        let token = match self {
            Self::None => return json!({ "type": "http", "url": url }),
            Self::Shown(token) => token,
            Self::OfFile | Self::In(_) => "TOKEN",
        };
        let headers = json!({ "Authorization": format!("Bearer {token}") });
        json!({ "type": "http", "url": url, "headers": headers })
    }
}

/// The host and port by which clients call us. A certificate is for a name, and an address that means all of them is none to call: there, the
/// first of the allowed hosts counts.
fn address_for_clients(at: SocketAddr, listen: &Listen) -> String {
    let is_named = listen.tls.is_given() || at.ip().is_unspecified();
    let is_port = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
    match listen.allowed_hosts.first().filter(|_| is_named).map(|it| it.0.as_str()) {
        Some(host) if host.rsplit_once(':').is_some_and(|it| is_port(it.1)) => host.to_owned(),
        Some(host) => format!("{host}:{}", at.port()),
        None => at.to_string(),
    }
}

/// What `--no-token` opens.
fn opened(at: SocketAddr, auth: &Auth, listen: &Listen) -> String {
    if !auth.is_open() {
        return "--no-token changes nothing: clients need a token of [auth] in the file".to_owned();
    }
    let origins: Vec<&str> = listen.allowed_origins.iter().map(|it| it.0.as_str()).collect();
    let pages = if origins.is_empty() {
        "no web page can".to_owned()
    } else {
        format!("so can web pages from {}, and no others", origins.join(", "))
    };
    format!(
        "--no-token: every user and every program of this machine can call these servers at {at} with your rights, and read the metrics; {pages}"
    )
}

#[cfg(test)]
mod tests {
    use std::{fs::File, os::unix::fs::PermissionsExt as _, path::Path};

    use serde_json::json;

    use super::{Token, address_for_clients};
    use crate::{
        config::{Host, Listen},
        output::is_private,
    };

    const URL: &str = "http://127.0.0.1:7332/my.files/mcp";

    #[test]
    fn a_snippet_has_the_token_that_is_needed() {
        let add = "claude mcp add --transport http my-files http://127.0.0.1:7332/my.files/mcp";
        let file = Path::new("/home/my self/serve-token").to_owned();
        for (token, command, header) in [
            (Token::None, String::new(), None),
            (
                Token::OfFile,
                " --header \"Authorization: Bearer TOKEN\"".into(),
                Some("Bearer TOKEN"),
            ),
            (
                Token::Shown("redress_1".into()),
                " --header \"Authorization: Bearer redress_1\"".into(),
                Some("Bearer redress_1"),
            ),
            (
                Token::In(file),
                " --header \"Authorization: Bearer $(cat '/home/my self/serve-token')\"".into(),
                Some("Bearer TOKEN"),
            ),
        ] {
            assert_eq!(token.command("my.files", URL), format!("{add}{command}"));
            let client = token.client(URL);
            assert_eq!(client["url"], URL);
            assert_eq!(client["headers"]["Authorization"], json!(header));
        }
    }

    #[test]
    fn a_token_is_printed_only_where_no_other_user_reads_it() {
        let mut file = tempfile::tempfile().unwrap();
        for (mode, is_own) in [(0o600, true), (0o640, false), (0o644, false)] {
            file.set_permissions(std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(is_private(&file), is_own, "{mode:o}");
        }
        file = File::open("/dev/null").unwrap();
        assert!(is_private(&file));
        let (socket, _other) = std::os::unix::net::UnixStream::pair().unwrap();
        assert!(!is_private(&socket), "such as the one of a system's log");
        let (pipe, _other) = std::io::pipe().unwrap();
        assert!(is_private(&pipe));
    }

    #[test]
    fn clients_call_the_allowed_name_where_there_is_no_address() {
        let at = |it: &str| it.parse().unwrap();
        let listen = |hosts: &[&str]| Listen {
            allowed_hosts: hosts.iter().map(|&it| Host(it.to_owned())).collect(),
            ..Listen::default()
        };
        for (address, hosts, told) in [
            ("127.0.0.1:80", &["gate.example"][..], "127.0.0.1:80"),
            ("0.0.0.0:80", &["gate.example"], "gate.example:80"),
            ("0.0.0.0:80", &["gate.example:8443"], "gate.example:8443"),
            ("0.0.0.0:80", &[], "0.0.0.0:80"),
        ] {
            assert_eq!(address_for_clients(at(address), &listen(hosts)), told);
        }
    }
}
