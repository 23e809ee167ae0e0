//! Whatever the files are, the scan ends, and says what it could not read.

use std::{fs, time::Instant};

use redress_check::{Day, Project, Sources, check, read};

#[test]
fn brackets_as_deep_as_anybody_likes_are_read() {
    let deep =
        |open: &str, close: &str| format!("x = {}1{}", open.repeat(10_000), close.repeat(10_000));
    for (name, open, close) in [
        ("a.ts", "[", "]"),
        ("a.js", "{a:", "}"),
        ("a.py", "(", ")"),
        ("a.rs", "(", ")"),
        ("b.ts", "f(() => {try {throw ", "} catch {}})"),
        ("b.py", "[", ""),
        ("b.rs", "match a { Err(e) => ", ""),
    ] {
        let text = deep(open, close);
        let sources = Sources::of_texts(&[(name, &text)]);
        let project = Project::new(&sources, &[], |_| None);
        check(&project, Day::parse("2026-11-01").unwrap());
    }
}

#[test]
fn a_line_as_long_as_a_bundle_takes_no_more_than_its_length() {
    let part = "try{f(function(){throw new Error(\"x\"+a)})}catch(e){return{ok:!1,error:e}}var a={code:\"B\",message:e};";
    let time = |parts: usize| {
        let text = part.repeat(parts);
        let start = Instant::now();
        let sources = Sources::of_texts(&[("a.js", &text)]);
        let project = Project::new(&sources, &[], |_| None);
        check(&project, Day::parse("2026-11-01").unwrap());
        start.elapsed()
    };
    let (short, long) = (time(200), time(1_600));
    assert!(long < short * 8 * 4, "{long:?} for eight times of {short:?}");
}

#[test]
fn files_that_take_in_each_other_end() {
    let names: Vec<String> = (0..12).map(|it| format!("src/m{it}.rs")).collect();
    let uses: Vec<String> = (0..12).map(|it| format!("use crate::m{it}::*;\n")).collect();
    let uses = uses.concat();
    let text = format!("{uses}#[tool]\nasync fn a() {{ one(); two::three(); self.four() }}\n");
    let files: Vec<(&str, &str)> = names.iter().map(|it| (it.as_str(), text.as_str())).collect();
    let sources = Sources::of_texts(&files);
    let project = Project::new(&sources, &[], |_| None);
    check(&project, Day::parse("2026-11-01").unwrap());
}

#[test]
fn what_cannot_be_read_is_told_and_stops_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::create_dir(path("empty")).unwrap();
    std::os::unix::fs::symlink(dir.path(), path("loop")).unwrap();
    std::os::unix::fs::symlink(path("nowhere.ts"), path("dangling.ts")).unwrap();
    fs::write(path("latin.py"), b"x = '\xe9'\n").unwrap();
    fs::write(path("binary.js"), b"\0\x01\x02").unwrap();
    fs::write(path("large.js"), "a;".repeat(3 << 20)).unwrap();
    fs::write(path("empty.rs"), "").unwrap();
    let tool =
        "\u{feff}server.registerTool('a', {}, async () => {\r\n  throw new Error('no');\r\n});\r\n";
    fs::write(path("good.ts"), tool).unwrap();

    let sources = read(&[dir.path().to_path_buf()], 2, &|_, _| ());
    let mut unread: Vec<_> = sources
        .unreadable
        .iter()
        .map(|it| it.0.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    unread.sort();
    assert_eq!(unread, ["large.js", "latin.py"]);

    let project = Project::new(&sources, &[], |_| None);
    let report = check(&project, Day::parse("2026-11-01").unwrap());
    let thrown = report.hits.iter().find(|it| it.finding.rule == "CK007").unwrap();
    assert_eq!((thrown.finding.place.line, thrown.finding.place.column), (2, 3));
}

#[test]
fn the_mark_at_the_start_of_a_file_is_no_column() {
    let dir = tempfile::tempdir().unwrap();
    let tool = "\u{feff}server.registerTool('a', {}, async () => { throw new Error('no'); });\n";
    fs::write(dir.path().join("good.ts"), tool).unwrap();
    let sources = read(&[dir.path().to_path_buf()], 1, &|_, _| ());
    let report = check(&Project::new(&sources, &[], |_| None), Day::parse("2026-11-01").unwrap());
    let thrown = report.hits.iter().find(|it| it.finding.rule == "CK007").unwrap();
    assert_eq!((thrown.finding.place.line, thrown.finding.place.column), (1, 44));
}
