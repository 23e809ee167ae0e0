//! Laws that hold for any input: the reader is total, and what an edit writes reads back.

use std::sync::Arc;

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop, prop_oneof, proptest};
use redress_registry::{
    Class, Deprecated, Effect, NextStep, Param, ParamType, Problem, Registry, Retry, RetryKind,
    Severity, Source, Stability, canonical,
    edit::{self, NewCode, Retirement},
    nearest::nearest,
    read, resolve, shipped, template,
};

const START: &str = "format = \"redress-registry/1\"\n[registry]\nname = \"laws\"\nversion = \"0.1.0\"\nextends = [\"core\"]\n\
                     [domain.laws]\n# Kept.\n[code.FIRST_ONE]\ndomain = \"laws\"\nclass = \"internal\"\ntitle = \"T\"\n\
                     message = \"M.\"\nhint = \"H.\"\n\n# Kept too.\n[tool.t]\nmay = [\"FIRST_ONE\"]\n";

fn find(name: &str) -> Option<Arc<Registry>> {
    shipped::get(name).map(Arc::clone)
}

fn settled(bytes: &[u8]) -> Result<Registry, Vec<Problem>> {
    let source = Source::from_bytes("f", bytes).map_err(|it| vec![it])?;
    resolve(&read(&source)?, &find)
}

fn resolved(text: &str) -> Registry {
    settled(text.as_bytes()).unwrap()
}

