//! What reading a configuration promises.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use proptest::{prop_assert, proptest};
use redress_gate::settings::{BreakerRule, LimitRule, Mode, Rate, RetryRule, ServerText};
use redress_registry::{Registry, Source};

use super::{
    Address, Config, Environment, General, Nowhere, Server,
    kind::{Key, TableShape, ValueKind},
    read, shape,
    value::{Shown, Value},
};

/// A machine with these variables and files.
#[derive(Default)]
struct Made {
    variables: BTreeMap<&'static str, &'static str>,
    files: BTreeMap<&'static str, &'static str>,
}

impl Environment for Made {
    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).map(|it| (*it).to_owned())
    }

    fn path(&self, written: &str) -> PathBuf {
        Path::new("/etc/redress").join(written)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let file = path.to_str().and_then(|it| self.files.get(it));
        file.map(|it| it.as_bytes().to_vec()).ok_or(io::ErrorKind::NotFound.into())
    }

    fn registry(&self, path: &Path) -> Result<Arc<Registry>, String> {
        let Some(text) = path.to_str().and_then(|it| self.files.get(it)) else {
            return Nowhere.registry(path);
        };
        let loaded = redress_registry::load(&Source::new("it", text), &|_, _| None);
        loaded.map_err(|it| format!("{it:?}"))
    }
}

/// What most tests need: a token, and a file with two.
fn made() -> Made {
    Made {
        variables: [("TOKEN", "s3cr3t-s3cr3t-s3cr3t"), ("SHORT", "s3cr3t")].into(),
        files: [("/etc/redress/tokens", "0123456789abcdef\n\nfedcba9876543210\n")].into(),
    }
}

pub(super) fn valid(text: &str) -> Config {
    read(&Source::new("redress.toml", text), &made()).unwrap_or_else(|it| panic!("{it:#?}"))
}

/// The problems of a file, one in a line.
fn problems(text: &str) -> String {
    let problems = read(&Source::new("it", text), &made()).expect_err(text);
    let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n") + "\n"
}

const SERVER: &str = "[server.a]\ncommand = ['a']\n";

#[test]
fn without_a_key_the_default_holds() {
    let config = valid(SERVER);
    assert_eq!(config.general, General::default());
    let [server] = config.servers.as_slice() else { panic!("{:?}", config.servers) };
    assert_eq!(
        server,
        &Server { name: "a".into(), command: server.command.clone(), ..Server::default() }
    );
    assert_eq!(server.deadline_ms, 55_000);
    assert_eq!(server.max_message_bytes, 16 << 20);
    assert_eq!(config.general.listen.address, Address::loopback(7332));
}

#[test]
fn a_server_wins_over_the_file_and_the_file_over_the_default() {
    let config = valid(
        "[retry]\nattempts = 5\nbase_ms = 50\n[emit]\nserver_text = 'hide'\n\
         [server.a]\ncommand = ['a']\nretry.base_ms = 70\n[server.b]\ncommand = ['b']\nemit = { server_text = 'quote' }",
    );
    let [a, b] = config.servers.as_slice() else { panic!("{:?}", config.servers) };
    assert_eq!((a.retry.attempts, a.retry.base_ms, a.retry.max_ms), (5, 70, 5_000));
    assert_eq!((b.retry.attempts, b.retry.base_ms, b.retry.max_ms), (5, 50, 5_000));
    assert_eq!((a.emit.server_text, b.emit.server_text), (ServerText::Hide, ServerText::Quote));
}

