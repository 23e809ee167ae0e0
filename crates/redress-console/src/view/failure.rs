//! One failure: what the model saw, the envelope, the run around it, the page of its code, and its receipt.

use std::{borrow::Cow, fmt::Write as _, sync::Arc};

use maud::{Markup, html};
use redress::{Dialect, Lookup, card, text};
use redress_ledger::{Entry, RequestInfo, Time, read_record};
use redress_registry::{Entry as Code, Registry};
use redress_wire::json::{Doc, Kind, Limits, Value, write_str};

use super::{check, failures::link};
use crate::{
    BASE,
    access::Right,
    address::encode,
    filter::Filter,
    index::{EMPTY, Index, Row, Success},
    page::{exact_time, shown, shown_lines},
};

/// How many characters of a part of the record are shown.
const MOST_SHOWN: usize = 8_000;

/// How much of the run is shown before and after.
const AROUND: usize = 12;

/// What a record nests at most.
const LIMITS: Limits = Limits { bytes: 1 << 20, nesting: 80 };

/// A failure, as its record says it.
pub(crate) struct Recorded {
    entry: Entry,
    row: Row,
    chain: Arc<str>,
}

/// Reads the record of a failure and checks its hash. The text says why it cannot be shown.
pub(crate) fn recorded(index: &Index, chain: &str, seq: u64) -> Result<Recorded, String> {
    let row = index.row(chain, seq).ok_or_else(|| {
        "No such failure is among those that are kept one by one: it is older, was only counted, or never was.".to_owned()
    })?;
    let file = index.file(row);
    let length = usize::try_from(row.length).unwrap_or(usize::MAX);
    let entry = read_record(&file.path, &file.chain, row.offset, length)
        .map_err(|it| format!("The record was changed or removed: {it}"))?;
    Ok(Recorded { entry, row: *row, chain: Arc::clone(&file.chain) })
}

impl Recorded {
    /// The card of the failure, written by the code that the gate uses.
    pub(crate) fn card(&self, lookup: &Lookup) -> Option<String> {
        self.with("fault", |it| Dialect::Native.read(it.raw().as_bytes(), lookup).ok())
            .flatten()
            .map(|it| card(&it))
    }

    /// What the server said.
    pub(crate) fn said(&self) -> Option<String> {
        self.with("fault", |it| it.get("server_text")?.as_str().map(Cow::into_owned)).flatten()
    }

    /// The properties of the failure that are known, each with its name.
    pub(crate) fn summary(&self, index: &Index) -> Vec<(&'static str, String)> {
        let group = index.group_of(&self.row);
        let text = |symbol| index.symbols.text(symbol).to_owned();
        let request = self.with("request", |it| {
            let it = RequestInfo::read(it);
            (it.attempt, it.rule.map(Cow::into_owned), it.client.map(|it| it.version.into_owned()))
        });
        let (attempt, rule, version) = request.unwrap_or_default();
        let client = format!("{} {}", text(group.client), version.unwrap_or_default());
        let mut all = vec![
            ("Time", Time::from_millis(self.row.time).to_string()),
            ("Server", text(group.server)),
            ("Tool", text(group.tool)),
            ("Class", text(group.class)),
            ("Retry", text(group.retry).replace('_', " ")),
            ("Effect", text(group.effect)),
            ("Origin", text(group.origin)),
            ("Basis", text(group.basis)),
            ("Rule", rule.unwrap_or_default()),
            ("Attempt", attempt.map(|it| it.to_string()).unwrap_or_default()),
            ("Client", client.trim().to_owned()),
            ("Session", text(self.row.session)),
            ("Run", text(self.row.run)),
        ];
        all.retain(|it| !it.1.is_empty());
        all
    }

