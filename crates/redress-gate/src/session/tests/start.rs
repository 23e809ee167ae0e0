//! Servers that cannot be begun with: what is told, and to whom.

use super::{OPEN, Rig, fault};
use crate::session::Exit;

#[test]
fn a_program_that_is_no_server_is_told_from_one_that_crashed() {
    let begun = |said: &str, log: &str, code| {
        let mut rig = Rig::up();
        rig.client(OPEN);
        if !said.is_empty() {
            rig.server(said);
        }
        rig.stderr.add(log.as_bytes());
        let heard = rig.gone(&Exit { code: Some(code), ..Exit::default() });
        fault(&heard[0]).clone()
    };
    let fault = begun("workstation-7", "", 0);
    assert_eq!(
        (&fault["code"], &fault["server_text"]),
        (&"UPSTREAM_CRASHED".into(), &"workstation-7".into())
    );
    assert_eq!(fault["retry"]["kind"], "after_human");
    let log = "npm error code E404\nnpm error 404  'nope@*' is not in this registry.\n\
        npm error A complete log of this run can be found in: /root/.npm/_logs/x.log\n";
    let fault = begun("", log, 1);
    assert_eq!(fault["server_text"], "npm error 404 'nope@*' is not in this registry.");
    assert_eq!(fault["retry"]["kind"], "after_human");
    assert!(fault["hint"].as_str().unwrap().starts_with("Check the command"), "{fault}");
    let fault = begun("", "connection reset, will exit\n", 1);
    assert_eq!(fault["retry"]["kind"], "after_delay");
}
