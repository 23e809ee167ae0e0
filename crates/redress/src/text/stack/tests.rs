//! Stacks as the runtimes write them.

use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

use super::{has_frames, with_frames, without_frames};

const PYTHON: &str = "starting\nTraceback (most recent call last):\n  File \"/w/s.py\", line 9, in <module>\n    main()\n    ~~~~^^\n  \
    File \"/w/s.py\", line 5, in main\n    return data['x']\n           ~~~~^^^^^\nKeyError: 'x'\n\nDuring handling of the above exception, \
    another exception occurred:\n\nTraceback (most recent call last):\n  File \"/w/s.py\", line 12, in <module>\n    raise Boom(\"no x\")\n\
    app.Boom: no x\n";

const GROUP: &str = "  + Exception Group Traceback (most recent call last):\n  |   File \"/w/s.py\", line 3, in <module>\n  \
    |     raise ExceptionGroup(\"g\", all)\n  | ExceptionGroup: g (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    \
    | Traceback (most recent call last):\n    |   File \"/w/s.py\", line 1, in f\n    |     g()\n    | ValueError: a\n    \
    +---------------- 2 ----------------\n    | KeyError: 'b'\n    +------------------------------------\n| a | table |\n";

const NODE: &str = "/w/x.js:3\n  throw new Error('boom');\n  ^\n\nError: boom\n    at Object.<anonymous> (/w/x.js:3:9)\n    \
    at async f (node:internal/modules/cjs/loader:1:2) {\n  code: 'E_BOOM'\n}\n\nNode.js v22.1.0\n";

const JAVA: &str = "Exception in thread \"main\" java.lang.IllegalStateException: no\n\tat a.B.c(B.java:3)\n\tat a.B.main(B.java:9)\n\
    Caused by: java.io.IOException: gone\n\tat a.B.d(B.java:5)\n\t... 2 more\n";

const GO: &str = "panic: boom\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\t/w/main.go:4 +0x25\nmain.main()\n\t/w/main.go:9 +0x1d\nexit status 2\n";

const RUST: &str = "thread 'main' panicked at src/main.rs:2:5:\nboom\nstack backtrace:\n   0: __rustc::rust_begin_unwind\n             \
    at /rustc/x/std/src/panicking.rs:689:5\n   1: core::panicking::panic_fmt\n   2: notes::read\n             \
    at ./src/main.rs:2:5\n   3: notes::main\nnote: Some details are omitted\n";

const NET: &str =
    "Unhandled exception. System.Exception: boom\n   at X.Y() in /w/x.cs:line 3\n   at X.Main()\n";

const RUBY: &str = "x.rb:1:in 'f': boom (RuntimeError)\n\tfrom x.rb:3:in '<main>'\n";

const PHP: &str = "PHP Fatal error:  Uncaught Exception: boom in /w/x.php:3\nStack trace:\n#0 /w/x.php(9): f()\n#1 {main}\n  thrown in /w/x.php on line 3\n";

const BOX: &str = "╭───── Traceback (most recent call last) ─────╮\n│ /w/s.py:3 in f │\n│ ❱ 3 │   g() │\n╰──────────╯\nKeyError: 'x'\n";

#[test]
fn what_tells_is_left_of_every_stack() {
    for (text, left) in [
        (PYTHON, "starting\nKeyError: 'x'\n\n\napp.Boom: no x"),
        (
            GROUP,
            "ExceptionGroup: g (2 sub-exceptions)\nValueError: a\nKeyError: 'b'\n| a | table |",
        ),
        (NODE, "Error: boom\n  code: 'E_BOOM'\n}\n\nNode.js v22.1.0"),
        (
            JAVA,
            "Exception in thread \"main\" java.lang.IllegalStateException: no\nCaused by: java.io.IOException: gone",
        ),
        (GO, "panic: boom\n\nexit status 2"),
        (RUST, "thread 'main' panicked at src/main.rs:2:5:\nboom\nnote: Some details are omitted"),
        (NET, "Unhandled exception. System.Exception: boom"),
        (RUBY, "x.rb:1:in 'f': boom (RuntimeError)"),
        (PHP, "PHP Fatal error:  Uncaught Exception: boom in /w/x.php:3"),
        (BOX, "KeyError: 'x'"),
        ("boom\nat a\nat b", "boom"),
        (
            "failed: Traceback (most recent call last): File \"x\", line 1, in f g() KeyError: 'a'",
            "failed:\nKeyError: 'a'",
        ),
    ] {
        assert_eq!(without_frames(text), left);
        assert_eq!(without_frames(left), left, "what tells stays");
    }
}

#[test]
fn a_text_without_a_stack_stays_as_it_is() {
    for text in [
        "look at home\n  at noon (if you can)x\n",
        "| a | b |\n| - | - |\n+1\n",
        "a ^ b\n  ^\n",
        "  File \"bad.py\", line 2\n    return 1 +\n              ^\nSyntaxError: invalid syntax",
        "  1: first\n  2: second\n",
        "from here: in time\n",
        "",
    ] {
        assert_eq!(without_frames(text), text);
        assert!(!has_frames(text), "{text}");
    }
}

#[test]
fn the_frames_nearest_to_the_failure_are_shown() {
    let shown = with_frames(NODE, 1);
    assert!(shown.contains("x.js:3:9") && !shown.contains("node:internal"), "{shown}");
    let shown = with_frames(PYTHON, 2);
    assert!(
        shown.contains("line 12, in <module>") && shown.contains("return data['x']"),
        "{shown}"
    );
    assert!(!shown.contains("line 9") && shown.contains("KeyError: 'x'"), "{shown}");
    let shown = with_frames(RUST, 1);
    assert!(shown.contains("notes::read\n             at ./src/main.rs:2:5"), "{shown}");
    assert!(!shown.contains("rust_begin_unwind") && !shown.contains("notes::main"), "{shown}");
    assert_eq!(with_frames("at a\nat b\nat c", 2), "at a\nat b");
    assert_eq!(with_frames(GO, 9), GO.trim_end());
}

proptest! {
    #[test]
    fn any_text_loses_whole_lines_alone(
        lines in proptest::collection::vec(
            "(  File \"x\", line 1, in f| *at f \\(x:1:2\\)|Traceback \\(most recent call last\\):|goroutine 1 \\[running\\]:|stack backtrace:| *\\^+|\\PC{0,20})",
            0..12,
        ),
        most in 0usize..4,
    ) {
        let text = lines.join("\n");
        let left = without_frames(&text);
        for line in left.lines() {
            prop_assert!(text.contains(line), "{:?} of {:?}", line, text);
        }
        prop_assert!(with_frames(&text, most).len() <= text.len() + lines.len());
        if !has_frames(&text) && left.len() == text.len() {
            prop_assert_eq!(&*left, &*text);
        }
    }
}
