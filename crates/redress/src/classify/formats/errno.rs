//! Numbers of errno, as Python, Rust, Node and .NET write them, and the names that they stand for.

/// The numbers of Linux, macOS and Windows that name one thing.
const NAMES: &str = " 1 eperm 2 enoent 2:win enoent 3:win enoent 5:win eacces 5 eio 11 eagain 12 enomem 13 eacces 16 ebusy 17 eexist \
    18 exdev 20 enotdir 21 eisdir 23 enfile 24 emfile 26 etxtbsy 27 efbig 28 enospc 30 erofs 32:win ebusy 32 epipe \
    36 enametoolong 39 enotempty 40 eloop 48 eaddrinuse 51 enetunreach 54 econnreset 60 etimedout 61 econnrefused \
    65 ehostunreach 66 enotempty 80:win eexist 98 eaddrinuse 101 enetunreach 104 econnreset 110 etimedout 111 econnrefused \
    113 ehostunreach 122 edquot 183:win eexist 10013:win eacces 10048:win eaddrinuse 10054:win econnreset \
    10060:win etimedout 10061:win econnrefused ";
/// What is before a number, and the mark of its system.
const LEADS: [(&str, &str); 4] =
    [("os error ", ""), ("winerror ", ":win"), ("win error ", ":win"), ("errno ", "")];

/// The name of the number in a text in our spelling.
pub(in crate::classify) fn name(text: &str) -> Option<&'static str> {
    LEADS.iter().find_map(|(lead, system)| {
        let rest = text.get(text.find(lead)? + lead.len()..)?;
        let number = rest.split(|it: char| !it.is_ascii_digit()).next()?;
        let is_it = |it: &&str| !number.is_empty() && it.strip_suffix(system) == Some(number);
        NAMES.split(' ').skip_while(|it| !is_it(it)).nth(1)
    })
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn a_number_has_the_name_of_its_system() {
        for (text, named) in [
            ("no such file or directory (os error 2)", Some("enoent")),
            ("[errno 13] permission denied: '~'", Some("eacces")),
            ("[win error 5] access is denied", Some("eacces")),
            ("input/output error (os error 5)", Some("eio")),
            ("[winerror 10061] no connection could be made", Some("econnrefused")),
            ("errno 4711", None),
            ("error 2", None),
        ] {
            assert_eq!(name(text), named, "{text}");
        }
    }
}
