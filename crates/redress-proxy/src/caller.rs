//! `Caller`: the token and the address of a request: its share of what callers share.

use std::net::{IpAddr, Ipv4Addr};

use redress_govern::TokenId;

/// The address of a client: this machine, an IPv4 address or an IPv6 network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Peer {
    /// This machine: a pipe, or a loopback address.
    #[default]
    Local,
    /// An IPv4 address.
    V4(Ipv4Addr),
    /// An IPv6 network of 64 bits, since one machine can have all the addresses in it.
    V6([u8; 8]),
}

impl Peer {
    /// The peer with an address.
    pub fn of(address: IpAddr) -> Self {
        let address = address.to_canonical();
        match address {
            _ if address.is_loopback() => Self::Local,
            IpAddr::V4(it) => Self::V4(it),
            IpAddr::V6(it) => {
                let network: [u8; 8] = it.octets().first_chunk().copied().unwrap_or_default();
                Self::V6(network)
            }
        }
    }

    /// What records say of the address: whether it is of this machine, of a private network, or public.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::V4(it) if it.is_private() || it.is_link_local() => "private",
            // Unique local addresses (fc00::/7) and those of a link (fe80::/10).
            Self::V6([first, second, ..])
                if first & 0xfe == 0xfc || first == 0xfe && second & 0xc0 == 0x80 =>
            {
                "private"
            }
            Self::V4(_) | Self::V6(_) => "public",
        }
    }
}

/// The caller that a request counts for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Caller {
    /// The token that it brought.
    pub token: Option<TokenId>,
    /// The address that it came from.
    pub peer: Peer,
}

impl Caller {
    /// The caller of a gate that can have no other: one client on a pipe, or all clients of a loopback address where there are
    /// no tokens, or only one.
    pub const ONLY: Self = Self { token: None, peer: Peer::Local };

    /// Whether there can be no other.
    pub(crate) fn is_only(self) -> bool {
        self == Self::ONLY
    }
}

#[cfg(test)]
mod tests {
    use super::Peer;

    #[test]
    fn an_address_is_known_by_its_network_and_class() {
        for (address, class) in [
            ("127.0.0.1", "local"),
            ("127.8.9.10", "local"),
            ("::1", "local"),
            ("::ffff:127.0.0.1", "local"),
            ("10.1.2.3", "private"),
            ("192.168.0.7", "private"),
            ("169.254.1.1", "private"),
            ("fd00::1", "private"),
            ("fe80::1", "private"),
            ("8.8.8.8", "public"),
            ("2001:db8::1", "public"),
        ] {
            assert_eq!(Peer::of(address.parse().unwrap()).class(), class, "{address}");
        }
        let of = |it: &str| Peer::of(it.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"), "one machine may have both");
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }
}
