//! A server that fails in every way behind `redress run` and `redress serve`: the failure matrix, with real processes.

mod answers;
mod batches;
mod canaries;
pub(crate) mod client;
mod clients;
mod counts;
mod dialects;
mod edges;
mod endings;
mod hidden;
pub(crate) mod http;
mod killed;
mod kin;
mod last_answers;
mod loops;
mod metrics;
pub(crate) mod middleman;
mod own_envelopes;
pub(crate) mod plugins;
mod pressure;
mod processes;
mod remote;
mod repeats;
mod resources;
mod stacks;
mod stated;
mod terminals;
