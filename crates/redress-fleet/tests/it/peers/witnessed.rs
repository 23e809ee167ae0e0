//! What was shipped, the node cannot change unseen.

use std::{fmt::Write as _, fs, path::Path};

use redress_fleet::{Difference, Mirror, compare};
use redress_ledger::{Chain, Evidence, verify};

use super::with_runtime;
use crate::{
    cluster::{Cluster, Rules},
    node::{Node, Process, ledger_of},
};

#[test]
#[ignore = "needs nats-server: cargo xtask peers"]
fn a_node_that_changes_cuts_or_removes_what_it_shipped_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let cluster = Cluster::start(3, &Rules::default());
    with_runtime(async {
        let connection = cluster.with_fleet(3).await;
        let node = Node::start(dir.path(), "a", cluster.settings());
        node.fail(0, 100);
        assert!(node.stop());
        let mut mirror = Mirror::open(&dir.path().join("mirror")).unwrap();
        mirror.pull(&connection).await.unwrap();
        let copy = mirror.ledgers()[0].1.clone();
        // The stream alone proves that each record follows the one before, and is signed.
        let report = verify(&copy, &Evidence::default()).unwrap();
        assert!(report.is_sound(), "{:?}", report.first_problem());
        assert_eq!(report.chains.len(), 1);
        let ledger = ledger_of(dir.path(), "a");
        let same = compare(&copy, &[&ledger]).unwrap();
        assert_eq!((same.differences.len(), same.unshipped), (0, 0));
        assert!(same.same > 100);
        let chain = Chain::all(&ledger).unwrap().remove(0);
        let file = chain.path.join("00000001.jsonl");
        let whole = fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        let found = |lines: &[&str]| {
            fs::write(&file, lines.join("\n") + "\n").unwrap();
            compare(&copy, &[&ledger]).unwrap().differences
        };
        // Changed, with all hashes behind it made anew, as somebody with the key of the node could.
        let forged = forged(&lines, 50);
        let forged: Vec<&str> = forged.iter().map(String::as_str).collect();
        let differences = found(&forged);
        assert!(
            matches!(&differences[..], [Difference::Changed { seq: 50, .. }]),
            "{differences:?}"
        );
        // Cut.
        let last = lines.len() as u64 - 1;
        let differences = found(&lines[..60]);
        assert!(
            matches!(&differences[..], [Difference::Cut { records, .. }] if *records == (60, last)),
            "{differences:?}"
        );
        // Two records in the other order.
        let mut swapped = lines.clone();
        swapped.swap(20, 21);
        let differences = found(&swapped);
        assert!(
            matches!(&differences[0], Difference::Damaged { after: 19, .. }),
            "{differences:?}"
        );
        // All of it is gone.
        found(&lines);
        fs::remove_dir_all(&chain.path).unwrap();
        let differences = compare(&copy, &[&ledger]).unwrap().differences;
        assert!(
            matches!(&differences[..], [Difference::Cut { records, .. }] if *records == (0, last)),
            "{differences:?}"
        );
    });
}

#[test]
#[ignore = "needs nats-server: cargo xtask peers"]
fn a_node_that_shows_the_stream_another_chain_is_found_by_both() {
    let dir = tempfile::tempdir().unwrap();
    let cluster = Cluster::start(3, &Rules::default());
    with_runtime(async {
        let connection = cluster.with_fleet(3).await;
        Process::start(&cluster.url(), dir.path(), "a", 400).end();
        // What was shipped is changed on the node before it goes on.
        let ledger = ledger_of(dir.path(), "a");
        let chain = Chain::all(&ledger).unwrap().remove(0);
        rewrite(&chain.path.join("00000001.jsonl"), 30);
        let node = Node::start(dir.path(), "a", cluster.settings());
        node.fail(50, 5);
        let said = node.wait_for("another one on the engine");
        assert!(said.contains(&*chain.name), "{said}");
        node.wait();
        node.stop();
        let mut mirror = Mirror::open(&dir.path().join("mirror")).unwrap();
        mirror.pull(&connection).await.unwrap();
        let differences = compare(&mirror.ledgers()[0].1, &[&ledger]).unwrap().differences;
        assert!(
            differences.iter().any(|it| matches!(it, Difference::Changed { seq: 30, .. })),
            "{differences:?}"
        );
    });
}

/// The lines of a chain with another record, and the hashes behind it made anew.
fn forged(lines: &[&str], at: usize) -> Vec<String> {
    let mut out: Vec<String> = lines[..at].iter().map(|&it| it.to_owned()).collect();
    let mut prev = hash_of(lines[at - 1]).to_owned();
    for (number, line) in lines.iter().enumerate().skip(at) {
        let mut body = line.split_once(",\"hash\":\"").unwrap().0.to_owned();
        let old = &body[body.find("\"prev\":\"").unwrap() + 8..][..64];
        body = body.replacen(&old.to_owned(), &prev, 1);
        if number == at {
            body = body.replacen("xxxxxxxxxx", "yyyyyyyyyy", 1);
        }
        prev = sha(body.as_bytes());
        out.push(format!("{body},\"hash\":\"{prev}\"}}"));
    }
    out
}

fn hash_of(line: &str) -> &str {
    &line[line.len() - 66..line.len() - 2]
}

fn rewrite(file: &Path, at: usize) {
    let whole = fs::read_to_string(file).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let forged = forged(&lines, at);
    fs::write(file, forged.join("\n") + "\n").unwrap();
}

fn sha(bytes: &[u8]) -> String {
    let digest = <sha2::Sha256 as sha2::Digest>::digest(bytes);
    digest.iter().fold(String::new(), |mut hex, it| {
        write!(hex, "{it:02x}").unwrap();
        hex
    })
}
