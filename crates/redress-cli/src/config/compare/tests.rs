//! What the comparison promises: no change lets more in without a confirmation.

use std::{
    collections::BTreeSet,
    sync::{Arc, LazyLock},
};

use proptest::{prelude::*, proptest};
use redress_gate::{serve::Sharing, settings::Mode};

use super::{ConfigComparison, Loosening, Strictness, patterns::is_below};
use crate::config::{
    Caller, Config, Confine, General, Location, NamedSections, Origin, PreflightRow, Preset,
    RoleRow, Secret, SecretFile, Server, WriteRule, tests::valid,
};

/// The changes of a file, one in a line: `-` lets less in, `+` more, `=` neither, `!` counts after a restart.
fn changes(old: &str, new: &str) -> Vec<String> {
    let comparison = ConfigComparison::of(&valid(old), &valid(new), Loosening::Held);
    let line = |it: &super::KeyChange| {
        let sign = match it.verdict {
            Strictness::Tightened => "-",
            Strictness::Loosened => "+",
            Strictness::Neutral => "=",
        };
        format!("{sign}{}{it}", if it.after_restart { "!" } else { "" })
    };
    comparison.changes.iter().map(line).collect()
}

const A: &str = "[server.a]\ncommand = ['a']\n";
const URL: &str = "[server.a]\nurl = 'https://x/mcp'\n";
const ONE: &str = "[auth.caller.one]\nsha256 = '1111111111111111111111111111111111111111111111111111111111111111'\n";
const TWO: &str = "[auth.caller.two]\nsha256 = '2222222222222222222222222222222222222222222222222222222222222222'\n";

/// Checks a change and its way back.
fn both_ways(one: &str, other: &str, there: &[&str], back: &[&str]) {
    assert_eq!(changes(one, other), there, "{one}\nto\n{other}");
    assert_eq!(changes(other, one), back, "{other}\nto\n{one}");
}

#[test]
fn tokens_and_listeners_are_compared_key_by_key() {
    both_ways(
        A,
        &format!("{A}{ONE}"),
        &["-auth (a token is needed now)"],
        &["+auth (no token would be needed)"],
    );
    both_ways(
        &format!("{A}{ONE}"),
        &format!("{A}{TWO}"),
        &["-auth.caller.one (removed)", "+auth.caller.two (added)"],
        &["-auth.caller.two (removed)", "+auth.caller.one (added)"],
    );
    both_ways(
        &format!("{A}[auth]\ntokens = ['${{TOKEN}}']"),
        &format!("{A}[auth]\ntokens = ['${{TOKEN}}']\ntoken_files = ['tokens']"),
        &["+auth.token_files (2 added)"],
        &["-auth.token_files (2 removed)"],
    );
    both_ways(
        &format!("{A}[auth]\ntokens = ['${{TOKEN}}', '${{TOKEN}}x']"),
        &format!("{A}[auth]\ntokens = ['${{TOKEN}}x', '${{TOKEN}}']"),
        &["=auth"],
        &["=auth"],
    );
    both_ways(
        A,
        &format!(
            "{A}[listen]\nallowed_origins = ['https://x']\nallowed_hosts = ['x']\nmax_connections = 3"
        ),
        &[
            "+listen.allowed_hosts (1 added)",
            "+listen.allowed_origins (1 added)",
            "-listen.max_connections (from 10000 to 3)",
        ],
        &[
            "-listen.allowed_hosts (1 removed)",
            "-listen.allowed_origins (1 removed)",
            "+listen.max_connections (from 3 to 10000)",
        ],
    );
    both_ways(
        &format!("{A}{ONE}[listen]\ninsecure = true"),
        &format!(
            "{A}{ONE}[listen]\ninsecure = true\naddress = '0.0.0.0:1'\n[metrics]\naddress = '127.0.0.1:2'\n[ledger]\ndir = 'x'\non_failure = 'open'"
        ),
        &[
            "+!listen.address (from \"127.0.0.1:7332\" to \"0.0.0.0:1\")",
            "=!ledger.dir (from nothing to \"/etc/redress/x\")",
            "+ledger.on_failure (from \"closed\" to \"open\")",
            "+!metrics.address (from nothing to \"127.0.0.1:2\")",
        ],
        &[
            "-!listen.address (from \"0.0.0.0:1\" to \"127.0.0.1:7332\")",
            "=!ledger.dir (from \"/etc/redress/x\" to nothing)",
            "-ledger.on_failure (from \"open\" to \"closed\")",
            "-!metrics.address (from \"127.0.0.1:2\" to nothing)",
        ],
    );
}

