//! What a fleet promises, on three real servers.

mod commands;
mod refused;
mod shipped;
mod witnessed;

use std::path::Path;

use redress_fleet::{Connection, Mirror};

use crate::node::{entries, ledger_of};

/// One runtime for a test, whose connections live while the test waits for something else.
fn with_runtime<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
        .block_on(work)
}

/// Whether the stream has exactly what the nodes have: nothing missing, nothing twice, each chain in order.
async fn assert_same(connection: &Connection, dir: &Path, nodes: &[&str]) {
    let mut mirror = Mirror::open(&dir.join("mirror")).unwrap();
    mirror.pull(connection).await.unwrap();
    assert_eq!(mirror.findings(), []);
    assert_eq!(mirror.gaps(), []);
    let copies = mirror.ledgers();
    assert_eq!(copies.len(), nodes.len());
    for node in nodes {
        let copy = &copies.iter().find(|it| it.0 == *node).unwrap().1;
        let (here, there) = (entries(&ledger_of(dir, node)), entries(copy));
        assert!(here.len() > 5, "{}", here.len());
        let missing = here.iter().filter(|it| !there.contains(it)).count();
        assert_eq!((missing, there.len()), (0, here.len()), "of {node}");
        assert_eq!(here, there);
    }
}
