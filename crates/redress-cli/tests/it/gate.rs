//! A server that fails in every way behind `redress run` and `redress serve`: the failure matrix, with real processes.

mod answers;
mod batches;
pub(crate) mod client;
mod clients;
mod endings;
pub(crate) mod http;
mod kin;
mod metrics;
pub(crate) mod middleman;
mod pressure;
mod processes;
mod remote;
mod repeats;
mod stated;
