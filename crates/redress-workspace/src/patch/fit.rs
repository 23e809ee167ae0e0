//! Fits a patch to a text: every hunk where its old lines stand, at the line that it names or at the only one where they do.

use memchr::memmem::Finder;

use super::{Action, FilePatch, Hunk, HunkLine, LineFate, Misfit};

/// Why a hunk or a replacement does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Which one, from 1.
    pub part: usize,
    /// The line of the patch where it begins, from 1.
    pub at: Option<usize>,
    /// In which way it does not.
    pub misfit: Misfit,
    /// The line of the file that is nearest to what was looked for, from 1.
    pub nearest: usize,
    /// What is there; nothing, if no line is near.
    pub found: String,
    /// What was looked for there.
    pub wanted: String,
}

/// The text after a patch, or all hunks that do not fit. The text before a new file is empty.
pub fn fit(text: &[u8], file: &FilePatch) -> Result<Vec<u8>, Vec<Conflict>> {
    let ends = Ends::of(text, file);
    let mut page =
        Page { text, starts: starts(text), new: Vec::with_capacity(text.len()), done: 0, shift: 0 };
    let mut conflicts = Vec::new();
    for (number, hunk) in file.hunks.iter().enumerate() {
        if let Err(misfit) = page.apply(hunk, ends) {
            conflicts.push(page.conflict(hunk, number + 1, ends, misfit));
        }
    }
    let rest = text.get(page.done..).unwrap_or_default();
    page.new.extend_from_slice(rest);
    if conflicts.is_empty() && file.action == Action::Delete && !page.new.is_empty() {
        let (number, hunk) = (file.hunks.len(), file.hunks.last());
        conflicts.extend(hunk.map(|it| page.conflict(it, number, ends, Misfit::LeftOver)));
    }
    if conflicts.is_empty() { Ok(page.new) } else { Err(conflicts) }
}

/// The text with one piece of it replaced by another: the only one, or all.
pub fn replace(text: &[u8], search: &str, with: &str, all: bool) -> Result<Vec<u8>, Conflict> {
    let conflict = |misfit, at| not_replaced(text, search, misfit, at);
    if search.is_empty() {
        return Err(conflict(Misfit::NoSearch, None));
    }
    let finder = Finder::new(search.as_bytes());
    let mut found = finder.find_iter(text);
    let Some(first) = found.next() else { return Err(conflict(Misfit::NotThere, None)) };
    let behind = text.get(first + 1..).unwrap_or_default();
    if !all && let Some(second) = finder.find(behind) {
        return Err(conflict(Misfit::NotAlone, Some(first + 1 + second)));
    }
    let mut new = Vec::with_capacity(text.len());
    let mut done = 0;
    for at in std::iter::once(first).chain(found) {
        new.extend_from_slice(text.get(done..at).unwrap_or_default());
        new.extend_from_slice(with.as_bytes());
        done = at + search.len();
    }
    new.extend_from_slice(text.get(done..).unwrap_or_default());
    Ok(new)
}

/// Why a piece is not replaced, with the line that is nearest to it: the one that `at` is in, else the first that differs
/// from it where it seems to begin.
fn not_replaced(text: &[u8], search: &str, misfit: Misfit, at: Option<usize>) -> Conflict {
    let lines = starts(text);
    let line_of = |it: usize| lines.partition_point(|start| *start <= it).saturating_sub(1);
    let wanted: Vec<&[u8]> = search.as_bytes().split_inclusive(|it| *it == b'\n').collect();
    let telling = wanted.iter().position(|it| !it.trim_ascii().is_empty()).unwrap_or_default();
    let of_wanted = |it: usize| wanted.get(it).copied().unwrap_or_default();
    let near = at.or_else(|| line_with(text, of_wanted(telling).trim_ascii())).map(line_of);
    let Some(first) = near else {
        let (found, wanted) = (String::new(), shown(of_wanted(telling)));
        return Conflict { part: 1, at: None, misfit, nearest: 1, found, wanted };
    };
    let here = |it: usize| line(text, &lines, first + it - telling);
    let differs = |it: &usize| shown(here(*it)) != shown(of_wanted(*it));
    let off = (telling..wanted.len()).find(differs).filter(|_| at.is_none()).unwrap_or(telling);
    let (found, wanted) = (shown(here(off)), shown(of_wanted(off)));
    Conflict { part: 1, at: None, misfit, nearest: first + off - telling + 1, found, wanted }
}

/// How lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    AsWritten,
    /// The file has carriage returns throughout, and the patch has none: that is not what it is about.
    CarriageReturns,
}

impl Ends {
    fn of(text: &[u8], file: &FilePatch) -> Self {
        let lines = || text.split_inclusive(|it| *it == b'\n').filter(|it| it.ends_with(b"\n"));
        let has_any = lines().next().is_some();
        let in_file = has_any && lines().all(|it| it.ends_with(b"\r\n"));
        let in_patch = file.hunks.iter().flat_map(|it| &it.lines).any(|it| it.text.ends_with('\r'));
        if in_file && !in_patch { Self::CarriageReturns } else { Self::AsWritten }
    }

    /// The lines of one side of a hunk, as they stand in a file.
    fn side(self, hunk: &Hunk, side: LineFate) -> Vec<u8> {
        let mut block = Vec::new();
        for HunkLine { fate, text, has_break } in &hunk.lines {
            if *fate == LineFate::Stays || *fate == side {
                block.extend_from_slice(text.as_bytes());
                match (self, has_break) {
                    (_, false) => (),
                    (Self::AsWritten, true) => block.push(b'\n'),
                    (Self::CarriageReturns, true) => block.extend_from_slice(b"\r\n"),
                }
            }
        }
        block
    }
}

