//! `FaultTemplate`: a failure without what is special about one occurrence, kept to be rendered again at little cost.

use std::{
    ops::Range,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use redress::{
    Dialect, Fault,
    dialect::Stamp,
    dialect::wire::{self, Answer},
    emit::Emitted,
    fault::Receipt,
    recover::Ground,
};
use redress_govern::CallContext;
use redress_ledger::{Record, Redactor};
use redress_wire::json::{RawJson, escape_into};

use crate::answer::Insertion;

/// The most failures that are kept.
const MOST: usize = 32;

/// Marks the place of a value. It is for private use, and a failure that has it already gets no template.
const MARK: char = '\u{e000}';

/// The same for numbers.
const ELAPSED: u64 = 8_888_888_888_888_888;
const SEQ: u64 = 7_777_777_777_777_777;

/// A failure without what is special about one occurrence.
#[derive(Debug)]
pub(crate) struct FaultTemplate {
    pub(crate) fault: Emitted,
    pub(crate) extras: ResponseExtras,
    pub(crate) handling: Handling,
    /// Whether the failure occurred before.
    has_occurred: AtomicBool,
    /// Its answer without and with a place in the ledger.
    answers: [OnceLock<Option<Template>>; 2],
    /// Its record without and with a session.
    records: [OnceLock<Option<Written>>; 2],
}

/// A record with placeholders, and what only the operator sees.
type Written = (Template, Option<String>);

/// The parts of a response beside the failure.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResponseExtras {
    /// Whether `structuredContent` belongs to the schema of the tool.
    pub(crate) has_output_schema: bool,
    /// The `_meta` of the server's own result.
    pub(crate) meta: Option<RawJson>,
    /// What the server wrote, where the card has room for a part of it only and more is wanted.
    pub(crate) said: Option<Box<str>>,
}

/// How an answer that is a failure is rewritten; the same for the same failure of the same tool. Places count from the start of its
/// payload.
#[derive(Debug, Clone, Default)]
pub(crate) enum Rewrite {
    /// An answer of the gate takes its place.
    #[default]
    Made,
    /// It gets an envelope in the server's own line.
    With(Insertion),
    /// A part of it is replaced by a clean one first; places in that count from its start.
    Cleaned(Range<usize>, Box<str>, Box<Self>),
    /// The result that it has inside is replaced.
    Inside(Range<usize>),
    /// It stays.
    AsItIs,
}

/// What becomes of an answer that is this failure.
#[derive(Debug, Clone, Default)]
pub(crate) struct Handling {
    pub(crate) rewrite: Rewrite,
    /// What its effect is known by; nothing is, as long as it is in doubt whether it is a failure.
    pub(crate) ground: Option<Ground>,
    /// Whether the server did not flag it.
    pub(crate) is_silent: bool,
    /// Whether the same call is proved to fail again in the same way.
    pub(crate) is_lasting: bool,
}

/// What is special about one occurrence.
#[derive(Debug, Clone, Default)]
pub(crate) struct FaultStamp {
    /// The id of the request, as text.
    pub(crate) request_id: Option<String>,
    /// When it was.
    pub(crate) timestamp: String,
    /// How long the request took.
    pub(crate) elapsed_ms: Option<u64>,
    /// In which session of a client it was: for the record, by which a session's failures are found.
    pub(crate) session: Option<String>,
    /// What its governor knows of it.
    pub(crate) governed: Option<Arc<CallContext>>,
}

impl FaultTemplate {
    pub(crate) const fn new(fault: Emitted, extras: ResponseExtras) -> Self {
        let answers = [const { OnceLock::new() }; 2];
        let handling =
            Handling { rewrite: Rewrite::Made, ground: None, is_silent: false, is_lasting: false };
        let records = [const { OnceLock::new() }; 2];
        let has_occurred = AtomicBool::new(false);
        Self { fault, extras, handling, has_occurred, answers, records }
    }

    /// Notes one more occurrence, and says whether there was one before: placeholders cost more than they save the first time.
    pub(crate) fn occurs_again(&self) -> bool {
        self.has_occurred.swap(true, Ordering::Relaxed)
    }

    /// The same, of an answer that is to be handled so.
    pub(crate) fn handled(self, handling: Handling) -> Self {
        Self { handling, ..self }
    }

