//! An error of a registry file as a fault.

use std::{collections::BTreeMap, env, error::Error, fmt, fs, io, sync::Arc, time::Duration};

use redress::{
    Contract, card,
    contract::{Param, kind},
    dialect::{Dialect, Stamp},
    fault::{Cause, NextAction, ParamValue},
};
use redress_wire::json::RawJson;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    RefNotFound {
        ref_id: u32,
        #[similar]
        near: Vec<String>,
        #[next]
        next: Option<NextAction>,
    },
    CdpTimeout {
        method: String,
        budget_ms: Option<u64>,
        #[contract(param = "token")]
        session: String,
        #[retry_after]
        wait: Option<Duration>,
        #[source]
        cause: io::Error,
    },
    PageStateBad {
        r#type: PageType,
        share: f32,
        loaded: bool,
        frames: Vec<&'static str>,
        sizes: BTreeMap<String, u8>,
    },
    #[contract(code = "CDP_TIMEOUT")]
    Elsewhere(#[contract(param = "method")] &'static str),
    StoreClosed(#[from] Box<dyn Error + Send + Sync>),
    #[contract(transparent)]
    Quota(#[from] QuotaError),
}

#[derive(Debug)]
struct PageType(&'static str);

impl Param<kind::Text> for PageType {
    fn to_param(&self) -> Option<ParamValue> {
        Some(self.0.into())
    }
}

/// A struct is one code of a registry that ships with the library.
#[derive(Debug, Contract)]
#[contract(registry = "core", code = "RATE_LIMITED")]
struct QuotaError {
    #[retry_after]
    wait: Duration,
    service: &'static str,
    #[source]
    cause: Option<Arc<dyn Error + Send + Sync>>,
}

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum Borrowed<'a> {
    CdpTimeout { method: &'a str },
}

#[derive(Debug, Contract)]
#[contract(registry = "core")]
enum Never {}

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/plugin.toml")]
enum TabError {
    TabClosed,
    #[contract(code = "tabs.TAB_CLOSED")]
    Gone,
    Timeout,
}

#[derive(Debug)]
struct Socket(io::Error);

impl fmt::Display for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("socket /run/secret.sock")
    }
}

impl Error for Socket {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

fn timeout() -> PageError {
    PageError::CdpTimeout {
        method: "DOM.get".to_owned(),
        budget_ms: None,
        session: "s3cret".to_owned(),
        wait: Some(Duration::from_micros(250_500)),
        cause: io::Error::other(Socket(io::Error::other("refused"))),
    }
}

fn envelope(error: &impl Contract) -> String {
    Dialect::Native.write(&error.to_fault(), Stamp::default())
}

#[test]
fn a_variant_is_its_code_and_its_fields_are_the_details() {
    let error = PageError::RefNotFound { ref_id: 42, near: vec!["41".to_owned()], next: None };
    assert_eq!(error.to_string(), "Ref 42 is not in the current snapshot.");
    let fault = error.to_fault();
    assert_eq!(fault.code(), "REF_NOT_FOUND");
    assert_eq!(fault.details.as_ref().unwrap().as_str(), r#"{"ref_id":42}"#);
    assert_eq!(
        card(&fault),
        "REF_NOT_FOUND: Ref 42 is not in the current snapshot.\n\
         Retry: only with other arguments (ref_id). Nothing was changed.\n\
         Fix: Take a new snapshot, then use a ref from it. Did you mean 41?\n\
         Next: snapshot"
    );
    assert!(fault.private.dropped.is_empty(), "{:?}", fault.private.dropped);
}

#[test]
fn an_occurrence_can_have_its_own_next_calls() {
    let next = NextAction::call("scroll", [("to", "top")]);
    let error = PageError::RefNotFound { ref_id: 1, near: Vec::new(), next: Some(next.clone()) };
    assert_eq!(error.to_fault().next_actions, [next]);
    assert!(card(&error.to_fault()).ends_with("Next: scroll {\"to\":\"top\"}"));
}

#[test]
fn a_source_is_for_the_operator_alone() {
    let error = timeout();
    assert_eq!(error.source().unwrap().to_string(), "socket /run/secret.sock");
    let fault = error.to_fault();
    let said = |it: &Cause| match it {
        Cause::Error { message, .. } => message.clone(),
        other => format!("{other:?}"),
    };
    assert_eq!(
        fault.private.causes.iter().map(said).collect::<Vec<_>>(),
        ["socket /run/secret.sock", "refused"]
    );
    for told in [card(&fault), envelope(&timeout()), error.to_string()] {
        assert!(!told.contains("sock") && !told.contains("refused"), "{told}");
    }
}

#[test]
fn a_secret_stays_in_the_process() {
    let told = envelope(&timeout());
    assert!(!told.contains("s3cret") && !told.contains("token"), "{told}");
}

#[test]
fn a_wait_is_the_retry_rule_and_its_parameter() {
    let fault = timeout().to_fault();
    assert_eq!(fault.retry.after_ms, Some(251));
    assert_eq!(fault.details.unwrap().as_str(), r#"{"method":"DOM.get","retry_after_ms":251}"#);
    let quota = QuotaError { wait: Duration::from_secs(30), service: "api", cause: None };
    assert_eq!(quota.to_fault().retry.after_ms, Some(30_000));
    assert!(PageError::Elsewhere("x").to_fault().retry.after_ms == Some(1000), "the row's own");
}

#[test]
fn every_type_of_parameter_has_types_of_rust() {
    let error = PageError::PageStateBad {
        r#type: PageType("p\u{202e}df"),
        share: 0.5,
        loaded: true,
        frames: vec!["main", "side"],
        sizes: BTreeMap::from([("main".to_owned(), 3)]),
    };
    assert_eq!(error.to_string(), "The page is \"pdf\", 0.5 done, loaded: true.");
    let details = error.to_fault().details.unwrap();
    let details: serde_json::Value = serde_json::from_str(details.as_str()).unwrap();
    assert_eq!(details["frames"], serde_json::json!(["main", "side"]));
    assert_eq!(details["sizes"], serde_json::json!({"main": 3}));
    let dropped = |it: &dyn Fn() -> Option<ParamValue>| it().is_none();
    assert!(dropped(&|| Param::<kind::Number>::to_param(&f64::NAN)));
    let raw = RawJson::parse(b"[1.0]").unwrap();
    assert_eq!(Param::<kind::Array>::to_param(&raw).unwrap().json(), &raw);
}

#[test]
fn a_transparent_variant_is_the_error_that_it_passes_on() {
    let cause: Arc<dyn Error + Send + Sync> = Arc::new(Socket(io::Error::other("refused")));
    let quota =
        || QuotaError { wait: Duration::ZERO, service: "api", cause: Some(Arc::clone(&cause)) };
    let passed = PageError::from(quota());
    assert_eq!(passed.to_string(), quota().to_string());
    assert_eq!(passed.to_fault(), quota().to_fault());
    assert_eq!(passed.source().unwrap().to_string(), "socket /run/secret.sock");
}

#[test]
fn the_codes_are_known_without_a_value() {
    assert_eq!(
        PageError::CODES,
        ["REF_NOT_FOUND", "CDP_TIMEOUT", "PAGE_STATE_BAD", "STORE_CLOSED", "RATE_LIMITED"]
    );
    assert_eq!(Borrowed::CODES, ["CDP_TIMEOUT"]);
    assert!(Never::CODES.is_empty());
    assert_eq!(&*Never::registry().name, "core");
    assert!(PageError::registry().get("STORE_CLOSED").is_some(), "from the file beside it");
    for code in PageError::CODES {
        assert!(PageError::registry().get(code).is_some(), "{code}");
    }
}

#[test]
fn a_code_of_a_plugin_has_its_namespace() {
    assert_eq!(TabError::CODES, ["tabs.TAB_CLOSED", "TIMEOUT"]);
    assert_eq!(TabError::TabClosed.to_fault(), TabError::Gone.to_fault());
    assert_eq!(TabError::Timeout.to_fault().code(), "TIMEOUT");
}

#[test]
fn an_edit_of_a_registry_compiles_its_errors_again() {
    let watched = fs::read_to_string(env::current_exe().unwrap().with_extension("d")).unwrap();
    for file in ["tests/it/errors.toml", "tests/it/shared.toml"] {
        assert!(watched.contains(file), "{watched}");
    }
}

#[test]
fn an_error_may_borrow_and_may_come_from_another() {
    let method = "DOM.get".to_owned();
    let error = Borrowed::CdpTimeout { method: &method };
    assert_eq!(error.to_string(), "The browser did not answer DOM.get.");
    let boxed: Box<dyn Error + Send + Sync> = "closed by hand".into();
    assert_eq!(PageError::from(boxed).source().unwrap().to_string(), "closed by hand");
}