#[test]
fn all_problems_are_told_at_once_each_at_its_place() {
    let text = "[retry]\nattempts = 0\nbase_ms = 9000\n[sever.a]\n[server.'A b']\ncommand = []\nmode = 'obsreve'\ndeadline_ms = 'soon'\n\
        headers = { a = 'b' }\nmax_sessions = -1\n[server.c]\ncwd = '/'\nenv = { 'A=' = 'x' }\ncontract = 'workrial'\ntrust = 1\n";
    assert_eq!(
        problems(text),
        "it:2:12: `retry.attempts` must be 1 to 10, not 0.\n\
         it:3:1: `base_ms` (9000) is more than `max_ms` (5000).\n\
         it:4:2: `sever` is not a key of the file. Did you mean `server`?\n\
         it:5:9: `A b` is not a name: it may have lower-case letters, digits, `-`, `_` and `.`.\n\
         it:6:1: `server.A b.command` must start with a program.\n\
         it:7:8: `server.A b.mode` is one of observe, annotate, enforce, not `obsreve`. Did you mean `observe`?\n\
         it:8:15: `server.A b.deadline_ms` must be a whole number, not a string.\n\
         it:9:1: `server.A b.headers` has a meaning only with `url`.\n\
         it:10:16: `server.A b.max_sessions` must not be negative.\n\
         it:11:1: [server.c] needs a `command`, a `url` or a `workspace`.\n\
         it:13:1: `server.c.env` has a name that no variable can have: \"A=\".\n\
         it:14:12: `server.c.contract` cannot be loaded: No file and no built-in registry has this name. Did you mean `workrail`?\n\
         it:15:9: `server.c.trust` must be true or false, not an integer.\n"
    );
}

#[test]
fn a_header_that_would_not_be_sent_is_refused() {
    let text = "[server.a]\nurl = 'http://x/mcp'\nheaders = { Accept = 'a', x = 'b', mcp-session-id = 'c' }\n";
    assert_eq!(
        problems(text),
        "it:3:1: `server.a.headers` has \"Accept\", which the gate writes itself.\n\
         it:3:1: `server.a.headers` has \"mcp-session-id\", which the gate writes itself.\n"
    );
}

#[test]
fn no_first_pause_is_longer_than_the_longest() {
    let text =
        "[breaker]\nopen_ms = 90000\n[server.a]\ncommand = ['a']\nbreaker.max_open_ms = 500\n";
    assert_eq!(
        problems(text),
        "it:2:1: `open_ms` (90000) is more than `max_open_ms` (60000).\n\
         it:5:9: `open_ms` (90000) is more than `max_open_ms` (500).\n"
    );
}

#[test]
fn a_command_that_is_no_list_is_one_mistake() {
    let list = "it:2:11: `server.a.command` must be a list, not a string.\n";
    assert_eq!(problems("[server.a]\ncommand = 'npx -y foo'"), list);
    let program = "it:2:1: `server.a.command` must start with a program.\n";
    assert_eq!(problems("[server.a]\ncommand = ['', 'x']"), program);
}

#[test]
fn a_program_with_a_path_is_where_the_file_says() {
    for (written, started) in
        [("./srv.sh", "/etc/redress/./srv.sh"), ("/bin/x", "/bin/x"), ("srv.sh", "srv.sh")]
    {
        let config = valid(&format!("[server.a]\ncommand = ['{written}', './arg']\ncwd = '/x'"));
        assert_eq!(
            config.servers[0].program().command.iter().map(Path::new).collect::<Vec<_>>(),
            [Path::new(started), Path::new("./arg")]
        );
    }
}

#[test]
fn a_file_without_a_server_is_refused() {
    assert_eq!(problems(""), "it:1:1: The file has no server: it needs a `[server.NAME]`.\n");
    assert_eq!(problems("server = 3"), "it:1:10: `server` must be a table, not an integer.\n");
}

#[test]
fn other_machines_need_a_token() {
    let open =
        "[listen]\naddress = '0.0.0.0:80'\n[metrics]\naddress = '[::]:90'\n".to_owned() + SERVER;
    assert_eq!(
        problems(&open),
        "it:1:2: [listen] is open to other machines, so that there must be a token in [auth].\n\
         it:3:2: [metrics] is open to other machines, so that there must be a token in [auth].\n"
    );
    let auth = "[auth]\ntokens = ['${TOKEN}']\ntoken_files = ['tokens']\n";
    let way_out = "in plain HTTP, which the network can read: give `[listen] tls` a certificate, or allow it with `[listen] insecure = true`.";
    assert_eq!(
        problems(&format!("{open}{auth}")),
        format!(
            "it:1:2: Tokens would reach [listen] {way_out}\nit:3:2: Tokens would reach [metrics] {way_out}\n"
        )
    );
    let insecure = open.replace("[listen]\n", "[listen]\ninsecure = true\n");
    let config = valid(&format!("{insecure}{auth}"));
    let tokens: Vec<_> = config.general.auth.all().map(super::Secret::reveal).collect();
    assert_eq!(tokens, ["s3cr3t-s3cr3t-s3cr3t", "0123456789abcdef", "fedcba9876543210"]);
    assert_eq!(config.files, [Path::new("/etc/redress/tokens")]);
    for address in ["localhost:80", "127.1.2.3:80", "[::1]:80", "[::ffff:127.0.0.1]:80"] {
        valid(&format!("[listen]\naddress = '{address}'\n{SERVER}"));
    }
}

