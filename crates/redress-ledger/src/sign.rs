//! The signing key of a ledger: made once, kept apart from the records, used for checkpoints and prunings.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
};

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use crate::{
    FORMAT,
    error::{Failure, OpenError},
    hash::{Hash, from_hex, hex},
    notes,
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
        signer.publish(&path.with_extension("pub"))?;
        Ok(signer)
    }

    /// Writes the public half, unless it is there.
    fn publish(&self, path: &Path) -> Result<(), OpenError> {
        let text = format!("{}\n", self.public());
        if fs::read(path).is_ok_and(|it| it == text.as_bytes()) {
            return Ok(());
        }
        Ok(fs::write(path, text).map_err(|error| Failure::new("write", path, error))?)
    }

    fn load(path: &Path) -> Result<Self, OpenError> {
        let refuse = |why| OpenError::Key { path: path.to_owned(), why };
        let failed = |error| Failure::new("read", path, error);
        let mode = fs::metadata(path).map_err(failed)?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(refuse("can be read by others: it must have mode 0600"));
        }
        let text = fs::read_to_string(path).map_err(failed)?;
        let seed = from_hex(text.trim_end().as_bytes());
        seed.map(|it| Self(SigningKey::from_bytes(&it)))
            .ok_or_else(|| refuse("is not 64 hex digits"))
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

/// The operator, who approves plans with the key of the ledger.
#[derive(Debug)]
pub struct Operator(Signer);

impl Operator {
    /// Reads the key, or makes one.
    ///
    /// # Errors
    /// It can be neither read nor made, or others can read it.
    pub fn load_or_create(key: &Path) -> Result<Self, OpenError> {
        Signer::load_or_create(key).map(Self)
    }

    /// The signature under a plan's hash, as hex digits.
    pub fn approve(&self, plan: &str) -> String {
        self.0.sign(&Statement::Approval { plan })
    }

    /// The half of the key that everybody may know.
    pub fn public(&self) -> PublicKey {
        self.0.public()
    }
}

/// Writes a key under another name and links it into place, so that of two processes one wins and none sees half a key.
fn create(path: &Path) -> io::Result<()> {
    let named = path.parent().filter(|it| !it.as_os_str().is_empty());
    let parent = named.unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let seed = random::<32>()?;
    let draft = path.with_extension(format!("new-{}", hex(&random::<8>()?)));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    let written = writeln!(file, "{}", hex(&seed)).and_then(|()| file.sync_all());
    let linked = written.and_then(|()| fs::hard_link(&draft, path));
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        other => other?,
    }
    File::open(parent)?.sync_all()
}

/// Random bytes from the system.
pub(crate) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let got = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    if got == N { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
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

    /// The public half of the private key in a file: as the file beside it says, or as the key itself does. `None` if there is neither.
    pub(crate) fn beside(key: &Path) -> io::Result<Option<Self>> {
        let read = |path: &Path| match notes::read(path) {
            Err(error) if notes::is_damage(&error) => Ok(String::new()),
            other => other.map(|it| String::from_utf8(it.unwrap_or_default()).unwrap_or_default()),
        };
        match Self::parse(&read(&key.with_extension("pub"))?) {
            None => Ok(Self::of_private(&read(key)?)),
            public => Ok(public),
        }
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

    use super::{Operator, PublicKey, Signer, Statement};
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

    #[test]
    fn an_approval_is_for_one_plan_and_is_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let operator = Operator::load_or_create(&dir.path().join("key")).unwrap();
        let signature = operator.approve("9f2c");
        assert!(operator.public().has_approved("9f2c", &signature));
        assert!(!operator.public().has_approved("9f2d", &signature));
        let checkpoint = Statement::Checkpoint { chain: "9f2c", count: 1, head: Hash::ZERO };
        assert!(!operator.public().has_approved("9f2c", &operator.0.sign(&checkpoint)));
        let other = Operator::load_or_create(&dir.path().join("other")).unwrap();
        assert!(!other.public().has_approved("9f2c", &signature));
    }
}
