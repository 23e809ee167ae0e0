//! A report is written as it was read.

use redress_probe::Report;

const SAMPLE: &[u8] = include_bytes!("../reports/sample.json");

#[test]
fn a_report_is_written_as_it_was_read() {
    let report = Report::read(SAMPLE).unwrap();
    assert!(report.has_violations());
    assert_eq!(Report::read(report.to_json().as_bytes()), Ok(report));
}

#[test]
fn another_format_is_refused() {
    let other = String::from_utf8_lossy(SAMPLE).replace("redress-probe/1", "redress-probe/9");
    assert!(Report::read(other.as_bytes()).unwrap_err().contains("redress-probe/9"));
    assert!(Report::read(b"[]").is_err());
}