    /// How a result of it is written.
    pub(crate) fn how<'a>(&'a self, dialect: Dialect, stamp: Stamp<'a>) -> Answer<'a> {
        let ResponseExtras { has_output_schema, meta, said } = &self.extras;
        let (meta, said) = (meta.as_ref(), said.as_deref());
        Answer { dialect, has_output_schema: *has_output_schema, stamp, meta, said }
    }

    /// The failure as it happened this time.
    pub(crate) fn stamped(&self, stamp: &FaultStamp, receipt: Option<Receipt>) -> Fault {
        let mut fault = Fault::clone(&self.fault);
        fault.context.request_id.clone_from(&stamp.request_id);
        fault.timestamp = Some(stamp.timestamp.clone());
        fault.elapsed_ms = stamp.elapsed_ms;
        if let Some(governed) = &stamp.governed {
            governed.add_to(&mut fault.context);
        }
        fault.ledger = receipt;
        fault
    }

    /// The same for the record.
    pub(crate) fn stamped_for_ledger(&self, stamp: &FaultStamp) -> Fault {
        let mut fault = self.stamped(stamp, None);
        if fault.context.session_id.is_none() {
            fault.context.session_id.clone_from(&stamp.session);
        }
        fault
    }

    /// Appends the result of a failed call; `false` if it cannot be written with a template.
    pub(crate) fn write_result(
        &self,
        id: &str,
        stamp: &FaultStamp,
        receipt: Option<&Receipt>,
        out: &mut Vec<u8>,
    ) -> bool {
        if stamp.governed.is_some() {
            return false;
        }
        let [without, with] = &self.answers;
        let slot = if receipt.is_some() { with } else { without };
        match slot.get_or_init(|| self.answer(receipt.is_some())) {
            Some(template) => template.fill(&Values { id, stamp, receipt }, out),
            None => false,
        }
    }

    /// The record of an occurrence, if it can be written with a template.
    pub(crate) fn record(&self, stamp: &FaultStamp, redactor: &Redactor) -> Option<Record> {
        // What the template has is clean already; an id that is not is rare.
        let is_clean = |id: &String| redactor.text(id) == *id;
        if stamp.governed.is_some() || !stamp.request_id.as_ref().is_none_or(is_clean) {
            return None;
        }
        let [without, with] = &self.records;
        let slot = if stamp.session.is_some() { with } else { without };
        let made = slot.get_or_init(|| self.recorded(stamp.session.is_some(), redactor));
        let (template, private) = made.as_ref()?;
        let mut envelope = Vec::new();
        template.fill(&Values { id: "", stamp, receipt: None }, &mut envelope).then_some(())?;
        Some(Record::clean(std::str::from_utf8(&envelope).ok()?, private.as_deref()))
    }

    fn answer(&self, is_recorded: bool) -> Option<Template> {
        let answer = self.how(Dialect::Native, Stamp::default());
        let plain = wire::response(&self.fault, "", answer);
        let receipt = is_recorded.then(|| Receipt { seq: SEQ, hash: Placeholder::Hash.mark() });
        let marked = self.stamped(&marked(false), receipt);
        let marked = wire::response(&marked, &Placeholder::Id.mark(), answer);
        Template::of(&plain, &marked)
    }

    fn recorded(&self, has_session: bool, redactor: &Redactor) -> Option<Written> {
        let clean = |fault: &Fault| {
            let written = Dialect::Native.write(fault, Stamp::default());
            RawJson::parse(written.as_bytes()).ok().map(|it| redactor.json(&it))
        };
        let marked = self.stamped_for_ledger(&marked(has_session));
        let (plain, marked) = (clean(&self.fault)?, clean(&marked)?);
        let template = Template::of(plain.as_str(), marked.as_str())?;
        Some((template, Record::private(&self.fault.private, redactor)))
    }
}

/// An occurrence with a mark wherever it has a value of its own.
fn marked(has_session: bool) -> FaultStamp {
    FaultStamp {
        request_id: Some(Placeholder::RequestId.mark()),
        timestamp: Placeholder::Timestamp.mark(),
        elapsed_ms: Some(ELAPSED),
        session: has_session.then(|| Placeholder::Session.mark()),
        governed: None,
    }
}

