//! The limit of a proxy on TCP: bytes copied between two connections, a blocking thread for each way.

use std::{
    io::{self, Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    thread,
};

use crate::fallible::Fallible;

/// Connects each that comes with the target.
pub(super) fn run(listen: SocketAddr, target: SocketAddr) -> Fallible<()> {
    for near in TcpListener::bind(listen)?.incoming() {
        let (near, far) = (near?, TcpStream::connect(target)?);
        near.set_nodelay(true)?;
        far.set_nodelay(true)?;
        let ways = [(near.try_clone()?, far.try_clone()?), (far, near)];
        for (from, to) in ways {
            thread::Builder::new().stack_size(64 << 10).spawn(move || copy(from, &to))?;
        }
    }
    Ok(())
}

fn copy(mut from: TcpStream, mut to: &TcpStream) -> io::Result<()> {
    let mut room = vec![0; 64 << 10];
    loop {
        let read = from.read(&mut room)?;
        if read == 0 {
            return to.shutdown(Shutdown::Write);
        }
        to.write_all(room.get(..read).unwrap_or_default())?;
    }
}
