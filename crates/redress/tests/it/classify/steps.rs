//! Failures of one step of several: nobody may say that nothing was changed.

use serde_json::{Value, json};

use super::answered;

fn effect(tool: &str, arguments: &Value, text: &str) -> Value {
    answered(tool, arguments, text, true).get("effect").cloned().unwrap_or_default()
}

#[test]
fn what_is_done_in_steps_may_be_done_in_part() {
    let (path, both) =
        (json!({"path": "/w/p/q"}), json!({"source": "/w/a", "destination": "/w/b"}));
    let all = json!({"path": "/w/p", "recursive": true});
    let several = json!({"paths": ["/w/a.txt", "/w/b.txt"]});
    let moves = json!({"moves": [{"from": "/w/a", "to": "/w/c"}, {"from": "/w/b", "to": "/w/d"}]});
    for (tool, arguments, text) in [
        ("create_directory", &path, "ENAMETOOLONG: name too long, mkdir '/w/p/q'"),
        ("create_directory", &path, "EACCES: permission denied, mkdir '/w/p/q'"),
        ("save", &path, "ENOTDIR: not a directory, mkdir '/w/p/q'"),
        ("save", &path, "mkdir /w/p/q: file name too long"),
        ("make_dir", &path, "[Errno 36] File name too long: '/w/p/q'"),
        ("create_folder", &path, "Permission denied (os error 13)"),
        ("delete_directory", &path, "EACCES: permission denied, unlink '/w/p/q/r'"),
        ("purge", &path, "unlinkat /w/p/q/r: permission denied"),
        ("remove", &all, "PermissionError: [Errno 13] Permission denied: 'r'"),
        ("copy", &both, "EACCES: permission denied, cp '/w/a' -> '/w/b'"),
        ("copy", &both, "EPERM: operation not permitted, copyfile '/w/a/x' -> '/w/b/x'"),
        ("move_file", &both, "EXDEV: cross-device link not permitted, rename '/w/a' -> '/w/b'"),
        (
            "replace_in_files",
            &json!({"dir": "/w/p"}),
            "EACCES: permission denied, open '/w/p/x.txt'",
        ),
        ("sync_now", &json!({"root": "/w/p"}), "[Errno 13] Permission denied: '/w/p/x'"),
        ("move_all", &moves, "ENOENT: no such file or directory, rename '/w/b' -> '/w/d'"),
        ("delete_files", &several, "ENOENT: no such file or directory, unlink '/w/b.txt'"),
    ] {
        assert_eq!(effect(tool, arguments, text), "unknown", "{tool}: {text}");
    }
}

#[test]
fn what_is_done_at_once_or_stopped_before_its_first_step_has_changed_nothing() {
    let (path, both) =
        (json!({"path": "/w/p/q"}), json!({"source": "/w/a", "destination": "/w/b"}));
    let several = json!({"paths": ["/w/a.txt", "/w/b.txt"]});
    for (tool, arguments, text) in [
        ("write_file", &path, "EACCES: permission denied, open '/w/p/q'"),
        ("read_file", &path, "ENAMETOOLONG: name too long, realpath '/w/p/q'"),
        ("list_directory", &path, "EACCES: permission denied, scandir '/w/p/q'"),
        ("delete_file", &path, "EPERM: operation not permitted, unlink '/w/p/q'"),
        ("move_file", &both, "ENOENT: no such file or directory, rename '/w/a' -> '/w/b'"),
        ("create_directory", &path, "EEXIST: file already exists, mkdir '/w/p/q'"),
        ("create_directory", &path, "ENOENT: no such file or directory, mkdir '/w/p/q'"),
        ("delete_directory", &path, "[Errno 2] No such file or directory: '/w/p/q'"),
        ("search_files", &json!({"path": "/w/p"}), "EACCES: permission denied, scandir '/w/p/x'"),
        ("read_files", &several, "ENOENT: no such file or directory, open '/w/b.txt'"),
    ] {
        assert_eq!(effect(tool, arguments, text), "none", "{tool}: {text}");
    }
}

#[test]
fn an_answer_that_was_cut_off_tells_nothing_of_the_end_of_the_work() {
    for (tool, arguments, text) in [
        ("run_command", json!({"command": "touch a; seq 9"}), "stdout maxBuffer length exceeded"),
        ("exec", json!({"cmd": "x y"}), "Command output exceeded 1048576 bytes"),
        ("send", json!({"to": "x"}), "maxContentLength size of 1000 exceeded"),
        ("query", json!({"sql": "x"}), "Result too large"),
    ] {
        assert_eq!(effect(tool, &arguments, text), "unknown", "{tool}: {text}");
    }
}
