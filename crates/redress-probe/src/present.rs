//! The report for its readers: a page for people, JUnit for build servers, JSON and SARIF for programs.

pub mod html;
pub mod json;
pub mod junit;
pub mod words;
