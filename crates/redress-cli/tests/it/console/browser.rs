//! The console in a real browser: every page, with and without script, light, dark and narrow, by keyboard, with hostile text.

mod driver;

use serde_json::{Value, json};

use self::driver::Browser;
use super::{
    record,
    running::{Running, home, ledger},
};

const PAGES: [&str; 11] = [
    "", "failures", "check", "loops", "recovery", "unnamed", "servers", "tools", "codes", "ledger",
    "list",
];

/// How far the page is wider than the window, what is drawn outside of it, and whether a script of a server ran.
const LAYOUT: &str = "return {over: document.documentElement.scrollWidth - document.documentElement.clientWidth, \
    ran: window.ran === undefined ? null : window.ran, heading: document.querySelector('h1').textContent, \
    links: [...document.links].filter(it => !/^https?:/.test(it.href)).length}";

#[test]
#[ignore = "needs chromium and chromedriver: cargo xtask tools"]
fn hostile_text_runs_nothing_and_breaks_no_layout() {
    let home = home();
    let ledger = ledger(home.path());
    let long = "w".repeat(1 << 20);
    let mut places: Vec<String> = PAGES.iter().map(|it| (*it).to_owned()).collect();
    for said in [
        "<script>window.ran = 1</script>",
        "\"><img src=x onerror=\"window.ran = 1\">",
        "javascript:window.ran=1",
        "{{constructor.constructor('window.ran=1')()}}",
        "a\u{202e}b\u{2066}c",
        &long,
    ] {
        let name: String = said.chars().take(120).collect();
        let seq = ledger.append_wait(record(&name, said)).unwrap().seq;
        places.push(format!("failure/{}/{seq}", ledger.chain()));
    }
    let console = Running::start(home.path(), &["--write"]);
    let at = format!("http://{}", console.address);
    let browser = Browser::start(true);
    browser.open(&format!("{at}{}", console.link));
    for (width, scheme) in [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")] {
        browser.resize(width, 900);
        browser.prefer(scheme);
        for place in &places {
            browser.open(&format!("{at}/console/{place}"));
            let found = browser.run(LAYOUT);
            assert_eq!(found["over"], json!(0), "{place} at {width}: {found}");
            assert_eq!((&found["ran"], &found["links"]), (&Value::Null, &json!(0)), "{place}");
            let heading = found["heading"].as_str().unwrap();
            assert!(!heading.is_empty(), "{place}");
            assert!(!place.starts_with("failure/") || heading == "TIMEOUT", "{place}: {heading}");
        }
    }
}

#[test]
#[ignore = "needs chromium and chromedriver: cargo xtask tools"]
fn every_page_works_without_script() {
    let home = home();
    let ledger = ledger(home.path());
    ledger.append_wait(record("write_file", "it hangs")).unwrap();
    let console = Running::start(home.path(), &["--write"]);
    let at = format!("http://{}", console.address);
    let browser = Browser::start(false);
    browser.open(&format!("{at}{}", console.link));
    for place in PAGES {
        browser.open(&format!("{at}/console/{place}"));
        let heading = browser.text("h1");
        assert!(!heading.is_empty() && heading != "Unauthorized", "{place}: {heading}");
    }
    // The way from a row to its failure, and its mark, by links and forms alone.
    browser.open(&format!("{at}/console/failures"));
    browser.click("table.rows tbody a");
    browser.click("table.rows tbody a");
    assert_eq!(browser.text("h1"), "TIMEOUT");
    browser.click("form.mark button");
    assert_eq!(browser.text("h1"), "To check");
    assert!(browser.text("main").contains("Nothing is left to check"));
}

#[test]
#[ignore = "needs chromium and chromedriver: cargo xtask tools"]
fn the_keyboard_reaches_everything_and_shows_where_it_is() {
    let home = home();
    let ledger = ledger(home.path());
    ledger.append_wait(record("write_file", "it hangs")).unwrap();
    let console = Running::start(home.path(), &[]);
    let at = format!("http://{}", console.address);
    let browser = Browser::start(true);
    browser.open(&format!("{at}{}", console.link));
    browser.open(&format!("{at}/console/failures"));
    let mut seen = Vec::new();
    for _ in 0..60 {
        browser.press("\u{e004}");
        let focused = browser.run(
            "const it = document.activeElement; const style = getComputedStyle(it); \
             const name = it === document.body ? 'BODY' : it.textContent.trim() || it.tagName; \
             return {name, ring: style.outlineStyle !== 'none'}",
        );
        let name = focused["name"].as_str().unwrap().to_owned();
        if name == "BODY" {
            break;
        }
        assert_eq!(focused["ring"], json!(true), "{name}");
        seen.push(name);
    }
    for wanted in ["To the content", "Failures", "Filter", "TIMEOUT", "CSV", "JSON"] {
        assert!(seen.iter().any(|it| it.starts_with(wanted)), "{wanted} in {seen:?}");
    }
}

#[test]
#[ignore = "needs chromium and chromedriver: cargo xtask tools"]
fn a_page_keeps_up_with_the_ledger() {
    let home = home();
    let ledger = ledger(home.path());
    let console = Running::start(home.path(), &[]);
    let at = format!("http://{}", console.address);
    let browser = Browser::start(true);
    browser.open(&format!("{at}{}", console.link));
    browser.open(&format!("{at}/console/failures"));
    assert!(browser.text("main").contains("No failure fits"));
    ledger.append_wait(record("write_file", "it hangs")).unwrap();
    browser.wait_until("return document.querySelector('main').textContent.includes('write_file')");
}
