//! The fuzz targets: every reader of the product as a function of bytes.

use redress::json::{Doc, Limits, RawJson};
use redress_registry::Source;

/// A name, and a reader that must take any bytes.
pub(super) type Target = (&'static str, fn(&[u8]));

/// Name and function of each target; its corpus is `fuzz/corpus/<name>/`.
pub(super) const TARGETS: &[Target] = &[("json", json), ("registry", registry)];

/// Whatever is accepted can be read through and written again.
fn json(bytes: &[u8]) {
    if let Ok(doc) = Doc::parse(bytes, Limits::DOCUMENT) {
        let raw = RawJson::from(doc.root());
        assert!(RawJson::parse(raw.as_str().as_bytes()).is_ok_and(|it| it == raw), "not stable");
    }
}

/// A registry file is a draft or a list of problems, each at its place.
fn registry(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err(problems) = redress_registry::read(&Source::new("fuzz.toml", text)) {
        assert!(!problems.is_empty(), "refused without a reason");
    }
}
