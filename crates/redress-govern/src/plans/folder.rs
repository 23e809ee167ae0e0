//! `Folder`: the files of plans, read through the handle of the workspace each time they are used.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
    sync::Arc,
};

use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags, fstat, openat2};

use super::memory::Memory;
use crate::{
    plan::{MAX_BYTES, NotAPlan, Plan},
    root::Root,
};

/// Nothing in the folder of plans is a link: what is approved is the file itself.
const STRICT: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

/// The most plans of a folder that are looked at, and the most bytes of them.
const MOST_PLANS: usize = 500;
const MOST_BYTES: usize = 16 << 20;

/// A file of the folder.
#[derive(Debug)]
pub(super) struct PlanFile {
    pub(super) file: String,
    pub(super) plan: Result<Arc<Plan>, NotAPlan>,
}

/// The folder of plans, relative to the workspace.
#[derive(Debug)]
pub(super) struct Folder(pub(super) String);

impl Folder {
    /// Every plan of the folder, by name.
    pub(super) fn all(&self, root: &Root, memory: &Memory) -> Vec<PlanFile> {
        let mut bytes = 0;
        let mut plans = Vec::new();
        for file in self.files(root).unwrap_or_default() {
            let Ok((plan, size)) = self.read_sized(root, &file, memory) else { continue };
            bytes += size;
            if bytes > MOST_BYTES {
                break;
            }
            plans.push(plan);
        }
        plans
    }

    fn files(&self, root: &Root) -> io::Result<Vec<String>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat2(root.handle(), self.0.as_str(), flags, Mode::empty(), STRICT)?;
        let names = Dir::read_from(folder)?.filter_map(Result::ok);
        let names = names.filter_map(|it| it.file_name().to_str().ok().map(str::to_owned));
        let mut names: Vec<String> = names.filter(|it| is_name(it)).take(MOST_PLANS).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// The plan with that name, with or without the folder before it.
    pub(super) fn find(&self, root: &Root, named: &str, memory: &Memory) -> Option<PlanFile> {
        let below = named.strip_prefix(&self.0).and_then(|it| it.strip_prefix('/'));
        let file = below.unwrap_or(named);
        is_name(file).then(|| self.read_sized(root, file, memory).ok()).flatten().map(|it| it.0)
    }

    fn read_sized(
        &self,
        root: &Root,
        file: &str,
        memory: &Memory,
    ) -> io::Result<(PlanFile, usize)> {
        let path = format!("{}/{file}", self.0);
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let found = openat2(root.handle(), path.as_str(), flags, Mode::empty(), STRICT)?;
        if FileType::from_raw_mode(fstat(&found)?.st_mode) != FileType::RegularFile {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut bytes = Vec::new();
        File::from(found).take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        let found = PlanFile { file: file.to_owned(), plan: memory.plan(&bytes) };
        Ok((found, bytes.len()))
    }
}

/// Whether a text is the name of a plan's file.
fn is_name(text: &str) -> bool {
    let is_markdown = Path::new(text).extension().is_some_and(|it| it == "md");
    is_markdown && !text.starts_with('.') && !text.contains(['/', '\0']) && text.len() <= 255
}
