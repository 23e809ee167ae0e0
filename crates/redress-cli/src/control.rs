//! The control socket of a running gate, by which `redress config apply` reaches it.
//!
//! It lies in the state directory of the gate's user, in a directory that no other user can enter. The gate also asks the system who
//! connects. A request and its answer are one line of JSON each.

mod client;
mod directory;
mod listener;
mod message;
mod peer;

pub(crate) use self::{
    client::{GateAnswer, apply},
    listener::{ApplyRequest, ControlSocket},
    message::Outcome,
};