#[test]
fn servers_are_compared_key_by_key() {
    both_ways(
        A,
        &format!("{A}[server.b]\ncommand = ['b']"),
        &["=server.b (new)"],
        &["-server.b (no longer served)"],
    );
    both_ways(
        &format!("{A}env = {{ X = 'a' }}\ndeadline_ms = 1\ndialect = 'rpc'"),
        &A.replace("'a']", "'b', '--token', 'hunter2hunter2']"),
        &["=server.a.command", "=server.a.env", "=server.a.dialect", "=server.a.deadline_ms"],
        &["=server.a.command", "=server.a.env", "=server.a.dialect", "=server.a.deadline_ms"],
    );
    both_ways(
        URL,
        &format!("{URL}forward_authorization = true\ntrust = true\ntrust_annotations = true"),
        &[
            "+server.a.forward_authorization (from false to true)",
            "+server.a.trust (from false to true)",
            "+server.a.trust_annotations (from false to true)",
        ],
        &[
            "-server.a.forward_authorization (from true to false)",
            "-server.a.trust (from true to false)",
            "-server.a.trust_annotations (from true to false)",
        ],
    );
    both_ways(
        A,
        &format!(
            "{A}mode = 'observe'\nsharing = 'shared'\nmax_sessions = 65\nmax_message_bytes = 2000"
        ),
        &[
            "+server.a.mode (from \"enforce\" to \"observe\")",
            "-server.a.max_message_bytes (from 16777216 to 2000)",
            "+server.a.sharing (from \"per_session\" to \"shared\")",
            "+server.a.max_sessions (from 64 to 65)",
        ],
        &[
            "-server.a.mode (from \"observe\" to \"enforce\")",
            "+server.a.max_message_bytes (from 2000 to 16777216)",
            "-server.a.sharing (from \"shared\" to \"per_session\")",
            "-server.a.max_sessions (from 65 to 64)",
        ],
    );
    both_ways(
        A,
        &format!("[limits]\nrate_per_second = 5\nconcurrency = 7\n{A}"),
        &[
            "-limits.concurrency (from 4096 to 7)",
            "-limits.rate_per_second (from nothing to 5)",
            "-limits.burst (from nothing to 5)",
        ],
        &[
            "+limits.concurrency (from 7 to 4096)",
            "+limits.rate_per_second (from 5 to nothing)",
            "+limits.burst (from 5 to nothing)",
        ],
    );
    both_ways(
        &format!("{A}limits.concurrency = 7"),
        &format!("{A}limits.concurrency = 8"),
        &["+server.a.limits.concurrency (from 7 to 8)"],
        &["-server.a.limits.concurrency (from 8 to 7)"],
    );
    both_ways(
        "[server.a]\nworkspace = '/srv'",
        "[server.a]\nworkspace = '/srv/a'",
        &["-server.a.workspace"],
        &["+server.a.workspace"],
    );
}

#[test]
fn trust_is_in_what_stands_at_an_address() {
    let trusted = format!("{URL}trust = true\nforward_authorization = true");
    let moved = trusted.replace("https://x", "https://y");
    assert_eq!(
        changes(&trusted, &moved),
        [
            "=server.a.url",
            "+server.a.forward_authorization (from false to true)",
            "+server.a.trust (from false to true)"
        ]
    );
    let comparison = ConfigComparison::of(&valid(&trusted), &valid(&moved), Loosening::Held);
    let [server] = comparison.config.servers.as_slice() else { panic!("{comparison:?}") };
    assert_eq!((server.trust, server.forward_authorization), (Some(false), false));
    assert_eq!(server.url.as_ref().unwrap().as_str(), "https://y/mcp");
    let new = trusted.replace("server.a", "server.b");
    assert_eq!(
        changes(&trusted, &format!("{trusted}\n{new}")),
        [
            "=server.b (new)",
            "+server.b.forward_authorization (from false to true)",
            "+server.b.trust (from false to true)"
        ]
    );
    // To name a contract for a command is to trust it.
    let named = format!("{A}contract = 'workrail'");
    both_ways(
        A,
        &named,
        &["=server.a.contract", "+server.a.trust (from false to true)"],
        &["=server.a.contract", "-server.a.trust (from true to false)"],
    );
}