#[test]
fn a_file_without_a_token_is_no_file_of_tokens() {
    let environment = Made {
        files: [("/etc/redress/empty", ""), ("/etc/redress/blank", "  \n\t\r\n")].into(),
        ..made()
    };
    for file in ["empty", "blank"] {
        let text = format!("[auth]\ntoken_files = ['{file}']\n{SERVER}");
        let found = read(&Source::new("it", &text), &environment).expect_err(file);
        let [problem] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(
            problem.to_string(),
            "it:2:16: `auth.token_files` names a file without a token: each line is one."
        );
    }
}

#[test]
fn a_token_of_ours_is_given_to_no_server() {
    let forwards = "[server.far]\nurl = 'http://x/mcp'\nforward_authorization = true\n";
    valid(forwards);
    let problem = problems(&format!("{forwards}[auth]\ntokens = ['${{TOKEN}}']\n"));
    assert!(problem.contains("would give that server the tokens of [auth]"), "{problem}");
}

#[test]
fn no_secret_is_in_a_problem_or_in_what_is_shown() {
    let wrong = [
        "[auth]\ntokens = ['s3cr3t-s3cr3t-s3cr3t']",
        "[auth]\ntokens = ['${SHORT}']",
        "[auth]\ntokens = ['${TOKEN} s3cr3t']",
        "[auth]\ntokens = ['s3cr3t${']",
        "[auth]\ntokens = 's3cr3t'",
        "[auth]\ntoken_files = ['none']",
        "[server.a]\nurl = 'https://user:s3cr3t@host/'",
        "[server.a]\nurl = 's3cr3t'",
        "[server.a]\nurl = 'https://host/#s3cr3t'",
        "[server.a]\nurl = 'https://host'\nheaders = { a = \"s3cr3t\\u0007\" }",
        "[server.a]\ncommand = ['a']\nenv = { A = \"s3cr3t\\u0000\" }",
        "[server.a]\ncommand = ['a']\nenv = { A = 's3cr3t${NOT_SET}' }",
        "[server.a]\ncommand = ['a']\nenv = { A = 's3cr3t",
        "[server.a]\ncommand = ['a']\nenv = s3cr3t",
        "[server.a]\ncommand = ['a']\nenv = [['s3cr3t']]",
    ];
    for text in wrong {
        let problems = problems(text);
        assert!(!problems.contains("s3cr3t"), "{problems}");
    }
    let config = valid(
        "[auth]\ntokens = ['${TOKEN}']\n[server.a]\ncommand = ['a', '--password=s3cr3t', '--api-key', 's3cr3t', '-token', 's3cr3t']\nenv = { A = '${TOKEN}', PASSWORD = 's3cr3t', LEVEL = 'verbose' }\n\
         [server.b]\nurl = 'https://host/mcp?key=s3cr3t'\nheaders = { Authorization = 'Bearer ${TOKEN}' }",
    );
    let shown = format!(
        "{:?}{:?}",
        config.general.shown(),
        config.servers.iter().map(Value::shown).collect::<Vec<_>>()
    );
    assert!(!shown.contains("s3cr3t"), "{shown}");
    let secret =
        format!("{:?} {:?} {:?}", config.general.auth, config.servers[0].env, config.servers[1]);
    assert!(!secret.contains("s3cr3t"), "{secret}");
    assert!(
        !format!("{:?}", config.servers[0].program()).contains("TOKEN"),
        "variables of a program"
    );
    let secrets: Vec<_> = config.servers.iter().flat_map(Server::secrets).collect();
    let (token, bearer) = ("s3cr3t-s3cr3t-s3cr3t", "Bearer s3cr3t-s3cr3t-s3cr3t");
    let of_url = ["key=s3cr3t", "https://host/mcp", "s3cr3t"];
    assert_eq!(secrets, [&[token, "s3cr3t", bearer, token][..], &of_url].concat());
}

