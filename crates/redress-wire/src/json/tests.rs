//! What the JSON pass promises.

use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

use super::{Doc, JsonErrorKind, Kind, Limits, RawJson, write_str};

fn refused(text: &[u8]) -> JsonErrorKind {
    Doc::parse(text, Limits::DOCUMENT).expect_err("must be refused").kind
}

#[test]
fn values_keep_their_spelling_and_order() {
    let text =
        br#" {"b": 1.0, "a\u0041": [1e2, 1180591620717411303424, "x\ud83d\ude00\n"], "c": {}} "#;
    let doc = Doc::parse(text, Limits::DOCUMENT).unwrap();
    let root = doc.root();
    assert_eq!(root.kind(), Kind::Object);
    assert_eq!(root.get("b").unwrap().raw(), "1.0");
    let list: Vec<_> = root.get("aA").unwrap().elements().collect();
    assert_eq!(list[1].raw(), "1180591620717411303424");
    assert_eq!(list[2].as_str().unwrap(), "x😀\n");
    assert_eq!(root.get("c").unwrap().members().count(), 0);
    assert_eq!(
        RawJson::from(root).as_str(),
        r#"{"b":1.0,"a\u0041":[1e2,1180591620717411303424,"x\ud83d\ude00\n"],"c":{}}"#
    );
}

#[test]
fn every_kind_of_bad_json_is_told_apart() {
    use JsonErrorKind::{
        Control, Escape, ExpectedColon, ExpectedComma, ExpectedKey, ExpectedValue, LoneSurrogate,
        NotUtf8, Number, Trailing, Unfinished,
    };
    for (text, kind) in [
        (&b""[..], Unfinished),
        (b"{", Unfinished),
        (b"[1,]", ExpectedValue),
        (b"{\"a\":1,}", ExpectedKey),
        (b"{\"a\" 1}", ExpectedColon),
        (b"[1 2]", ExpectedComma),
        (b"{}{}", Trailing),
        (b"\"a\nb\"", Control),
        (b"\"a\0b\"", Control),
        (b"\"\\x\"", Escape),
        (b"\"\\ud800\"", LoneSurrogate),
        (b"\"\\udc00\"", LoneSurrogate),
        (b"\"\\ud800\\u0041\"", LoneSurrogate),
        (b"01", Number),
        (b"1.", Number),
        (b"-", Number),
        (b"nul", ExpectedValue),
        (b"\xff", NotUtf8),
    ] {
        assert_eq!(refused(text), kind, "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn nesting_and_length_are_bounded() {
    let deep = "[".repeat(10_000);
    assert_eq!(refused(deep.as_bytes()), JsonErrorKind::TooDeep);
    let fits = format!("{}{}", "[".repeat(64), "]".repeat(64));
    assert!(Doc::parse(fits.as_bytes(), Limits::DOCUMENT).is_ok());
    let long = format!("\"{}\"", "a".repeat(9 << 20));
    assert_eq!(refused(long.as_bytes()), JsonErrorKind::TooLong);
}

#[test]
fn a_key_that_stands_twice_is_found_whatever_its_spelling() {
    let doc = Doc::parse(br#"{"a":1,"\u0061":2}"#, Limits::DOCUMENT).unwrap();
    assert_eq!(doc.root().unique_keys().unwrap_err().kind, JsonErrorKind::DuplicateKey);
}

#[test]
fn a_special_byte_is_found_wherever_it_stands() {
    for special in [b'"', b'\\', 0x1f, 0] {
        for at in 0..300 {
            let mut bytes = vec![0xe9; 300];
            bytes[at] = special;
            assert_eq!(super::steps::plain(&bytes), at);
            assert_eq!(super::steps::plain(&bytes[..at]), at);
        }
    }
}

/// What a long text is made of, and what makes it none.
const PARTS: &[&str] = &[
    "a",
    "plain words, ",
    "row 17: the quick brown fox jumps over the lazy dog",
    "é",
    "\\n",
    "\\\"",
    "\\\\",
    "\\/",
    "\\u0041",
    "\\ud83d\\ude00",
];
const BAD: &[&str] = &["\"", "\\", "\\x", "\t", "\n", "\u{0}", "\\ud83d", "\\u00"];

proptest! {
    #[test]
    fn any_bytes_give_a_document_or_an_error(bytes: Vec<u8>) {
        if let Ok(doc) = Doc::parse(&bytes, Limits::DOCUMENT) {
            prop_assert!(doc.root().raw().len() <= bytes.len());
        }
    }

    #[test]
    fn a_written_string_reads_back(text in any::<String>()) {
        let mut out = String::new();
        write_str(&mut out, &text);
        let doc = Doc::parse(out.as_bytes(), Limits::DOCUMENT).unwrap();
        prop_assert_eq!(&*doc.root().as_str().unwrap(), &text);
        prop_assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
    }

    #[test]
    fn a_long_text_means_what_serde_says(
        parts in prop::collection::vec(prop::sample::select(PARTS), 0..90),
        bad in prop::option::weighted(0.3, (prop::sample::select(BAD), any::<prop::sample::Index>())),
    ) {
        let mut parts = parts;
        if let Some((bad, at)) = bad {
            parts.insert(at.index(parts.len() + 1), bad);
        }
        let text = format!("\"{}\"", parts.concat());
        let ours = Doc::parse(text.as_bytes(), Limits::DOCUMENT).ok();
        let ours = ours.as_ref().and_then(|it| it.root().as_str());
        let theirs = serde_json::from_str::<String>(&text).ok();
        prop_assert_eq!(ours.as_deref(), theirs.as_deref());
    }

    #[test]
    fn we_take_what_serde_takes(text in r#"[\[\]{}:,"0-9a-z\\. ue+-]{0,24}"#) {
        let ours = Doc::parse(text.as_bytes(), Limits::DOCUMENT).is_ok();
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        prop_assert_eq!(ours, theirs, "{}", text);
    }
}