/// What goes into the placeholders.
struct Values<'v> {
    id: &'v str,
    stamp: &'v FaultStamp,
    receipt: Option<&'v Receipt>,
}

/// A text with placeholders.
#[derive(Debug)]
struct Template {
    /// The text before each placeholder, and the placeholder.
    parts: Vec<(String, Placeholder)>,
    rest: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placeholder {
    Id,
    RequestId,
    Session,
    Timestamp,
    Elapsed,
    Seq,
    Hash,
}

impl Placeholder {
    const ALL: [Self; 7] = [
        Self::Id,
        Self::RequestId,
        Self::Session,
        Self::Timestamp,
        Self::Elapsed,
        Self::Seq,
        Self::Hash,
    ];

    fn mark(self) -> String {
        match self {
            Self::Id => format!("{MARK}i"),
            Self::RequestId => format!("{MARK}r"),
            Self::Session => format!("{MARK}s"),
            Self::Timestamp => format!("{MARK}t"),
            Self::Hash => format!("{MARK}h"),
            Self::Elapsed => ELAPSED.to_string(),
            Self::Seq => SEQ.to_string(),
        }
    }
}

impl Template {
    /// Cuts a text at its marks. A text that would have them anyway is none.
    fn of(plain: &str, marked: &str) -> Option<Self> {
        let marks = Placeholder::ALL.map(|it| (it, it.mark()));
        if marks.iter().any(|(_, mark)| plain.contains(mark)) {
            return None;
        }
        let first = |text: &str| {
            let found = |(placeholder, mark): &(Placeholder, String)| {
                Some((text.find(mark)?, *placeholder, mark.len()))
            };
            marks.iter().filter_map(found).min_by_key(|it| it.0)
        };
        let mut parts = Vec::new();
        let mut rest = marked;
        while let Some((at, placeholder, length)) = first(rest) {
            parts.push((rest.get(..at)?.to_owned(), placeholder));
            rest = rest.get(at + length..)?;
        }
        Some(Self { parts, rest: rest.to_owned() })
    }

