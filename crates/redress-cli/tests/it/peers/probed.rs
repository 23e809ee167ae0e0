//! The probe of the official server, on both transports.

use redress_probe::Report;

use super::{clients::fixture, served::Served};
use crate::redress::redress;

fn probed(target: &[&str]) -> Report {
    let ran = redress(&[&["probe", "--format", "json"], target].concat(), b"");
    assert_eq!(ran.exit, 1, "{}", ran.err);
    Report::read(ran.out.as_bytes()).unwrap()
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn the_probe_sees_the_same_on_both_transports() {
    let served = Served::fixture();
    let command = fixture();
    let command: Vec<&str> =
        command.iter().map(String::as_str).filter(|it| *it != "stdio").collect();
    let piped = probed(&[&["--"][..], &command, &["stdio"]].concat());
    for report in [piped, probed(&["--url", served.url()])] {
        assert_eq!(report.server.revision, "2026-07-28");
        let rules: Vec<_> = report.direct.findings.iter().map(|it| it.key()).collect();
        assert!(
            rules.contains(&("PR209", Some("sum"))),
            "it does not look at arguments: {rules:?}"
        );
        assert!(rules.iter().all(|it| !it.0.starts_with("PR1")), "it answers: {rules:?}");
        assert_eq!((report.direct.restarts, report.direct.stopped), (0, None));
    }
}