#[test]
fn policies_are_compared_key_by_key() {
    let policy = |rest: &str| format!("{A}{ONE}role = 'r'\n[governance]\n{rest}\n");
    let roles = "[governance.roles.r]\nallow = ['read_*', 'stat']\ndeny = ['read_x']\n";
    both_ways(
        &format!("{A}{ONE}role = 'r'\n"),
        &policy(roles),
        &["-governance.enabled (from false to true)", "=governance.roles"],
        &[
            "+governance.enabled (from true to false)",
            "+governance.roles (all are gone, so that everything could be called)",
        ],
    );
    both_ways(
        &policy(roles),
        &policy("[governance.roles.r]\nallow = ['read_*', 'move']\n"),
        &[
            "-governance.roles.r.allow (1 removed)",
            "+governance.roles.r.allow (1 added)",
            "+governance.roles.r.deny (1 removed)",
        ],
        &[
            "-governance.roles.r.allow (1 removed)",
            "+governance.roles.r.allow (1 added)",
            "-governance.roles.r.deny (1 added)",
        ],
    );
    both_ways(
        &policy(roles),
        &policy(&roles.replace("'stat'", "'read_y'")),
        &["-governance.roles.r.allow (1 removed)"],
        &["+governance.roles.r.allow (1 added)"],
    );
    both_ways(
        &policy(""),
        &policy("preset = 'atlas-gate'"),
        &[
            "-governance.preset (from nothing to \"atlas-gate\")",
            "-governance.need_plan",
            "-governance.locks (1 added)",
            "-governance.roles (there were none)",
        ]
        .into_iter()
        .chain(RULES.map(|it| it.0))
        .collect::<Vec<_>>(),
        &[
            "+governance.preset (from \"atlas-gate\" to nothing)",
            "+governance.locks (1 removed)",
            "+governance.roles (all are gone, so that everything could be called)",
        ]
        .into_iter()
        .chain(RULES.map(|it| it.1))
        .collect::<Vec<_>>(),
    );
    both_ways(
        &policy(
            "root = '/srv'\nwritable = ['/w']\nallow_eval = ['e_*']\nlocks = ['A', 'B']\nneed_plan = ['m']",
        ),
        &policy(
            "root = '/srv/a'\nwritable = ['/w/a']\nallow_eval = ['e_x']\nlocks = ['*']\nneed_plan = ['m', 'n']\nplans = 'p'",
        ),
        &[
            "-governance.root",
            "-governance.writable (1 removed)",
            "+governance.plans",
            "-governance.allow_eval (1 removed)",
            "-governance.need_plan (1 added)",
            "-governance.locks (1 added)",
        ],
        &[
            "+governance.root",
            "+governance.writable (1 added)",
            "+governance.plans",
            "+governance.allow_eval (1 added)",
            "+governance.need_plan (1 removed)",
            "+governance.locks (1 removed)",
        ],
    );
    let rule = "[governance.write_rules.w]\nforbid_text = ['x', 'y']\nintent_chars = 5\n";
    both_ways(
        &policy(rule),
        &policy(
            "[governance.write_rules.w]\nforbid_text = ['x']\npaths = ['*.rs']\nintent_chars = 6\nhint = 'h'\n",
        ),
        &[
            "+governance.write_rules.w.paths (no longer all)",
            "+governance.write_rules.w.forbid_text (1 removed)",
            "-governance.write_rules.w.intent_chars (from 5 to 6)",
            "=governance.write_rules.w.hint",
        ],
        &[
            "-governance.write_rules.w.paths (all)",
            "-governance.write_rules.w.forbid_text (1 added)",
            "+governance.write_rules.w.intent_chars (from 6 to 5)",
            "=governance.write_rules.w.hint",
        ],
    );
    both_ways(
        &policy("[governance.preflight.p]\ncommand = ['true']\ntimeout_ms = 1"),
        &policy("[governance.preflight.p]\ncommand = ['false']\n"),
        &["+governance.preflight.p.command", "=governance.preflight.p.timeout_ms"],
        &["+governance.preflight.p.command", "=governance.preflight.p.timeout_ms"],
    );
}

