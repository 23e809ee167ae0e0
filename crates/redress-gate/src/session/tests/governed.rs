//! Invariants of a governed server that only a defect could break: what is answered then.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use redress::Dialect;
use redress_govern::{role::Roles, session::Rules};
use redress_registry::shipped;

use super::{CALL, FAILED, Rig, card, fault, settings};
use crate::{
    govern::{Checks, Governor, Guarded, Manifest, Plans, Policy},
    link::Books,
    run::OnLedgerFailure,
    server::Server,
    settings::Mode,
};

fn governor() -> Arc<Governor> {
    Arc::new(Governor::new(Policy {
        is_built_in: false,
        server: "files".to_owned(),
        roles: Roles::default(),
        rules: Rules::new(&["*"], "docs/reports").unwrap(),
        manifest: Manifest::new(shipped::core(), &[]).unwrap(),
        extras: Vec::new(),
        writes: Checks::default(),
        plans: Plans::new("docs/plans".to_owned(), None, PathBuf::new()),
        guarded: Guarded::default(),
        role: None,
        callers: BTreeMap::new(),
        root: None,
        dialect: Dialect::Native,
        ledger: PathBuf::new(),
        say: |_| (),
    }))
}

fn governed(rig: &Rig) -> Arc<Server> {
    let mut server = Server::new(settings(Mode::Enforce), rig.start);
    server.governor = Some(governor());
    Arc::new(server)
}

#[test]
fn what_nobody_has_judged_is_not_answered() {
    let mut rig = Rig::up();
    rig.client(CALL);
    rig.session.server = governed(&rig);
    let heard = rig
        .server(r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"x"}]}}"#);
    assert!(card(&heard[0]).starts_with("INVARIANT_VIOLATION: "), "{heard:?}");
    assert_eq!(fault(&heard[0])["context"]["invariant_id"], "INV_ANSWER_JUDGED");
}

#[test]
fn a_governed_gate_tells_no_failure_without_a_record() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    let id = rig.last_id();
    rig.session.upstream_line(FAILED.replace("ID", &id).as_bytes(), &mut rig.turn);
    let told = rig.turn.told.pop().unwrap();
    let books = Books { ledger: None, on_failure: OnLedgerFailure::Closed, server: governed(&rig) };
    assert!(books.are_kept(), "they must be");
    let (sender, heard) = std::sync::mpsc::channel();
    books.record(told, false, move |letter, _| sender.send(letter.line).unwrap());
    let answer = serde_json::from_slice(&heard.recv().unwrap()).unwrap();
    assert!(card(&answer).starts_with("INVARIANT_VIOLATION: "), "{answer}");
    assert_eq!(fault(&answer)["context"]["invariant_id"], "INV_RECORD_FIRST");
    assert_eq!(fault(&answer)["context"]["tool"], "read");
}
