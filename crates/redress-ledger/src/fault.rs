//! A fault as a record: its native envelope, and beside it what only the operator sees, all without secrets.

use redress::{
    Dialect, Fault,
    dialect::Stamp,
    fault::{Cause, Private},
    redact::Redactor,
    text,
};
use redress_wire::json::{Doc, Limits, Members, Value, write_list, write_str};

use crate::record::{Kind, Record};

/// What the envelope may take; a longer one loses its longest members, which are named.
const MAX_ENVELOPE: usize = 256 << 10;

const MAX_STACK: usize = 32 << 10;
const MAX_UPSTREAM: usize = 4 << 10;
const MAX_CAUSE: usize = 4 << 10;
const MAX_DROPPED: usize = 32;

/// What replaces an object that could not be kept at all.
const NOTHING: &str = r#"{"cut":["/"]}"#;

impl Record {
    /// A failure.
    pub fn fault(fault: &Fault, redactor: &Redactor) -> Self {
        let written = Dialect::Native.write(fault, Stamp::default());
        Self::clean(
            &bounded(&written, redactor),
            Self::private(&fault.private, redactor).as_deref(),
        )
    }

    /// A failure whose secrets were taken out before: its native envelope, and what [`Self::private`] made of the rest.
    pub fn clean(envelope: &str, private: Option<&str>) -> Self {
        let record = Self::of_json(Kind::Fault, envelope);
        match private {
            Some(private) => record.with_private(private),
            None => record,
        }
    }

    /// The private part of a failure, without its secrets, as an object; `None` if there is nothing in it.
    pub fn private(private: &Private, redactor: &Redactor) -> Option<String> {
        // The rule is in the object of the request.
        if *private == (Private { rule: private.rule.clone(), ..Private::default() }) {
            return None;
        }
        let mut out = String::new();
        write_private(private, redactor, &mut out);
        Some(out)
    }

    /// A governed call; the object says what is known of it.
    pub fn call(object: &str, redactor: &Redactor) -> Self {
        Self::of_json(Kind::Call, &bounded(object, redactor))
    }

    /// A session that began, changed or ended.
    pub fn session(object: &str, redactor: &Redactor) -> Self {
        Self::of_json(Kind::Session, &bounded(object, redactor))
    }

    /// A call that was repeated.
    pub fn retry(object: &str, redactor: &Redactor) -> Self {
        Self::of_json(Kind::Retry, &bounded(object, redactor))
    }
}

/// The object without secrets. If it is too long, members that are too long for their share are left out and named in `cut`.
fn bounded(object: &str, redactor: &Redactor) -> String {
    match redactor.document_text(object) {
        Some(clean) if clean.starts_with('{') && clean.len() <= MAX_ENVELOPE => clean,
        Some(long) => Doc::parse(long.as_bytes(), Limits::DOCUMENT)
            .map_or_else(|_| NOTHING.to_owned(), |it| shortened(it.root())),
        None => NOTHING.to_owned(),
    }
}

fn shortened(object: Value<'_>) -> String {
    let share = MAX_ENVELOPE / 16;
    let mut out = String::new();
    let mut cut = Vec::new();
    let mut members = Members::open(&mut out);
    for (key, value) in object.members().take(16) {
        let key = key.as_str().unwrap_or_default();
        if value.raw().len() <= share && key.len() <= share {
            members.raw(&key, value.raw());
        } else {
            cut.push(text::cut(&key, 64).into_owned());
        }
    }
    let list = members.key("cut");
    for (at, key) in cut.iter().enumerate() {
        list.push(if at == 0 { '[' } else { ',' });
        write_str(list, key);
    }
    list.push_str(if cut.is_empty() { "[]" } else { "]" });
    members.close();
    out
}

fn write_private(private: &Private, redactor: &Redactor, out: &mut String) {
    let mut members = Members::open(out);
    let mut causes = private.causes.iter().chain(&private.hidden).peekable();
    if causes.peek().is_some() {
        write_list(members.key("causes"), causes, |cause, out| {
            write_cause(cause, redactor, out);
        });
    }
    if let Some(stack) = &private.stack {
        members.str("stack", &text::cut_bytes(&redactor.text(stack), MAX_STACK));
    }
    if let Some(upstream) = &private.upstream {
        let mut inner = Members::open(members.key("upstream"));
        inner.int("bytes", upstream.len() as u64);
        inner.str("text", &redactor.start(upstream, MAX_UPSTREAM));
        inner.close();
    }
    if !private.dropped.is_empty() {
        let dropped = private.dropped.get(..MAX_DROPPED).unwrap_or(&private.dropped);
        write_list(members.key("dropped"), dropped, |it, out| {
            let mut members = Members::open(out);
            members.str("part", &it.part).str("why", &redactor.text(&it.why));
            members.close();
        });
    }
    members.close();
}

