//! What the scan of sources promises.

#[cfg(test)]
mod pages;
