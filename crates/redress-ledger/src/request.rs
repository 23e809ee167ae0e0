//! `RequestInfo`: the call to which a fault or call record belongs, and how its failure was judged.

use std::borrow::Cow;

use redress::text;
use redress_wire::json::{Doc, Members, Value};

use crate::{LINE_LIMITS, record::Record};

/// The longest text of a member; longer ones are cut.
const MAX_TEXT: usize = 256;

/// The longest arguments that are recorded; longer ones are left out.
const MAX_ARGUMENTS: usize = 64 << 10;

/// The program that made a call, as it names itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientInfo<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Its version.
    pub version: Cow<'a, str>,
}

/// The call to which a fault record belongs, and how its failure was judged. A member that is not known is left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestInfo<'a> {
    /// The program that made the call.
    pub client: Option<ClientInfo<'a>>,
    /// The session of the client.
    pub session: Option<Cow<'a, str>>,
    /// The run that the call belongs to: a trace id, where there is one.
    pub run: Option<Cow<'a, str>>,
    /// The first 128 bits of an HMAC of the arguments under a key of this installation, in 32 hex digits. The same arguments give the same digits.
    pub arguments_hmac: Option<Cow<'a, str>>,
    /// The arguments as JSON, with their secrets already taken out.
    pub arguments: Option<Cow<'a, str>>,
    /// The number of the attempt that failed, from 1.
    pub attempt: Option<u64>,
    /// The number of the call in its run, counted from its first failure that no success of the same tool has followed yet.
    pub call: Option<u64>,
    /// How the model was told: `enforce`, `annotate` or `observe`.
    pub mode: Option<Cow<'a, str>>,
    /// The dialect of the answer.
    pub dialect: Option<Cow<'a, str>>,
    /// The evidence that decided the code: `stated`, `taught`, `protocol` or `inferred`.
    pub basis: Option<Cow<'a, str>>,
    /// The rule that decided the code.
    pub rule: Option<Cow<'a, str>>,
    /// Whether the server flagged the failure itself.
    pub flagged: Option<bool>,
}

impl<'d> RequestInfo<'d> {
    /// Reads the object; members of another type are passed over.
    pub fn read(object: Value<'d>) -> Self {
        let text = |key: &str| object.get(key).and_then(Value::as_str);
        let client = object.get("client").map(|it| ClientInfo {
            name: it.get("name").and_then(Value::as_str).unwrap_or_default(),
            version: it.get("version").and_then(Value::as_str).unwrap_or_default(),
        });
        Self {
            client,
            session: text("session"),
            run: text("run"),
            arguments_hmac: text("arguments_hmac"),
            arguments: object.get("arguments").map(|it| Cow::Borrowed(it.raw())),
            attempt: object.get("attempt").and_then(Value::as_u64),
            call: object.get("call").and_then(Value::as_u64),
            mode: text("mode"),
            dialect: text("dialect"),
            basis: text("basis"),
            rule: text("rule"),
            flagged: object.get("flagged").and_then(Value::as_bool),
        }
    }

    fn write(&self, out: &mut String) {
        fn cut<'a>(text: Option<&'a Cow<'_, str>>) -> Option<Cow<'a, str>> {
            text.map(|it| text::cut(it, MAX_TEXT))
        }
        let mut members = Members::open(out);
        if let Some(client) = &self.client {
            let mut inner = Members::open(members.key("client"));
            inner.str("name", &text::cut(&client.name, MAX_TEXT));
            inner.str("version", &text::cut(&client.version, MAX_TEXT));
            inner.close();
        }
        members.opt_str("session", cut(self.session.as_ref()).as_deref());
        members.opt_str("run", cut(self.run.as_ref()).as_deref());
        members.opt_str("arguments_hmac", cut(self.arguments_hmac.as_ref()).as_deref());
        if let Some(arguments) = self.arguments.as_deref().filter(|it| is_small_json(it)) {
            members.raw("arguments", arguments);
        }
        if let Some(attempt) = self.attempt {
            members.int("attempt", attempt);
        }
        if let Some(call) = self.call {
            members.int("call", call);
        }
        members.opt_str("mode", cut(self.mode.as_ref()).as_deref());
        members.opt_str("dialect", cut(self.dialect.as_ref()).as_deref());
        members.opt_str("basis", cut(self.basis.as_ref()).as_deref());
        members.opt_str("rule", cut(self.rule.as_ref()).as_deref());
        if let Some(flagged) = self.flagged {
            members.bool("flagged", flagged);
        }
        members.close();
    }
}

