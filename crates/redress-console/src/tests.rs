//! The index and the query layer on real ledgers.

mod counts;
mod ledger;
mod pages;