    /// Appends the text with values in its placeholders; `false` if one is absent.
    fn fill(&self, values: &Values<'_>, out: &mut Vec<u8>) -> bool {
        let (Some(id), Some(elapsed)) = (&values.stamp.request_id, values.stamp.elapsed_ms) else {
            return false;
        };
        let mut request_id = String::new();
        escape_into(&mut request_id, id);
        let elapsed = elapsed.to_string();
        let seq = values.receipt.map(|it| it.seq.to_string()).unwrap_or_default();
        for (text, placeholder) in &self.parts {
            out.extend_from_slice(text.as_bytes());
            let value = match placeholder {
                Placeholder::Id => values.id,
                Placeholder::RequestId => &request_id,
                Placeholder::Session => values.stamp.session.as_deref().unwrap_or_default(),
                Placeholder::Timestamp => &values.stamp.timestamp,
                Placeholder::Elapsed => &elapsed,
                Placeholder::Seq => &seq,
                Placeholder::Hash => values.receipt.map_or("", |it| &it.hash),
            };
            out.extend_from_slice(value.as_bytes());
        }
        out.extend_from_slice(self.rest.as_bytes());
        true
    }
}

/// The answers that were judged last, by a key that only the same question and answer have.
#[derive(Debug)]
pub(crate) struct TemplateCache<T> {
    entries: Vec<(u64, T)>,
    next: usize,
}

impl<T: Clone> TemplateCache<T> {
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new(), next: 0 }
    }

    pub(crate) fn get(&self, key: u64) -> Option<T> {
        self.entries.iter().find(|it| it.0 == key).map(|it| it.1.clone())
    }

    pub(crate) fn put(&mut self, key: u64, value: T) {
        match self.entries.get_mut(self.next) {
            Some(entry) => *entry = (key, value),
            None => self.entries.push((key, value)),
        }
        self.next = (self.next + 1) % MOST;
    }

    pub(crate) fn forget(&mut self) {
        self.entries.clear();
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use redress::{
        Dialect, Fault, codes,
        dialect::Stamp,
        dialect::wire,
        emit::{Emission, Emitted, emit},
        fault::{Policy, Receipt, StackPolicy},
    };
    use redress_ledger::{Record, Redactor};
    use redress_wire::json::RawJson;

    use super::{FaultStamp, FaultTemplate, MARK, ResponseExtras, TemplateCache};

    fn emitted(fault: Fault) -> Emitted {
        let policy = Policy { stack: StackPolicy::Hidden, redact: &Redactor::default() };
        let (hides_server_text, details_bytes) = (false, 2_000);
        emit(fault, &Emission { policy, hides_server_text, details_bytes })
    }

    #[test]
    fn a_template_writes_what_the_library_writes() {
        let mut fault = codes::FILE_NOT_FOUND.raise([("path", "a \"b\".txt")]);
        fault.context.server = Some("files".to_owned());
        fault.server_text = Some("ENOENT: no such file, open 'a'".to_owned());
        let template = FaultTemplate::new(emitted(fault), ResponseExtras::default());
        let stamp = FaultStamp {
            request_id: Some("a\"b".to_owned()),
            timestamp: "2026-01-19T15:32:10.123Z".to_owned(),
            elapsed_ms: Some(3),
            session: None,
            governed: None,
        };
        for has_output_schema in [false, true] {
            for receipt in [None, Some(Receipt { seq: 412, hash: "9f2c41d07a3e".to_owned() })] {
                let meta = has_output_schema.then(|| RawJson::parse(b"{\"a\":1}").unwrap());
                let said = has_output_schema.then(|| "Server said:\n> a".into());
                let beside = ResponseExtras { has_output_schema, meta, said };
                let template = FaultTemplate::new(template.fault.clone(), beside);
                let mut out = Vec::new();
                assert!(template.write_result("\"a\\\"b\"", &stamp, receipt.as_ref(), &mut out));
                let how = template.how(Dialect::Native, Stamp::default());
                let expected =
                    wire::response(&template.stamped(&stamp, receipt), "\"a\\\"b\"", how);
                assert_eq!(String::from_utf8(out).unwrap(), expected);
            }
        }
    }

    #[test]
    fn a_record_again_is_the_record_that_the_ledger_makes() {
        let mut fault = codes::FILE_NOT_FOUND.raise([("path", "password=hunter2hunter2")]);
        fault.private.upstream = Some(b"token hunter2hunter2".to_vec());
        let template = FaultTemplate::new(emitted(fault), ResponseExtras::default());
        let stamp = FaultStamp {
            request_id: Some("7".to_owned()),
            timestamp: "2026-01-19T15:32:10.123Z".to_owned(),
            elapsed_ms: Some(3),
            session: None,
            governed: None,
        };
        let redactor = Redactor::new(["hunter2hunter2"]);
        for session in [None, Some("00ff.3".to_owned())] {
            let stamp = FaultStamp { session, ..stamp.clone() };
            let again = format!("{:?}", template.record(&stamp, &redactor).unwrap());
            let first = Record::fault(&template.stamped_for_ledger(&stamp), &redactor);
            assert_eq!(again, format!("{first:?}"));
            assert!(!again.contains("hunter2") && again.contains("bytes"), "{again}");
            assert_eq!(again.contains("00ff.3"), stamp.session.is_some(), "{again}");
        }
        let telling = FaultStamp { request_id: Some("id-hunter2hunter2".to_owned()), ..stamp };
        assert!(template.record(&telling, &redactor).is_none(), "a secret in an id is taken out");
    }

    #[test]
    fn a_text_with_our_mark_in_it_gets_no_template() {
        let mut fault = codes::TIMEOUT.raise([] as [(&str, &str); 0]);
        fault.server_text = Some(format!("{MARK}i"));
        let stamp = FaultStamp {
            request_id: Some("1".to_owned()),
            elapsed_ms: Some(1),
            ..FaultStamp::default()
        };
        let template = FaultTemplate::new(emitted(fault), ResponseExtras::default());
        assert!(!template.write_result("1", &stamp, None, &mut Vec::new()));
    }

    #[test]
    fn the_last_ones_are_kept() {
        let mut memo = TemplateCache::new();
        for key in 0..100 {
            memo.put(key, key);
        }
        assert_eq!((memo.get(67), memo.get(68), memo.get(99)), (None, Some(68), Some(99)));
        memo.forget();
        assert_eq!(memo.get(99), None);
    }
}
