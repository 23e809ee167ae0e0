//! Which variables of the gate's environment its servers get: those that programs need, and those that the file names.

use std::{env, ffi::OsString};

use redress_transport::program::Program;

use crate::{config::Server, output::Err};

/// What every server gets: what the official SDKs hand over, languages, folders and proxies.
const USUAL: &[&str] = &[
    "HOME",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "USER",
    "LANG",
    "LANGUAGE",
    "TMPDIR",
    "ALL_PROXY",
    "FTP_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "all_proxy",
    "ftp_proxy",
    "https_proxy",
    "http_proxy",
    "no_proxy",
];

/// Variables that name certificates of authorities.
pub(crate) const CERTIFICATES: &[&str] = &[
    "AWS_CA_BUNDLE",
    "CARGO_HTTP_CAINFO",
    "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
    "CURL_CA_BUNDLE",
    "DENO_CERT",
    "GIT_SSL_CAINFO",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "HTTPLIB2_CA_CERTS",
    "NIX_SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
];

/// Variables that begin so are usual, too.
const FAMILIES: &[&str] = &["LC_", "XDG_"];

/// What the gate itself gives to each server, anew.
const OWN: &str = "REDRESS_SERVER";

/// Gives a server its environment, and says which variables it does not get.
pub(super) fn hand_over(program: &mut Program, server: &Server) {
    let all = env::vars_os().filter(|it| it.0 != OWN);
    let is_handed = |name: &OsString| name.to_str().is_some_and(|it| is_for(server, it));
    let (handed, withheld): (Vec<_>, Vec<_>) = all.partition(|it| is_handed(&it.0));
    // What the file sets itself wins.
    program.env = handed.into_iter().chain(program.env.drain(..)).collect();
    program.has_own_env = true;
    let names = withheld.iter().map(|it| it.0.to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|it| !server.env.contains_key(it)).collect();
    names.sort_unstable();
    if !names.is_empty() {
        let (count, name) = (names.len(), &server.name);
        let names = names.join(", ");
        Err::new().say(&format!(
            "{name}: withheld of the environment, {count} in all (`inherit_env` hands them on): {names}"
        ));
    }
}

/// Whether a server gets a variable.
fn is_for(server: &Server, name: &str) -> bool {
    USUAL.iter().chain(CERTIFICATES).any(|it| *it == name)
        || FAMILIES.iter().any(|it| name.starts_with(it))
        || server.inherit_env.has(name)
}
