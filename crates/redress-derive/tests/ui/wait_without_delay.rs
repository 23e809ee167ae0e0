use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registry = "tests/it/errors.toml")]
enum PageError {
    RefNotFound {
        ref_id: u32,
        #[retry_after]
        wait: std::time::Duration,
    },
}

fn main() {}
