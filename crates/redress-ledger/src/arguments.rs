//! `ArgumentsKey`: the key under which arguments are digested, so that equal ones can be found without being kept.

use std::{fmt, io, path::Path};

use sha2::{Digest as _, Sha256};

use crate::{
    error::{Failure, OpenError},
    hash::{from_hex, hex},
    sign,
};

/// The length of a block of SHA-256.
const BLOCK: usize = 64;

/// How many bytes of a digest are kept: 128 bits.
const KEPT: usize = 16;

/// A key of this installation. Without it no digest can be compared with guessed arguments.
pub(crate) struct ArgumentsKey([u8; 32]);

impl fmt::Debug for ArgumentsKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ArgumentsKey")
    }
}

impl ArgumentsKey {
    /// Reads the key beside a signing key, or makes it with mode 0600.
    pub(crate) fn open(signing_key: &Path) -> Result<Self, OpenError> {
        let path = signing_key.with_extension("arguments");
        let text = match sign::read_secret(&path) {
            Err(OpenError::Io(failure)) if failure.error.kind() == io::ErrorKind::NotFound => {
                sign::create(&path).map_err(|it| Failure::new("create", &path, it))?;
                sign::read_secret(&path)
            }
            other => other,
        }?;
        let key = from_hex(text.trim_end().as_bytes()).map(Self);
        key.ok_or(OpenError::Key { path, why: "is not 64 hex digits" })
    }

    /// The first 32 hex digits of the HMAC-SHA-256 of a text.
    pub(crate) fn digest(&self, text: &str) -> String {
        let digest = hmac(&self.0, text.as_bytes());
        hex(digest.get(..KEPT).unwrap_or_default())
    }
}

/// HMAC-SHA-256 as RFC 2104 defines it, for a key that is no longer than a block.
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let padded = |pad: u8| {
        let mut block = [pad; BLOCK];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        Sha256::new().chain_update(block)
    };
    let inner = padded(0x36).chain_update(text).finalize();
    padded(0x5c).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::{ArgumentsKey, hmac};
    use crate::{error::OpenError, hash::hex};

    #[test]
    fn a_digest_is_that_of_rfc_4231() {
        let cases: [(&[u8], &[u8], &str); 3] = [
            (
                &[0x0b; 20],
                b"Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 20],
                &[0xdd; 50],
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            ),
        ];
        for (key, text, digest) in cases {
            assert_eq!(hex(&hmac(key, text)), digest);
        }
    }

    #[test]
    fn a_key_is_made_once_and_read_by_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let signing_key = dir.path().join("ledger.key");
        let path = dir.path().join("ledger.arguments");
        let digest = ArgumentsKey::open(&signing_key).unwrap().digest("{}");
        assert_eq!(ArgumentsKey::open(&signing_key).unwrap().digest("{}"), digest);
        assert_ne!(ArgumentsKey::open(&signing_key).unwrap().digest("{ }"), digest);
        assert_eq!(digest.len(), 32);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let refused = ArgumentsKey::open(&signing_key);
        assert!(matches!(refused, Err(OpenError::Key { path: named, .. }) if named == path));
        fs::remove_file(&path).unwrap();
        assert_ne!(ArgumentsKey::open(&signing_key).unwrap().digest("{}"), digest);
        fs::write(&path, "short\n").unwrap();
        let refused = ArgumentsKey::open(&signing_key);
        assert!(matches!(refused, Err(OpenError::Key { path: named, .. }) if named == path));
    }
}
