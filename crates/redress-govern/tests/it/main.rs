//! The guards as the gate sees them.

mod eval;
