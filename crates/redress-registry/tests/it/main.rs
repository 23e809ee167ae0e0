//! The promises of the registry crate, one module for each part.

#[cfg(test)]
mod lint;