/// What is said of the rules of the preset, when it comes and when it goes.
const RULES: [(&str, &str); 11] = [
    ("-governance.write_rules.no-unwrap (added)", "+governance.write_rules.no-unwrap (removed)"),
    ("-governance.write_rules.no-expect (added)", "+governance.write_rules.no-expect (removed)"),
    ("-governance.write_rules.no-panic (added)", "+governance.write_rules.no-panic (removed)"),
    ("-governance.write_rules.no-todo (added)", "+governance.write_rules.no-todo (removed)"),
    (
        "-governance.write_rules.no-unimplemented (added)",
        "+governance.write_rules.no-unimplemented (removed)",
    ),
    ("-governance.write_rules.no-unsafe (added)", "+governance.write_rules.no-unsafe (removed)"),
    (
        "-governance.write_rules.no-static-mut (added)",
        "+governance.write_rules.no-static-mut (removed)",
    ),
    ("-governance.write_rules.no-leak (added)", "+governance.write_rules.no-leak (removed)"),
    ("-governance.write_rules.no-allow (added)", "+governance.write_rules.no-allow (removed)"),
    (
        "-governance.write_rules.no-unfinished-work (added)",
        "+governance.write_rules.no-unfinished-work (removed)",
    ),
    ("-governance.write_rules.intent (added)", "+governance.write_rules.intent (removed)"),
];

#[test]
fn confinement_is_compared_by_what_it_holds() {
    let with =
        |confine: &str, root: &str| format!("{A}{ONE}[governance]\nconfine = {confine}\n{root}\n");
    let root = "root = '/srv'";
    for (one, other) in [
        (("true", root), ("'state'", root)),
        (("'state'", ""), ("true", "")),
        (("'state'", ""), ("false", "")),
    ] {
        let (one, other) = (with(one.0, one.1), with(other.0, other.1));
        both_ways(&one, &other, &["+governance.confine"], &["-governance.confine"]);
    }
    let off = |confine: &str| format!("{A}[governance]\nenabled = false\nconfine = {confine}\n");
    both_ways(&off("false"), &off("'state'"), &["-governance.confine"], &["+governance.confine"]);
}

#[test]
fn a_caller_gets_another_role_only_if_it_allows_no_more() {
    let with = |role: &str, roles: &str| {
        let other = "[auth.caller.two]\nsha256 = '2222222222222222222222222222222222222222222222222222222222222222'\nrole = 'all'\n";
        format!(
            "{A}{ONE}role = '{role}'\n{other}[governance.roles.all]\nallow = ['*']\ndeny = ['move']\n{roles}"
        )
    };
    let reads = "[governance.roles.reads]\nallow = ['read_file', 'stat']\n";
    let key = "auth.caller.one.role";
    both_ways(
        &with("all", reads),
        &with("reads", reads),
        &[&format!("-{key}")],
        &[&format!("+{key}")],
    );
    // The same under another name is no more and no less.
    let same = "[governance.roles.same]\nallow = ['*']\ndeny = ['move']\n";
    both_ways(
        &with("all", same),
        &with("same", same),
        &[&format!("={key}")],
        &[&format!("={key}")],
    );
    // A caller who keeps a role that the file has no longer keeps its rules, and another one does not get them by the name.
    let (old, new) = (
        with("reads", reads),
        with("all", "").replace("role = 'all'\n[gov", "role = 'reads'\n[gov"),
    );
    let comparison = ConfigComparison::of(&valid(&old), &valid(&new), Loosening::Held);
    let general = &comparison.config.general;
    let roles: Vec<_> = general.auth.caller.0.iter().map(|it| it.role.as_deref()).collect();
    assert_eq!(roles, [Some("reads"), Some("reads")]);
    let row = general.governance.role_rows().into_iter().find(|it| it.name == "reads").unwrap();
    assert_eq!(row.allow, ["read_file", "stat"]);
}

