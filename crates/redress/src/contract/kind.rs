//! The types of parameters as types of Rust, so that the compiler compares a field with its row.

/// `string`
#[derive(Debug)]
pub enum Text {}

/// `integer`
#[derive(Debug)]
pub enum Integer {}

/// `number`
#[derive(Debug)]
pub enum Number {}

/// `boolean`
#[derive(Debug)]
pub enum Boolean {}

/// `array`
#[derive(Debug)]
pub enum Array {}

/// `object`
#[derive(Debug)]
pub enum Object {}
