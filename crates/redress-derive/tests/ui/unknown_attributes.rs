use redress::Contract;

#[derive(Debug, Contract)]
#[contract(registy = "core")]
enum NoteError {
    #[contract(cod = "TIMEOUT")]
    Slow {
        #[contract(parm = "x")]
        y: u8,
    },
    #[contract(colour)]
    Timeout,
}

fn main() {}
