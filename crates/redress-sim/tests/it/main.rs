//! What the simulator promises: it repeats, it finds planted bugs, and every episode that is kept passes.

mod found;
mod kept;
mod repeated;
