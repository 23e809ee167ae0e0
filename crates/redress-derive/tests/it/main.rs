//! The promises of the derive: what an error tells, and what does not compile.

#[cfg(test)]
mod faults;
#[cfg(test)]
mod hygiene;
#[cfg(test)]
mod inline;
#[cfg(test)]
mod refused;