#[test]
fn an_address_takes_variables_and_shows_no_secret() {
    let shown = |url: &str| {
        let config = valid(&format!("[server.a]\nurl = '{url}'"));
        let (shown, secrets) = (format!("{:?}", config.servers[0].url), &config.servers[0]);
        let secrets: Vec<_> = secrets.secrets().map(str::to_owned).collect();
        (shown, secrets)
    };
    for (url, told, secret) in [
        ("https://host/s/Zx81secretQ/mcp", "https://host/s/…/mcp", "Zx81secretQ"),
        ("https://host/s/${TOKEN}/mcp", "https://host/s/${TOKEN}/mcp", "s3cr3t"),
        ("https://host/a${TOKEN}b?x=y", "https://host/a${TOKEN}b?…", "s3cr3t"),
        ("https://host/mcp?key=${TOKEN}&a=b", "https://host/mcp?…", "s3cr3t"),
        ("https://${TOKEN}.host:1/mcp", "https://${TOKEN}.host:1/mcp", "s3cr3t"),
    ] {
        let (shown, secrets) = shown(url);
        assert_eq!(shown, format!("Some({told})"), "{url}");
        assert!(secrets.iter().any(|it| it.starts_with(secret)), "{url}: {secrets:?}");
    }
    for (url, problem) in [
        ("https://host/${MISSING}", "needs the variable MISSING, which is not set"),
        ("${TOKEN}", "must be a URL with a host, such as https://host/mcp"),
        ("https://host/Zx81secretQ ", "must be written in ASCII, without spaces"),
    ] {
        let told = problems(&format!("[server.a]\nurl = '{url}'"));
        assert!(told.contains(problem) && !told.contains("s3cr3t"), "{told}");
        assert!(!told.contains("Zx81"), "{told}");
    }
}

#[test]
fn where_a_server_is_counts_as_a_secret() {
    for (url, places) in [
        ("http://127.0.0.1:80/x/mcp/", ["http://127.0.0.1:80/x/mcp", "127.0.0.1:80"].as_slice()),
        ("https://api.example.com/mcp", &["https://api.example.com/mcp"]),
    ] {
        let config = valid(&format!("[server.a]\nurl = '{url}'"));
        assert_eq!(config.servers[0].secrets().collect::<Vec<_>>(), places, "{url}");
    }
}

#[test]
fn urls_hosts_and_origins_are_what_they_say() {
    for url in [
        "http://host",
        "https://a.b-c.example:8443/mcp?x=1",
        "http://[::1]:80/",
        "HTTP://127.0.0.1",
    ] {
        valid(&format!("[server.a]\nurl = '{url}'"));
    }
    for url in [
        "",
        "host",
        "ftp://host",
        "http://",
        "http:///mcp",
        "http://host:0",
        "http://host:99999",
        "http://[::1",
        "http://a b",
    ] {
        problems(&format!("[server.a]\nurl = '{url}'"));
    }
    let listen = |keys: &str| format!("[listen]\n{keys}\n{SERVER}");
    valid(&listen(
        "allowed_hosts = ['Gate.example', 'gate:80']\nallowed_origins = ['https://app.example']",
    ));
    for keys in [
        "allowed_hosts = ['http://gate']",
        "allowed_hosts = ['*']",
        "allowed_origins = ['*']",
        "allowed_origins = ['https://a/b']",
    ] {
        problems(&listen(keys));
    }
}

#[test]
fn annotations_of_a_command_are_trusted_but_not_of_a_url() {
    let config = valid(
        "[server.a]\ncommand = ['a']\n[server.b]\nurl = 'http://b'\n[server.c]\nurl = 'http://c'\ntrust_annotations = true\nmode = 'observe'",
    );
    let settings: Vec<_> = config.servers.iter().map(|it| it.settings(Arc::default())).collect();
    let trusted: Vec<_> = settings.iter().map(|it| it.trust_annotations).collect();
    assert_eq!(trusted, [true, false, true]);
    assert_eq!(settings[2].mode, Mode::Observe);
    assert_eq!(settings[2].server, "c");
}

