//! `redress translate` and `redress classify`: any line gets its answer, and the run goes on.

use crate::redress::redress;

const ATLAS: &str = r#"{"error_code":"FILE_NOT_FOUND","human_message":"File not found: a.txt","role":"WINDSURF","session_id":"550e8400-e29b-41d4-a716-446655440000","workspace_root":"/w","tool_name":"read_file","invariant_id":null,"phase_id":"PHASE_5A","plan_hash":"abc123def456","cause":{"message":"x","code":1.0,"big":1180591620717411303424,"exp":1e2},"timestamp":"2026-01-19T15:32:10.123Z"}"#;

fn translate(from: &str, to: &str, input: &str) -> String {
    let ran = redress(&["translate", "--from", from, "--to", to, "--residue"], input.as_bytes());
    assert_eq!(ran.exit, 0, "{from} to {to}: {}{}", ran.out, ran.err);
    ran.out
}

#[test]
fn a_failure_through_five_dialects_and_back_is_the_same_bytes() {
    let ring = ["atlas-gate", "workrail", "rpc", "stagewright", "mailvault", "atlas-gate"];
    let input = format!("{ATLAS}\n");
    let mut document = input.clone();
    for step in ring.windows(2) {
        document = translate(step[0], step[1], &document);
    }
    assert_eq!(document, input);
}

#[test]
fn the_dialect_is_found_by_itself() {
    for dialect in
        ["native", "atlas-gate", "workrail", "rpc", "stagewright", "mailvault", "tool-failure"]
    {
        let document = translate("atlas-gate", dialect, ATLAS);
        assert_eq!(translate("auto", "atlas-gate", &document), format!("{ATLAS}\n"), "{dialect}");
    }
}

#[test]
fn strict_names_each_lost_path_with_its_line_and_ends_with_1() {
    let input = format!("\n{ATLAS}\n");
    let ran = redress(
        &["translate", "--from", "atlas-gate", "--to", "mailvault", "--strict"],
        input.as_bytes(),
    );
    assert_eq!(ran.exit, 1);
    assert!(ran.err.contains("line 2: lost /context/role"), "{}", ran.err);
    assert!(ran.err.contains("line 2: weakened /code"), "{}", ran.err);
}

#[test]
fn bad_lines_are_answered_in_their_place_and_the_run_goes_on() {
    let deep = "[".repeat(10_000);
    let long = format!("{{\"code\":\"{}\"}}", "A".repeat(9 << 20));
    let lines: [&[u8]; 8] = [
        b"{",
        b"{\"error\":\"boom\"}",
        deep.as_bytes(),
        b"{\"code\":\"TIMEOUT\",\"code\":\"TIMEOUT\"}",
        b"{\"code\":\"TIME\\ud800OUT\"}",
        b"\xff\xfe",
        b"{\"code\":\"NO_SUCH_CODE\"}",
        long.as_bytes(),
    ];
    for command in ["translate", "classify"] {
        let mut args = vec![command];
        if command == "translate" {
            args.extend(["--from", "native", "--to", "native"]);
        }
        for line in lines {
            let good: &[u8] = if command == "translate" {
                b"{\"code\":\"TIMEOUT\"}"
            } else {
                b"{\"id\":1,\"method\":\"tools/call\",\"hang\":{\"waited_ms\":10}}"
            };
            let input = [line, good].join(&b'\n');
            let ran = redress(&args, &input);
            let shown = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
            assert_eq!(ran.exit, 2, "{command} {shown}: {}", ran.err);
            let answers: Vec<serde_json::Value> =
                ran.out.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
            assert_eq!(answers.len(), 2, "{command} {shown}");
            assert_eq!(answers[0]["line"], 1, "{command} {shown}");
            assert!(answers[0]["error"]["code"].is_string(), "{command} {shown}");
            assert!(answers[1].get("line").is_none(), "{command} {shown}: {}", answers[1]);
        }
    }
}
