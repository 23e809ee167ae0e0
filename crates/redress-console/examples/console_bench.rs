//! How long the index of a large ledger takes beside one pass of the JSON reader over the same bytes, and a summary of it.
//!
//! `cargo run --release -p redress-console --example console_bench DIRECTORY RECORDS`
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops when something fails"
)]

use std::{
    env,
    fmt::Write as _,
    fs::{self, File},
    io::{BufRead as _, BufReader, BufWriter, Write as _},
    path::Path,
    sync::Arc,
    time::Instant,
};

use http::Request;
use redress_console::{Console, Options, Right};
use redress_ledger::{Evidence, Time};
use redress_registry::shipped;
use redress_wire::json::{Doc, Limits, Scratch};

const LIMITS: Limits = Limits { bytes: 1 << 20, nesting: 80 };
const PER_SEGMENT: u64 = 20_000;
const START: u64 = 1_768_834_800_000;

fn main() {
    let dir = env::args().nth(1).unwrap_or_else(|| "bench-ledger".to_owned());
    let records: u64 = env::args().nth(2).map_or(100_000, |it| it.parse().unwrap());
    let dir = Path::new(&dir);
    if !dir.exists() {
        fill(dir, records);
    }
    let files = segments(dir);
    let bytes: u64 = files.iter().map(|it| it.metadata().unwrap().len()).sum();
    println!("{records} records, {} MiB in {} segments", bytes >> 20, files.len());
    let began = Instant::now();
    let mut read = 0;
    for file in &files {
        read += pass(file);
    }
    let pass = began.elapsed();
    println!("one pass of the JSON reader: {pass:?}, {read} lines");
    let place = dir.to_owned();
    let options = Options {
        ledgers: Arc::new(move || vec![place.clone()]),
        clock: Arc::new(move || START + records * 1_000),
        contracts: shipped::all().cloned().collect(),
        writer: None,
        servers: None,
        trace_link: None,
        evidence: Evidence::default(),
        person: String::new(),
    };
    let began = Instant::now();
    let console = Console::new(options).unwrap();
    console.read().unwrap();
    let first = ask(&console, "/console/failures");
    println!("first page: {:?}, {first} bytes", began.elapsed());
    console.wait(std::time::Duration::from_secs(600));
    let whole = began.elapsed();
    println!(
        "index complete: {whole:?}, {:.2} of a pass",
        whole.as_secs_f64() / pass.as_secs_f64()
    );
    for place in [
        "/console/",
        "/console/failures",
        "/console/failures?tool=tool-3",
        "/console/list?text=4711",
        "/console/check",
        "/console/loops",
    ] {
        let mut times: Vec<_> = (0..9)
            .map(|_| {
                let began = Instant::now();
                ask(&console, place);
                began.elapsed()
            })
            .collect();
        times.sort();
        println!("{place}: median {:?}, {} bytes", times[4], ask(&console, place));
    }
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let memory = status.lines().filter(|it| it.starts_with("VmHWM") || it.starts_with("VmRSS"));
    memory.for_each(|it| println!("{it}"));
}

fn ask(console: &Console, place: &str) -> usize {
    let request = Request::builder().uri(place).body("").unwrap();
    let answer = console.answer(&request, Right::Read);
    assert_eq!(answer.status(), 200, "{place}");
    answer.body().len()
}

fn segments(dir: &Path) -> Vec<std::path::PathBuf> {
    let chain = fs::read_dir(dir).unwrap().next().unwrap().unwrap().path();
    let mut files: Vec<_> = fs::read_dir(chain).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    files
}

fn pass(file: &Path) -> u64 {
    let mut reader = BufReader::with_capacity(1 << 17, File::open(file).unwrap());
    let (mut line, mut scratch, mut count) = (Vec::new(), Scratch::default(), 0);
    while reader.read_until(b'\n', &mut line).unwrap() > 0 {
        let doc = Doc::parse_with(line.trim_ascii_end(), LIMITS, scratch).unwrap();
        count += u64::from(doc.root().get("seq").is_some());
        scratch = doc.into_scratch();
        line.clear();
    }
    count
}

/// Writes segments in the form of a ledger. Their hashes are not those of the lines: an index does not look at them.
fn fill(dir: &Path, records: u64) {
    let chain = "20260119T150000000Z-1-000000000001";
    fs::create_dir_all(dir.join(chain)).unwrap();
    let hash = "0".repeat(64);
    for segment in 0..records.div_ceil(PER_SEGMENT) {
        let path = dir.join(chain).join(format!("{:08}.jsonl", segment + 1));
        let mut out = BufWriter::new(File::create(path).unwrap());
        for seq in segment * PER_SEGMENT..records.min((segment + 1) * PER_SEGMENT) {
            let time = Time::from_millis(START + seq * 1_000);
            let mut line =
                format!("{{\"seq\":{seq},\"time\":\"{time}\",\"prev\":\"{hash}\",\"kind\":");
            let (tool, code, run) = (seq % 23, seq % 7, seq / 12);
            let code = [
                "FILE_NOT_FOUND",
                "TIMEOUT",
                "UNKNOWN_TOOL_FAILURE",
                "CONFLICT",
                "RATE_LIMITED",
                "INTERNAL_ERROR",
                "INVALID_INPUT_VALUE",
            ][usize::try_from(code).unwrap()];
            write!(line, "\"fault\",\"fault\":{{\"v\":1,\"code\":\"{code}\",\"message\":\"No file at \\\"src/file-{seq}.rs\\\".\",\"hint\":\"Check the path, or list the directory first.\",\"class\":\"not_found\",\"http\":404,\"retryable\":false,\"retry\":{{\"kind\":\"after_change\"}},\"effect\":\"{}\",\"origin\":\"tool\",\"basis\":\"inferred\",\"next_actions\":[{{\"tool\":\"list_directory\",\"args\":{{\"path\":\"src\"}}}}],\"violations\":[{{\"pointer\":\"/path\",\"reason\":\"not_found\"}}],\"details\":{{\"path\":\"src/file-{seq}.rs\",\"upstream\":{{\"code\":-32603}}}},\"server_text\":\"ENOENT: no such file or directory, open 'src/file-{seq}.rs'\",\"context\":{{\"server\":\"server-{}\",\"tool\":\"tool-{tool}\",\"request_id\":\"{seq}\",\"session_id\":\"a1b2c3d4e5f60718.{run}\"}},\"timestamp\":\"{time}\",\"elapsed_ms\":3}},\"request\":{{\"client\":{{\"name\":\"inspector\",\"version\":\"1.2.3\"}},\"session\":\"a1b2c3d4e5f60718.{run}\",\"run\":\"{run:032x}\",\"arguments_hmac\":\"{:032x}\",\"attempt\":1,\"mode\":\"enforce\",\"dialect\":\"native\",\"basis\":\"inferred\",\"rule\":\"formats/errno\",\"flagged\":true}},\"hash\":\"{hash}\"}}", if seq % 5 == 0 { "unknown" } else { "none" }, seq % 4, seq / 3).unwrap();
            writeln!(out, "{line}").unwrap();
        }
        out.flush().unwrap();
    }
}
