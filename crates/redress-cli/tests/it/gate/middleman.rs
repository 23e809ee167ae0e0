//! A bad network: a middleman on loopback that passes bytes on in small pieces, late, or not at all, and cuts connections.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

const CLEAR: usize = 0;
const SPLITS: usize = 1;
const CUTS: usize = 2;
const SILENT: usize = 3;

/// Stands between two ends.
pub(crate) struct Middleman {
    pub(crate) port: u16,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    mode: AtomicUsize,
    random: AtomicU64,
}

impl State {
    /// The next of a row of numbers that is the same in every run.
    fn random(&self, below: u64) -> usize {
        let step = self.random.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let mixed = step.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        usize::try_from((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33).unwrap()
            % usize::try_from(below).unwrap()
    }
}

impl Middleman {
    /// One before an address. At first he passes everything on.
    pub(crate) fn before(address: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, address) = (listener.local_addr().unwrap().port(), address.to_owned());
        let state = Arc::new(State::default());
        let kept = Arc::clone(&state);
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let Ok(far) = TcpStream::connect(&address) else { continue };
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let state = Arc::clone(&kept);
                    thread::spawn(move || pass(from, to, &state));
                }
            }
        });
        Self { port, state }
    }

    /// Everything passes.
    pub(crate) fn clear(&self) {
        self.state.mode.store(CLEAR, Ordering::Release);
    }

    /// Everything passes, a few bytes at a time, and late.
    pub(crate) fn split(&self) {
        self.state.mode.store(SPLITS, Ordering::Release);
    }

    /// Connections are cut after a few bytes or many, in either direction.
    pub(crate) fn cut(&self) {
        self.state.mode.store(CUTS, Ordering::Release);
    }

    /// Nothing passes, and nobody is told.
    pub(crate) fn silence(&self) {
        self.state.mode.store(SILENT, Ordering::Release);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, state: &State) {
    let mut piece = [0; 4096];
    let mut left = state.random(1500);
    while let Ok(bytes @ 1..) = from.read(&mut piece) {
        let mut rest = &piece[..bytes];
        while !rest.is_empty() {
            let mode = state.mode.load(Ordering::Acquire);
            let most = match mode {
                CLEAR => rest.len(),
                SPLITS => 1 + state.random(9),
                CUTS => left,
                _ => 0,
            };
            if mode == SILENT {
                wait(Duration::from_millis(5));
                continue;
            }
            let (now, later) = rest.split_at(most.min(rest.len()));
            if to.write_all(now).is_err() {
                break;
            }
            rest = later;
            if mode == SPLITS {
                wait(Duration::from_micros(300));
            }
            if mode == CUTS {
                left -= now.len();
                if left == 0 {
                    // The other direction ends with it.
                    drop(from.shutdown(Shutdown::Both));
                    drop(to.shutdown(Shutdown::Both));
                    return;
                }
            }
        }
    }
    drop(to.shutdown(Shutdown::Write));
}

fn wait(time: Duration) {
    #[expect(clippy::disallowed_methods, reason = "being slow is the point")]
    thread::sleep(time);
}
