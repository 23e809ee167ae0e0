//! A card read back: what the text for the model says, for clients that got nothing else.

use redress_registry::RetryKind;

use crate::{
    Fault, Lookup,
    card::{ANOTHER_TOOL, EXPECTED, OTHER_ARGUMENTS, retry_lines},
    fault::{NextAction, Violation},
};
use redress_wire::json::{Kind, RawJson};

/// Reads a card: `CODE: message`, or `[CODE] message`, with a code that a registry has. Without a flag, the second line must
/// be a card's, too: any text can have a word before a colon.
pub(super) fn card(text: &str, is_flagged: bool, lookup: &Lookup) -> Option<Fault> {
    let mut lines = text.lines();
    let (code, message) = head(lines.next()?)?;
    let mut fault = Fault::of(&lookup.row(None, code)?);
    message.clone_into(&mut fault.message);
    let mut is_card = false;
    for line in lines {
        is_card |= part(&mut fault, line);
    }
    if fault.next_actions.is_empty() {
        // A first line alone has no room for them.
        fault.set_row_next_actions();
    }
    (is_card || is_flagged).then_some(fault)
}

fn head(line: &str) -> Option<(&str, &str)> {
    let (code, message) = match line.strip_prefix('[') {
        Some(rest) => rest.split_once("] ")?,
        None => line.split_once(": ")?,
    };
    Some((code, message.trim()))
}

/// Takes what one line says. Whether it was the line that only cards have.
fn part(fault: &mut Fault, line: &str) -> bool {
    if line.starts_with("Retry: ") {
        return retry(fault, line);
    }
    if let Some(fix) = line.strip_prefix("Fix:") {
        let hint = fix.rsplit_once(" Did you mean ").map_or(fix, |(hint, _)| hint);
        let hint = hint.rsplit_once(EXPECTED).map_or(hint, |(hint, _)| hint).trim_start();
        if !hint.is_empty() {
            hint.clone_into(&mut fault.hint);
        }
    } else if let Some(next) = line.strip_prefix("Next: ") {
        fault.next_actions.push(action(next));
    } else if let Some(said) = line.strip_prefix("Server said: ") {
        fault.server_text = Some(said.trim_matches('"').to_owned());
    }
    false
}

/// Takes the rule and the effect with which the card would have just this line.
fn retry(fault: &mut Fault, line: &str) -> bool {
    let (line, names) = without_names(&line.replace(ANOTHER_TOOL, OTHER_ARGUMENTS));
    let after_ms = delay(&line);
    let Some(known) = retry_lines(after_ms).into_iter().find(|it| it.line == line) else {
        return false;
    };
    fault.retry.kind = known.kind;
    fault.retry.after_ms = after_ms.filter(|_| known.kind == RetryKind::AfterDelay);
    fault.effect = known.effect;
    let pointer = |name: &String| Violation::new(&format!("/{name}"), "wrong", None);
    fault.violations = names.iter().map(pointer).collect();
    true
}

/// The line without the names of arguments in brackets, and these.
fn without_names(line: &str) -> (String, Vec<String>) {
    let names = line.split_once(" (").and_then(|(before, rest)| {
        let (names, after) = rest.split_once(')')?;
        let names = names.split(", ").map(str::to_owned).collect();
        Some((format!("{before}{after}"), names))
    });
    names.unwrap_or_else(|| (line.to_owned(), Vec::new()))
}

/// The time to wait that a line names, in milliseconds; where it was cut to tenths of a second, the longest it can mean.
fn delay(line: &str) -> Option<u64> {
    let (_, rest) = line.split_once("after ")?;
    let (number, unit) = rest.split_once(' ')?;
    if unit.starts_with("ms") {
        return number.parse().ok();
    }
    let (seconds, tenths) = number.split_once('.').unwrap_or((number, ""));
    let seconds = seconds.parse::<u64>().ok()?.checked_mul(1_000)?;
    match tenths {
        "" => Some(seconds),
        tenths => {
            seconds.checked_add(tenths.parse::<u64>().ok()?.checked_mul(100)?.checked_add(99)?)
        }
    }
}

