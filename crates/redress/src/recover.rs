//! What a client does about a failed call: reads it, whatever its shape, and decides what comes next.
//!
//! Nothing here waits, sends or throws dice: time and chance are passed in, and a decision comes out.

mod budget;
mod chain;
mod decide;
mod mended;
mod nothing;
mod policy;
mod read;
mod repeat;
mod rows;
mod table;
mod written;

pub use budget::{Budget, BudgetRule};
pub use chain::{Ended, Failed, FallbackChain, Surroundings, Trouble, Try};
pub use decide::{Attempt, Decided, Decision, decide};
pub use nothing::is_nothing;
pub use policy::Policy;
pub use read::{Reading, read};
pub use repeat::{Ground, Repeat, may_repeat, repeat};
pub use rows::ROWS;
pub use table::{DecisionFacts, Room, Row, StopReason, Then, retry_of_class, table};
