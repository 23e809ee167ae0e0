//! The promises of the registry crate, one module for each part.

#[cfg(test)]
mod diff;
#[cfg(test)]
mod documentation;
#[cfg(test)]
mod export;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod lint;
#[cfg(test)]
mod lock;
