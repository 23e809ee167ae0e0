#![deny(deprecated)]

use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    PageGone,
    #[contract(code = "PAGE_GONE")]
    Lost,
    #[allow(deprecated)]
    #[contract(code = "PAGE_GONE")]
    Known,
    #[deprecated]
    #[contract(code = "PAGE_GONE")]
    Passed,
}

fn main() {}
