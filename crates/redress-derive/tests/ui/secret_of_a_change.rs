use redress::Contract;

#[derive(Debug, Contract)]
enum LoginError {
    /// A page.
    #[contract(class = "invalid_argument", retry = "after_change", message = "The password {word} is wrong.",
               hint = "Try again in some other way.")]
    LoginRefused {
        #[contract(secret)]
        word: String,
    },
    /// A page.
    #[contract(class = "invalid_argument", retry = "after_change", message = "There is no login: {cause}.",
               hint = "Try again in some other way.")]
    LoginLost {
        #[source]
        cause: std::io::Error,
    },
}

fn main() {}