#[test]
fn a_contract_decides_only_where_calls_are_governed() {
    let text = format!("{A}trust = false\n{ONE}");
    for (enabled, sign) in [(false, Strictness::Neutral), (true, Strictness::Loosened)] {
        let old = valid(&format!("{text}[governance]\nenabled = {enabled}\n"));
        let mut new = old.clone();
        let contract = &mut new.servers[0].contract;
        "tools.toml".clone_into(&mut contract.name);
        contract.registry = Arc::clone(redress_workspace::registry());
        assert!(!contract.registry.tools.is_empty());
        let held = ConfigComparison::of(&old, &new, Loosening::Held);
        let [change] = held.changes.as_slice() else { panic!("{held:?}") };
        assert_eq!((change.key.as_str(), change.verdict), ("server.a.contract", sign));
        assert_eq!(held.config, if enabled { old.clone() } else { new.clone() });
        assert_eq!(ConfigComparison::of(&old, &new, Loosening::Confirmed).config, new);
    }
    // Codes alone decide nothing.
    let named =
        text.replace("trust", "contract = 'workrail'\ntrust") + "[governance]\nenabled = true\n";
    let core = named.replace("'workrail'", "'core'");
    both_ways(&core, &named, &["=server.a.contract"], &["=server.a.contract"]);
}

/// Makes a configuration from choices: each byte decides one thing.
struct Choices<'c>(std::slice::Iter<'c, u8>);

impl Choices<'_> {
    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        let choice = usize::from(self.0.next().copied().unwrap_or_default());
        all[choice % all.len()].clone()
    }

    /// Some of them, in any order.
    fn some<T: Clone>(&mut self, all: &[T]) -> Vec<T> {
        let mut some: Vec<T> = all.iter().filter(|_| self.of(&[false, true])).cloned().collect();
        if self.of(&[false, true]) {
            some.reverse();
        }
        some
    }

    fn texts(&mut self, all: &[&str]) -> Vec<String> {
        self.some(all).into_iter().map(str::to_owned).collect()
    }

    fn folder(&mut self) -> Option<Location> {
        self.of(&[None, Some("/srv"), Some("/srv/a"), Some("/tmp")]).map(|it| Location(it.into()))
    }

    fn config(&mut self) -> Config {
        let mut general = General::default();
        general.listen.allowed_origins =
            self.some(ORIGINS).into_iter().map(|it| Origin(it.to_owned())).collect();
        general.listen.max_connections = self.of(&[1, 2, 3]);
        self.auth(&mut general);
        self.governance(&mut general);
        general.limits.concurrency = self.of(&[1, 2, 3]);
        general.limits.rate_per_second = self.of(&[None, Some(1), Some(2), Some(3)]);
        if general.limits.rate_per_second.is_some() {
            general.limits.burst = self.of(&[None, Some(1), Some(2)]);
        }
        let names = self.some(&["a", "b"]);
        let servers = names.into_iter().map(|it| self.server(it, &general)).collect();
        Config { general, servers, file: None, files: Vec::new() }
    }

    fn auth(&mut self, general: &mut General) {
        for token in TOKENS {
            let secret = Secret::new((*token).to_owned());
            let role = self.of(&[None, Some("a"), Some("b"), Some("c")]).map(str::to_owned);
            let sha256 = Some(hex(token));
            let caller = Caller { name: (*token).to_owned(), sha256, role, console_write: false };
            match self.of(&[0, 0, 1, 2, 3]) {
                0 => general.auth.caller.0.push(caller),
                1 => general.auth.tokens.push(secret),
                2 => general
                    .auth
                    .token_files
                    .push(SecretFile { path: "/t".into(), lines: vec![secret] }),
                _ => (),
            }
        }
        if self.of(&[false, false, true]) {
            general.auth = crate::config::Auth::default();
        }
    }

    fn governance(&mut self, general: &mut General) {
        let governance = &mut general.governance;
        governance.enabled = self.of(&[true, true, false]);
        governance.preset = self.of(&[None, None, Some(Preset::AtlasGate)]);
        governance.root = self.folder();
        governance.confine = self.of(&[Confine::Workspace, Confine::State, Confine::Off]);
        governance.writable = self.folder().into_iter().chain(self.folder()).collect();
        governance.locks = Some(self.texts(PATTERNS)).filter(|_| self.of(&[true, false]));
        governance.need_plan = Some(self.texts(PATTERNS)).filter(|_| self.of(&[true, false]));
        governance.allow_eval = self.texts(PATTERNS);
        for name in self.some(&["a", "b", "c"]) {
            let (allow, deny) = (self.texts(PATTERNS), self.texts(PATTERNS));
            governance.roles.0.push(RoleRow { name: name.to_owned(), allow, deny });
        }
        for name in self.some(&["no-unwrap", "w"]) {
            governance.write_rules.0.push(WriteRule {
                name: name.to_owned(),
                paths: self.texts(PATTERNS),
                forbid_text: self.texts(&["x", "y"]),
                forbid_code: self.texts(&["x", ".unwrap()"]),
                intent_chars: self.of(&[0, 1, 2]),
                hint: None,
            });
        }
        for name in self.some(&["p", "q"]) {
            let command = vec![self.of(&["true", "false"]).to_owned()];
            let paths = self.texts(PATTERNS);
            let row = PreflightRow { name: name.to_owned(), command, paths, timeout_ms: 1 };
            governance.preflight = NamedSections(vec![row]);
        }
    }

    fn server(&mut self, name: &str, general: &General) -> Server {
        static BASES: LazyLock<[Server; 4]> = LazyLock::new(|| {
            let urls = [URL.to_owned(), URL.replace("//x", "//y")];
            let named = format!("{A}contract = 'workrail'");
            let [one, other] = urls.map(|it| valid(&it).servers.remove(0));
            [valid(A).servers.remove(0), one, other, valid(&named).servers.remove(0)]
        });
        let [program, one, other, named] = &*BASES;
        let base = match self.of(&[0, 1, 2, 3]) {
            0 => program.clone(),
            1 => one.clone(),
            2 => other.clone(),
            _ => Server {
                workspace: self.folder().or(Some(Location("/srv".into()))),
                ..Server::default()
            },
        };
        let is_url = base.url.is_some();
        Server {
            name: name.to_owned(),
            contract: self.of(&[program.contract.clone(), named.contract.clone()]),
            trust: self.of(&[None, Some(true), Some(false)]),
            trust_annotations: self.of(&[None, Some(true), Some(false)]),
            forward_authorization: is_url && self.of(&[true, false]),
            mode: self.of(&[Mode::Enforce, Mode::Annotate, Mode::Observe]),
            sharing: self.of(&[Sharing::PerSession, Sharing::Shared]),
            max_sessions: self.of(&[1, 2, 3]),
            limits: general.limits.clone(),
            ..base
        }
    }
}

