//! Payloads of any size, shape and language: each is judged, and none crashes or holds the guard.

use proptest::prelude::{ProptestConfig, any, proptest};
use redress_govern::eval::{Language, Refusal, inspect, inspect_any};
use rustix::time::{ClockId, clock_gettime};

use super::{javascript, python};

#[test]
fn chains_that_a_parser_follows_to_their_end_do_not_crash_it() {
    let chain = |part: &str, end: &str| format!("{}{end}", part.repeat(99_000 / part.len()));
    for part in ["!", "-~", "x=>", "a?b:", "a=", "a**", "a:", "if(a)", "a-", "a.", "new ", "a&&"] {
        let verdict = javascript(&format!("(a, b, c) => {{ {} }}", chain(part, "c")));
        let is_judged = match part {
            // What is made is no class of the code.
            "new " => matches!(verdict, Err(Refusal::Construct(_))),
            _ => verdict.is_ok(),
        };
        assert!(is_judged, "{part}: {verdict:?}");
    }
    for part in ["~", "not ", "lambda:", "a if b else ", "a**", "a-", "a."] {
        let verdict = python(&format!("class A: a = 1\na = b = c = A\n{}", chain(part, "a")));
        assert_eq!(verdict, Ok(()), "{part}");
    }
    assert_eq!(javascript(&format!("a => {{ a{} }}", "()".repeat(49_000))), Ok(()));
    assert_eq!(python(&format!("a = 1\na{}", "[0]".repeat(33_000))), Ok(()));
}

#[test]
fn what_does_not_parse_is_refused_at_its_place() {
    let refused = javascript("const a = 1;\nconst b = = 2;");
    assert!(matches!(refused, Err(Refusal::Syntax { line: 2, .. })), "{refused:?}");
    let refused = python("x = (1,\n");
    assert!(matches!(refused, Err(Refusal::Syntax { .. })), "{refused:?}");
    assert!(matches!(inspect_any("))((", &mut || false), Err(Refusal::Syntax { .. })));
}

#[test]
fn the_limits_are_refusals() {
    let refused = javascript(&"[".repeat(201));
    assert!(matches!(refused, Err(Refusal::Syntax { column: 201, .. })), "{refused:?}");
    assert_eq!(javascript(&"é".repeat(100_001)), Err(Refusal::TooLarge { chars: 100_001 }));
    let long = "x = 1;\n".repeat(10_000);
    let refused = inspect(Language::JavaScript, &long, &mut || true);
    assert!(matches!(refused, Err(Refusal::Syntax { reason: "took too long to read", .. })));
    assert_eq!(javascript(&format!("let x = {}'b'", "'a' + ".repeat(16_000))), Ok(()));
    assert_eq!(javascript(&format!("let x = {}1", "!".repeat(99_000))), Ok(()));
}

#[test]
fn choices_are_followed_in_time_that_grows_with_the_code() {
    let many = |part: &str, times: usize| part.repeat(times);
    let names = |times: usize| (0..times).map(|it| format!("p{it}")).collect::<Vec<_>>().join(",");
    for (code, end) in [
        (many("x = f(x); ", 9_000), ""),
        (many("x = g => x(g); ", 6_000), "x(a[k])"),
        (many("o.f = g => o.f(g); ", 5_000), "o.f(a[k])"),
        (format!("f = ({}) => p0; f({})", names(6_000), many("...a,", 6_000)), ""),
        (format!("a{}", many("()", 40_000)), ""),
        (many("m.map(x => a[k]); ", 5_000), ""),
    ] {
        let begun = clock_gettime(ClockId::ThreadCPUTime);
        drop(javascript(&format!("a[k]; {code}{end}")));
        let spent = clock_gettime(ClockId::ThreadCPUTime) - begun;
        assert!(spent.tv_sec < 5, "{spent:?}: {code:.40}");
    }
    let junk = many("x = () => 1; ", 3_000);
    let code = format!("{junk}const y = f => f('x')(); x = y; x(o.click[k])");
    assert!(javascript(&code).is_err(), "nothing is hidden among what is much");
}

#[test]
fn a_payload_of_unknown_language_must_pass_as_all_that_it_is() {
    assert_eq!(inspect_any("1 + 1", &mut || false), Ok(()));
    assert_eq!(inspect_any("rows = []\nx = [n for n in rows]", &mut || false), Ok(()));
    assert_eq!(inspect_any("const a = () => 1", &mut || false), Ok(()));
    let mut asked = 0;
    let refused = inspect_any("1 + 1", &mut || {
        asked += 1;
        asked == 1
    });
    assert!(matches!(refused, Err(Refusal::Syntax { reason: "took too long to read", .. })));
    assert!(matches!(inspect_any("x = 1\nexec(x)", &mut || false), Err(Refusal::Keyword("exec("))));
    assert!(matches!(
        inspect_any("let x; require(x)", &mut || false),
        Err(Refusal::Keyword("require("))
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_guard_denies_or_allows_whatever_it_gets(code in any::<String>(), glue in "[(){}\\[\\]'\"`\\\\+.;\n a-z]{0,80}") {
        for language in [Language::JavaScript, Language::Python] {
            drop(inspect(language, &code, &mut || false));
            drop(inspect(language, &glue, &mut || false));
        }
    }
}
