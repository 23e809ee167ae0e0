//! The sections that hold for all servers of the file. A server may have its own of some of them.

use redress::text::tokens;
use std::path::PathBuf;

use redress_gate::{
    OnLedgerFailure,
    serve::{Tls as Certificate, TlsError},
    settings::{BreakerRule, LimitRule, LoopRule, RetryRule, ServerText},
};

use super::{
    address::{Address, Host, Origin},
    compare::reach,
    fleet::Fleet,
    governance::{Caller, Governance},
    reference::{Location, PemFile, SecretFile},
    rules::millis,
    secret::Secret,
    section::section,
    table::ConfigTable,
    value::NamedSections,
};

section! {
    /// What holds for all servers of the file.
    pub struct General {
        /// Where `redress serve` waits for clients.
        listen: Listen = Listen::default(), example "";
        /// Who may use it.
        auth: Auth = Auth::default(), example "";
        /// Where failures are recorded.
        ledger: Ledger = Ledger::default(), example "";
        /// Where its numbers can be read.
        metrics: Metrics = Metrics::default(), example "";
        /// How failures are answered to clients.
        emit: Emit = Emit::default(), example "";
        /// When the gate makes a call again.
        retry: Retry = Retry::default(), example "";
        /// When it stops asking a server for a while.
        breaker: Breaker = Breaker::default(), example "";
        /// When it answers a repeated call itself.
        r#loop: Loop = Loop::default(), example "";
        /// How much a server is asked.
        limits: Limits = Limits::default(), example "";
        /// What a governed gate lets pass.
        governance: Governance = Governance::default(), example "";
        /// The engine on which it meets other gates.
        fleet: Fleet = Fleet::default(), example "";
    }
    check check_listeners
}

section! {
    /// Where `redress serve` waits for clients. Each server of the file is at `/NAME/mcp`.
    pub struct Listen {
        /// Where it waits; port 0 is any that is free. Other machines reach an address that is not loopback, so that it needs `[auth]`.
        address: Address = Address::loopback(7332), example "\"0.0.0.0:7332\"";
        /// The names under which clients may call it, besides loopback ones and the address itself: the `Host` header is checked.
        allowed_hosts: Vec<Host> = Vec::new(), example "[\"gate.example\"]";
        /// The origins of web pages whose scripts may call it and read its answers: the `Origin` header is checked, and the answer says so to the browser (CORS). No other page may, those of this machine included.
        allowed_origins: Vec<Origin> = Vec::new(), example "[\"https://app.example\"]";
        /// The certificate of `[listen]` and of `[metrics]`: both then speak HTTPS only.
        tls: Tls = Tls::default(), example "";
        /// Whether tokens may cross a network in plain HTTP. Without it, an address that is not loopback needs `tls`.
        insecure: bool = false, example "true";
        /// How many connections there are at once; one more waits until another ends. Where other machines reach the address, the last quarter is kept for addresses that have less than their share.
        max_connections: u64 = 10_000, in 1..=1_000_000, example "1000";
        /// How many bytes of messages the gate holds for all clients: bodies that are being read, and what waits for a server or a client. What is more is refused with the code `OVERLOADED`. By default 256 MiB, or eight times the longest message of a server if that is more.
        max_memory_bytes: Option<u64> = None, in 1 << 20..=1 << 50, example "1073741824";
    }
}

section! {
    /// The certificate of the listeners. The files are read again when they change, and new connections get the new certificate.
    pub struct Tls {
        /// The certificate as PEM, with those that vouch for it behind it.
        cert: Option<PemFile> = None, example "\"/etc/redress/gate.pem\"";
        /// Its private key as PEM, without a password.
        key: Option<PemFile> = None, example "\"/etc/redress/gate.key\"";
    }
    check check_certificate
}

