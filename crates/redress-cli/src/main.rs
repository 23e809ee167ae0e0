//! The `redress` command.

fn main() {}