/// Whether a text can stand in a line of the ledger as it is.
fn is_small_json(text: &str) -> bool {
    text.len() <= MAX_ARGUMENTS
        && !text.contains(['\n', '\r'])
        && Doc::parse(text.as_bytes(), LINE_LIMITS).is_ok()
}

impl Record {
    /// The same fault with the call that it belongs to; the texts of that are without secrets already.
    #[must_use]
    pub fn with_request(self, request: &RequestInfo<'_>) -> Self {
        if *request == RequestInfo::default() {
            return self;
        }
        let mut object = String::new();
        request.write(&mut object);
        self.before_private("request", &object)
    }
}

#[cfg(test)]
mod tests {
    use redress::{Fault, codes, redact::Redactor};
    use redress_wire::json::Doc;

    use super::{ClientInfo, MAX_TEXT, RequestInfo};
    use crate::{
        LINE_LIMITS,
        record::{Head, Record, RecordLine},
    };

    fn full() -> RequestInfo<'static> {
        RequestInfo {
            client: Some(ClientInfo { name: "cli \"ent\"".into(), version: "1.0".into() }),
            session: Some("s".into()),
            run: Some("r".into()),
            arguments_hmac: Some("0".repeat(32).into()),
            arguments: Some(r#"{"path":"a"}"#.into()),
            attempt: Some(2),
            call: Some(5),
            mode: Some("enforce".into()),
            dialect: Some("native".into()),
            basis: Some("inferred".into()),
            rule: Some("formats/errno".into()),
            flagged: Some(true),
        }
    }

    fn line(record: &Record) -> String {
        let mut out = Vec::new();
        Head::START.clone().write(record, "2026-01-19T15:32:10.123Z", &mut out);
        String::from_utf8(out).unwrap().trim_end().to_owned()
    }

    fn fault() -> Fault {
        let mut fault: Fault = codes::FILE_NOT_FOUND.raise([("path", "a")]);
        fault.private.stack = Some("at f".to_owned());
        fault
    }

    #[test]
    fn what_is_written_of_a_request_is_read() {
        let record = Record::fault(&fault(), &Redactor::default()).that_locks();
        let line = line(&record.with_request(&full()));
        assert!(RecordLine::read(line.as_bytes()).is_ok());
        let doc = Doc::parse(line.as_bytes(), LINE_LIMITS).unwrap();
        let request = doc.root().get("request").unwrap();
        assert_eq!(RequestInfo::read(request), full());
        let keys: Vec<_> =
            doc.root().members().map(|it| it.0.as_str().unwrap().into_owned()).collect();
        let expected =
            ["seq", "time", "prev", "kind", "fault", "request", "private", "locks", "hash"];
        assert_eq!(keys, expected);
    }

    #[test]
    fn an_empty_request_is_not_written() {
        let record = Record::fault(&fault(), &Redactor::default());
        let without = line(&record);
        assert_eq!(line(&record.with_request(&RequestInfo::default())), without);
    }

    #[test]
    fn a_request_is_bounded_and_keeps_the_line_whole() {
        let long = "é".repeat(5_000);
        for arguments in ["{", "{\n}", "1 2", &format!("\"{}\"", "x".repeat(1 << 20))] {
            let request = RequestInfo {
                session: Some(long.as_str().into()),
                arguments: Some(arguments.into()),
                ..RequestInfo::default()
            };
            let record = Record::fault(&fault(), &Redactor::default()).with_request(&request);
            let line = line(&record);
            let doc = Doc::parse(line.as_bytes(), LINE_LIMITS).unwrap();
            let read = RequestInfo::read(doc.root().get("request").unwrap());
            assert_eq!(read.arguments, None);
            assert!(read.session.unwrap().chars().count() <= MAX_TEXT);
        }
    }
}
