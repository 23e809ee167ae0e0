//! The index and the query layer on real ledgers.

mod bad_input;
mod counts;
mod ledger;
mod pages;
