//! `Tls`: reads the certificate and the key of our listeners.

use std::{fmt, sync::Arc};

use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        Error, ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    },
};

/// The certificate of our listeners, and the key of it.
#[derive(Clone)]
pub struct Tls(Arc<ServerConfig>);

/// Why two texts are no certificate and key. No part of them is quoted, since it could be a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsError {
    /// What is wrong with the certificate.
    Certificate(&'static str),
    /// What is wrong with the key.
    Key(&'static str),
}

impl Tls {
    /// Reads a certificate, with those that vouch for it behind it, and its key, both as PEM.
    pub fn new(certificate: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(certificate)
            .collect::<Result<_, _>>()
            .map_err(|_may_tell_a_key| TlsError::Certificate("is not valid PEM"))?;
        if chain.is_empty() {
            return Err(TlsError::Certificate("has no certificate in it"));
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_may_tell_it| {
            TlsError::Key("has no private key in it, or one with a password")
        })?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|_never| TlsError::Certificate("cannot be used by this build"))?
            .with_no_client_auth()
            .with_single_cert(chain, key);
        let mut config = config.map_err(|it| match it {
            Error::InconsistentKeys(_) => TlsError::Key("is not the key of the certificate"),
            Error::InvalidCertificate(_) => TlsError::Certificate("has no valid certificate in it"),
            _ => TlsError::Key("has a key that cannot be used: RSA, ECDSA and Ed25519 keys can"),
        })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(Arc::new(config)))
    }

    /// Accepts connections on a runtime.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.0))
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{Tls, TlsError};

    const CERTIFICATE: &str = include_str!("../../../tests/certificates/first.pem");
    const KEY: &str = include_str!("../../../tests/certificates/first.key");
    const OTHER_KEY: &str = include_str!("../../../tests/certificates/second.key");

    #[test]
    fn a_wrong_certificate_or_key_is_named() {
        let (cert, key, other) = (CERTIFICATE, KEY, OTHER_KEY);
        assert!(Tls::new(cert.as_bytes(), key.as_bytes()).is_ok());
        let broken = cert.replace('M', "\u{1}");
        for (cert, key, why) in [
            ("", key, TlsError::Certificate("has no certificate in it")),
            (key, key, TlsError::Certificate("has no certificate in it")),
            (&broken, key, TlsError::Certificate("is not valid PEM")),
            (cert, "", TlsError::Key("has no private key in it, or one with a password")),
            (cert, cert, TlsError::Key("has no private key in it, or one with a password")),
            (cert, other, TlsError::Key("is not the key of the certificate")),
        ] {
            assert_eq!(Tls::new(cert.as_bytes(), key.as_bytes()).unwrap_err(), why);
        }
    }
}