section! {
    /// Who may use the listeners. Every request needs a token: `Authorization: Bearer TOKEN`. Without this table, `redress serve` makes a token at its first start and says where it is; with it, only its tokens count.
    pub struct Auth (made: Option<MadeToken>, is_required: bool) {
        /// The tokens, at least 16 characters each. They stand in the environment, not in the file.
        tokens: Vec<Secret> = Vec::new(), example "[\"${GATE_TOKEN}\"]";
        /// Files with further tokens, at least one in each.
        token_files: Vec<SecretFile> = Vec::new(), example "[\"/run/secrets/gate-tokens\"]";
        /// Callers with a token (the file has only its hash), and their roles in a governed gate.
        caller: NamedSections<Caller> = NamedSections::default(), example "";
    }
    check check_tokens
}

section! {
    /// Where failures are recorded before clients hear of them.
    pub struct Ledger {
        /// Whether they are recorded.
        enabled: bool = true, compared restart(|_| ()), example "false";
        /// The directory of the ledger; all servers of a file share it. By default it is below the user's state directory: `redress/NAME` for `run`, `redress/serve` for `serve`.
        dir: Option<Location> = None, compared restart(|_| ()), example "\"/var/lib/redress\"";
        /// A file to which every checkpoint is also written, such as one on another machine; `redress ledger verify --witness` reads it.
        witness: Option<Location> = None, compared restart(|_| ()), example "\"/mnt/elsewhere/witness.jsonl\"";
        /// Whether the arguments of failed calls are recorded, without their secrets. Off, a record has only a keyed hash of them, by which the same arguments are found.
        arguments: bool = false, compared restart(|_| ()), example "true";
        /// What happens when a failure cannot be recorded.
        on_failure: OnLedgerFailure = OnLedgerFailure::Closed, option "on-ledger-failure" "F", compared bound(|it| it == OnLedgerFailure::Open), example "\"open\"";
        /// A segment of the ledger with more bytes is followed by a new one.
        max_segment_bytes: u64 = redress_ledger::SEGMENT_BYTES, in 1 << 16..=1 << 30, compared restart(|_| ()), example "67108864";
        /// How many days are kept; by default all.
        keep_days: Option<u64> = None, in 1..=36_500, compared restart(|_| ()), example "90";
        /// How many bytes of failures of one server are recorded an hour, on average; after a quiet time eight times as many at once. What is more is counted in `refusals` records. Failures of a governed server are always recorded.
        fault_bytes_per_hour: u64 = 32 << 20, in 1 << 16..=1 << 50, compared restart(|_| ()), example "1073741824";
        /// How many bytes are kept; by default all. What is younger than seven days stays all the same.
        keep_bytes: Option<u64> = None, in 1 << 20..=1 << 50, compared restart(|_| ()), example "10737418240";
    }
    check check_keeping
}

section! {
    /// Where its numbers can be read, for Prometheus. See `docs/reference/metrics.md`.
    pub struct Metrics {
        /// The address of a page with its numbers, `/metrics`; by default only `serve` has one, at its own address.
        address: Option<Address> = None, compared restart(|it| it.map(reach)), example "\"127.0.0.1:9464\"";
    }
}

section! {
    /// How failures are answered to clients, and successes if `meter` is on.
    pub struct Emit {
        /// Whether a card quotes what the server wrote.
        server_text: ServerText = ServerText::Quote, option "server-text" "T", compared neutral(), example "\"full\"";
        /// The most bytes of `details` in an envelope.
        details_bytes: u64 = tokens::DEFAULT_DETAILS_BYTES as u64, in 0..=tokens::MAX_DETAILS_BYTES as u64, compared neutral(), example "4096";
        /// Whether the description of a tool names the codes that the contract lists for it (`may`), each with what to do. Only in the mode `enforce`.
        describe: bool = false, compared neutral(), example "true";
        /// Whether the result of a call that succeeds says in `_meta` what it cost: `estimated_tokens` and `elapsed_ms`. Off, it passes byte for byte.
        meter: bool = false, compared neutral(), example "true";
    }
}

