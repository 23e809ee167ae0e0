//! The error object of the JSON-RPC taxonomy, case by case as its own tests have them.

use redress::{
    Dialect, Fault, Lookup,
    dialect::Stamp,
    fault::{Overrides, domain, fs_error, kg_error, mb_error},
};
use redress_registry::shipped;

const LOOKUP: Lookup = Lookup::shipped();

fn read(text: &str) -> Fault {
    Dialect::Rpc.read(text.as_bytes(), &LOOKUP).unwrap()
}

fn write(fault: &Fault) -> String {
    Dialect::Rpc.write(fault, Stamp::default())
}

fn plain() -> Overrides {
    Overrides::default()
}

#[test]
fn rpc_example_of_the_seed_is_canonical() {
    let text = r#"{"jsonrpc":"2.0","id":1,"error":{"code":2100,"message":"Navigation failed","data":{"domain":"playwright","symbol":"E_PW_NAV","details":"net::ERR_NAME_NOT_RESOLVED","retryable":true}}}"#;
    let fault = read(text);
    assert_eq!((fault.code(), fault.retryable()), ("PW_NAV", true));
    assert_eq!(write(&fault), text);
}

#[test]
fn rpc_protocol_errors_have_no_symbol_and_may_have_no_data() {
    for (number, code) in [
        (-32700, "PARSE_FAILED"),
        (-32600, "INVALID_REQUEST"),
        (-32601, "METHOD_NOT_FOUND"),
        (-32602, "RPC_INVALID_PARAMS"),
        (-32603, "INTERNAL_ERROR"),
        (-32000, "RPC_SERVER_FAILURE"),
    ] {
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":{number},"message":"m"}}}}"#);
        let fault = read(&text);
        assert_eq!(fault.code(), code);
        assert_eq!(write(&fault), text);
    }
}

#[test]
fn rpc_input_too_large_is_1005_in_the_domain_of_the_caller() {
    let fault = domain("python").unwrap().error("INPUT_TOO_LARGE", plain()).unwrap();
    let text = write(&fault);
    assert!(text.contains(r#""code":1005"#) && text.contains(r#""domain":"python""#), "{text}");
    assert_eq!(write(&read(&text)), text);
}

#[test]
fn rpc_memory_bank_file_not_found_is_2300() {
    let text = write(&mb_error("FILE_NOT_FOUND", plain()).unwrap());
    assert!(text.contains(r#""code":2300,"message":"invalid file""#), "{text}");
    assert!(text.contains(r#""domain":"memory-bank","symbol":"E_MB_FILE_NOT_FOUND""#), "{text}");
    let read = write(&mb_error("READ_FAILED", plain()).unwrap());
    assert!(read.contains(r#""symbol":"E_MB_READ""#), "{read}");
}

#[test]
fn rpc_full_graph_is_2400_and_may_be_retried() {
    let full = kg_error("FULL", Overrides { retryable: Some(true), ..plain() }).unwrap();
    let text = write(&full);
    assert!(text.contains(r#""code":2400"#) && text.contains(r#""symbol":"E_KG_FULL""#), "{text}");
    assert!(
        text.contains(r#""domain":"kg-memory""#) && text.contains(r#""retryable":true"#),
        "{text}"
    );
}

#[test]
fn rpc_filesystem_policy_has_its_numbers() {
    for (kind, number) in
        [("PATH_ESCAPE", 2500), ("DENIED", 2501), ("NOT_FOUND", 2502), ("WRITE_TOO_LARGE", 2503)]
    {
        assert_eq!(fs_error(kind, plain()).unwrap().number, Some(number), "{kind}");
    }
    let params = fs_error("INVALID_PARAMS", plain()).unwrap();
    assert_eq!((params.number, &*params.domain), (Some(1000), "filesystem"));
}

#[test]
fn rpc_overrides_are_honoured_and_an_unknown_symbol_is_refused() {
    let given = Overrides {
        message: Some("mine".to_owned()),
        details: Some("why".to_owned()),
        retryable: Some(true),
    };
    let text = write(&fs_error("DENIED", given).unwrap());
    assert!(
        text.contains(r#""message":"mine""#)
            && text.contains(r#""details":"why","retryable":true"#)
    );
    for kind in ["toString", "constructor", "", "FULL"] {
        assert!(fs_error(kind, plain()).is_err(), "{kind}");
    }
}

#[test]
fn rpc_stack_is_shown_only_when_it_was_exposed() {
    let mut fault = fs_error("DENIED", plain()).unwrap();
    assert!(!write(&fault).contains("stack"));
    fault.stack = Some("at a\nat b".to_owned());
    assert!(write(&fault).ends_with(r#","stack":"at a\nat b"}}}"#));
}

#[test]
fn rpc_kg_is_read_as_a_domain_of_its_own_spelling() {
    let text = r#"{"jsonrpc":"2.0","id":1,"error":{"code":2400,"message":"triple store full","data":{"domain":"kg","symbol":"E_KG_FULL"}}}"#;
    let fault = read(text);
    assert_eq!((&*fault.domain, fault.code()), ("kg", "KG_FULL"));
    assert_eq!(write(&fault), text);
}

#[test]
fn rpc_positive_numbers_always_have_domain_and_symbol() {
    for row in shipped::all().flat_map(|it| it.own()) {
        let text = write(&Fault::of(row));
        let is_protocol = text.contains(r#""code":-32"#);
        assert_eq!(text.contains(r#""symbol":"E_"#), !is_protocol, "{text}");
        assert_eq!(text.contains(r#""domain":"#), !is_protocol, "{text}");
    }
}

#[test]
fn a_domain_raises_its_own_errors_and_the_common_ones() {
    let details = Overrides { details: Some("../x".to_owned()), ..Overrides::default() };
    let escape = fs_error("PATH_ESCAPE", details).unwrap();
    assert_eq!(
        write(&escape),
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":2500,"message":"Path escapes root","data":{"domain":"filesystem","symbol":"E_FS_PATH_ESCAPE","details":"../x","retryable":false}}}"#
    );
    let kg = domain("kg").unwrap();
    let full = kg.error("E_KG_FULL", Overrides { retryable: Some(true), ..Overrides::default() });
    let full = full.unwrap();
    assert!(full.retryable() && &*full.domain == "kg-memory");
    let python = domain("python").unwrap();
    let large = Overrides { message: Some("code too large".to_owned()), ..Overrides::default() };
    let large = python.error("E_INPUT_TOO_LARGE", large).unwrap();
    assert_eq!(
        (large.number, &*large.domain, large.message.as_str()),
        (Some(1005), "python", "code too large")
    );
    let unknown = fs_error("PATH_ESCAP", Overrides::default()).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "Unknown error symbol PATH_ESCAP for domain filesystem; did you mean PATH_ESCAPE?"
    );
    assert!(domain("nope").is_none());
}