const ORIGINS: &[&str] = &["https://x", "https://y", "https://z"];
const TOKENS: &[&str] = &["token-0-0123456789", "token-1-0123456789", "token-2-0123456789"];
const PATTERNS: &[&str] = &["*", "read_*", "read_file", "write_file", "m?ve"];
const NAMES: &[&str] = &["read_file", "read_x", "write_file", "move", "other"];
const FOLDERS: &[&str] = &["/", "/srv", "/srv/a", "/srv/a/b", "/tmp/x", "/var"];

fn hex(token: &str) -> String {
    redress_govern::eval::sha256(token)
}

/// Whether one of the patterns above matches a name.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, _)) => name.starts_with(start),
        None => pattern == name || pattern == "m?ve" && name == "move",
    }
}

/// Everything that a configuration lets somebody do, of what there is to do in these tests. It is written without the comparison, by
/// what the gate does with each key.
fn let_in(config: &Config) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let general = &config.general;
    all.extend(general.listen.allowed_origins.iter().map(|it| format!("page {}", it.0)));
    all.extend((1..=general.listen.max_connections).map(|it| format!("connection {it}")));
    callers(general, &mut all);
    guards(general, &mut all);
    confinement(general, &mut all);
    for server in &config.servers {
        of_server(server, &mut all);
    }
    all
}

/// Who is let in, and what for.
fn callers(general: &General, all: &mut BTreeSet<String>) {
    let (governance, auth) = (&general.governance, &general.auth);
    let roles = governance.policy().unwrap().0;
    for token in [None].into_iter().chain(TOKENS.iter().map(Some)) {
        let hash = token.map(|it| hex(it));
        let caller = auth.caller.0.iter().find(|it| it.sha256 == hash && hash.is_some());
        let is_known = auth.all().any(|it| token.is_some_and(|token| it.reveal() == *token));
        let is_let_in = auth.is_open() || caller.is_some() || is_known;
        if !is_let_in {
            continue;
        }
        all.insert(format!("caller {token:?}"));
        let role = caller.and_then(|it| it.role.as_deref());
        for tool in NAMES {
            if !governance.enabled || roles.judge(role, tool).is_ok() {
                all.insert(format!("caller {token:?} calls {tool}"));
            }
        }
    }
}

