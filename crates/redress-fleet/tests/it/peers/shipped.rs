//! Nothing that was recorded is missing in the stream, whatever happens to servers and nodes.

use super::{assert_same, with_runtime};
use crate::{
    cluster::{Cluster, Rules},
    node::{Node, Process, entries, ledger_of},
};

#[test]
#[ignore = "needs nats-server: cargo xtask peers"]
fn every_record_arrives_once_and_in_order_while_leaders_and_majorities_die() {
    let dir = tempfile::tempdir().unwrap();
    let mut cluster = Cluster::start(3, &Rules::default());
    with_runtime(async {
        let connection = cluster.with_fleet(3).await;
        let names = ["a", "b", "c"];
        let nodes: Vec<Node> =
            names.iter().map(|it| Node::start(dir.path(), it, cluster.settings())).collect();
        let mut at = 0;
        let mut fail = |count| {
            for node in &nodes {
                node.fail(at, count);
            }
            at += count;
        };
        fail(500);
        nodes.iter().for_each(Node::wait);
        // The leader dies while records are under way.
        let leader = cluster.leader(&connection).await;
        fail(500);
        cluster.kill(leader);
        fail(500);
        nodes.iter().for_each(Node::wait);
        cluster.revive(leader);
        fail(100);
        // Two of three die: nothing is acknowledged, and no failure waits for that.
        cluster.kill(0);
        cluster.kill(1);
        fail(500);
        assert!(nodes.iter().all(|it| it.progress.snapshot().lag_records > 0));
        cluster.revive(0);
        nodes.iter().for_each(Node::wait);
        cluster.revive(1);
        // All die at once, and come back.
        fail(100);
        cluster.all().for_each(|it| cluster.kill(it));
        fail(500);
        cluster.all().for_each(|it| cluster.revive(it));
        nodes.iter().for_each(Node::wait);
        assert!(nodes.into_iter().all(Node::stop));
        assert_same(&connection, dir.path(), &names).await;
    });
}

#[test]
#[ignore = "needs nats-server: cargo xtask peers"]
fn a_node_goes_on_where_a_killed_one_ended_and_ships_what_others_left() {
    let dir = tempfile::tempdir().unwrap();
    let mut cluster = Cluster::start(3, &Rules::default());
    with_runtime(async {
        let connection = cluster.with_fleet(3).await;
        let settings = cluster.settings();
        // Processes that are killed in the middle of shipping.
        let ledger = ledger_of(dir.path(), "a");
        for killed in 1..=3 {
            let process = Process::start(&cluster.url(), dir.path(), "a", 1_000_000);
            process.kill_at(&ledger, killed * 500_000);
        }
        // The engine is not there: what is recorded waits, and the gate ends without it.
        cluster.all().for_each(|it| cluster.kill(it));
        let second = Node::start(dir.path(), "a", settings.clone());
        second.fail(2000, 300);
        second.wait_for("fleet: ");
        second.abandon();
        cluster.all().for_each(|it| cluster.revive(it));
        // The next one ships its own chain and those of the others.
        let third = Node::start(dir.path(), "a", settings);
        third.fail(3000, 10);
        assert!(third.stop());
        assert_same(&connection, dir.path(), &["a"]).await;
        let chains: std::collections::BTreeSet<_> =
            entries(&ledger_of(dir.path(), "a")).into_iter().map(|it| it.chain).collect();
        assert_eq!(chains.len(), 5);
    });
}

#[test]
#[ignore = "needs nats-server: cargo xtask peers"]
fn what_was_pruned_before_it_could_be_shipped_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let mut cluster = Cluster::start(3, &Rules::default());
    with_runtime(async {
        let connection = cluster.with_fleet(3).await;
        cluster.all().for_each(|it| cluster.kill(it));
        let small = |most_bytes| {
            move |options: &mut redress_ledger::Options,
                  progress: &std::sync::Arc<redress_fleet::Progress>| {
                options.segment_bytes = 1 << 14;
                options.keep_millis = Some(1);
                options.hold = Some(progress.hold(most_bytes));
            }
        };
        let node = Node::start_with(dir.path(), "a", cluster.settings(), small(1 << 15));
        for at in 0..10 {
            node.fail(100 * at, 100);
        }
        let kept = entries(&ledger_of(dir.path(), "a")).len();
        assert!(kept < 1000, "{kept}");
        cluster.all().for_each(|it| cluster.revive(it));
        node.wait();
        assert!(node.stop());
        let mut mirror = redress_fleet::Mirror::open(&dir.path().join("mirror")).unwrap();
        mirror.pull(&connection).await.unwrap();
        assert_eq!(mirror.findings(), []);
        let gaps = mirror.gaps();
        assert_eq!((gaps[0].node.as_str(), gaps[0].missing.first), ("a", 0));
        assert_eq!(gaps[0].missing.why, "pruned");
        // Everything behind the gap is there.
        let there = entries(&mirror.ledgers()[0].1);
        assert_eq!(there[0].seq, gaps[0].missing.last + 1);
        for here in entries(&ledger_of(dir.path(), "a")) {
            assert!(there.contains(&here), "{}", here.seq);
        }
    });
}
