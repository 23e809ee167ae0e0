//! Failures whose cause an SDK hides from the answer: the log of the call names them, to the operator alone.

use std::time::Duration;

use redress::fault::Cause;

use super::{CALL, Rig, card, code};
use crate::{outgoing::Sender, settings::Mode};

const MASKED: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"Error executing tool read"}],"isError":true}}"#;
const LOG: &[u8] = b"ERROR Tool 'read' raised an unexpected exception\nTraceback (most recent call last):\n  File \"s.py\", line 5, in read\nFileNotFoundError: [Errno 2] No such file or directory: 'a.txt'\n\nThe above exception was the direct cause of the following exception:\n\nmcp.UnexpectedToolError: Error executing tool read\n";
/// How long the log of a call may come after its answer.
const DELAY: Duration = Duration::from_millis(200);

#[test]
fn the_log_of_the_call_names_what_the_answer_hides() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    rig.stderr.add(LOG);
    let line = MASKED.replace("ID", &rig.last_id());
    rig.session.upstream_line(line.as_bytes(), &mut rig.actions);
    let private = rig.actions.faults[0].fault().private;
    let [Cause::Text(log)] = &private.hidden[..] else { panic!("{private:?}") };
    assert_eq!(private.rule.as_deref(), Some("stderr"));
    assert!(
        log.starts_with("ERROR Tool") && log.contains("\nFileNotFoundError: [Errno 2]"),
        "{log}"
    );
    let heard = rig.heard();
    assert_eq!(code(&heard[0]), "FILE_NOT_FOUND");
    let text = heard[0].to_string();
    assert!(!text.contains("Errno") && !text.contains("s.py"), "{text}");
    assert!(card(&heard[0]).ends_with("Server said: \"Error executing tool read\""), "{text}");
}

#[test]
fn a_log_that_comes_behind_the_answer_counts() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    assert!(rig.server(MASKED).is_empty());
    rig.stderr.add(LOG);
    let heard = rig.after(DELAY);
    assert_eq!(code(&heard[0]), "FILE_NOT_FOUND");
}

#[test]
fn where_nothing_is_logged_nothing_is_known() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.stderr.add(LOG);
    rig.client(CALL);
    assert!(rig.server(MASKED).is_empty());
    let heard = rig.after(DELAY);
    assert_eq!(code(&heard[0]), "UNKNOWN_TOOL_FAILURE");
}

#[test]
fn a_log_of_several_calls_names_none_of_them() {
    for first in [true, false] {
        let mut rig = Rig::knowing(Mode::Enforce);
        rig.client(CALL);
        let one = rig.last_id();
        rig.client(&CALL.replace(":7,", ":8,"));
        let other = rig.last_id();
        rig.stderr.add(LOG);
        let asked = if first { one } else { other };
        let heard = rig.server_bytes(MASKED.replace("ID", &asked).as_bytes());
        assert_eq!(code(&heard[0]), "UNKNOWN_TOOL_FAILURE");
    }
}

#[test]
fn words_of_the_answer_are_not_replaced_by_the_log() {
    let mut rig = Rig::knowing(Mode::Enforce);
    for (text, expected) in [
        ("Error executing tool read: It went astray", "UNKNOWN_TOOL_FAILURE"),
        ("It went astray", "UNKNOWN_TOOL_FAILURE"),
    ] {
        rig.session.client_line(CALL.as_bytes(), Sender::default(), &mut rig.actions);
        rig.heard();
        rig.stderr.add(LOG);
        let heard = rig.server(&MASKED.replace("Error executing tool read", text));
        assert_eq!(code(&heard[0]), expected);
    }
}
