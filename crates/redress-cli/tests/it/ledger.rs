//! `redress ledger` on what real gates recorded, and what gates do when recording fails or they are killed.

mod commands;
mod crash;
mod disk;
mod follow;
mod home;
mod mounted;
mod order;
mod requests;
mod tamper;
