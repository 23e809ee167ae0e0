//! `redress run` before a server that fails in every way: the failure matrix of stdio, with real processes.

mod answers;
pub(crate) mod client;
mod clients;
mod endings;
mod metrics;
mod pressure;
mod processes;
mod remote;
mod repeats;
