//! `Contract`: an error type of Rust whose every value is a fault of one registry.

#[doc(hidden)]
pub mod derived;
pub mod kind;
mod parts;
mod value;

use std::{error::Error, sync::Arc};

pub use parts::{Names, Steps, Wait};
pub use value::Param;

use redress_registry::Registry;

use crate::Fault;

/// An error whose every value is an occurrence of a registered code.
///
/// The derive of the same name (feature `derive`) writes it, with `Display` and `Error`, from an enum and a registry.
/// Whatever takes `impl Into<Fault>` takes such an error, and so does a function that returns `Result<_, Fault>`, by `?`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no error of a contract",
    label = "it has no codes",
    note = "derive `Contract` for it, or make it the `#[source]` of a code"
)]
pub trait Contract: Error {
    /// The codes that it can have: its own in the order of its variants, each once, then those of the errors that it
    /// passes on.
    const CODES: &'static [&'static str];

    /// The registry of its own codes, with the rows of those that it passes on.
    fn registry() -> &'static Arc<Registry>;

    /// This occurrence as a fault. Its sources go to the private part, which only the operator sees.
    fn to_fault(&self) -> Fault;

    /// What it came from, for an error that passes it on.
    #[doc(hidden)]
    fn below(&self) -> Option<&(dyn Error + 'static)> {
        self.source()
    }
}

impl<E: Contract> From<E> for Fault {
    fn from(error: E) -> Self {
        error.to_fault()
    }
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fmt, sync::Arc};

    use redress_registry::{Registry, shipped};

    use super::Contract;
    use crate::{Fault, codes};

    #[derive(Debug)]
    struct Late;

    impl fmt::Display for Late {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(&self.to_fault().message)
        }
    }

    impl Error for Late {}

    impl Contract for Late {
        const CODES: &'static [&'static str] = &["TIMEOUT"];

        fn registry() -> &'static Arc<Registry> {
            shipped::core()
        }

        fn to_fault(&self) -> Fault {
            Fault::of(codes::TIMEOUT.entry())
        }
    }

    #[test]
    fn whatever_takes_a_fault_takes_the_error() {
        assert_eq!(Fault::from(Late), Late.to_fault());
        assert!(Late::CODES.iter().all(|it| Late::registry().get(it).is_some()));
    }
}
