//! Five hundred secrets that a gate knows, each in twelve encodings, as it is and with seven kinds of what is not seen between its
//! characters: no way out of a real gate shows one.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::Stdio,
    thread,
};

use serde_json::{Value, json};

use super::{
    client::{Via, bad_server, gate, wait},
    hidden::{ask, files, metrics},
};
use crate::redress::{redress, run};

const COUNT: usize = 500;

/// How many stand in one text.
const BATCH: usize = 25;

/// What stands between the characters.
const BETWEEN: [&str; 7] = ["", "\0", "\u{7}", "\u{ad}", "\u{200b}", "\u{fe0f}", "\u{1b}[31m"];

/// The secrets: letters of both cases and digits, and none a part of another.
fn canaries() -> Vec<String> {
    const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut letter = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(ALPHABET[usize::try_from(state >> 33).unwrap() % ALPHABET.len()])
    };
    (0..COUNT).map(|_| (0..18).map(|_| letter()).collect()).collect()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |it: &[u8]| {
        let bits =
            it.iter().chain(&[0; 2]).take(3).fold(0_usize, |bits, it| bits << 8 | usize::from(*it));
        let digit = |at: usize| char::from(DIGITS[bits >> (18 - 6 * at) & 63]);
        (0..4).map(|at| if at <= it.len() { digit(at) } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// A secret in each encoding that the documentation promises.
fn encoded(it: &str) -> [String; 12] {
    let each = |spell: fn(u8) -> String| it.bytes().map(spell).collect::<Vec<_>>();
    let wrapped = base64(format!("{it}{it}").as_bytes());
    let lines: Vec<&str> =
        wrapped.as_bytes().chunks(16).map(|it| str::from_utf8(it).unwrap()).collect();
    [
        it.to_owned(),
        it.to_ascii_uppercase(),
        each(|it| format!("\\u{it:04x}")).concat(),
        each(|it| format!("%{it:02X}")).concat(),
        each(|it| format!("&#{it};")).concat(),
        each(|it| format!("\\x{it:02x}")).concat(),
        each(|it| format!("{it:02x}")).concat(),
        each(|it| format!("{it:02X}")).join(":"),
        base64(it.as_bytes()),
        base64(format!("user:{it}").as_bytes()),
        base64(base64(it.as_bytes()).as_bytes()),
        lines.join("\n"),
    ]
}

/// What must not be left of a secret: it, and the digits of its codes that nothing around it changes.
struct Forbidden(BTreeMap<[u8; START], Vec<String>>);

/// Texts are long: a secret is looked for where this many bytes of it stand.
const START: usize = 8;

impl Forbidden {
    fn of(canaries: &[String]) -> Self {
        let of = |it: &String| {
            let [plain, _, _, _, _, _, hex, _, code, _, twice, _] = encoded(it);
            let inner = |it: String| it.trim_end_matches('=').to_ascii_lowercase();
            [plain.to_ascii_lowercase(), hex, inner(code), inner(twice)]
        };
        let mut all = BTreeMap::<_, Vec<_>>::new();
        for it in canaries.iter().flat_map(of) {
            all.entry(*it.as_bytes().first_chunk().unwrap()).or_default().push(it);
        }
        Self(all)
    }

    /// Looks at a text as a reader sees it who undoes what encodings do.
    #[track_caller]
    fn assert_none(&self, text: &str, what: &str) {
        let plain = redress::redact::without_escapes(text).unwrap_or_else(|| text.to_owned());
        for text in [text, &plain] {
            let seen = redress_wire::unseen::without_unseen(text.as_bytes()).into_owned();
            let seen = String::from_utf8(seen).unwrap().to_ascii_lowercase();
            let digits: String = seen
                .chars()
                .filter(|it| it.is_ascii_alphanumeric() || matches!(it, '+' | '/'))
                .collect();
            for bytes in [seen.as_bytes(), digits.as_bytes()] {
                let mut windows = bytes.windows(START).enumerate();
                let shown = windows.find_map(|(at, it)| {
                    self.0.get(it)?.iter().find(|it| bytes[at..].starts_with(it.as_bytes()))
                });
                assert!(shown.is_none(), "{what}: {shown:?} in {text:.2000}");
            }
        }
    }
}

fn interleaved(text: &str, between: &str) -> String {
    text.chars().map(String::from).collect::<Vec<_>>().join(between)
}

/// The ways in which a server fails with a text.
fn answers(said: &str) -> [Value; 4] {
    let nested = json!({"deep": [said]}).to_string();
    [
        json!({"result": {"isError": true, "content": [{"type": "text", "text": said}]}}),
        json!({"error": {"code": -32600, "message": said, "data": {"x": [said], "y": nested}}}),
        json!({"error": {"code": -32603, "message": said, "data": {"x": said}}}),
        json!({"result": {"isError": true, "content": [{"type": "text", "text": nested}], "_meta": {"m": said}, "structuredContent": {"s": said}}}),
    ]
}

#[test]
fn no_way_out_shows_one_of_five_hundred_secrets_in_any_encoding() {
    let dir = tempfile::tempdir().unwrap();
    let canaries = canaries();
    let forbidden = Forbidden::of(&canaries);
    let ledger = dir.path().join("ledger");
    let options =
        ["--ledger", ledger.to_str().unwrap(), "--server-text", "full", "--metrics", "127.0.0.1:0"];
    let mut command = gate(Via::Run, dir.path(), &options, &[bad_server().to_str().unwrap()]);
    command.envs(canaries.iter().enumerate().map(|(at, it)| (format!("CANARY_{at}_TOKEN"), it)));
    let mut gate =
        command.env("XDG_STATE_HOME", dir.path()).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(gate.stderr.take().unwrap());
    let mut first = String::new();
    log.read_line(&mut first).unwrap();
    let log = thread::spawn(move || {
        let mut text = Vec::new();
        log.read_to_end(&mut text).unwrap();
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut input = gate.stdin.take().unwrap();
    let mut output = BufReader::new(gate.stdout.take().unwrap());
    let mut call = |tool: &str, arguments: Value| {
        ask(&mut input, &mut output, "tools/call", &json!({"name": tool, "arguments": arguments}))
    };
    let mut told = 0;
    for (way, batch) in canaries.chunks(BATCH).enumerate() {
        for encoding in 0..12 {
            for (kind, between) in BETWEEN.iter().enumerate() {
                let words = batch.iter().map(|it| interleaved(&encoded(it)[encoding], between));
                let said = words.collect::<Vec<_>>().join(" and\n");
                if (way + kind) % 5 == 4 {
                    forbidden.assert_none(
                        &call("shout", json!({"text": format!("noise {said}")})),
                        "an answer",
                    );
                    continue;
                }
                let mut answer = answers(&said)[(way + kind + encoding) % 4].clone();
                answer["jsonrpc"] = json!("2.0");
                let line = answer.to_string().replacen('{', "{\"id\":ID,", 1);
                let heard = call("replay", json!({"line": line}));
                assert!(heard.contains("isError\":true") || heard.contains("-32600"), "{heard}");
                forbidden.assert_none(&heard, &format!("encoding {encoding}, {between:?}"));
                told += batch.len();
            }
        }
    }
    assert!(told > COUNT * 12 * BETWEEN.len() / 2, "{told}");
    for encoding in 0..12 {
        let said = canaries
            .iter()
            .take(4)
            .map(|it| encoded(it)[encoding].clone())
            .collect::<Vec<_>>()
            .join(" ");
        let heard = call("shout", json!({"text": format!("fatal: {said}"), "code": 3}));
        forbidden.assert_none(&heard, "a crash card");
    }
    forbidden.assert_none(&metrics(&first), "the page of metrics");
    drop(input);
    wait(&mut gate);
    let log = log.join().unwrap();
    assert!(log.contains("noise "), "{log:.2000}");
    forbidden.assert_none(&log, "the log");
    let records = files(&ledger);
    assert!(records.iter().any(|it| it.contains("UPSTREAM_CRASHED")));
    for line in records.iter().flat_map(|it| it.lines()) {
        forbidden.assert_none(line, "the ledger");
    }
    let shown = redress(&["ledger", "query", ledger.to_str().unwrap()], b"");
    forbidden.assert_none(&shown.out, "what is shown of the ledger");
}

#[test]
fn a_checked_configuration_shows_none_of_its_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let canaries = canaries();
    let forbidden = Forbidden::of(&canaries);
    let mut file = String::new();
    for (at, it) in canaries.chunks(5).enumerate() {
        let [one, two, three, four, five] = it else { unreachable!("500 is five times 100") };
        write!(
            file,
            "[server.a{at}]\ncommand = ['sh', '--token', '{one}', 'https://u:{two}@host/x']\nenv = {{ API_TOKEN = '{three}' }}\n\
             [server.b{at}]\nurl = 'https://host/s/{four}/mcp?key={five}'\nheaders = {{ Authorization = 'Bearer {one}' }}\n"
        )
        .unwrap();
    }
    fs::write(dir.path().join("redress.toml"), file).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_redress"));
    let ran = run(
        command.args(["config", "check", "redress.toml"]).current_dir::<&Path>(dir.path()),
        b"",
    );
    assert!(ran.out.contains("[server.a99]"), "{} {}", ran.out, ran.err);
    forbidden.assert_none(&ran.out, "what is shown of a configuration");
    forbidden.assert_none(&ran.err, "what is said of a configuration");
}