/// What a call need not pass.
fn guards(general: &General, all: &mut BTreeSet<String>) {
    let governance = &general.governance;
    let is_match = |patterns: &[String], name: &str| patterns.iter().any(|it| matches(it, name));
    let concerns = |paths: &[String], name: &str| paths.is_empty() || is_match(paths, name);
    let free = !governance.enabled;
    let rules = governance.policy().unwrap().1;
    let (writes, preset) = (governance.rule_rows(), governance.preset.is_some());
    for name in NAMES {
        if free || !rules.locks(name) {
            all.insert(format!("goes on after {name}"));
        }
        // What the preset means are commands with paths.
        let planned = governance.need_plan.as_ref().map_or(preset, |it| is_match(it, name));
        if free || !planned {
            all.insert(format!("calls {name} without a plan"));
        }
        if free || is_match(&governance.allow_eval, name) {
            all.insert(format!("evaluates by {name}"));
        }
        for text in ["x", "y", ".unwrap()"] {
            let forbids = |it: &&WriteRule| {
                let texts = it.forbid_text.iter().chain(&it.forbid_code);
                concerns(&it.paths, name) && texts.into_iter().any(|it| it == text)
            };
            if free || writes.iter().find(forbids).is_none() {
                all.insert(format!("writes {text} into {name}"));
            }
        }
        for chars in 0..3 {
            let asks = |it: &WriteRule| concerns(&it.paths, name) && it.intent_chars > chars;
            if free || !writes.iter().any(asks) {
                all.insert(format!("writes {name} with an intent of {chars}"));
            }
        }
        for command in ["true", "false"] {
            let runs = |it: &PreflightRow| concerns(&it.paths, name) && it.command == [command];
            if free || !governance.preflight.0.iter().any(runs) {
                all.insert(format!("writes {name} without {command}"));
            }
        }
    }
    for folder in FOLDERS {
        let root = governance.root.as_ref();
        if free || root.is_none_or(|it| is_below(folder.as_ref(), &it.0)) {
            all.insert(format!("works in {folder}"));
        }
    }
}

/// What processes of servers may do.
fn confinement(general: &General, all: &mut BTreeSet<String>) {
    let governance = &general.governance;
    let root = governance.root.as_ref().filter(|_| governance.enabled);
    let confine = governance.confine;
    let is_in_root = confine == Confine::Workspace && root.is_some();
    if confine != Confine::State && !is_in_root {
        all.extend(["reads keys".to_owned(), "writes the ledger".to_owned()]);
    }
    if confine == Confine::Off {
        all.insert("checks write anywhere".to_owned());
    }
    let may = root.into_iter().chain(&governance.writable);
    let may: Vec<_> = may.map(|it| it.0.clone()).collect();
    for folder in FOLDERS {
        let is_writable = may.iter().any(|it| is_below(folder.as_ref(), it));
        if !is_in_root || is_writable {
            all.insert(format!("a server writes in {folder}"));
        }
    }
}

/// What a server is believed and given, and how much it is asked.
fn of_server(server: &Server, all: &mut BTreeSet<String>) {
    let name = &server.name;
    let at = server.url.as_ref().map(|it| it.as_str().to_owned());
    let at = at.or_else(|| server.workspace.as_ref().map(|_| "ours".to_owned()));
    let at = at.unwrap_or_else(|| "program".to_owned());
    if server.workspace.is_none() {
        let mut has = |what: &str, it: bool| {
            if it {
                all.insert(format!("{name} at {at}: {what}"));
            }
        };
        has("words", server.trusts_words());
        has("annotations", server.trusts_annotations());
        has("tokens", server.forward_authorization);
    }
    if let Some(workspace) = &server.workspace {
        let reached = FOLDERS.iter().filter(|it| is_below(it.as_ref(), &workspace.0));
        all.extend(reached.map(|it| format!("{name} offers {it}")));
    }
    let (mode, sharing) = match (server.mode, server.sharing) {
        (Mode::Enforce, sharing) => (1, sharing),
        (Mode::Annotate, sharing) => (2, sharing),
        (Mode::Observe, sharing) => (3, sharing),
    };
    all.extend((1..=mode).map(|it| format!("{name}: mode {it}")));
    if sharing == Sharing::Shared {
        all.insert(format!("{name}: one process for all"));
    }
    all.extend((1..=server.max_sessions).map(|it| format!("{name}: session {it}")));
    all.extend((1..=server.limits.concurrency).map(|it| format!("{name}: call {it}")));
    let rate = server.limits.rate_per_second;
    let burst = server.limits.burst.or(rate);
    for number in 1..=4 {
        for (what, most) in [("rate", rate), ("burst", burst)] {
            if most.is_none_or(|it| number <= it) {
                all.insert(format!("{name}: {what} {number}"));
            }
        }
    }
}