    fn with<T>(&self, member: &str, look: impl FnOnce(Value<'_>) -> T) -> Option<T> {
        let doc = Doc::parse(self.entry.text.as_bytes(), LIMITS).ok()?;
        doc.root().get(member).map(look)
    }

    fn receipt(&self) -> String {
        format!("{}:{}", self.entry.seq, self.entry.hash.short())
    }

    pub(crate) fn content(
        &self,
        index: &Index,
        lookup: &Lookup,
        contracts: &[Arc<Registry>],
        (right, trace_link): (Right, Option<&str>),
    ) -> Markup {
        let group = index.group_of(&self.row);
        let text = |symbol| index.symbols.text(symbol);
        let code = text(group.code);
        let member = |name: &str| self.with(name, pretty);
        let said = self.said();
        let explained = contracts.iter().find_map(|it| it.codes.get(code));
        let is_open = text(group.effect) != "none";
        html! {
            p.soft { a href=(format!("{BASE}/list{}", narrowed(index, &self.row).pairs().query())) { "Failures like this" } }
            h1.code { (shown(code)) }
            p.lead { (exact_time(self.row.time)) " UTC, " (shown(text(group.tool))) " of " (shown(text(group.server))) }
            @if let Some(mark) = check::mark(index, &self.chain, self.row.seq) { p.note { (mark) } }
            @else if right == Right::Write && is_open { (check::form(&self.chain, self.row.seq)) }
            h2 { "What the model saw" }
            @match self.card(lookup) {
                Some(card) => pre.card { (shown_lines(&card)) },
                None => { p.note { "The card cannot be written again: the code is of a contract that is not known here. Name it with " code { "--contract" } "." } }
            }
            (self.told())
            (self.facts(index, trace_link))
            h2 { "In the run" }
            (self.line(index))
            @if let Some(said) = said {
                h2 { "What the server said" }
                (cut(&said))
            }
            @if let Some(explained) = explained {
                h2 { "About the code" }
                (about(explained))
            }
            h2 { "Once more" }
            (self.repeat(index))
            h2 { "Envelope" }
            (cut(&member("fault").unwrap_or_default()))
            @if let Some(request) = member("request") { h2 { "Request" } (cut(&request)) }
            @if let Some(private) = member("private") { h2 { "For the operator alone" } (cut(&private)) }
        }
    }

    /// How the model was told, where that is another thing than the card.
    fn told(&self) -> Markup {
        let told = self.with("request", |it| {
            let request = RequestInfo::read(it);
            [request.mode, request.dialect].map(|it| it.map(Cow::into_owned))
        });
        let [mode, dialect] = told.unwrap_or_default();
        html! {
            @match mode.as_deref() {
                Some("observe") => p.note { "The gate only observed: the model saw the server's own bytes instead." },
                Some("annotate") => p.note { "The gate only annotated: the model saw the server's own answer, and the client the envelope beside it." },
                _ => {}
            }
            @if let Some(dialect) = dialect.filter(|it| it != "native") {
                p.note { "The answer was in the dialect " (shown(&dialect)) "; this is the card of the same failure." }
            }
        }
    }

    fn facts(&self, index: &Index, trace_link: Option<&str>) -> Markup {
        let run = index.symbols.text(self.row.run);
        html! {
            h2 { "Facts" }
            dl.facts {
                @for (name, value) in self.summary(index) { dt { (name) } dd { (shown(&value)) } }
                @if let Some(template) = trace_link.filter(|_| !run.is_empty()) {
                    dt { "Trace" } dd { a rel="noreferrer" href=(traced(template, run)) { "Open the trace" } }
                }
                dt { "Receipt" } dd.code { (self.receipt()) }
                dt { "Record" } dd { "Its hash is that of its bytes. " a href={ (BASE) "/ledger" } { "Verify the chain" } }
            }
        }
    }

    /// What happened in the run before and after.
    fn line(&self, index: &Index) -> Markup {
        enum Event<'i> {
            Failed(&'i Row),
            Succeeded(&'i Success),
        }
        let ours = self.row;
        let is_in_run = |run, session| {
            if ours.run == EMPTY {
                ours.session != EMPTY && session == ours.session
            } else {
                run == ours.run
            }
        };
        let mut events: Vec<(u64, u64, Event<'_>)> = Vec::new();
        for row in index.rows.iter().filter(|it| is_in_run(it.run, it.session)) {
            events.push((row.time, row.seq, Event::Failed(row)));
        }
        for it in index.successes.iter().filter(|it| is_in_run(it.run, it.session)) {
            events.push((it.time, it.seq, Event::Succeeded(it)));
        }
        events.sort_by_key(|it| (it.0, it.1));
        let is_ours = |it: &Row| (it.file, it.seq) == (ours.file, ours.seq);
        let at = events.iter().position(|it| matches!(it.2, Event::Failed(row) if is_ours(row)));
        let from = at.unwrap_or_default().saturating_sub(AROUND);
        let before = from;
        let after = events.len().saturating_sub(from + 2 * AROUND + 1);
        html! {
            @if events.is_empty() { p.soft { "The record names no run." } }
            @else {
                @if before > 0 { p.soft { (before) " earlier" } }
                ol.line { @for (at, (time, _, event)) in events.iter().enumerate().skip(from).take(2 * AROUND + 1) {
                    @let number = |it: &Event<'_>| match it { Event::Failed(row) => row.call, Event::Succeeded(it) => it.call };
                    @let last = at.checked_sub(1).and_then(|it| events.get(it)).map_or(0, |it| number(&it.2));
                    @let between = number(event).saturating_sub(last + 1);
                    @if last > 0 && between > 0 { li.soft { (between) @if between == 1 { " more call" } @else { " more calls" } } }
                    @match event {
                        Event::Failed(row) => {
                            @let group = index.group_of(row);
                            li aria-current=[is_ours(row).then_some("true")] {
                                (exact_time(*time)) " "
                                a href=(link(index, row)) { span.code { (shown(index.symbols.text(group.code))) } }
                                " " (shown(index.symbols.text(group.tool)))
                            }
                        }
                        Event::Succeeded(it) => li.good { (exact_time(*time)) " ok " (shown(index.symbols.text(it.tool))) },
                    }
                } }
                @if after > 0 { p.soft { (after) " later" } }
            }
        }
    }

    /// What makes the same call again, and what finds it in a terminal.
    fn repeat(&self, index: &Index) -> Markup {
        let arguments =
            self.with("request", |it| it.get("arguments").map(|it| it.raw().to_owned())).flatten();
        let tool = index.symbols.text(index.group_of(&self.row).tool);
        let ledger = &index.file(&self.row).ledger;
        let ledger = std::path::absolute(ledger).unwrap_or_else(|_| ledger.clone());
        let ledger = quoted(&ledger.to_string_lossy());
        let code = quoted(index.symbols.text(index.group_of(&self.row).code));
        let mut find =
            format!("redress ledger query {ledger} --kind fault --format json --code {code}");
        if !tool.is_empty() {
            write!(find, " --tool {}", quoted(tool)).unwrap_or_default();
        }
        html! {
            @match arguments {
                Some(arguments) => {
                    @let mut call = String::from(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"#);
                    @let () = write_str(&mut call, tool);
                    @let () = write!(call, ",\"arguments\":{arguments}}}}}").unwrap_or_default();
                    p { "The call, without what was redacted:" }
                    pre { (shown(&call)) }
                }
                None => p.soft { "The arguments are not recorded. " code { "[ledger] arguments = true" } " records them, redacted." },
            }
            p { "In a terminal:" }
            pre { (shown(&find)) "\n" (shown(&format!("redress ledger verify {ledger} --receipt {}", self.receipt()))) }
        }
    }
}

/// A part of the record, as much of it as a page takes.
fn cut(part: &str) -> Markup {
    let short = text::cut(part, MOST_SHOWN);
    html! {
        pre { (shown_lines(&short)) }
        @if short != part { p.soft { "This is the beginning. The command under Once more prints all of it." } }
    }
}

/// The failures that are like this one.
fn narrowed(index: &Index, row: &Row) -> Filter {
    let group = index.group_of(row);
    let named = [("server", group.server), ("tool", group.tool), ("code", group.code)];
    named
        .into_iter()
        .filter(|it| it.1 != EMPTY)
        .fold(Filter::default(), |filter, (name, it)| filter.with(name, index.symbols.text(it)))
}

/// What a contract says about a code.
pub(crate) fn about(code: &Code) -> Markup {
    html! {
        p { b { (shown(&code.title)) "." } " " (shown(&code.explain.split_whitespace().collect::<Vec<_>>().join(" "))) }
        dl.facts {
            dt { "Class" } dd { (code.class.name()) ", HTTP " (code.http) }
            dt { "Retry" } dd { (code.retry.kind.name().replace('_', " ")) }
            dt { "Effect" } dd { (code.effect.name()) }
            @if !code.hint.is_empty() { dt { "Hint" } dd { (shown(&code.hint)) } }
            dt { "Contract" } dd { (shown(&code.registry)) }
        }
    }
}

/// A link to a trace: `{trace}` in the template is the id. Only http and https are links.
fn traced(template: &str, run: &str) -> String {
    let mut id = String::new();
    encode(run, &mut id);
    let link = template.replace("{trace}", &id);
    if link.starts_with("https://") || link.starts_with("http://") { link } else { String::new() }
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"_-./".contains(&it);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// JSON with line breaks, each value in its own spelling. The depth is that of a record.
fn pretty(value: Value<'_>) -> String {
    let mut out = String::new();
    write_pretty(value, 0, &mut out);
    out
}

fn write_pretty(value: Value<'_>, depth: usize, out: &mut String) {
    let is_short = value.raw().len() <= 60;
    let (open, close) = match value.kind() {
        Kind::Object if !is_short || depth == 0 => ('{', '}'),
        Kind::Array if !is_short => ('[', ']'),
        _ => return out.push_str(value.raw()),
    };
    let start = |out: &mut String, at: usize| {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.extend(std::iter::repeat_n("  ", depth + 1));
    };
    out.push(open);
    for (at, (key, value)) in value.members().enumerate() {
        start(out, at);
        out.push_str(key.raw());
        out.push_str(": ");
        write_pretty(value, depth + 1, out);
    }
    for (at, value) in value.elements().enumerate() {
        start(out, at);
        write_pretty(value, depth + 1, out);
    }
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
    out.push(close);
}

#[cfg(test)]
mod tests {
    use redress_wire::json::{Doc, Limits};

    use super::{pretty, quoted, traced};

    #[test]
    fn a_link_to_a_trace_is_one_of_the_web() {
        assert_eq!(traced("https://t.example/{trace}?x", "a/b"), "https://t.example/a%2Fb?x");
        assert_eq!(traced("javascript:alert({trace})", "1"), "");
        assert_eq!(quoted("a'b"), r"'a'\''b'");
    }

    #[test]
    fn json_keeps_its_values_on_several_lines() {
        let json = format!(r#"{{"a":1e2,"b":["{}",{{"c":[]}}]}}"#, "x".repeat(60));
        let doc = Doc::parse(json.as_bytes(), Limits::DOCUMENT).unwrap();
        let pretty = pretty(doc.root());
        assert!(pretty.starts_with("{\n  \"a\": 1e2,\n  \"b\": [\n    \"xx"), "{pretty}");
        let one: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&pretty).unwrap(), one);
    }
}
