//! What happened in an exchange, in the few words that every presentation uses.

use redress::text::cut;
use serde_json::Value;

use crate::report::{Cases, Exchange, Happened, ProbeTarget, Run, Stopped, Text};

/// The most characters of what a server calls a code.
const MOST_CODE: usize = 40;

/// What came of a message, in a few words.
pub fn outcome(happened: &Happened) -> String {
    let over = |status: &Option<u16>| status.map_or_else(String::new, |it| format!(", HTTP {it}"));
    match happened {
        Happened::Answer { status, body, more } => {
            let twice = if more.is_empty() { "" } else { ", more than once" };
            format!("{}{}{twice}", answer(body), over(status))
        }
        Happened::Malformed { status, .. } => format!("no valid message{}", over(status)),
        Happened::TooLarge { bytes } => format!("more than {bytes} bytes"),
        Happened::Silence { waited_ms } => format!("silence for {waited_ms} ms"),
        Happened::Nothing => "no answer, as it should be".to_owned(),
        Happened::Closed { .. } => "connection closed".to_owned(),
        Happened::Exited { code: Some(code), .. } => format!("process ended with exit code {code}"),
        Happened::Exited { signal: Some(signal), .. } => {
            format!("process ended by signal {signal}")
        }
        Happened::Exited { .. } => "process ended".to_owned(),
    }
}

/// The bytes that came, if any did.
pub const fn came(happened: &Happened) -> Option<&Text> {
    match happened {
        Happened::Answer { body, .. } | Happened::Malformed { body, .. } => Some(body),
        Happened::Exited { stderr, .. } => Some(stderr),
        _ => None,
    }
}

/// What of an answer a model gets to read: the texts of a result, or the message of an error.
pub fn model_reads(happened: &Happened) -> Option<String> {
    let Happened::Answer { body, .. } = happened else { return None };
    let message: Value = serde_json::from_str(&body.text).ok()?;
    if let Some(error) = message.get("error") {
        let text = error.get("message")?.as_str()?;
        let code = error.get("code").map_or_else(String::new, |it| format!("error {it}: "));
        return Some(format!("{code}{text}"));
    }
    let content = message.get("result")?.get("content")?.as_array()?;
    let texts: Vec<&str> = content.iter().filter_map(|it| it.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// What was probed, as a user would type it.
pub fn target(target: &ProbeTarget) -> String {
    match target {
        ProbeTarget::Command(words) => words.join(" "),
        ProbeTarget::Url(url) => url.clone(),
    }
}

/// How many cases were run, and what was left out.
pub fn played(run: &Run) -> String {
    let all = run.tools.iter().map(|it| it.cases).chain([run.cases]);
    let sum = all.fold(Cases::default(), |sum, it| Cases {
        planned: sum.planned + it.planned,
        played: sum.played + it.played,
        effects: sum.effects + it.effects,
        unplayed: sum.unplayed + it.unplayed,
    });
    let mut said = vec![format!("{} of {} played.", sum.played, counted(sum.planned, "case"))];
    if sum.effects > 0 {
        said.push(format!(
            "{} left out: they might change something (--allow-effects).",
            sum.effects
        ));
    }
    if sum.unplayed > 0 {
        said.push(format!("{} not reached.", sum.unplayed));
    }
    if run.restarts > 0 {
        let times =
            if run.restarts == 1 { "once".to_owned() } else { format!("{} times", run.restarts) };
        said.push(format!("The server had to be started again {times}."));
    }
    let stopped = run.stopped.map(|it| match it {
        Stopped::Budget => "It stopped when the budget of calls was used up.",
        Stopped::Time => "It stopped when the time was used up.",
        Stopped::Interrupted => "It was interrupted.",
        Stopped::Dead => "It stopped because the server died.",
    });
    said.extend(stopped.map(str::to_owned));
    said.join(" ")
}

/// `1 call`, `2 calls`.
pub fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// The exchange of another run in which the same was tried, as its place there.
pub fn counterpart(run: &Run, nth: usize, other: &Run) -> Option<usize> {
    let case = &run.exchanges.get(nth)?.case;
    let same = |it: &&Exchange| it.case == *case;
    let earlier = run.exchanges.iter().take(nth).filter(same).count();
    let mut places = other.exchanges.iter().enumerate().filter(|(_, it)| it.case == *case);
    places.nth(earlier).map(|(place, _)| place)
}

fn answer(body: &Text) -> String {
    let Ok(message) = serde_json::from_str::<Value>(&body.text) else {
        return "an answer".to_owned();
    };
    if let Some(error) = message.get("error") {
        let code = error.get("code").map_or_else(|| "without a code".to_owned(), Value::to_string);
        return format!("error {}", cut(&code, MOST_CODE));
    }
    let flagged = message.pointer("/result/isError").and_then(Value::as_bool);
    if flagged == Some(true) { "result with isError".to_owned() } else { "success".to_owned() }
}
