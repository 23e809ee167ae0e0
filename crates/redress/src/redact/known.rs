//! Values that are known to be secret: the encodings in which they turn up, and where these stand in a text.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::escapes::without_escapes;

/// Known values that are shorter would take harmless words with them.
pub(super) const SHORTEST: usize = 6;

/// A shorter line would take harmless words with it.
const SHORTEST_LINE: usize = 8;

/// The password in the base64 of `user:password`, as a `Basic` header has it.
fn basic_password(value: &str) -> Option<String> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for digit in value.rsplit(' ').next()?.trim_end_matches('=').bytes() {
        let digit = BASE64.iter().position(|it| *it == digit)?;
        bits = bits << 6 | u32::try_from(digit).ok()?;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    let login = String::from_utf8(bytes).ok().filter(|it| !it.contains(char::is_control))?;
    login.split_once(':').map(|it| it.1.to_owned())
}

/// The forms in which a value is looked for in dense texts: it and its lines, without its escapes, the password in it, each with `+`
/// for a space, in hex and in base64 once and twice.
pub(super) fn forms(value: &str) -> Vec<Vec<u8>> {
    let others = [without_escapes(value), basic_password(value)];
    let mut forms = Vec::new();
    for value in others.iter().flatten().map(|it| &**it).chain([value]) {
        if value.len() < SHORTEST {
            continue;
        }
        forms.push(value.into());
        forms.push(value.replace(' ', "+").into());
        // Programs write a value of several lines line by line. Those of a document, and those around a key, tell nothing.
        let has_lines = value.contains('\n') && !value.starts_with(['{', '[']);
        let lines = value.lines().map(str::trim).filter(|_| has_lines);
        let lines = lines.filter(|it| it.len() >= SHORTEST_LINE && !it.starts_with("-----"));
        forms.extend(lines.map(Into::into));
        let digits: Vec<String> = value.bytes().map(|it| format!("{it:02x}")).collect();
        forms
            .extend(["", ":", ",", ";", ".", "|", "-", "_"].map(|it| digits.join(it).into_bytes()));
        let once = bases(value.as_bytes());
        forms.extend(once.iter().flat_map(|it| bases(it)));
        forms.extend(once);
    }
    forms.iter().map(|it| dense(it)).filter(|it| it.len() >= SHORTEST).collect()
}

/// Values in all of their forms. Every third place of a dense text is looked at: one of the first three pieces of each form is there.
#[derive(Debug, Clone, Default)]
pub(super) struct Forms {
    all: Vec<Vec<u8>>,
    /// The forms by these pieces, and where in the form each is.
    pieces: FxHashMap<[u8; PIECE], Vec<(usize, usize)>>,
    /// A bit for each hash of a piece, so that most places cost no more than that.
    bits: Vec<u64>,
}

const STEP: usize = 3;
const PIECE: usize = SHORTEST - STEP + 1;

/// The length of a hash.
const HASH_BITS: u32 = 15;

impl Forms {
    pub(super) fn new(forms: Vec<Vec<u8>>) -> Self {
        let (mut pieces, mut bits) =
            (FxHashMap::<_, Vec<_>>::default(), vec![0; 1 << (HASH_BITS - 6)]);
        for (form, text) in forms.iter().enumerate() {
            for (at, piece) in text.windows(PIECE).take(STEP).enumerate() {
                let Some(piece) = piece.first_chunk() else { continue };
                let (place, bit) = hashed(*piece);
                bits.get_mut(place).map(|it| *it |= bit).unwrap_or_default();
                pieces.entry(*piece).or_default().push((form, at));
            }
        }
        Self { all: forms, pieces, bits }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Where they stand in a text, whatever white space is in them; the first of those that overlap, and of these the longest.
    pub(super) fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        if self.is_empty() {
            return found;
        }
        let dense = dense(text);
        let (mut places, mut next, mut free) = (dense_places(text), 0, 0);
        let mut place = |at: usize| {
            let place = places.nth(at - next);
            next = at + 1;
            place
        };
        for at in (0..dense.len()).step_by(STEP) {
            let Some(piece) = dense.get(at..).and_then(<[u8]>::first_chunk) else { break };
            let (word, bit) = hashed(*piece);
            if self.bits.get(word).is_none_or(|it| it & bit == 0) {
                continue;
            }
            let fitting = |(form, before): &(usize, usize)| {
                let (form, start) = (self.all.get(*form)?, at.checked_sub(*before)?);
                let is_one = start >= free && dense.get(start..)?.starts_with(form);
                is_one.then_some(start..start + form.len())
            };
            let fitting = self.pieces.get(piece).into_iter().flatten().filter_map(fitting);
            let Some(first) = fitting.min_by_key(|it| (it.start, usize::MAX - it.end)) else {
                continue;
            };
            free = first.end;
            found.extend(place(first.start).zip(place(free - 1)).map(|it| it.0..it.1 + 1));
        }
        found
    }
}

/// The place and the bit of a piece.
fn hashed(piece: [u8; PIECE]) -> (usize, u64) {
    const FACTOR: u32 = 0x9e37_79b1;
    let hash = u32::from_le_bytes(piece).wrapping_mul(FACTOR) >> (u32::BITS - HASH_BITS);
    (usize::try_from(hash >> 6).unwrap_or_default(), 1 << (hash & 63))
}

/// A text in small letters, without the white space of ASCII, and with one alphabet of base64 for both.
fn dense(text: &[u8]) -> Vec<u8> {
    let mut dense = vec![0; text.len()];
    let mut length = 0;
    for it in text {
        let it = DENSE.get(usize::from(*it)).copied().unwrap_or_default();
        if let Some(place) = dense.get_mut(length) {
            *place = it;
        }
        length += usize::from(it != 0);
    }
    dense.truncate(length);
    dense
}

/// Each byte as a dense text has it; 0 if it has none.
#[expect(clippy::indexing_slicing, reason = "no byte is larger than the last index")]
const DENSE: [u8; 256] = {
    let mut dense = [0; 256];
    let mut it: u8 = 0;
    while it < u8::MAX {
        it += 1;
        dense[it as usize] = match it {
            9..=13 | b' ' => 0,
            b'-' => b'+',
            b'_' => b'/',
            it => it.to_ascii_lowercase(),
        };
    }
    dense
};

/// Where the bytes of a dense text stand in the text itself.
fn dense_places(text: &[u8]) -> impl Iterator<Item = usize> {
    let is_dense = |it: &u8| DENSE.get(usize::from(*it)).is_some_and(|it| *it != 0);
    (0..).zip(text).filter(move |it| is_dense(it.1)).map(|it| it.0)
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The digits that a value alone decides, at each of the three places that it may have in a group of three bytes: `user:value` in
/// base64 holds the value at one of these, whatever the user is called.
fn bases(value: &[u8]) -> [Vec<u8>; 3] {
    [0, 1, 2].map(|before| {
        let padded: Vec<u8> = std::iter::repeat_n(0, before).chain(value.iter().copied()).collect();
        let digit = |at: usize| {
            let pair = [padded.get(at * 6 / 8), padded.get(at * 6 / 8 + 1)];
            let [high, low] = pair.map(|it| u16::from(it.copied().unwrap_or_default()));
            let index = ((high << 8 | low) >> (10 - at * 6 % 8)) & 63;
            BASE64.get(usize::from(index)).copied().unwrap_or(b'=')
        };
        ((before * 8).div_ceil(6)..padded.len() * 8 / 6).map(digit).collect()
    })
}
