//! A report for programs: itself, and what became of it since the last one.

use serde::Serialize;

use crate::{compare::Comparison, report::Report};

/// The report as one line. With the comparison in it, it is a baseline as good as any.
pub fn document(report: &Report, comparison: Option<&Comparison>) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        #[serde(flatten)]
        report: &'a Report,
        #[serde(skip_serializing_if = "Option::is_none")]
        comparison: Option<&'a Comparison>,
    }
    serde_json::to_string(&Document { report, comparison }).unwrap_or_default()
}
