//! Hides network addresses in the error texts of proxies and connections: clients must not learn them.

use std::net::{Ipv4Addr, Ipv6Addr};

use redress_wire::json::{Kind, Members, RawJson, Value, write_list, write_str};

use super::fault_details::with_upstream;

/// Represents an address.
const HIDDEN: &str = "[address]";

/// Details whose data, as the upstream sent it, has no addresses.
pub(super) fn data_without_addresses(details: Option<RawJson>) -> Option<RawJson> {
    let data = details.as_ref().and_then(|it| {
        it.with(|it| {
            let mut out = String::new();
            write_clean(it.path(&["upstream", "data"])?, &mut out);
            RawJson::parse(out.as_bytes()).ok()
        })
        .flatten()
    });
    with_upstream(details, "data", data)
}

/// Documents nest at most 64 deep.
fn write_clean(value: Value<'_>, out: &mut String) {
    match value.kind() {
        Kind::String => {
            write_str(out, &without_addresses(&value.as_str().unwrap_or_default()));
        }
        Kind::Array => write_list(out, value.elements(), write_clean),
        Kind::Object => {
            let mut members = Members::open(out);
            for (key, value) in value.members() {
                let key = without_addresses(&key.as_str().unwrap_or_default());
                write_clean(value, members.key(&key));
            }
            members.close();
        }
        Kind::Number | Kind::Bool | Kind::Null => out.push_str(value.raw()),
    }
}

/// A text without the network addresses in it.
pub(super) fn without_addresses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        out.push_str(if is_address(word) { HIDDEN } else { word });
        out.push_str(piece.get(word.len()..).unwrap_or_default());
    }
    out
}

fn is_address(word: &str) -> bool {
    let parts = || word.split(|it: char| !it.is_ascii_alphanumeric() && !matches!(it, '.' | '-'));
    let is_ip = parts().any(|it| it.trim_matches('.').parse::<Ipv4Addr>().is_ok());
    let is_v6 = word
        .split(['[', ']', '(', ')', '"', '\'', ',', ';'])
        .any(|it| it.matches(':').count() > 1 && it.parse::<Ipv6Addr>().is_ok());
    // `host:8080`; a name with a port is an address whatever it is called.
    let has_port = word.rsplit_once(':').is_some_and(|(host, port)| {
        let digits = port.bytes().take_while(u8::is_ascii_digit).count();
        let is_name = host.ends_with(|it: char| it.is_ascii_alphanumeric());
        (2..=5).contains(&digits) && is_name && host.contains(|it: char| it.is_ascii_alphabetic())
    });
    word.contains("://") || word.contains("localhost") || is_ip || is_v6 || has_port
}