fn write_cause(cause: &Cause, redactor: &Redactor, out: &mut String) {
    let clean = |it: &str| text::cut_bytes(&redactor.text(it), MAX_CAUSE).into_owned();
    let mut members = Members::open(out);
    match cause {
        Cause::Text(said) => {
            members.str("message", &clean(said));
        }
        Cause::Error { message, code, name } => {
            members.str("message", &clean(message));
            if let Some(code) = code {
                members.str("code", &clean(&code.text()));
            }
            members.str("name", &clean(name));
        }
        Cause::Json(json) => {
            members.str("json", &clean(json.as_str()));
        }
    }
    members.close();
}

#[cfg(test)]
mod tests {
    use redress::{Fault, codes, fault::Cause, redact::Redactor};
    use redress_wire::json::{Doc, RawJson};

    use super::MAX_ENVELOPE;
    use crate::{
        LINE_LIMITS,
        record::{Head, Record},
        time::Time,
    };

    fn line(record: &Record) -> String {
        let mut out = Vec::new();
        let mut head = Head::START;
        head.write(record, &Time::default().to_string(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_fault_is_recorded_whole_and_without_secrets() {
        let mut fault: Fault = codes::FILE_NOT_FOUND.raise([("path", "src/mian.rs")]);
        fault.server_text = Some("ENOENT password=hunter2".to_owned());
        fault.private.push_cause(Cause::Text("known-secret-1 failed".to_owned()));
        fault.private.stack = Some("at f\nat g token=abcdef0123456789".to_owned());
        fault.private.upstream = Some(b"\xff{\"api_key\":\"x1\"}".to_vec());
        let line = line(&Record::fault(&fault, &Redactor::new(["known-secret-1"])));
        for secret in ["hunter2", "known-secret-1", "abcdef0123456789", "x1"] {
            assert!(!line.contains(secret), "{secret} in {line}");
        }
        let doc = Doc::parse(line.trim_end().as_bytes(), LINE_LIMITS).unwrap();
        let root = doc.root();
        assert!(root.path(&["fault", "code"]).unwrap().is_str("FILE_NOT_FOUND"));
        assert!(root.path(&["private", "causes"]).is_some());
        assert_eq!(root.path(&["private", "upstream", "bytes"]).unwrap().as_u64(), Some(17));
        let keys: Vec<_> =
            root.members().map(|(key, _)| key.as_str().unwrap().into_owned()).collect();
        assert_eq!(keys, ["seq", "time", "prev", "kind", "fault", "private", "hash"]);
    }

    #[test]
    fn server_text_in_one_line_loses_known_and_named_secrets() {
        let mut fault: Fault = codes::FILE_NOT_FOUND.raise([("path", "password=hunter2")]);
        fault.server_text = Some("Cookie: [redacted] Reason: known-secret-1 is used up".to_owned());
        let details = r#"{"upstream":{"data":{"text":"--token error: gone","password":"hunter2"},"content":"token=hunter2"}}"#;
        fault.details = Some(RawJson::parse(details.as_bytes()).unwrap());
        let redactor = Redactor::new(["known-secret-1"]);
        let line = line(&Record::fault(&fault, &redactor));
        let doc = Doc::parse(line.trim_end().as_bytes(), LINE_LIMITS).unwrap();
        let said = doc.root().path(&["fault", "server_text"]).unwrap();
        assert!(said.is_str("Cookie: [redacted] Reason: [redacted] is used up"), "{line}");
        let text = doc.root().path(&["fault", "details", "upstream", "data", "text"]).unwrap();
        assert!(text.is_str("--token error: gone"), "{line}");
        assert!(!line.contains("hunter2") && !line.contains("known-secret"), "{line}");
    }

    #[test]
    fn a_record_is_bounded_and_says_what_is_gone() {
        let mut fault: Fault = codes::FILE_NOT_FOUND.raise([("path", "a")]);
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_ENVELOPE));
        fault.details = Some(RawJson::parse(long.as_bytes()).unwrap());
        fault.private.upstream = Some(vec![b'y'; 1 << 20]);
        fault.private.stack = Some("z".repeat(1 << 20));
        let line = line(&Record::fault(&fault, &Redactor::default()));
        assert!(line.len() < crate::MAX_LINE / 2, "{}", line.len());
        let doc = Doc::parse(line.trim_end().as_bytes(), LINE_LIMITS).unwrap();
        assert!(doc.root().path(&["fault", "code"]).is_some());
        assert_eq!(doc.root().path(&["fault", "cut"]).unwrap().raw(), r#"["details"]"#);
    }
}