section! {
    /// When the gate itself makes a failed call again: only if the code allows it, and only if it cannot do harm
    /// (nothing was changed, or the tool is read-only or idempotent).
    pub struct Retry {
        /// How often a call is made at most, the first time included. 1: none is made again.
        attempts: u64 = RetryRule::default().attempts.into(), in 1..=10, compared neutral(), example "1";
        /// How many calls are made again, of a hundred that are made. What is not used is kept for a short while.
        budget_percent: u64 = RetryRule::default().budget_percent.into(), in 0..=100, compared neutral(), example "5";
        /// The pause before the second attempt, in milliseconds. It doubles with each further one, and is spread at random.
        base_ms: u64 = millis(RetryRule::default().first_pause), in 1..=60_000, compared neutral(), example "250";
        /// The longest pause, in milliseconds.
        max_ms: u64 = millis(RetryRule::default().longest_pause), in 1..=600_000, compared neutral(), example "5000";
    }
    check check_pauses
}

section! {
    /// When a server is not asked for a while, because it did not answer. Only transport failures count: a server that answers
    /// with an error is alive. Sessions with processes of their own do not pause each other, and a process that has said nothing
    /// since it was paused is replaced before it is tried again.
    pub struct Breaker {
        /// After how many failures within the window. 0: it is always asked.
        failures: u64 = BreakerRule::default().failures.into(), in 0..=10_000, compared neutral(), example "10";
        /// The window, in milliseconds.
        window_ms: u64 = millis(BreakerRule::default().window), in 100..=3_600_000, compared neutral(), example "60000";
        /// For how long it is not asked, in milliseconds; then one call tries. It doubles as long as the server stays away.
        open_ms: u64 = millis(BreakerRule::default().pause), in 100..=3_600_000, compared neutral(), example "10000";
        /// The longest time, in milliseconds.
        max_open_ms: u64 = millis(BreakerRule::default().longest_pause), in 100..=3_600_000, compared neutral(), example "120000";
    }
    check check_open
}

section! {
    /// When a call that fails again and again is answered without asking the server, with the code `REPEATED_FAILURE`. It must have failed in
    /// the same session with the same arguments, code and text, nothing may have succeeded in between, and it must be proved that a repeat does
    /// not mend it: a failure that is known by words alone, that is retryable, or that another state mends never counts.
    pub struct Loop {
        /// Whether that is done.
        enabled: bool = LoopRule::default().enabled, compared neutral(), example "false";
        /// How often the call must fail before.
        failures: u64 = LoopRule::default().failures.into(), in 2..=10_000, compared neutral(), example "5";
        /// After how long one such call is let through, in milliseconds. It doubles as long as the call fails in the same way.
        pause_ms: u64 = millis(LoopRule::default().pause), in 100..=3_600_000, compared neutral(), example "60000";
        /// The longest such time, in milliseconds.
        max_pause_ms: u64 = millis(LoopRule::default().longest_pause), in 100..=3_600_000, compared neutral(), example "600000";
    }
    check check_loop
}

section! {
    /// How much a server is asked. What is more is refused at once, with the code `OVERLOADED` or `RATE_LIMITED`.
    pub struct Limits {
        /// How many calls of all sessions are in progress at once. Where there can be several callers, the last quarter is kept for those that have less than their share.
        concurrency: u64 = LimitRule::default().in_flight as u64, in 1..=1_000_000, example "256";
        /// How many calls of one session are.
        session_concurrency: u64 = LimitRule::default().in_flight_per_session as u64, in 1..=4_096, example "64";
        /// How many requests a second, on average; by default any number.
        rate_per_second: Option<u64> = None, in 1..=1_000_000, example "50";
        /// How many may come at once after a quiet time; by default as many as in a second.
        burst: Option<u64> = None, in 1..=1_000_000, example "100";
        /// How long an unused session lives, in milliseconds.
        session_idle_ms: u64 = 30 * 60 * 1000, in 1_000..=604_800_000, example "600000";
        /// How long a session in which no message came is kept while sessions are short, in milliseconds.
        session_first_call_ms: u64 = 60_000, in 1_000..=604_800_000, example "10000";
    }
    check check_rate
}

