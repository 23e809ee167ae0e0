//! The contract test of a server, in its own process.

use redress_registry::Operation;
use redress_rmcp::Contract;

use crate::odd::{Odd, registry};

#[tokio::test]
async fn a_server_is_held_to_the_codes_that_it_declares() {
    let contract = Contract::new(Odd::new(), registry()).operation("undeclared", Operation::Query);
    let calls = r#"{"calls":{
        "ODD_NUMBER":{"tool":"even","arguments":{"number":3},"first":[{"tool":"well"}]},
        "UNKNOWN_TOOL":{"tool":"wel"},
        "INTERNAL_ERROR":{"tool":"panic"},
        "TIMEOUT":{"skip":"It takes its time."}
    }}"#;
    let provoked = contract.provoke(calls).await;
    assert!(provoked.problems.is_empty(), "{:#?}", provoked.problems);
    assert_eq!(provoked.seen.len(), 3, "{provoked:#?}");
    let provoked = contract.provoke("{}").await;
    assert_eq!(provoked.problems, ["No call provokes ODD_NUMBER."]);
}
