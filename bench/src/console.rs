//! `console`: the index of a large ledger beside one pass of the JSON reader over the same bytes, and its pages.

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{BufRead as _, BufReader, BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use http::Request;
use redress_console::{Console, Grant, Options, Right};
use redress_ledger::{Evidence, Time};
use redress_registry::shipped;
use redress_wire::json::{Doc, Limits, Scratch};

use crate::{
    bars::Measured,
    fallible::Fallible,
    procfs,
    report::{Table, number},
    stats::median,
};

const LIMITS: Limits = Limits { bytes: 1 << 20, nesting: 80 };

/// About as many as a segment of 16 MiB has.
const PER_SEGMENT: u64 = 12_000;

/// 2026-01-19T15:00:00Z.
const START: u64 = 1_768_834_800_000;

/// How often each page is asked for in a round.
const ASKED: usize = 9;

/// How long the index may take before the benchmark gives up.
const PATIENCE: Duration = Duration::from_secs(1_800);

const PAGES: [&str; 8] = [
    "/console/",
    "/console/failures",
    "/console/failures?tool=tool-3&from=24h",
    "/console/tools",
    "/console/recovery",
    "/console/loops",
    "/console/check",
    "/console/list?text=4711",
];

/// The console on a large ledger, beside one pass of the JSON reader over the same bytes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many records the ledger has: about 1.4 KiB each, and 0.4 KiB with --short.
    #[arg(long, default_value_t = 750_000)]
    records: u64,
    /// Whether records have no more than a failure needs.
    #[arg(long)]
    short: bool,
    /// How often it is measured.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// The directory of the ledger; it is written if it is not there, and stays.
    #[arg(long, value_name = "DIR")]
    ledger: PathBuf,
}

/// What one round gave, in seconds.
#[derive(Debug)]
struct Round {
    pass: f64,
    first: f64,
    whole: f64,
    /// Each page.
    pages: Vec<f64>,
}