#[test]
fn the_gate_is_told_what_the_file_says() {
    let settings =
        |keys: &str| valid(&format!("{SERVER}{keys}")).servers[0].settings(Arc::default());
    let usual = settings("");
    assert_eq!(usual.retry, RetryRule::default());
    assert_eq!(usual.breaker, BreakerRule::default());
    assert_eq!(usual.limits, LimitRule::default());
    let rate = |keys: &str| settings(keys).limits.rate;
    let (one, half) = (Duration::from_secs(1), Duration::from_millis(500));
    assert_eq!(rate("limits.rate_per_second = 20"), Some(Rate { calls: 20, per: one }));
    assert_eq!(
        rate("limits = { rate_per_second = 20, burst = 10 }"),
        Some(Rate { calls: 10, per: half })
    );
}

/// Every key of the file with the table that it stands in.
fn keys(path: &str, shape: &TableShape, found: &mut Vec<(String, Key)>) {
    for key in &shape.keys {
        match &key.kind {
            ValueKind::Table(shape) => keys(&format!("{path}{}.", key.name), shape, found),
            ValueKind::Named(shape) => keys(&format!("{path}{}.x.", key.name), shape, found),
            _ => found.push((path.to_owned(), key.clone())),
        }
    }
}

/// The registry of a plugin.
const SIGNING: &str = "format = 'redress-registry/1'\nregistry = { name = 'signing', version = '1.0.0' }\nplugin = { namespace = 'signing' }\n";

#[test]
fn every_example_and_every_default_of_the_page_is_valid() {
    let mut found = Vec::new();
    keys("", &shape(), &mut found);
    assert!(found.len() > 40, "{}", found.len());
    let cert = include_str!("../../../../tests/certificates/first.pem");
    let pem_key = include_str!("../../../../tests/certificates/first.key");
    for (path, key) in found {
        let server = match key.name {
            "url" | "headers" | "forward_authorization" if path == "server.x." => {
                "url = 'http://x'"
            }
            _ => "command = ['x']",
        };
        for toml in [Some(key.example), key.default.as_deref()].into_iter().flatten() {
            // Some keys need another one.
            let mut lines = vec![format!("{path}{} = {toml}", key.name)];
            lines.extend((key.name == "burst").then(|| format!("{path}rate_per_second = 1")));
            let is_address = key.name == "address";
            lines.extend(is_address.then(|| "auth.tokens = ['${TOKEN}']".to_owned()));
            lines.extend(is_address.then(|| "listen.insecure = true".to_owned()));
            let other = [("cert", "key = 'gate.key'"), ("key", "cert = 'gate.pem'")];
            let needs_both = path == "listen.tls." || path == "fleet.";
            let other = other.into_iter().find(|it| needs_both && it.0 == key.name);
            lines.extend(other.map(|it| format!("{path}{}", it.1)));
            let needs_url = path == "fleet." && ["credentials", "node"].contains(&key.name);
            lines.extend(needs_url.then(|| "fleet.url = 'nats://x:1'".to_owned()));
            let hash = || format!("{path}sha256 = '{}'", "0".repeat(64));
            let needs_hash = ["role", "console_write"].contains(&key.name);
            lines.extend((needs_hash && path.starts_with("auth")).then(hash));
            let is_check = path.contains("preflight") && key.name != "command";
            lines.extend(is_check.then(|| format!("{path}command = ['x']")));
            let says_which = ["command", "url", "workspace"].contains(&key.name);
            if !says_which || path == "fleet." {
                lines.push(format!("server.x.{server}"));
            } else if path != "server.x." || toml == "[]" {
                continue;
            }
            let text = lines.join("\n");
            let text = text.replace("contract = \"errors.toml\"", "contract = \"core\"");
            let environment = Made {
                variables: [
                    ("TOKEN", "0123456789abcdef"),
                    ("GATE_TOKEN", "0123456789abcdef"),
                    ("GITHUB_TOKEN", "x"),
                    ("API_TOKEN", "x"),
                ]
                .into(),
                files: [
                    ("/run/secrets/gate-tokens", "0123456789abcdef"),
                    ("/run/secrets/fleet", "gate:0123456789abcdef"),
                    ("/etc/redress/fleet-ca.pem", cert),
                    ("/etc/redress/plugins/signing.toml", SIGNING),
                    ("/etc/redress/gate.pem", cert),
                    ("/etc/redress/gate.key", pem_key),
                ]
                .into(),
            };
            read(&Source::new("it", &text), &environment)
                .unwrap_or_else(|it| panic!("{text}\n{it:#?}"));
        }
        assert!(key.meaning.ends_with('.') && !key.example.is_empty(), "{path}{}", key.name);
    }
}