fn action(next: &str) -> NextAction {
    let (tool, args) = next.split_once(' ').map_or((next, None), |(tool, args)| (tool, Some(args)));
    let tool = tool.to_owned();
    match args.map(|it| RawJson::parse(it.as_bytes())) {
        None => NextAction::Call { tool, args: None },
        Some(Ok(args)) if args.kind() == Kind::Object => {
            NextAction::Call { tool, args: Some(args) }
        }
        Some(_) => NextAction::Text(next.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use redress_registry::{Class, Effect, RetryKind};

    use super::card as read;
    use crate::{
        Lookup, card, codes,
        fault::{NextAction, Violation},
    };
    use redress_wire::json::RawJson;

    #[test]
    fn a_card_is_read_back_with_its_rule_and_its_effect() {
        let mut fault = codes::FILE_NOT_FOUND.raise([("path", "src/mian.rs")]);
        let args = RawJson::parse(br#"{"path":"src"}"#).unwrap();
        fault.next_actions =
            vec![NextAction::Call { tool: "list_directory".to_owned(), args: Some(args) }];
        for kind in RetryKind::ALL {
            for effect in Effect::ALL {
                for after_ms in [None, Some(250), Some(2_000), Some(1_550)] {
                    fault.retry.kind = *kind;
                    fault.retry.after_ms = after_ms.filter(|_| *kind == RetryKind::AfterDelay);
                    fault.effect = *effect;
                    let seen = read(&card(&fault), false, &Lookup::shipped()).unwrap();
                    assert_eq!((seen.retry.kind, seen.effect), (*kind, *effect));
                    assert!(seen.retry.after_ms >= fault.retry.after_ms, "never too early");
                    assert_eq!((&seen.message, &seen.hint), (&fault.message, &fault.hint));
                    assert_eq!(seen.next_actions, fault.next_actions);
                }
            }
        }
    }

    #[test]
    fn the_arguments_that_a_card_names_are_read_back() {
        let mut fault = codes::INVALID_INPUT_VALUE.raise([] as [(&str, &str); 0]);
        fault.retry.kind = RetryKind::AfterChange;
        fault.violations =
            vec![Violation::new("/path", "x", None), Violation::new("/depth", "x", None)];
        let seen = read(&card(&fault), false, &Lookup::shipped()).unwrap();
        let pointers: Vec<_> = seen.violations.iter().map(Violation::pointer).collect();
        assert_eq!(pointers, ["/path", "/depth"]);
    }

    #[test]
    fn a_wrong_name_of_a_tool_is_no_argument() {
        let fault = codes::UNKNOWN_TOOL.raise([("tool", "reed_file")]);
        let text = card(&fault);
        assert!(text.contains("Retry: only with another tool. Nothing was changed."), "{text}");
        assert!(fault.wrong_arguments().is_empty());
        let seen = read(&text, false, &Lookup::shipped()).unwrap();
        assert_eq!((seen.retry.kind, seen.effect), (fault.retry.kind, fault.effect));
        assert!(seen.violations.is_empty());
    }

    #[test]
    fn the_first_line_of_a_card_has_the_next_calls_of_its_row() {
        let seen = read("SESSION_NOT_INITIALIZED: No.", true, &Lookup::shipped()).unwrap();
        assert_eq!(
            seen.next_actions,
            codes::SESSION_NOT_INITIALIZED.raise([] as [(&str, &str); 0]).next_actions
        );
        assert!(!seen.next_actions.is_empty());
    }

    #[test]
    fn a_card_is_read_back_whatever_the_reason_against_a_repeat() {
        for code in [codes::NOT_FOUND, codes::INTERNAL_ERROR, codes::UNKNOWN_TOOL_FAILURE] {
            let mut fault = code.raise([] as [(&str, &str); 0]);
            for class in Class::ALL {
                (fault.class, fault.retry.kind) = (class, RetryKind::Never);
                fault.effect = Effect::Partial;
                let seen = read(&card(&fault), false, &Lookup::shipped()).unwrap();
                assert_eq!((seen.retry.kind, seen.effect), (RetryKind::Never, Effect::Partial));
            }
        }
    }

    #[test]
    fn a_delay_that_no_number_holds_is_none() {
        for number in ["0.184467440737095516", "18446744073709551615.9", "1.99999999999999999999"] {
            let card =
                format!("TIMEOUT: x\nRetry: the same call after {number} s. Nothing was changed.");
            assert!(read(&card, false, &Lookup::shipped()).is_none(), "{number}");
        }
    }

    #[test]
    fn a_word_before_a_colon_is_a_card_only_with_a_flag() {
        let lookup = Lookup::shipped();
        assert!(read("TIMEOUT: what it means", false, &lookup).is_none());
        assert!(read("TIMEOUT: it took too long", true, &lookup).is_some());
        assert!(read("[TIMEOUT] it took too long", true, &lookup).is_some());
        assert!(read("Error: it took too long", true, &lookup).is_none());
    }
}
