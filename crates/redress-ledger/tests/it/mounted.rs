//! What needs the right to mount a disk. The long run asks for it: `cargo test --workspace --test it -- --ignored mounted::`.

mod full;
mod power;