/// A text on its way to another.
struct Page<'t> {
    text: &'t [u8],
    /// Where each line begins.
    starts: Vec<usize>,
    new: Vec<u8>,
    /// How much of the text has been dealt with.
    done: usize,
    /// By how many lines the hunk before was found further down than it said.
    shift: isize,
}

impl Page<'_> {
    fn apply(&mut self, hunk: &Hunk, ends: Ends) -> Result<(), Misfit> {
        let (old, new) = (ends.side(hunk, LineFate::Goes), ends.side(hunk, LineFate::Comes));
        let at = self.find(hunk, &old, is_open(&old) || is_open(&new))?;
        let line = self.starts.partition_point(|it| *it < at);
        let (line, start) = (isize::try_from(line), isize::try_from(hunk.start.saturating_sub(1)));
        self.shift = line.unwrap_or_default() - start.unwrap_or_default();
        self.new.extend_from_slice(self.text.get(self.done..at).unwrap_or_default());
        self.new.extend_from_slice(&new);
        self.done = at + old.len();
        Ok(())
    }

    /// Where the old lines of a hunk stand.
    fn find(&self, hunk: &Hunk, old: &[u8], is_last: bool) -> Result<usize, Misfit> {
        if old.is_empty() {
            // Nothing shows where it belongs, but in an empty file there is one place only.
            let is_alone = self.text.is_empty() && self.new.is_empty();
            return if is_alone { Ok(0) } else { Err(Misfit::NoAnchor) };
        }
        let named = hunk.start.checked_sub(1).and_then(|it| it.checked_add_signed(self.shift));
        let named = named.and_then(|it| self.starts.get(it).copied());
        if let Some(at) = named.filter(|it| self.stands_at(*it, old, is_last)) {
            return Ok(at);
        }
        let mut places = self.places(old, is_last);
        match (places.next(), places.next()) {
            (None, _) => Err(Misfit::LinesNotThere),
            (Some(at), None) => Ok(at),
            (Some(_), Some(_)) => Err(Misfit::LinesNotAlone),
        }
    }

    /// Whether these lines stand there; if one of theirs has no line break, nothing may follow.
    fn stands_at(&self, at: usize, old: &[u8], is_last: bool) -> bool {
        let rest = self.text.get(at..).unwrap_or_default();
        at >= self.done && rest.starts_with(old) && (!is_last || rest.len() == old.len())
    }

    /// Everywhere behind what was dealt with where these lines stand whole.
    fn places<'a>(&'a self, old: &'a [u8], is_last: bool) -> impl Iterator<Item = usize> + 'a {
        let whole = [b"\n", old].concat();
        let finder = Finder::new(&whole).into_owned();
        let first = Some(0).filter(move |it| self.stands_at(*it, old, is_last));
        let mut from = 0;
        let others = std::iter::from_fn(move || {
            let at = from + finder.find(self.text.get(from..)?)?;
            from = at + 1;
            Some(at + 1)
        });
        first.into_iter().chain(others.filter(move |it| self.stands_at(*it, old, is_last)))
    }

    fn conflict(&self, hunk: &Hunk, part: usize, ends: Ends, misfit: Misfit) -> Conflict {
        let old = ends.side(hunk, LineFate::Goes);
        let wanted: Vec<&[u8]> = old.split_inclusive(|it| *it == b'\n').collect();
        // The longest of its lines is the least likely to stand elsewhere, too.
        let telling = (0..wanted.len()).max_by_key(|it| wanted.get(*it).map_or(0, |it| it.len()));
        let guess = telling.and_then(|index| {
            let at = line_with(self.text, wanted.get(index)?.trim_ascii())?;
            let line = self.starts.partition_point(|it| *it <= at).checked_sub(1)?;
            Some(line.saturating_sub(index))
        });
        let named = hunk.start.saturating_sub(1).min(self.starts.len().saturating_sub(1));
        let first = guess.unwrap_or(named);
        let here = |it: &usize| line(self.text, &self.starts, first + it);
        let differs = |it: &usize| wanted.get(*it).is_some_and(|wanted| *wanted != here(it));
        let off = (0..wanted.len()).find(differs).unwrap_or_default();
        Conflict {
            part,
            at: Some(hunk.at),
            misfit,
            nearest: first + off + 1,
            found: shown(here(&off)),
            wanted: shown(wanted.get(off).copied().unwrap_or_default()),
        }
    }
}

/// Whether the last of these lines has no line break.
fn is_open(block: &[u8]) -> bool {
    block.last().is_some_and(|it| *it != b'\n')
}

fn starts(text: &[u8]) -> Vec<usize> {
    let behind = memchr::memchr_iter(b'\n', text).map(|it| it + 1).filter(|it| *it < text.len());
    std::iter::once(0).chain(behind).collect()
}

fn line<'t>(text: &'t [u8], starts: &[usize], index: usize) -> &'t [u8] {
    let start = starts.get(index).copied().unwrap_or(text.len());
    let end = starts.get(index + 1).copied().unwrap_or(text.len());
    text.get(start..end).unwrap_or_default()
}

/// Where a part is first in the text; an empty part says nothing.
fn line_with(text: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() { None } else { Finder::new(part).find(text) }
}

/// A line for people.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
    redress::text::cut(&text, 120).into_owned()
}
