//! The mirror of a chain: what it keeps, continues and refuses.

use std::sync::Arc;

use redress_ledger::{Chain, ChainCursor, Ledger, Next, Options, Time};

use super::Mirror;
use crate::{message::Outgoing, names::Names};

/// The chain of a ledger that was opened and closed, and its message.
fn sent(dir: &std::path::Path) -> (String, Outgoing) {
    let options = Options::new(
        dir.join("ledger"),
        dir.join("key"),
        Arc::new(|| Time::from_millis(1_700_000_000_000)),
    );
    Ledger::open(options).unwrap().close().unwrap();
    let chain = Chain::all(&dir.join("ledger")).unwrap().remove(0);
    let Next::Portion(portion) = ChainCursor::start(&chain).read(u64::MAX, 1 << 20).unwrap() else {
        panic!("no records")
    };
    (chain.name.as_ref().to_owned(), Outgoing::of_portion(portion))
}

#[test]
fn a_mirror_goes_on_after_it_was_cut_off_and_names_what_does_not_fit() {
    let dir = tempfile::tempdir().unwrap();
    let (chain, message) = sent(dir.path());
    let names = Names::new("redress").unwrap();
    let subject = names.subject("n1", &chain);
    let headers = message.headers(&chain);
    let place = dir.path().join("mirror");
    let mut mirror = Mirror::open(&place).unwrap();
    mirror.take(&names, (1, &subject), Some(&headers), &message.body).unwrap();
    assert_eq!(mirror.findings(), []);
    mirror.sequence = 1;
    mirror.keep().unwrap();
    // What came behind the state is cut.
    let file = place.join("n1").join(&chain).join("00000001.jsonl");
    let whole = std::fs::read(&file).unwrap();
    assert_eq!(whole, message.body);
    std::fs::write(&file, [&whole[..], b"half a li"].concat()).unwrap();
    let mut mirror = Mirror::open(&place).unwrap();
    assert_eq!((mirror.sequence, std::fs::read(&file).unwrap()), (1, whole));
    // The same message once more does not follow.
    mirror.take(&names, (2, &subject), Some(&headers), &message.body).unwrap();
    assert_eq!(mirror.findings()[0].seq, Some(0));
    // A changed line, a strange subject, no headers.
    let text = String::from_utf8(message.body.to_vec()).unwrap().replacen("genesis", "genesys", 1);
    mirror.take(&names, (3, &subject), Some(&headers), text.as_bytes()).unwrap();
    mirror.take(&names, (4, "redress.ledger.n1.x"), Some(&headers), &message.body).unwrap();
    mirror.take(&names, (5, &subject), None, &message.body).unwrap();
    let at: Vec<u64> = mirror.findings().iter().map(|it| it.sequence).collect();
    assert!([2, 3, 4, 5].iter().all(|it| at.contains(it)), "{:?}", mirror.findings());
    // A file that is shorter than it was begins anew.
    std::fs::write(&file, "").unwrap();
    assert_eq!(Mirror::open(&place).unwrap().sequence, 0);
}