/// The token that `redress serve` made for its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeToken {
    /// The token.
    pub token: Secret,
    /// Its file.
    pub file: PathBuf,
}

/// Another address than loopback needs a token, and a connection that cannot be read on its way.
fn check_listeners(general: &General, table: &mut ConfigTable<'_, '_>) {
    for section in general.unguarded() {
        let problem = format!(
            "[{section}] is open to other machines, so that there must be a token in [auth]."
        );
        table.refuse(section, problem);
    }
    for section in general.readable() {
        let problem = format!(
            "Tokens would reach [{section}] in plain HTTP, which the network can read: give `[listen] tls` a certificate, or allow it with `[listen] insecure = true`."
        );
        table.refuse(section, problem);
    }
}

/// Options that do not fit together are reported at their key.
fn check_certificate(tls: &Tls, table: &mut ConfigTable<'_, '_>) {
    let (key, problem) = match (&tls.cert, &tls.key) {
        (Some(cert), Some(key)) => match Certificate::new(cert.bytes(), key.bytes()) {
            Ok(_) => return,
            Err(TlsError::Certificate(problem)) => ("cert", format!("names a file that {problem}")),
            Err(TlsError::Key(problem)) => ("key", format!("names a file that {problem}")),
        },
        // A file that cannot be read was reported.
        _ if table.has("cert") && table.has("key") => return,
        _ => {
            table.refuse("", format!("`{}` needs a `cert` and a `key`.", table.path()));
            return;
        }
    };
    table.refuse(key, format!("`{}.{key}` {problem}.", table.path()));
}

impl Tls {
    /// Whether there is to be a certificate.
    pub(crate) const fn is_given(&self) -> bool {
        self.cert.is_some() || self.key.is_some()
    }

    /// The certificate, if there is one.
    pub(crate) fn certificate(&self) -> Option<Certificate> {
        let (cert, key) = self.cert.as_ref().zip(self.key.as_ref())?;
        // What is none was refused with the file.
        Certificate::new(cert.bytes(), key.bytes()).ok()
    }
}

impl General {
    /// The sections with an address that other machines reach without a token.
    pub(crate) fn unguarded(&self) -> impl Iterator<Item = &'static str> {
        let is_open = self.auth.is_open();
        self.reached().filter(move |_| is_open)
    }

    /// The sections with an address that tokens reach in plain HTTP across a network.
    pub(crate) fn readable(&self) -> impl Iterator<Item = &'static str> {
        let is_safe = self.auth.is_open() || self.listen.insecure || self.listen.tls.is_given();
        self.reached().filter(move |_| !is_safe)
    }

    /// The sections with an address that other machines reach.
    fn reached(&self) -> impl Iterator<Item = &'static str> {
        [("listen", Some(self.listen.address)), ("metrics", self.metrics.address)]
            .into_iter()
            .filter(|(_, it)| it.is_some_and(|it| !it.is_loopback()))
            .map(|it| it.0)
    }
}

impl Auth {
    /// Whether no token is needed: none was made and none is named, whatever the files hold that are. With `is_required` one is needed
    /// all the same, and there may be none.
    pub fn is_open(&self) -> bool {
        let is_none_named = self.tokens.is_empty() && self.token_files.is_empty();
        is_none_named && self.caller.0.is_empty() && self.made.is_none() && !self.is_required
    }

    /// The callers that may change something in the console, by the hashes of their tokens.
    pub(crate) fn console_writers(&self) -> impl Iterator<Item = ([u8; 32], String)> {
        let writers = self.caller.0.iter().filter(|it| it.console_write);
        writers.filter_map(|it| Some((it.hash()?, it.name.clone())))
    }

