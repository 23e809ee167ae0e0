//! The typed handles are the rows of `core`.

use redress::codes;
use redress_registry::shipped;

#[test]
fn every_handle_points_at_the_row_of_its_name() {
    assert_eq!(codes::FILE_NOT_FOUND.entry().code.as_ref(), "FILE_NOT_FOUND");
    assert_eq!(codes::SHUTTING_DOWN.entry().code.as_ref(), "SHUTTING_DOWN");
    assert_eq!(codes::INTERNAL_ERROR.entry().code.as_ref(), codes::INTERNAL_ERROR.name());
}

#[test]
fn every_row_can_be_raised_with_its_example_and_drops_nothing() {
    for registry in shipped::all() {
        for entry in registry.own() {
            let params = entry.example.iter().map(|(name, value)| {
                (name, redress_wire::json::RawJson::parse(value.to_string().as_bytes()).unwrap())
            });
            let fault = redress::Fault::raise(entry, params);
            assert_eq!(fault.private.dropped, [], "{} {}", registry.name, entry.code);
        }
    }
}