pub(crate) fn run(args: &Args) -> Fallible<Vec<Measured>> {
    if !args.ledger.exists() {
        fill(&args.ledger, args)?;
    }
    let files = segments(&args.ledger)?;
    let bytes = files.iter().map(|it| Ok(it.metadata()?.len())).sum::<std::io::Result<u64>>()?;
    println!("{} MiB in {} segments", bytes >> 20, files.len());
    let rounds = (0..args.rounds).map(|_| round(args, &files)).collect::<Fallible<Vec<_>>>()?;
    let mut table = Table::new(["", "median", "least", "most"]);
    let mut add = |name: &str, figure: &dyn Fn(&Round) -> f64| {
        let all: Vec<f64> = rounds.iter().map(figure).collect();
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let most = all.iter().copied().fold(0.0, f64::max);
        let middle = median(all);
        let shown = middle.map_or_else(String::new, number);
        table.add([name.to_owned(), shown, number(least), number(most)]);
        middle
    };
    add("one pass of the JSON reader, s", &|it| it.pass);
    let first = add("first page, s", &|it| it.first);
    add("index complete, s", &|it| it.whole);
    let passes = add("index complete, in passes", &|it| it.whole / it.pass);
    let mut slowest: f64 = 0.0;
    for (at, page) in PAGES.iter().enumerate() {
        let millis = add(&format!("{page}, ms"), &|it| {
            it.pages.get(at).copied().unwrap_or_default() * 1_000.0
        });
        slowest = slowest.max(millis.unwrap_or_default());
    }
    let peak = procfs::own_peak_kib() as f64 / 1_024.0;
    table.add([
        "peak memory of all rounds, MiB".to_owned(),
        number(peak),
        String::new(),
        String::new(),
    ]);
    println!("{table}");
    let figures = [
        ("console-first", first),
        ("console-passes", passes),
        ("console-memory", Some(peak)),
        ("console-page", Some(slowest)),
    ];
    Ok(figures.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
}

fn round(args: &Args, files: &[PathBuf]) -> Fallible<Round> {
    let began = Instant::now();
    for file in files {
        pass(file)?;
    }
    let pass = began.elapsed().as_secs_f64();
    let (place, now) = (args.ledger.clone(), START + args.records * 1_000);
    let began = Instant::now();
    let console = Console::new(Options {
        ledgers: Arc::new(move || vec![place.clone()]),
        clock: Arc::new(move || now),
        contracts: shipped::all().cloned().collect(),
        writer: None,
        teacher: None,
        servers: None,
        trace_link: None,
        evidence: Evidence::default(),
        person: String::new(),
    })?;
    console.read()?;
    ask(&console, "/console/failures")?;
    let first = began.elapsed().as_secs_f64();
    console.wait(PATIENCE);
    let whole = began.elapsed().as_secs_f64();
    let page = |place: &&str| {
        let mut times = Vec::new();
        for _ in 0..ASKED {
            let began = Instant::now();
            ask(&console, place)?;
            times.push(began.elapsed().as_secs_f64());
        }
        Ok(median(times).unwrap_or_default())
    };
    let pages = PAGES.iter().map(page).collect::<Fallible<Vec<_>>>()?;
    Ok(Round { pass, first, whole, pages })
}

fn ask(console: &Console, place: &str) -> Fallible<()> {
    let request = Request::builder().uri(place).body("")?;
    let reader = Grant { right: Right::Read, by: "".into() };
    let answer = console.answer(&request, &reader);
    if answer.status() == 200 {
        Ok(())
    } else {
        Err(format!("{place}: {}", answer.status()).into())
    }
}

fn segments(dir: &Path) -> Fallible<Vec<PathBuf>> {
    let chain = fs::read_dir(dir)?.next().ok_or("the ledger is empty")??.path();
    let files = fs::read_dir(chain)?.map(|it| Ok(it?.path()));
    let mut files = files.collect::<std::io::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

/// Reads a file as the index must: line by line, each one a document.
fn pass(file: &Path) -> Fallible<u64> {
    let mut reader = BufReader::with_capacity(1 << 17, File::open(file)?);
    let (mut line, mut scratch, mut count) = (Vec::new(), Scratch::default(), 0);
    while reader.read_until(b'\n', &mut line)? > 0 {
        let doc = Doc::parse_with(line.trim_ascii_end(), LIMITS, scratch)
            .map_err(|it| format!("{it:?}"))?;
        count += u64::from(doc.root().get("seq").is_some());
        scratch = doc.into_scratch();
        line.clear();
    }
    Ok(count)
}

/// Writes segments in the form of a ledger. Their hashes are not those of the lines: an index does not look at them.
fn fill(dir: &Path, args: &Args) -> Fallible<()> {
    let chain = "20260119T150000000Z-1-000000000001";
    fs::create_dir_all(dir.join(chain))?;
    let (hash, mut line) = ("0".repeat(64), String::new());
    let per_segment = if args.short { 3 * PER_SEGMENT } else { PER_SEGMENT };
    for segment in 0..args.records.div_ceil(per_segment) {
        let path = dir.join(chain).join(format!("{:08}.jsonl", segment + 1));
        let mut out = BufWriter::new(File::create(path)?);
        for seq in segment * per_segment..args.records.min((segment + 1) * per_segment) {
            let time = Time::from_millis(START + seq * 1_000);
            line.clear();
            write!(line, "{{\"seq\":{seq},\"time\":\"{time}\",\"prev\":\"{hash}\",")?;
            if seq % 60 == 0 {
                tally(&mut line, seq)?;
            } else if seq % 12 == 11 {
                success(&mut line, seq)?;
            } else if args.short {
                short(&mut line, seq)?;
            } else {
                whole(&mut line, seq, &time.to_string())?;
            }
            writeln!(out, "{line},\"hash\":\"{hash}\"}}")?;
        }
        out.flush()?;
    }
    Ok(())
}

const CODES: [&str; 7] = [
    "FILE_NOT_FOUND",
    "TIMEOUT",
    "UNKNOWN_TOOL_FAILURE",
    "CONFLICT",
    "RATE_LIMITED",
    "INTERNAL_ERROR",
    "INVALID_INPUT_VALUE",
];

fn code(seq: u64) -> &'static str {
    usize::try_from(seq % 7).ok().and_then(|it| CODES.get(it)).copied().unwrap_or_default()
}

/// The calls of a minute: those of all tools.
fn tally(line: &mut String, seq: u64) -> Fallible<()> {
    let minute = Time::from_millis(START + seq * 1_000).to_string();
    let minute = minute.get(..16).unwrap_or_default();
    write!(line, "\"kind\":\"tally\",\"tally\":{{\"minute\":\"{minute}Z\",\"calls\":[")?;
    for tool in 0..23 {
        let comma = if tool > 0 { "," } else { "" };
        let server = tool % 4;
        write!(
            line,
            "{comma}{{\"server\":\"server-{server}\",\"tool\":\"tool-{tool}\",\"ok\":40,\"fault\":3,\"refused\":0,\"cancelled\":0,\"repeated\":0,\"ms\":[0,0,4,30,6,3,0,0,0,0,0,0,0,0,0,0]}}"
        )?;
    }
    line.push_str("]}");
    Ok(())
}

/// The first success of a tool that had failed in its run.
fn success(line: &mut String, seq: u64) -> Fallible<()> {
    let (tool, run) = ((seq - 1) % 23, seq / 12);
    write!(
        line,
        "\"kind\":\"call\",\"call\":{{\"server\":\"server-{}\",\"tool\":\"tool-{tool}\",\"failures\":1,\"elapsed_ms\":3}},\"request\":{{\"run\":\"{run:032x}\",\"call\":12}}",
        (seq - 1) % 4
    )?;
    Ok(())
}

fn short(line: &mut String, seq: u64) -> Fallible<()> {
    let (tool, run, code) = (seq % 23, seq / 12, code(seq));
    write!(
        line,
        "\"kind\":\"fault\",\"fault\":{{\"v\":1,\"code\":\"{code}\",\"message\":\"It failed.\",\"class\":\"not_found\",\"effect\":\"none\",\"context\":{{\"server\":\"server-{}\",\"tool\":\"tool-{tool}\"}}}},\"request\":{{\"run\":\"{run:032x}\",\"call\":{}}}",
        seq % 4,
        seq % 12 + 1
    )?;
    Ok(())
}

fn whole(line: &mut String, seq: u64, time: &str) -> Fallible<()> {
    let (tool, run, code) = (seq % 23, seq / 12, code(seq));
    let effect = if seq.is_multiple_of(5) { "unknown" } else { "none" };
    write!(
        line,
        "\"kind\":\"fault\",\"fault\":{{\"v\":1,\"code\":\"{code}\",\"message\":\"No file at \\\"src/file-{seq}.rs\\\".\",\"hint\":\"Check the path, or list the directory first.\",\"class\":\"not_found\",\"http\":404,\"retryable\":false,\"retry\":{{\"kind\":\"after_change\"}},\"effect\":\"{effect}\",\"origin\":\"tool\",\"basis\":\"inferred\",\"next_actions\":[{{\"tool\":\"list_directory\",\"args\":{{\"path\":\"src\"}}}}],\"violations\":[{{\"pointer\":\"/path\",\"reason\":\"not_found\"}}],\"details\":{{\"path\":\"src/file-{seq}.rs\",\"upstream\":{{\"code\":-32603}}}},\"server_text\":\"ENOENT: no such file or directory, open 'src/file-{seq}.rs'\",\"context\":{{\"server\":\"server-{}\",\"tool\":\"tool-{tool}\",\"request_id\":\"{seq}\",\"session_id\":\"a1b2c3d4e5f60718.{run}\"}},\"timestamp\":\"{time}\",\"elapsed_ms\":3}},\"request\":{{\"client\":{{\"name\":\"inspector\",\"version\":\"1.2.3\"}},\"session\":\"a1b2c3d4e5f60718.{run}\",\"run\":\"{run:032x}\",\"arguments_hmac\":\"{:032x}\",\"attempt\":1,\"call\":{},\"mode\":\"enforce\",\"dialect\":\"native\",\"basis\":\"inferred\",\"rule\":\"formats/errno\",\"flagged\":true}}",
        seq % 4,
        seq / 3,
        seq % 12 + 1
    )?;
    Ok(())
}
