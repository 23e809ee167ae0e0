//! Invariants of a governed server that only a defect could break: what is answered then.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use redress::Dialect;
use redress_govern::{
    Call, Checks, Decision, Governor, Launched, Launcher, Manifest, Plans, Policy, Principal,
    Protected, role::Roles, session::SessionRules,
};
use redress_registry::{Registry, Source, load, shipped};
use redress_wire::json::{Doc, Limits};

use super::{CALL, Rig, card, fault, settings};
use crate::{server::Server, settings::Mode};

/// No write is checked here.
#[derive(Debug)]
struct NoLauncher;

impl Launcher for NoLauncher {
    fn launch(&self, _: Command, _: &Path) -> io::Result<Launched> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

fn governor(contract: &Registry) -> Arc<Governor> {
    Arc::new(Governor::new(Policy {
        is_built_in: false,
        server: "files".to_owned(),
        roles: Roles::default(),
        rules: SessionRules::new(&["*"], "docs/reports").unwrap(),
        manifest: Manifest::new(contract, &["run".to_owned()]).unwrap(),
        extras: Vec::new(),
        writes: Checks::default(),
        launcher: Arc::new(NoLauncher),
        plans: Plans::new("docs/plans".to_owned(), Vec::new(), PathBuf::new()),
        guarded: Protected::default(),
        role: None,
        callers: BTreeMap::new(),
        root: None,
        dialect: Dialect::Native,
        ledger: PathBuf::new(),
        say: |_| (),
    }))
}

fn governed(rig: &Rig) -> Arc<Server> {
    let server = Server::new(settings(Mode::Enforce), rig.start);
    Arc::new(server.governed_by(governor(shipped::core())))
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

const RUNS: &str = "format = 'redress-registry/1'\nextends = ['core']\n[registry]\nname = 'runs'\nversion = '0.1.0'\n\
                    [tool.run]\noperation = 'eval'\n";

#[test]
fn nobody_waits_while_the_code_of_somebody_else_is_read() {
    const TIMES: u32 = 16;
    let source = Source::new("errors.toml", RUNS);
    let contract = load(&source, &|_, _| None).unwrap();
    let governor = governor(&contract);
    let long = format!("{{\"code\":\"{}\"}}", "x = f(y, [1, 2]);".repeat(5_000));
    let long = Doc::parse(long.as_bytes(), Limits::DOCUMENT).unwrap();
    let call = |name, arguments| Call {
        caller: Principal::Process,
        name,
        is_tool: true,
        is_task: false,
        arguments,
    };
    let workspace = tempfile::tempdir().unwrap();
    let root = format!("{{\"workspace_root\":{:?}}}", workspace.path());
    let root = Doc::parse(root.as_bytes(), Limits::DOCUMENT).unwrap();
    let (_, begun) = governor.before(&call("begin_session", Some(root.root())));
    assert!(matches!(begun, Decision::Answer { .. }), "{begun:?}");
    let (_, read) = governor.before(&call("run", Some(long.root())));
    let is_read = match &read {
        Decision::Refuse(fault) => fault.code().starts_with("EVAL_"),
        _ => true,
    };
    assert!(is_read, "no guard before has refused it: {read:?}");
    let (is_over, mut waits) = (AtomicBool::new(false), Vec::new());
    let shortest = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let read = || timed(|| drop(governor.before(&call("run", Some(long.root())))));
            let times: Vec<Duration> = (0..TIMES).map(|_| read()).collect();
            is_over.store(true, Ordering::Release);
            times.into_iter().min().unwrap()
        });
        while !is_over.load(Ordering::Acquire) {
            waits.push(timed(|| drop(governor.before(&call("session_status", None)))));
            thread::yield_now();
        }
        reader.join().unwrap()
    });
    // Whoever had to wait for them would do little else; a busy machine has a wait now and then.
    let waited: Duration = waits.iter().filter(|it| **it > shortest / 2).sum();
    assert!(waited < shortest * TIMES / 4, "{waited:?} in {} calls, {shortest:?}", waits.len());
}

fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}
