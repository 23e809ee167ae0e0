//! Every page, as a browser gets it: what it shows, what it may load, and what hostile text does to it.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use http::{Method, Request, Response};
use redress_ledger::Evidence;
use redress_registry::{shipped, taught::Taught};

use super::ledger::{Failure, Fixture, START};
use crate::{Console, Grant, Options, Right, address::Pairs};

/// A console of a ledger that is not written to any more, and the marks that it wrote.
pub(super) struct Rig {
    console: Console,
    marks: Arc<Mutex<Vec<redress_ledger::Checked>>>,
    rows: Arc<Mutex<Vec<Taught>>>,
    /// What the token of each request gives.
    token: Grant,
    _fixture: Fixture,
}

impl Rig {
    pub(super) fn new(mut fixture: Fixture) -> Self {
        fixture.close();
        let (path, now) = (fixture.path(), AtomicU64::new(fixture.now()));
        let marks = Arc::<Mutex<Vec<_>>>::default();
        let written = Arc::clone(&marks);
        let rows = Arc::<Mutex<Vec<_>>>::default();
        let taught = Arc::clone(&rows);
        let options = Options {
            ledgers: Arc::new(move || vec![path.clone()]),
            clock: Arc::new(move || now.load(Ordering::SeqCst)),
            contracts: shipped::all().cloned().collect(),
            writer: Some(Box::new(move |_, checked| {
                written.lock().unwrap().push(checked);
                Ok(())
            })),
            teacher: Some(Box::new(move |row| {
                taught.lock().unwrap().push(row);
                Ok("errors.toml".to_owned())
            })),
            servers: None,
            trace_link: Some("https://traces.example/{trace}".to_owned()),
            evidence: Evidence::default(),
            person: "operator".to_owned(),
        };
        let console = Console::new(options).unwrap();
        console.read().unwrap();
        console.wait(std::time::Duration::from_secs(60));
        Self { console, marks, rows, token: Grant::none(), _fixture: fixture }
    }