/// Pieces of which registry files, and nearly registry files, are made.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("format = \"redress-registry/1\"\n".to_owned()),
        "\\[(\\[)?(code|domain|tool|retired|registry|plugin|allow|defaults)(\\.[A-Z_]{1,6})?\\](\\])?\n",
        "(name|version|class|retry|hint|title|message|number|range|next|params|alias|example|may|to) = ",
        "(params|alias|example|retry)\\.[a-z]{1,4} = ",
        "\"[ -~]{0,12}\"\n",
        "(1|-1|1\\.5|nan|true|1979-05-27|\\[\\]|\\{\\}|\\[1, 2\\]|99999999999999999999)\n",
        "\\{ (kind|type|tool|since) = \"[a-z_]{0,12}\" \\}\n",
        "[ -~\n]{0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let refused = settled(&bytes).unwrap_err();
        assert!(!refused.is_empty());
    }

    #[test]
    fn anything_like_a_registry_is_read_or_refused(pieces in prop::collection::vec(piece(), 0..30)) {
        let text = pieces.concat();
        for text in [text.clone(), format!("{START}{text}")] {
            if let Err(problems) = settled(text.as_bytes()) {
                let lines = text.lines().count().max(1) + 1;
                assert!(!problems.is_empty());
                assert!(problems.iter().all(|it| (1..=lines).contains(&it.place.line)), "{problems:?}");
            }
        }
    }

    #[test]
    fn a_cut_or_changed_registry_is_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let text = shipped::source("workrail").unwrap().text;
        let at = at.index(text.len());
        let mut bytes = text.as_bytes().to_vec();
        bytes[at] = byte;
        drop(settled(&bytes));
        drop(settled(&text.as_bytes()[..at]));
    }

    #[test]
    fn what_add_writes_reads_back(
        code in "[A-Z][A-Z0-9]{2,8}(_[A-Z0-9]{1,8}){0,3}",
        texts in prop::array::uniform4("[^{}\\x00]{0,40}[!-z]"),
        class in prop::sample::select(Class::ALL.to_vec()),
        kind in prop::sample::select(RetryKind::ALL.to_vec()),
        after_ms in prop::option::of(0_u64..1 << 40),
        number in prop::option::of(1_u32..=999_999),
        kinds in prop::collection::vec(prop::sample::select(ParamType::ALL.to_vec()), 0..3),
        flags in prop::array::uniform4(any::<bool>()),
    ) {
        let [title, message, hint, explain] = texts;
        let [required, untrusted, secret, set] = flags;
        let param = |(at, kind): (usize, &ParamType)| Param {
            required, untrusted, secret,
            values: if set { vec![explain.clone()] } else { Vec::new() },
            max_chars: set.then_some(80),
            ..Param::new(&format!("p{at}"), *kind, &explain)
        };
        let args = [("a".to_owned(), template::literal(&message).into())];
        let step = NextStep { tool: code.to_lowercase(), args: args.into_iter().filter(|_| set).collect() };
        let new = NewCode {
            code: code.clone(),
            number,
            domain: "laws".to_owned(),
            class,
            http: set.then_some(418),
            retry: Retry { kind, after_ms, max: None },
            effect: set.then_some(Effect::Partial),
            severity: set.then_some(Severity::Critical),
            title,
            message: template::literal(&message),
            hint,
            next: vec![step],
            similar: set.then(|| explain.clone()),
            params: kinds.iter().enumerate().map(param).collect(),
            explain: Some(explain),
            example: Vec::new(),
            since: Some("NEXT".to_owned()),
            stability: set.then_some(Stability::Stable),
        };
        let Ok(text) = edit::add(&Source::new("f", START), &new, &find) else {
            let start = resolved(START);
            let taken = |it: &Registry| it.codes.values().any(|it| it.number.is_some() && it.number == number);
            assert!(start.get(&code).is_some() || taken(&start));
            return Ok(());
        };
        let registry = resolved(&text);
        let entry = registry.get(&code).unwrap();
        assert_eq!((&entry.title, &entry.hint), (&new.title, &new.hint));
        assert_eq!((&entry.message, entry.explain.as_str()), (&new.message, new.explain.as_deref().unwrap()));
        assert_eq!((entry.class, entry.retry, entry.number), (new.class, new.retry, new.number));
        assert_eq!((&entry.params, &entry.next, &entry.similar), (&new.params, &new.next, &new.similar));
        assert_eq!((entry.http == 418, entry.effect == Effect::Partial), (set, set));
        assert_eq!((entry.severity == Severity::Critical, entry.stability == Stability::Stable), (set, set));

        let gone = Retirement { since: "0.2.0".to_owned(), why: new.hint, to: None };
        let retired = edit::retire(&Source::new("f", &text), &code, &gone, &find).unwrap();
        assert_eq!(resolved(&retired).retired[code.as_str()].number, number);
        for line in START.lines() {
            assert!(retired.contains(line), "{line}");
        }
    }

    #[test]
    fn what_deprecate_writes_reads_back(reason in "[^\\x00]{1,60}", until in prop::option::of("[ -~]{1,9}")) {
        let deprecation =
            Deprecated { since: "0.1.0".to_owned(), reason, to: Some("TIMEOUT".to_owned()), until };
        let text = edit::deprecate(&Source::new("f", START), "FIRST_ONE", &deprecation, &find).unwrap();
        let registry = resolved(&text);
        let read_back = registry.get("FIRST_ONE").unwrap().deprecated.as_ref().unwrap();
        assert_eq!((&read_back.reason, &read_back.until), (&deprecation.reason, &deprecation.until));
    }

    #[test]
    fn canonical_json_is_json(word in "\\PC{0,20}") {
        let value = serde_json::json!({ word.clone(): [word, 1.5, -0.0, 1e300] });
        let text = canonical::canonical_json(&value);
        let back: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(canonical::canonical_json(&back), text);
    }

    #[test]
    fn a_word_is_nearest_to_itself(word in "[a-z_]{1,20}", others in prop::collection::vec("[a-z_]{1,20}", 0..5)) {
        let known = others.iter().chain([&word]).map(String::as_str);
        assert_eq!(nearest(&word, known), Some(word.as_str()));
    }

    #[test]
    fn a_literal_template_says_its_text(text in "\\PC{0,40}") {
        let literal = template::literal(&text);
        let said: String = template::parts(&literal)
            .map(|it| match it.unwrap() {
                template::Part::Text(text) => text,
                template::Part::Param(name) => panic!("{name} is no parameter"),
            })
            .collect();
        assert_eq!(said, text);
    }
}