#[test]
fn what_is_shown_is_what_would_be_read_again() {
    let text = "[limits]\nrate_per_second = 5\n[server.a]\ncommand = ['a', \"q\\\"\\n\"]\ncwd = '/x'\n[server.a.tool.'b c']\ndeadline_ms = 5";
    let config = valid(text);
    let mut again = String::new();
    let Shown::Table(sections) = config.general.shown() else { panic!() };
    for (name, shown) in sections {
        inline(&name, &shown, &mut again);
    }
    inline("server.a", &config.servers[0].shown(), &mut again);
    assert_eq!(valid(&again), config, "{again}");
}

/// Dotted keys for a value.
fn inline(path: &str, shown: &Shown, text: &mut String) {
    match shown {
        Shown::Table(entries) => {
            for (key, shown) in entries {
                inline(&format!("{path}.{}", super::value::toml_key(key)), shown, text);
            }
        }
        Shown::Toml(toml) if !shown.is_empty() => text.extend([path, " = ", toml, "\n"]),
        _ => (),
    }
}

proptest! {
    /// However a file is spoilt: it is valid or has problems with places, and what was secret in it stays so.
    #[test]
    fn a_spoilt_file_never_tells_its_secrets(at in 0_usize..400, cut in 0_usize..12, put in "[\\x00-\\x7f]{0,3}") {
        const WHOLE: &str = "[auth]\ntokens = ['${TOKEN}s3cr3t']\n[server.a]\ncommand = ['a', '--password=s3cr3t']\nenv = { A = '${TOKEN}', B = \"s3cr3t\" }\n\
            contract = 'core'\n[server.b]\nurl = 'https://host/mcp?key=s3cr3t'\nheaders = { Authorization = 'Bearer s3cr3t', b = \"\"\"s3cr3t\"\"\" }\n";
        let at = at.min(WHOLE.len());
        let text = format!("{}{put}{}", &WHOLE[..at], &WHOLE[(at + cut).min(WHOLE.len())..]);
        match read(&Source::new("it", &text), &made()) {
            Ok(config) => prop_assert!(!config.servers.is_empty()),
            Err(problems) => {
                prop_assert!(!problems.is_empty());
                for problem in problems {
                    prop_assert!(!problem.to_string().contains("s3cr3t"), "{} of\n{}", problem, text);
                }
            }
        }
    }
}

#[test]
fn rows_that_cannot_be_taken_are_refused_at_their_place() {
    let refused = |rows: &str| problems(&format!("{SERVER}{rows}"));
    for (row, reason) in [
        (
            "pattern = '((((a{100}){100}){100}){100}'",
            "row 1: `pattern` is not a regular expression",
        ),
        ("pattern = '(((a{100}){100}){100}){100}'", "row 1: `pattern` is too large when compiled."),
        ("text = 'b'", "row 1: The example does not match its own row."),
        ("text = '*'", "row 1: `text` matches every text."),
        ("", "row 1: The row has none of `text`"),
    ] {
        let told =
            refused(&format!("[[server.a.match]]\n{row}\ncode = 'NOT_FOUND'\nexample = 'a'\n"));
        assert!(told.starts_with("it:3:") && told.contains("`server.a.match`"), "{told}");
        assert!(told.contains(reason), "{told}");
    }
    let row = |text: &str, code: &str| {
        format!("[[server.a.match]]\ntext = '{text}'\ncode = '{code}'\nexample = 'ab'\n")
    };
    let told = refused(&row("ab", "NO_SUCH_CODE"));
    assert!(told.contains("row 1: `NO_SUCH_CODE` is not a code of this registry."), "{told}");
    let told = refused(&(row("a*", "NOT_FOUND") + &row("ab", "CONFLICT")));
    assert!(told.contains("row 2: Row 1 takes this example before its own row does."), "{told}");
}