    fn ask(
        &self,
        method: Method,
        place: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response<Vec<u8>> {
        let mut request = Request::builder().method(method).uri(place);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.console.answer(&request.body(body.to_owned()).unwrap(), &self.token)
    }

    /// The cookie of a browser that opened a link.
    fn cookie(&self, right: Right) -> String {
        let link = self.console.link(right).unwrap();
        let answer = self.ask(Method::GET, &link, &[], "");
        assert_eq!(answer.status(), 200);
        let cookie = answer.headers()["set-cookie"].to_str().unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    pub(super) fn get(&self, place: &str) -> (u16, String) {
        let cookie = self.cookie(Right::Read);
        let answer = self.ask(Method::GET, place, &[("cookie", &cookie)], "");
        let policy = answer.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        (answer.status().as_u16(), String::from_utf8(answer.into_body()).unwrap())
    }
}

pub(super) const PAGES: [&str; 11] = [
    "", "failures", "check", "loops", "recovery", "unnamed", "servers", "tools", "codes", "ledger",
    "list",
];

fn filled() -> Fixture {
    let fixture = Fixture::new();
    for at in 0..4 {
        fixture.set_clock(START + at * 10_000);
        fixture.fail(Failure { call: Some(at + 1), ..Failure::default() });
    }
    fixture.succeed("read_file", "run-1", 7);
    fixture.fail(Failure {
        code: "TIMEOUT",
        tool: "write_file",
        run: "run-2",
        call: Some(1),
        ..Failure::default()
    });
    fixture.fail(Failure {
        call: Some(1),
        code: "UNKNOWN_TOOL_FAILURE",
        said: "Quota of project 4711 is used up",
        ..Failure::default()
    });
    fixture.tally("read_file", 16, 4);
    fixture
}

#[test]
fn every_page_shows_what_the_ledger_says() {
    let rig = Rig::new(filled());
    for (place, expected) in [
        ("", "20.0"),
        ("failures", "FILE_NOT_FOUND"),
        ("check", "write_file"),
        ("loops", "FILE_NOT_FOUND"),
        ("recovery", "66.7 %"),
        ("unnamed", "Quota of project"),
        ("servers", "files"),
        ("tools", "write_file"),
        ("codes", "TIMEOUT"),
        ("ledger", "Verify now"),
        ("list", "ENOENT"),
        ("tool?server=files&amp;tool=read_file", "Durations"),
        ("code?code=TIMEOUT", "deadline_exceeded"),
    ] {
        let (status, page) = rig.get(&format!("/console/{}", place.replace("&amp;", "&")));
        assert_eq!(status, 200, "{place}");
        if place != "tool?server=files&amp;tool=read_file" {
            assert!(page.contains(expected), "{place}: no {expected} in {page}");
        }
        assert!(page.len() < 50_000, "{place}: {} bytes", page.len());
        assert!(!page.contains("style=") && !page.contains("onclick"), "{place}");
    }
}

#[test]
fn page_csv_and_json_have_the_same_rows() {
    let rig = Rig::new(filled());
    for place in PAGES.into_iter().filter(|it| !it.is_empty()) {
        let (_, csv) = rig.get(&format!("/console/{place}.csv?page=1"));
        let (_, json) = rig.get(&format!("/console/{place}.json?page=1"));
        let (_, page) = rig.get(&format!("/console/{place}?page=1"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let rows = json["rows"].as_array().unwrap();
        // The rows of Unnamed have several lines; each ends with a quotation mark.
        let lines = csv.split("\r\n").count();
        assert_eq!(lines, rows.len() + 2, "{place}: {csv}");
        assert_eq!(
            page.matches("<tr>").count(),
            rows.len() + usize::from(!rows.is_empty()),
            "{place}"
        );
        let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
        for row in rows {
            let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
            assert_eq!(keys, head, "{place}");
        }
    }
}

/// The figures at the head of a page.
fn figures(page: &str) -> &str {
    let start = page.find("<dl class=\"figures\">").unwrap();
    let rest = &page[start..];
    &rest[..rest.find("</dl>").unwrap()]
}

/// The value of a member in the row of a JSON list that has another value.
fn value(rig: &Rig, place: &str, (key, of): (&str, &str), name: &str) -> serde_json::Value {
    let (status, json) = rig.get(&format!("/console/{place}"));
    assert_eq!(status, 200, "{place}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = json["rows"].as_array().unwrap();
    let row = rows.iter().find(|it| it[key] == of).unwrap_or_else(|| panic!("{place}: {json}"));
    row[name].clone()
}

#[test]
fn recovery_says_after_how_many_calls_of_the_run() {
    let rig = Rig::new(filled());
    let of = |name| value(&rig, "recovery.json", ("code", "FILE_NOT_FOUND"), name);
    assert_eq!((of("failures"), of("recovered")), (4.into(), 4.into()));
    // The failures were calls 1 to 4, ten seconds apart; the success was call 7 and came with the last of them. The upper median.
    assert_eq!((of("calls"), of("millis")), (5.into(), 20_000.into()));
    let of = |name| value(&rig, "recovery.json?by=wording", ("code", "TIMEOUT"), name);
    assert_eq!((of("failures"), of("recovered")), (1.into(), 0.into()));
}

#[test]
fn a_success_of_another_run_or_count_ends_nothing() {
    let fixture = Fixture::new();
    fixture.fail(Failure { call: Some(5), ..Failure::default() });
    fixture.succeed("read_file", "run-9", 6);
    fixture.succeed("write_file", "run-1", 6);
    // The count of the run began anew in between.
    fixture.fail(Failure { call: Some(1), ..Failure::default() });
    fixture.succeed("read_file", "run-1", 2);
    // A clock that went back changes nothing.
    fixture.set_clock(START - 60_000);
    fixture.fail(Failure { call: Some(1), run: "run-3", ..Failure::default() });
    fixture.set_clock(START - 90_000);
    fixture.succeed("read_file", "run-3", 3);
    let rig = Rig::new(fixture);
    let of = |name| value(&rig, "recovery.json", ("code", "FILE_NOT_FOUND"), name);
    assert_eq!((of("failures"), of("recovered"), of("millis")), (3.into(), 2.into(), 0.into()));
}

#[test]
fn tools_have_calls_rates_and_durations_also_if_they_never_fail() {
    let fixture = filled();
    fixture.tally("list_files", 40, 0);
    let rig = Rig::new(fixture);
    let of = |name| value(&rig, "tools.json", ("tool", "list_files"), name);
    assert_eq!((of("calls"), of("count"), of("share")), (40.into(), 0.into(), 0.0.into()));
    assert_eq!(of("p50"), 10);
    assert!((of("rate").as_f64().unwrap() - 40.0 / 60.0).abs() < 1e-5);
    let of = |name| value(&rig, "tools.json", ("tool", "read_file"), name);
    assert_eq!((of("calls"), of("share")), (20.into(), 0.25.into()), "five of twenty");
    assert!(value(&rig, "tools.json", ("tool", "write_file"), "calls").is_null());
    let time = "2026-01-19T15:00:00.000Z";
    let of = |name| value(&rig, "time.json", ("time", time), name);
    assert_eq!(
        (of("calls"), of("ok"), of("fault"), of("count")),
        (60.into(), 56.into(), 4.into(), 6.into())
    );
    assert!(rig.get("/console/time").1.contains("Calls by time"));
    assert!(value(&rig, "failures.json?code=TIMEOUT", ("code", "TIMEOUT"), "share").is_null());
}

#[test]
fn figures_are_sums_over_the_rows_of_all_pages() {
    let fixture = Fixture::new();
    for at in 0..30 {
        let run = format!("run-{at}");
        // Only letters, so that each text is a group of its own.
        let said = format!("the {}oven is cold", char::from(b'a' + at % 26).to_string().repeat(9));
        let said = if at < 26 { said } else { said.to_uppercase() };
        for call in 1..=3 + u64::from(at) % 4 {
            let call = Some(call);
            let failure = Failure { run: &run, said: &said, call, ..Failure::default() };
            fixture.fail(Failure { hint: Some(&said), ..failure });
        }
        if at % 3 == 0 {
            fixture.succeed("read_file", &run, 9);
        }
    }
    let rig = Rig::new(fixture);
    // Of 30 runs, 8 have 3 failures, 8 have 4, 7 have 5 and 7 have 6.
    for (place, expected) in [
        ("loops", ["30", "103"]),
        ("recovery?by=wording", ["133", "33.8 %"]),
        ("unnamed", ["133", "30"]),
    ] {
        let join = if place.contains('?') { '&' } else { '?' };
        let page = |number: u8| rig.get(&format!("/console/{place}{join}page={number}")).1;
        let (first, second) = (page(1), page(2));
        assert!(second.contains("30 rows, page 2 of 2"), "{place}: {second}");
        assert_eq!(figures(&first), figures(&second), "{place}");
        for it in expected {
            assert!(figures(&first).contains(&format!(">{it}<")), "{place}: {}", figures(&first));
        }
    }
}

#[test]
fn the_row_of_a_group_is_toml_in_csv_and_json() {
    let rig = Rig::new(filled());
    let (_, csv) = rig.get("/console/unnamed.csv");
    let (_, json) = rig.get("/console/unnamed.json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    for row in json["rows"].as_array().unwrap() {
        let row = row["row"].as_str().unwrap();
        assert!(row.starts_with("[[match]]\ntool = "), "{row}");
        assert!(csv.contains(&row.replace('"', "\"\"")), "{csv}");
    }
}

#[test]
fn nothing_is_said_to_recover_in_a_ledger_of_an_older_version() {
    let fixture = Fixture::new();
    fixture.fail(Failure::default());
    let rig = Rig::new(fixture);
    let (_, json) = rig.get("/console/recovery.json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["rows"], serde_json::json!([]));
    let (_, page) = rig.get("/console/recovery");
    assert!(!figures(&page).contains("Recovered") && page.contains("not known what recovered"));
}

#[test]
fn a_page_of_a_failure_has_commands_with_its_ledger() {
    let fixture = Fixture::new();
    let seq = fixture.fail(Failure::default());
    let (chain, path) = (fixture.chain(), fixture.path());
    let rig = Rig::new(fixture);
    let (_, page) = rig.get(&format!("/console/failure/{chain}/{seq}"));
    let path = path.to_str().unwrap();
    assert!(page.contains(&format!("redress ledger query {path} --kind fault")), "{page}");
    assert!(page.contains(&format!("redress ledger verify {path} --receipt {seq}:")), "{page}");
}

#[test]
fn only_a_link_or_a_token_opens_the_console() {
    let rig = Rig::new(filled());
    for place in PAGES {
        let answer = rig.ask(Method::GET, &format!("/console/{place}"), &[], "");
        assert_eq!(answer.status(), 401, "{place}");
        assert!(!String::from_utf8(answer.into_body()).unwrap().contains("files"));
    }
    let request = Request::builder().uri("/console/failures.csv").body("").unwrap();
    let reader = Grant { right: Right::Read, by: "".into() };
    assert_eq!(rig.console.answer(&request, &reader).status(), 200, "a token does");
}

#[test]
fn a_failure_is_checked_by_who_may_write_from_an_own_page() {
    let fixture = filled();
    let chain = fixture.chain();
    let rig = Rig::new(fixture);
    let (_, list) = rig.get("/console/check.json");
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let seq = list["rows"][0]["seq"].as_u64().unwrap();
    let mut form = Pairs::default();
    form.set("chain", &chain).set("seq", &seq.to_string()).set("note", "all is well");
    let form = form.query();
    let post = |right, origin: &str| {
        let cookie = rig.cookie(right);
        let headers = [("cookie", cookie.as_str()), ("host", "h:1"), ("origin", origin)];
        rig.ask(Method::POST, "/console/check", &headers, &form[1..]).status().as_u16()
    };
    assert_eq!(post(Right::Read, "http://h:1"), 403);
    assert_eq!(post(Right::Write, "http://evil.example"), 403);
    assert!(rig.marks.lock().unwrap().is_empty());
    assert_eq!(post(Right::Write, "http://h:1"), 303);
    let marks = rig.marks.lock().unwrap();
    assert_eq!((marks[0].seq, marks[0].note.as_deref()), (seq, Some("all is well")));
    let (_, after) = rig.get("/console/check.json");
    let after: serde_json::Value = serde_json::from_str(&after).unwrap();
    let before = list["rows_in_all"].as_u64().unwrap();
    assert_eq!(after["rows_in_all"].as_u64().unwrap() + 1, before);
}

#[test]
fn a_token_that_may_write_marks_under_its_name_and_gives_links() {
    let fixture = filled();
    let chain = fixture.chain();
    let mut rig = Rig::new(fixture);
    let (_, list) = rig.get("/console/check.json");
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let seq = list["rows"][0]["seq"].as_u64().unwrap();
    let post = |rig: &Rig, place: &str, body: &str| {
        let answer = rig.ask(Method::POST, place, &[("host", "h:1")], body);
        (answer.status().as_u16(), String::from_utf8(answer.into_body()).unwrap())
    };
    let form = format!("chain={chain}&seq={seq}");
    for right in [Right::None, Right::Read] {
        rig.token = Grant { right, by: "reader".into() };
        for place in ["/console/check", "/console/link", "/console/teach"] {
            assert!([401, 403].contains(&post(&rig, place, &form).0), "{place} {right:?}");
        }
    }
    rig.token = Grant { right: Right::Write, by: "alice".into() };
    assert_eq!(post(&rig, "/console/check", &form).0, 303);
    assert_eq!(rig.marks.lock().unwrap()[0].by, "alice");
    let (status, link) = post(&rig, "/console/link", "");
    assert_eq!(status, 200, "{link}");
    rig.token = Grant::none();
    let answer = rig.ask(Method::GET, link.trim(), &[], "");
    let cookie = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
    let cookie = cookie.split(';').next().unwrap();
    let headers = [("cookie", cookie), ("host", "h:1"), ("origin", "http://h:1")];
    assert_eq!(rig.ask(Method::POST, "/console/check", &headers, &form).status(), 303);
    assert_eq!(rig.marks.lock().unwrap()[1].by, "alice", "the link keeps the name");
}

#[test]
fn a_row_is_added_to_the_contract_by_who_may_write() {
    let rig = Rig::new(filled());
    let (_, list) = rig.get("/console/unnamed.json");
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let rows = list["rows"].as_array().unwrap();
    let row = rows.iter().find(|it| it["code"] == "UNKNOWN_TOOL_FAILURE").unwrap();
    let text = row["text"].as_str().unwrap();
    assert!(!rig.get("/console/unnamed").1.contains("Add to the contract"), "it only reads");
    let cookie = rig.cookie(Right::Write);
    let headers = [("cookie", cookie.as_str()), ("host", "h:1"), ("origin", "http://h:1")];
    let page = rig.ask(Method::GET, "/console/unnamed", &headers, "");
    assert!(String::from_utf8(page.into_body()).unwrap().contains("Add to the contract"));
    let post = |text: &str, code: &str| {
        let mut form = Pairs::default();
        form.set("text", text).set("code", code);
        rig.ask(Method::POST, "/console/teach", &headers, &form.query()[1..]).status().as_u16()
    };
    assert_eq!(post(text, ""), 400);
    assert_eq!(post(text, "UNKNOWN_TOOL_FAILURE"), 400);
    assert_eq!(post("something else", "QUOTA_USED_UP"), 404);
    assert!(rig.rows.lock().unwrap().is_empty());
    assert_eq!(post(text, "QUOTA_USED_UP"), 200);
    let rows = rig.rows.lock().unwrap();
    assert_eq!((rows.len(), &*rows[0].code), (1, "QUOTA_USED_UP"));
    assert!(rows[0].text.as_deref().unwrap().starts_with("Quota of project "), "{:?}", rows[0]);
}

#[test]
fn hostile_text_stays_text() {
    let fixture = Fixture::new();
    let words = "w".repeat(1 << 20);
    let mut places: Vec<String> = PAGES.iter().map(|it| (*it).to_owned()).collect();
    let chain = fixture.chain();
    for hostile in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "javascript:alert(1)",
        "{{7*7}} ${7*7} <%= 7*7 %>",
        "right\u{202e}to\u{2066}left\u{200b}\u{1b}[31m",
        "</main></body><iframe src=//evil.example>",
        &words,
    ] {
        let seq = fixture.fail(Failure {
            said: hostile,
            tool: hostile.get(..200).unwrap_or(hostile),
            server: hostile.get(..200).unwrap_or(hostile),
            client: hostile.get(..200).unwrap_or(hostile),
            run: hostile.get(..200).unwrap_or(hostile),
            code: "UNKNOWN_TOOL_FAILURE",
            ..Failure::default()
        });
        places.push(format!("failure/{chain}/{seq}"));
    }
    let rig = Rig::new(fixture);
    places.push("list?text=%3Cscript%3E&tool=%22%3E%3Cimg".to_owned());
    places.push("code?code=%3Cscript%3Ealert(1)%3C/script%3E".to_owned());
    places.push("failure/%3Cscript%3E/1".to_owned());
    places.push("failures?from=%3Cscript%3E".to_owned());
    for place in places {
        let (status, page) = rig.get(&format!("/console/{place}"));
        assert!(status == 200 || !place.contains(&*chain), "{place}: {page}");
        for bad in
            ["<script>", "<img", "<iframe", "href=\"javascript", "\u{202e}", "\u{2066}", "\u{1b}"]
        {
            assert!(!page.contains(bad), "{place}: {bad:?}");
        }
        assert!(page.len() < 60_000, "{place}: {} bytes", page.len());
    }
}

#[test]
fn damage_and_emptiness_are_said() {
    let fixture = Fixture::new();
    let rig = Rig::new(fixture);
    let (_, page) = rig.get("/console/");
    assert!(page.contains("Nothing happened in the last hour"), "{page}");

    let mut fixture = filled();
    fixture.close();
    let chain = std::fs::read_dir(fixture.path()).unwrap().find_map(|it| {
        let path = it.unwrap().path();
        path.is_dir().then_some(path)
    });
    let segment = chain.unwrap().join("00000001.jsonl");
    let mut bytes = std::fs::read(&segment).unwrap();
    let second = bytes.iter().position(|it| *it == b'\n').unwrap() + 1;
    bytes.splice(second..second, *b"{\"no\":\"record\"}\n");
    bytes.extend_from_slice(b"{\"seq\":99,\"half");
    std::fs::write(&segment, bytes).unwrap();
    let rig = Rig::new(fixture);
    let (_, page) = rig.get("/console/failures");
    assert!(page.contains("cannot be read whole") && page.contains("FILE_NOT_FOUND"), "{page}");
    let (_, page) = rig.get("/console/ledger");
    assert!(page.contains("the line has not the form of a record"), "{page}");
    for (place, status, said) in [
        ("failures?from=soon", 400, "INVALID_INPUT_VALUE"),
        ("failure/x/1", 404, "cannot be shown"),
        ("nothing", 404, "no such page"),
        ("failures.xml", 404, ".csv"),
    ] {
        let (found, page) = rig.get(&format!("/console/{place}"));
        assert!(found == status && page.contains(said), "{place}: {found} {page}");
    }
}

#[test]
fn an_event_comes_when_something_was_recorded() {
    let rig = Rig::new(filled());
    let (_, first) = rig.get("/console/live");
    assert!(first.contains("event: change"), "{first}");
    let id = first.lines().find_map(|it| it.strip_prefix("id: ")).unwrap();
    let (_, next) = rig.get(&format!("/console/live?since={id}"));
    assert!(!next.contains("event:") && next.starts_with("retry: "), "{next}");
}
