//! The directory with the control sockets of this user's gates.

use std::{
    fs::{DirBuilder, File},
    io,
    os::{
        fd::AsRawFd as _,
        unix::{fs::DirBuilderExt as _, net::UnixStream},
    },
    path::PathBuf,
};

use rustix::{
    fs::{AtFlags, Mode, OFlags, fstat, open, unlinkat},
    io::Errno,
    net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with},
    process::geteuid,
};

use crate::{failure::Failure, place};

/// How the name of a socket ends.
const ENDING: &str = ".sock";

/// A directory that only its owner can enter.
pub(super) struct Directory {
    pub(super) path: PathBuf,
    pub(super) handle: File,
}

impl Directory {
    /// The directory, which is made if it is not there.
    pub(super) fn make() -> Result<Self, Failure> {
        let path = place::control()?;
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
        made.map_err(|it| Failure::writing(&path.to_string_lossy(), &it))?;
        Self::at(path.clone())?.ok_or_else(|| {
            Failure::writing(&path.to_string_lossy(), &io::ErrorKind::NotFound.into())
        })
    }

    /// The directory, if it is there.
    pub(super) fn find() -> Result<Option<Self>, Failure> {
        Self::at(place::control()?)
    }

    fn at(path: PathBuf) -> Result<Option<Self>, Failure> {
        let shown = path.to_string_lossy();
        let unread = |it: Errno| {
            let error = io::Error::from(it);
            Failure::reading(&shown, &error).of_machine()
        };
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let handle = match open(&path, flags, Mode::empty()) {
            Ok(handle) => File::from(handle),
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(unread(error)),
        };
        let about = fstat(&handle).map_err(unread)?;
        if about.st_uid != geteuid().as_raw() || about.st_mode & 0o077 != 0 {
            let problem =
                "Other users can enter the directory of control sockets, or it is theirs.";
            let failure = Failure::config(&shown, problem).of_machine();
            return Err(failure.fix(&format!("chmod 700 {shown}, as its owner.")));
        }
        Ok(Some(Self { path, handle }))
    }

    /// The names of all sockets.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(self.own_path())? {
            let name = entry?.file_name().into_string();
            names.extend(name.ok().filter(|it| it.ends_with(ENDING)));
        }
        names.sort();
        Ok(names)
    }

    /// A name for a socket of this process.
    pub(super) fn name(number: u32) -> String {
        format!("{}-{number}{ENDING}", std::process::id())
    }

    /// The address of a socket. It is short, however long the path of the directory is, and leads into this very directory.
    pub(super) fn address(&self, name: &str) -> PathBuf {
        self.own_path().join(name)
    }

    /// Connects to a socket, without waiting for one that takes no connection.
    pub(super) fn connect(&self, name: &str) -> io::Result<UnixStream> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        connect(&socket, &SocketAddrUnix::new(self.address(name))?)?;
        let stream = UnixStream::from(socket);
        stream.set_nonblocking(false)?;
        Ok(stream)
    }

    /// Removes a socket.
    pub(super) fn remove(&self, name: &str) {
        // If it is gone already, that is as well.
        unlinkat(&self.handle, name, AtFlags::empty()).unwrap_or_default();
    }

    /// Removes the sockets of gates that are gone.
    pub(super) fn remove_dead(&self) -> io::Result<()> {
        for name in self.names()? {
            let connected = self.connect(&name);
            if connected.is_err_and(|it| it.kind() == io::ErrorKind::ConnectionRefused) {
                self.remove(&name);
            }
        }
        Ok(())
    }

    fn own_path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.handle.as_raw_fd()))
    }
}