/// What is more than before, but for what a new server brings: who comes in is the same, and what stands at a new place has no trust
/// but what its kind has by default.
fn widened(old: &Config, new: &Config) -> Vec<String> {
    let before = let_in(old);
    let is_new = |it: &str| {
        new.servers.iter().any(|server| {
            let same = old.servers.iter().find(|it| it.name == server.name);
            let place = |it: &Server| (it.url.clone(), it.workspace.is_some());
            let is_other_place = same.is_none_or(|same| place(same) != place(server));
            let of_place =
                [format!("{} at program", server.name), format!("{} offers", server.name)];
            let of_all = format!("{}: ", server.name);
            is_other_place && of_place.iter().any(|of| it.starts_with(of))
                || same.is_none() && it.starts_with(&of_all)
                || server.url.is_none()
                    && is_other_place
                    && it.starts_with(&of_all)
                    && same.is_none()
        })
    };
    let_in(new).into_iter().filter(|it| !before.contains(it) && !is_new(it)).collect()
}

/// Two configurations that differ in a few choices, or in all.
fn pairs() -> impl Strategy<Value = (Config, Config)> {
    let bytes = proptest::collection::vec(any::<u8>(), 160);
    let edits = proptest::collection::vec((0..160usize, any::<u8>()), 0..12);
    (bytes.clone(), bytes, edits, any::<bool>()).prop_map(|(one, other, edits, is_other)| {
        let mut edited = one.clone();
        for (at, byte) in edits {
            edited[at] = byte;
        }
        let other = if is_other { other } else { edited };
        (Choices(one.iter()).config(), Choices(other.iter()).config())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn nobody_is_let_in_more_by_what_is_not_confirmed((old, new) in pairs()) {
        let ConfigComparison { changes, config } = ConfigComparison::of(&old, &new, Loosening::Held);
        let more = widened(&old, &config);
        prop_assert!(more.is_empty(), "{more:#?}\n{changes:#?}");
        // What is not called looser is not.
        if changes.iter().all(|it| it.verdict != Strictness::Loosened) {
            prop_assert_eq!(&config, &new);
        }
        // A file that lets more in is never without a word about it.
        if !widened(&old, &new).is_empty() {
            prop_assert!(changes.iter().any(|it| it.verdict == Strictness::Loosened), "{:#?}", changes);
        }
    }

    #[test]
    fn what_is_confirmed_is_what_the_file_says((old, new) in pairs()) {
        let held = ConfigComparison::of(&old, &new, Loosening::Held);
        let confirmed = ConfigComparison::of(&old, &new, Loosening::Confirmed);
        prop_assert_eq!(&confirmed.config, &new);
        // The same is found, confirmed or not; but for what follows from a key that is held.
        let keys = |it: &ConfigComparison| it.changes.iter().map(|it| it.key.clone()).collect::<BTreeSet<_>>();
        prop_assert!(keys(&held).is_subset(&keys(&confirmed)) || !held.changes.is_empty());
    }

    #[test]
    fn to_read_the_same_file_again_changes_nothing((old, new) in pairs()) {
        let again = ConfigComparison::of(&new, &new, Loosening::Held);
        prop_assert_eq!((again.changes, &again.config), (Vec::new(), &new));
        let once = ConfigComparison::of(&old, &new, Loosening::Held).config;
        let twice = ConfigComparison::of(&once, &new, Loosening::Held).config;
        prop_assert_eq!(let_in(&twice), let_in(&once));
    }
}
