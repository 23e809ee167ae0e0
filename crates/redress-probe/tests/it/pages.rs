//! What a person and a build server get to see is well-formed and the server's texts cannot write into it.

use redress_probe::{
    Report,
    present::{html, json, junit},
    report::{Happened, Text},
};
use roxmltree::{Document, Node, ParsingOptions};

const SAMPLE: &[u8] = include_bytes!("../reports/sample.json");

/// What a server says that wants to break out of whatever shows it.
const HOSTILE: &str = "</script></style><img src=x onerror=alert(1)>]]>--><!-- \"'& \u{202e}\u{0}\u{1b}[31m\u{2028}\u{ffff}";

fn sample() -> Report {
    Report::read(SAMPLE).unwrap()
}

/// The sample with every text that comes from a server replaced.
fn hostile() -> Report {
    let mut report = sample();
    report.server.name = HOSTILE.into();
    report.server.version = HOSTILE.into();
    for tool in &mut report.direct.tools {
        tool.name = HOSTILE.into();
    }
    for finding in &mut report.direct.findings {
        finding.tool = Some(HOSTILE.to_owned());
        for hit in &mut finding.hits {
            hit.case = HOSTILE.into();
            hit.message = HOSTILE.into();
            hit.repeat = HOSTILE.into();
        }
    }
    for exchange in &mut report.direct.exchanges {
        exchange.case = HOSTILE.into();
        exchange.request = Text::of(HOSTILE.as_bytes());
        let body = Text::of(format!("{{\"result\":{{\"content\":\"{HOSTILE}").as_bytes());
        exchange.happened = Happened::Answer { status: None, body, more: vec![] };
    }
    report
}

/// The page read as XML: its style and script are ours and are looked at elsewhere.
fn parsed<T>(page: &str, look: impl FnOnce(&Document<'_>) -> T) -> T {
    let without = |text: &str, name: &str| {
        let (start, rest) = text.split_once(&format!("<{name}>")).unwrap();
        let (_, end) = rest.split_once(&format!("</{name}>")).unwrap();
        format!("{start}<{name}></{name}>{end}")
    };
    let plain = without(&without(page, "style"), "script");
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    look(&Document::parse_with_options(&plain, options).unwrap())
}

#[test]
fn the_page_is_well_formed_and_its_ids_are_its_own() {
    parsed(&html::page(&sample(), None), |page| {
        let mut ids: Vec<_> = page.descendants().filter_map(|it| it.attribute("id")).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "an id stands twice");
        let links = page.descendants().filter_map(|it| it.attribute("href"));
        for link in links {
            let to = link.strip_prefix('#').expect("a link that leaves the page");
            assert!(ids.contains(&to), "{link} leads nowhere");
        }
    });
}

#[test]
fn the_page_loads_nothing_and_runs_only_our_script() {
    for report in [sample(), hostile()] {
        let page = html::page(&report, None);
        assert!(page.contains("default-src &#39;none&#39;; base-uri &#39;none&#39;"));
        assert_eq!(page.matches("<script>").count(), 1);
        assert_eq!(page.matches("<style>").count(), 1);
        parsed(&page, |page| {
            for it in page.descendants().filter(Node::is_element) {
                let name = it.tag_name().name();
                assert!(!["link", "img", "iframe", "object", "embed", "base"].contains(&name));
                for attribute in it.attributes() {
                    let name = attribute.name();
                    assert!(!name.starts_with("on"), "{name} runs a script");
                    assert!(
                        !["src", "srcset", "style", "action", "data"].contains(&name),
                        "{name}"
                    );
                }
            }
        });
    }
}

#[test]
fn a_hostile_server_shows_as_what_it_wrote() {
    let page = html::page(&hostile(), None);
    parsed(&page, |page| {
        let shown = page.descendants().filter(|it| it.tag_name().name() == "h1").count();
        assert_eq!(shown, 1);
        let title = page.descendants().find(|it| it.tag_name().name() == "title").unwrap();
        assert!(title.text().unwrap().starts_with("</script></style><img src=x onerror="));
    });
    for it in ['\u{202e}', '\u{0}', '\u{1b}', '\u{2028}', '\u{ffff}'] {
        assert!(!page.contains(it), "{it:?} stands in the page");
    }
}

#[test]
fn a_page_is_bounded_whatever_was_answered() {
    let mut report = sample();
    let megabyte = "<".repeat(1 << 20);
    for exchange in &mut report.direct.exchanges {
        exchange.request = Text::of(megabyte.as_bytes());
        exchange.happened =
            Happened::Malformed { status: None, body: Text::of(megabyte.as_bytes()) };
    }
    let page = html::page(&report, None);
    assert!(page.len() < 300_000, "{} bytes", page.len());
    assert!(page.contains("The first of 1048576 bytes."));
}

#[test]
fn every_finding_shows_request_answer_and_expectation() {
    let report = sample();
    parsed(&html::page(&report, None), |page| {
        let text: String = page.root().descendants().filter_map(|it| it.text()).collect();
        for hit in report.direct.findings.iter().flat_map(|it| &it.hits) {
            for part in [&hit.case, &hit.message, &hit.expected, &hit.repeat] {
                assert!(text.contains(part), "{part}");
            }
        }
        assert!(text.contains("KeyError: 'id'") && text.contains("silence for 5000 ms"));
        assert!(text.contains("Through the gate"));
    });
}

#[test]
fn junit_fails_where_the_exit_code_does() {
    let text = junit::document(&sample());
    let document = Document::parse(&text).unwrap();
    let all = |name: &str| document.descendants().filter(|it| it.has_tag_name(name)).count();
    let sum = |name: &str| -> usize {
        document.descendants().filter_map(|it| it.attribute(name)?.parse::<usize>().ok()).sum()
    };
    assert_eq!((sum("tests"), sum("failures")), (all("testcase"), all("failure")));
    assert_eq!(all("failure"), 1);
    assert_eq!(all("testsuite"), 3);
    assert_eq!(all("skipped"), 1, "a tool that was not graded is skipped, not passed");
    let failure = document.descendants().find(|it| it.has_tag_name("failure")).unwrap();
    assert_eq!(failure.attribute("type"), Some("PR101"));
    assert!(failure.text().unwrap().contains("repeat: redress probe --seed 1 --only"));
}

#[test]
fn junit_stays_xml_whatever_a_server_answers() {
    let text = junit::document(&hostile());
    let document = Document::parse(&text).unwrap();
    let suite = document.descendants().find(|it| it.has_tag_name("testsuite")).unwrap();
    assert!(suite.attribute("name").unwrap().starts_with("</script>"));
}

#[test]
fn the_json_is_a_report_again() {
    let report = sample();
    assert_eq!(Report::read(json::document(&report, None).as_bytes()), Ok(report));
}
