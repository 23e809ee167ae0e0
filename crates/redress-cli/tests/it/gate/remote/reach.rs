//! Rows of the matrix: servers that cannot be reached, by how far we came.

use std::net::TcpListener;

use serde_json::json;

use super::{
    super::client::{Client, Via, assert_fault, fault},
    assert_fine, assert_nothing_leaks,
    server::Server,
};

/// The first call fails at that step, whoever asks.
fn check(url: &str, failed_at: &str, retry: &str) {
    let mut client = Client::far_unopened(Via::Run, url, &[], &[]);
    for _ in 0..2 {
        let answer = client.call("call", &json!({}));
        assert_nothing_leaks(&answer);
        assert_fault(&answer, "UPSTREAM_UNAVAILABLE", retry, "none", "gate");
        assert_eq!(fault(&answer)["details"]["upstream"]["failed_at"], failed_at, "{answer}");
    }
    let answer = client.initialize();
    assert_nothing_leaks(&answer);
    assert!(answer["error"]["data"]["dev.redress/fault"].is_object(), "{answer}");
    assert_eq!(client.end().1.len(), 3);
}

#[test]
fn a_name_without_an_address() {
    check("http://x.invalid/mcp", "dns", "after_delay");
}

#[test]
fn a_port_where_nobody_listens() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", free.local_addr().unwrap());
    drop(free);
    check(&url, "connect", "after_delay");
}

#[test]
fn a_certificate_that_nobody_vouches_for() {
    let server = Server::secure();
    check(&server.url(), "tls", "after_human");
    assert!(server.asked().is_empty(), "nothing is said to a stranger");
}

#[test]
fn a_server_that_speaks_no_tls() {
    let server = Server::new();
    check(&server.url().replace("http:", "https:"), "tls", "after_human");
}

#[test]
fn a_certificate_that_somebody_vouches_for() {
    let server = Server::secure();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("roots.pem");
    std::fs::write(&file, server.certificate.as_ref().unwrap()).unwrap();
    let env = [("SSL_CERT_FILE", file.to_str().unwrap())];
    let mut client = Client::far_unopened(Via::Run, &server.url(), &[], &env);
    client.initialize();
    assert_fine(&mut client);
    assert_fine(&mut client);
    client.end();
}
