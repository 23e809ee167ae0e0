//! Records of failures: no secret stands in them, whatever stands between its letters.

use proptest::prelude::{prop_assert, proptest};
use redress::{Fault, codes, fault::Cause};
use redress_ledger::Record;
use redress_wire::json::RawJson;

use crate::disguised::{disguised, redactor, shows, texts};

proptest! {
    #[test]
    fn a_record_has_no_secret_whatever_stands_in_it((secret, said) in disguised()) {
        let mut fault: Fault = codes::FILE_NOT_FOUND.raise([("path", "a")]);
        fault.message = said.clone();
        fault.server_text = Some(said.clone());
        fault.private.push_cause(Cause::Text(said.clone()));
        fault.private.hide_cause(Cause::Json(RawJson::string(&said)));
        fault.private.stack = Some(format!("at f\nat {said}"));
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, RawJson::string(&said));
        fault.private.upstream = Some(line.into_bytes());
        let private = Record::private(&fault.private, &redactor()).unwrap();
        prop_assert!(!texts(&private).iter().any(|it| shows(it, secret)), "{}", private);
    }
}
