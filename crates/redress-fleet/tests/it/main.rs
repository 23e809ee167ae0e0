//! The fleet on real NATS servers: three processes on loopback ports.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod cluster;
mod node;
mod peers;
