use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    CdpTimeout {
        method: String,
        #[similar]
        near: u32,
        #[next]
        next: String,
        #[retry_after]
        wait: u64,
    },
}

fn main() {}
