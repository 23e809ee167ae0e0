//! Chains as somebody makes them who can write the ledger and has a key, but not the ledger's.

use std::{fmt::Write as _, fs, path::Path};

use ed25519_dalek::{Signer as _, SigningKey};
use redress_ledger::PublicKey;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::fixture::hex;

pub(crate) struct Forger {
    key: SigningKey,
    chain: String,
    seq: u64,
    prev: String,
    lines: String,
}

impl Forger {
    /// A chain without a record.
    pub(crate) fn new(chain: &str) -> Self {
        let key = SigningKey::from_bytes(&[7; 32]);
        let prev = "0".repeat(64);
        Self { key, chain: chain.to_owned(), seq: 0, prev, lines: String::new() }
    }

    /// The same with a key that somebody stole, as hex digits.
    pub(crate) fn with_secret(chain: &str, secret: &str) -> Self {
        let bytes: Vec<u8> = (0..32)
            .map(|at| u8::from_str_radix(&secret[2 * at..2 * at + 2], 16).unwrap())
            .collect();
        Self { key: SigningKey::from_bytes(&bytes.try_into().unwrap()), ..Self::new(chain) }
    }

    pub(crate) fn public(&self) -> PublicKey {
        PublicKey::parse(&self.key_text()).unwrap()
    }

    fn key_text(&self) -> String {
        hex(self.key.verifying_key().as_bytes())
    }

    /// Goes on where a chain ends: with that number, behind that hash.
    pub(crate) fn behind(mut self, seq: u64, prev: &str) -> Self {
        (self.seq, self.prev) = (seq, prev.to_owned());
        self
    }

    pub(crate) fn record(mut self, kind: &str, object: &serde_json::Value) -> Self {
        let Self { seq, prev, .. } = &self;
        let body = format!(
            r#"{{"seq":{seq},"time":"2026-01-19T15:32:10.000Z","prev":"{prev}","kind":"{kind}","{kind}":{object}"#
        );
        self.prev = hex(&Sha256::digest(body.as_bytes()));
        writeln!(self.lines, "{body},\"hash\":\"{}\"}}", self.prev).unwrap();
        self.seq += 1;
        self
    }

    pub(crate) fn genesis(self) -> Self {
        let object =
            json!({"format": "redress-ledger/1", "chain": self.chain, "key": self.key_text()});
        self.record("genesis", &object)
    }

    /// The first record of a segment, as if others were before it.
    pub(crate) fn rotate(self, segment: u32) -> Self {
        let after = json!({"segment": segment - 1, "bytes": 1, "failed": false});
        let object = json!({"format": "redress-ledger/1", "segment": segment, "after": after});
        self.record("rotate", &object)
    }

    pub(crate) fn checkpoint(self) -> Self {
        self.checkpoint_at("stop")
    }

    pub(crate) fn checkpoint_at(self, why: &str) -> Self {
        let Self { seq, prev, chain, .. } = &self;
        let sig = self.sign(&format!("redress-ledger/1 checkpoint\n{chain}\n{seq}\n{prev}\n"));
        let object =
            json!({"count": seq, "head": prev, "why": why, "key": self.key_text(), "sig": sig});
        self.record("checkpoint", &object)
    }

    pub(crate) fn prune(self, chain: &str, segment: u32, next_seq: u64, head: &str) -> Self {
        let sig =
            self.sign(&format!("redress-ledger/1 prune\n{chain}\n{segment}\n{next_seq}\n{head}\n"));
        let object = json!({
            "chain": chain, "segment": segment, "next_seq": next_seq, "head": head, "why": "age",
            "key": self.key_text(), "sig": sig,
        });
        self.record("prune", &object)
    }

    /// An `epoch` record: `number` is that of the epoch, behind the hash `prev`.
    pub(crate) fn epoch(
        &self,
        (number, prev): (u64, &str),
        event: &str,
        ledger: &str,
        at: (u64, &str),
    ) -> String {
        let (key, chain) = (self.key_text(), &self.chain);
        let next = hex(SigningKey::from_bytes(&[9; 32]).verifying_key().as_bytes());
        let (seq, hash) = at;
        let sig = self.sign(&format!(
            "redress-ledger/1 epoch\n{number}\n{prev}\n{next}\n{event}\n{ledger}\n{chain}\n{seq}\n{hash}\n"
        ));
        let object = json!({
            "key": key, "next": next, "event": event, "ledger": ledger, "chains": [chain], "seq": seq,
            "hash": hash, "sig": sig,
        });
        let line = Self::new(chain).behind(number, prev).record("epoch", &object);
        line.lines
    }

    /// The end of the chain so far: the number and the hash of its last record.
    pub(crate) fn end(&self) -> (u64, &str) {
        (self.seq - 1, &self.prev)
    }

    fn sign(&self, text: &str) -> String {
        hex(&self.key.sign(text.as_bytes()).to_bytes())
    }

    pub(crate) fn lines(&self) -> &str {
        &self.lines
    }

    pub(crate) fn save(&self, ledger: &Path, segment: u32) {
        let chain = ledger.join(&self.chain);
        fs::create_dir_all(&chain).unwrap();
        fs::write(chain.join(format!("{segment:08}.jsonl")), &self.lines).unwrap();
    }
}
