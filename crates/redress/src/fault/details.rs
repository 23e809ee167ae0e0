//! The members of `details` that this library writes itself.

/// The member of `details` for what a foreign server answered with.
pub const UPSTREAM: &str = "upstream";

/// The member of `details` for how often a call was made.
pub const ATTEMPTS: &str = "attempts";

/// The member of what is at [`UPSTREAM`]: that nothing but the words of a text says what failed, so that nothing is proved about its effect.
pub const GUESSED: &str = "guessed";
