//! What the library promises, seen from outside.

mod card;
mod codes;
mod factories;