    /// The callers that are known by the hash of a token, and their roles.
    pub(crate) fn callers(&self) -> impl Iterator<Item = ([u8; 32], Option<&String>)> {
        self.caller.0.iter().filter_map(|it| Some((it.hash()?, it.role.as_ref())))
    }

    /// Every token.
    pub fn all(&self) -> impl Iterator<Item = &Secret> {
        let of_files = self.token_files.iter().flat_map(|it| &it.lines);
        self.tokens.iter().chain(of_files).chain(self.made.iter().map(|it| &it.token))
    }
}

fn check_tokens(auth: &Auth, table: &mut ConfigTable<'_, '_>) {
    const LEAST_CHARS: usize = 16;
    let callers = &auth.caller.0;
    for (at, caller) in callers.iter().enumerate() {
        let mut before = callers.iter().take(at);
        let is_same = |it: &&Caller| it.hash().is_some() && it.hash() == caller.hash();
        if let Some(other) = before.find(is_same) {
            let (one, two) = (&other.name, &caller.name);
            let problem = format!(
                "`auth.caller.{one}` and `auth.caller.{two}` have the same token, so that nobody could tell them apart."
            );
            table.refuse("caller", problem);
        }
    }
    if auth.tokens.iter().any(|it| !it.has_variable()) {
        let problem = "A token does not stand in the file: write `${VAR}`, or use `token_files`.";
        table.refuse("tokens", problem.to_owned());
    }
    let is_short = |it: &Secret| it.reveal().len() < LEAST_CHARS;
    let is_strange = |it: &Secret| it.reveal().contains(|it: char| !it.is_ascii_graphic());
    for (key, bad) in [
        ("tokens", auth.tokens.iter().any(|it| is_short(it) || is_strange(it))),
        (
            "token_files",
            auth.token_files
                .iter()
                .flat_map(|it| &it.lines)
                .any(|it| is_short(it) || is_strange(it)),
        ),
    ] {
        if bad {
            let problem = format!(
                "A token must have at least {LEAST_CHARS} characters, all of them ASCII and none a space."
            );
            table.refuse(key, problem);
        }
    }
}

fn check_keeping(ledger: &Ledger, table: &mut ConfigTable<'_, '_>) {
    if ledger.keep_bytes.is_some_and(|it| it < ledger.max_segment_bytes) {
        let problem = "`keep_bytes` must be at least `max_segment_bytes`: whole segments are kept.";
        table.refuse("keep_bytes", problem.to_owned());
    }
}

fn check_pauses(retry: &Retry, table: &mut ConfigTable<'_, '_>) {
    in_order(("base_ms", retry.base_ms), ("max_ms", retry.max_ms), table);
}

fn check_open(breaker: &Breaker, table: &mut ConfigTable<'_, '_>) {
    in_order(("open_ms", breaker.open_ms), ("max_open_ms", breaker.max_open_ms), table);
}

fn check_loop(guard: &Loop, table: &mut ConfigTable<'_, '_>) {
    in_order(("pause_ms", guard.pause_ms), ("max_pause_ms", guard.max_pause_ms), table);
}

/// Reports a first pause that is longer than the longest one. What a server takes from the section for all is reported there.
fn in_order(first: (&str, u64), longest: (&str, u64), table: &mut ConfigTable<'_, '_>) {
    let own = [first.0, longest.0].into_iter().find(|it| table.has(it));
    if let Some(key) = own.filter(|_| first.1 > longest.1) {
        let problem =
            format!("`{}` ({}) is more than `{}` ({}).", first.0, first.1, longest.0, longest.1);
        table.refuse(key, problem);
    }
}

fn check_rate(limits: &Limits, table: &mut ConfigTable<'_, '_>) {
    // What a server takes from `[limits]` is reported there.
    if table.has("burst") && limits.burst.is_some() && limits.rate_per_second.is_none() {
        table.refuse("burst", "`burst` has no meaning without `rate_per_second`.".to_owned());
    }
}
