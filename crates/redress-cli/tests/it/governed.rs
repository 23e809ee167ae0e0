//! A governed gate, with real processes: what it promises, and whoever tries to get around it.

mod any_server;
mod approval;
mod audit;
mod bypass;
mod caller;
mod checks;
mod client;
mod confined;
mod meaning;
mod place;
mod plans;
mod put_back;
mod raced;
mod roles;
mod sessions;
mod writes;
