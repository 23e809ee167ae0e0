//! Texts that somebody made to be slow.

use rustix::time::{ClockId, clock_gettime};

use super::find;

#[test]
fn a_name_of_any_length_is_judged_once() {
    let start = clock_gettime(ClockId::ThreadCPUTime);
    for piece in [
        "token:\n\n",
        "password =\n \"a",
        "token::a1",
        "auth.",
        "token_",
        "key-",
        "auth: ",
        "token={",
        "token=[a ",
        "password=\"a",
        "token\",\"",
        "://:",
        "://a:b",
        "://a:b @",
        "A-----END PRIVATE KEY-----",
        "-----END PRIVATE KEY-----\n",
        "token=<",
        "token:\n ",
        "password: |\n ",
        "key: ",
        "token=\\",
        "%25",
        "\u{1b}[",
        "ghp_",
        "sk-",
        "token |",
        "token | a1 ",
        "token  ",
        "token\n value",
        "token\" value=",
        "=\"token\">",
        "token=\"\"\"a",
        "token: !a ",
        "token: &a ",
        "token=a(\n",
        "token=f(a ",
        "token=a.b.",
        "token=a::",
        "--token\n",
        "token:\na",
        "token: [{",
        "token: (",
        "arn:secret:",
        "IDENTIFIED BY '",
        "jdbc:oracle:thin:a/",
        "12345678:AA",
        "unexpected token: \"",
        "token=>\nstring(",
        "secret:http://x/",
        "password:str[",
        "arn:aws:secret:",
        "token:a.",
        "password:is.",
        "password = a.a.a.",
        "password=\\\\",
        "password:/home/",
        "token: a::",
        "token 'a ",
        "token\", 'a ",
        "unexpected token 'a ",
        "password 'is ",
        "Authorization: is ",
        "IDENTIFIED BY '$env:",
        " -u'a:",
        "Bearer\n",
        "Bearer\na1",
        "Authorization: Bearer\n",
        &("SG.".repeat(2700) + "=\""),
    ] {
        find(&piece.repeat((64 << 10) / piece.len()));
    }
    let spent = clock_gettime(ClockId::ThreadCPUTime) - start;
    assert!(spent.tv_sec < 20, "{spent:?}");
}
