//! Signing keys: what they sign, and how they are written to files.

use std::{
    fmt,
    io::{self, Write as _},
    path::Path,
};

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use crate::{
    FORMAT,
    disk::{self, File, OpenOptions, random},
    error::{Failure, OpenError},
    hash::{Hash, from_hex, hex},
};

/// What may be signed. The words are part of the format.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Statement<'a> {
    /// The chain had `count` records, and the last had this hash.
    Checkpoint { chain: &'a str, count: u64, head: Hash },
    /// A segment was removed; the next record is `next_seq`, after `head`.
    Prune { chain: &'a str, segment: u32, next_seq: u64, head: Hash },
    /// The operator approved a plan, whose text has this hash.
    Approval { plan: &'a str },
    /// A turn of the key, after the record with the hash `prev`; the key of the next epoch is `next`.
    Epoch { number: u64, prev: Hash, next: PublicKey, entry: &'a str },
}

impl fmt::Display for Statement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checkpoint { chain, count, head } => {
                write!(f, "{FORMAT} checkpoint\n{chain}\n{count}\n{head}\n")
            }
            Self::Prune { chain, segment, next_seq, head } => {
                write!(f, "{FORMAT} prune\n{chain}\n{segment}\n{next_seq}\n{head}\n")
            }
            Self::Approval { plan } => write!(f, "redress-plan/1 approval\n{plan}\n"),
            Self::Epoch { number, prev, next, entry } => {
                write!(f, "{FORMAT} epoch\n{number}\n{prev}\n{next}\n{entry}")
            }
        }
    }
}

/// The private key.
pub(crate) struct Signer(SigningKey);

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Signer").field(&self.public()).finish()
    }
}

impl Signer {
    /// Reads the key, or makes one (mode 0600) and its public half (`.pub`) beside it.
    pub(crate) fn load_or_create(path: &Path) -> Result<Self, OpenError> {
        let signer = match Self::load(path) {
            Err(OpenError::Io(failure)) if failure.error.kind() == io::ErrorKind::NotFound => {
                create(path).map_err(|error| Failure::new("create", path, error))?;
                Self::load(path)
            }
            other => other,
        }?;
        signer.public().publish(&path.with_extension("pub"))?;
        Ok(signer)
    }

    pub(crate) fn load(path: &Path) -> Result<Self, OpenError> {
        let refuse = |why| OpenError::Key { path: path.to_owned(), why };
        let text = read_secret(path)?;
        Self::parse(text.trim_end()).ok_or_else(|| refuse("is not 64 hex digits"))
    }

    /// A new key, which is nowhere but in memory.
    pub(crate) fn generate() -> io::Result<Self> {
        Ok(Self(SigningKey::from_bytes(&random()?)))
    }

    /// The key that 64 hex digits write.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        from_hex(text.as_bytes()).map(|it| Self(SigningKey::from_bytes(&it)))
    }

    /// The key as 64 hex digits.
    pub(crate) fn secret(&self) -> String {
        hex(&self.0.to_bytes())
    }

    /// The half that everybody may know.
    pub(crate) fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// The signature as hex digits.
    pub(crate) fn sign(&self, statement: &Statement<'_>) -> String {
        hex(&self.0.sign(statement.to_string().as_bytes()).to_bytes())
    }
}

/// What a file holds that only its owner may read.
pub(crate) fn read_secret(path: &Path) -> Result<String, OpenError> {
    let failed = |error| Failure::new("read", path, error);
    let file = disk::metadata(path).map_err(failed)?;
    let refuse = |why| OpenError::Key { path: path.to_owned(), why };
    if file.mode & 0o077 != 0 {
        return Err(refuse("can be read by others: it must have mode 0600"));
    }
    // A pipe could be read for ever.
    if !file.is_file() {
        return Err(refuse("is no file"));
    }
    let bytes = disk::read(path).map_err(failed)?;
    String::from_utf8(bytes).map_err(|_no_text| refuse("is no text"))
}

/// Writes a key under another name and links it into place, so that of two processes one wins and none sees half a key.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    let named = path.parent().filter(|it| !it.as_os_str().is_empty());
    let parent = named.unwrap_or(Path::new("."));
    disk::create_private_dirs(parent)?;
    let seed = random::<32>()?;
    let draft = path.with_extension(format!("new-{}", hex(&random::<8>()?)));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    let written = writeln!(file, "{}", hex(&seed)).and_then(|()| file.sync_all());
    let linked = written.and_then(|()| disk::hard_link(&draft, path));
    disk::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        other => other?,
    }
    File::open(parent)?.sync_all()
}

/// The half of a signing key that checks signatures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// The key that 64 hex digits write.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = from_hex(text.trim().as_bytes())?;
        VerifyingKey::from_bytes(&bytes).ok().map(Self)
    }

    /// The public half of the private key that 64 hex digits write. Any 64 are one: whether they are in use, another file says.
    pub fn of_private(text: &str) -> Option<Self> {
        let seed = from_hex(text.trim().as_bytes())?;
        Some(Self(SigningKey::from_bytes(&seed).verifying_key()))
    }

    /// Writes it to a file, unless it is there.
    pub(crate) fn publish(&self, path: &Path) -> Result<(), OpenError> {
        let text = format!("{self}\n");
        if disk::read(path).is_ok_and(|it| it == text.as_bytes()) {
            return Ok(());
        }
        Ok(disk::write(path, text).map_err(|error| Failure::new("write", path, error))?)
    }

    /// Its bytes, to look it up by.
    pub(crate) fn bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// The start of it, in the name of the log of its epochs.
    pub(crate) fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(16);
        text
    }

    /// Whether `signature` (hex digits) is this key's under a plan's hash.
    pub fn has_approved(&self, plan: &str, signature: &str) -> bool {
        self.has_signed(&Statement::Approval { plan }, signature)
    }

    /// Whether `signature` (hex digits) is this key's under the statement.
    pub(crate) fn has_signed(&self, statement: &Statement<'_>, signature: &str) -> bool {
        from_hex(signature.as_bytes()).is_some_and(|it| {
            let signature = Signature::from_bytes(&it);
            self.0.verify_strict(statement.to_string().as_bytes(), &signature).is_ok()
        })
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(self.0.as_bytes()))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::{PublicKey, Signer, Statement};
    use crate::{error::OpenError, hash::Hash};

    #[test]
    fn a_key_is_made_once_and_only_its_owner_can_read_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config/ledger.key");
        let first = Signer::load_or_create(&path).unwrap();
        let again = Signer::load_or_create(&path).unwrap();
        assert_eq!(first.public(), again.public());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let public = fs::read_to_string(path.with_extension("pub")).unwrap();
        assert_eq!(PublicKey::parse(&public), Some(first.public()));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 2);

        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(Signer::load_or_create(&path), Err(OpenError::Key { .. })));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, "no key").unwrap();
        assert!(matches!(Signer::load_or_create(&path), Err(OpenError::Key { .. })));
    }

    #[test]
    fn a_signature_is_for_one_statement_only() {
        let dir = tempfile::tempdir().unwrap();
        let signer = Signer::load_or_create(&dir.path().join("key")).unwrap();
        let statement = |count| Statement::Checkpoint { chain: "c", count, head: Hash::ZERO };
        let signature = signer.sign(&statement(1));
        assert!(signer.public().has_signed(&statement(1), &signature));
        assert!(!signer.public().has_signed(&statement(2), &signature));
        assert!(!signer.public().has_signed(&statement(1), "00"));
    }
}
