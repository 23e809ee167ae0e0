//! Plans: what a person approved is done, and nothing else. Their files are read through the handle of the workspace, each time they are used.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use redress::{
    Fault, codes,
    fault::{NextAction, Similar, Violation},
    json::{Members, Value, write_str},
};
use redress_govern::plan::{MAX_BYTES, NotAPlan, Plan, Status, broken};
use redress_ledger::PublicKey;
use redress_registry::nearest::nearest_n;
use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags, fstat, openat2};
use sha2::{Digest as _, Sha256};

use super::{Call, Governed, Governor, places::Place, root::Root};

/// Nothing in the folder of plans is a link: what is approved is the file itself.
const STRICT: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

/// The most plans of a folder that are looked at, and the most bytes of them.
const MOST_PLANS: usize = 500;
const MOST_BYTES: usize = 16 << 20;

/// The longest list of revoked plans, in bytes.
const MOST_REVOKED: u64 = 1 << 20;

/// The most plans and signatures that are remembered.
const MOST_KNOWN: usize = 200;

/// Where plans are, and by whose key they are approved.
#[derive(Debug)]
pub struct Plans {
    folder: String,
    /// Without a key nothing is approved.
    key: Option<PublicKey>,
    revoked: PathBuf,
    memory: Mutex<Memory>,
}

/// What follows from bytes alone, so that it need not be found out again.
#[derive(Debug, Default)]
struct Memory {
    /// The plans of files, by the hash of all their bytes.
    read: BTreeMap<[u8; 32], Arc<Plan>>,
    /// Hashes and signatures that belong together.
    signed: BTreeSet<(String, String)>,
}

/// A file of the folder.
#[derive(Debug)]
struct Kept {
    file: String,
    plan: Result<Arc<Plan>, NotAPlan>,
}

impl Plans {
    /// Plans in a folder of the workspace, approved with a key, but for those that the file `revoked` lists.
    pub fn new(folder: String, key: Option<PublicKey>, revoked: PathBuf) -> Self {
        Self { folder, key, revoked, memory: Mutex::default() }
    }

    /// The folder, relative to the workspace.
    pub(super) fn folder(&self) -> &str {
        &self.folder
    }

    /// The plan of that name or hash, if it may be used; its hash is told either way.
    fn approved(
        &self,
        root: &Root,
        named: &str,
        governed: &mut Governed,
    ) -> Result<Arc<Plan>, Box<Fault>> {
        let found = match self.of_name(root, named) {
            Some(found) => found,
            None => self.of_hash(root, named).ok_or_else(|| self.not_found(root, named))?,
        };
        let plan =
            found.plan.map_err(|it| self.advise(broken(named, &it.to_string()), &found.file))?;
        governed.plan_hash = Some(plan.hash.clone());
        self.judge(&plan).map_err(|it| self.advise(it, &found.file))?;
        Ok(plan)
    }

    fn of_name(&self, root: &Root, named: &str) -> Option<Kept> {
        let below = named.strip_prefix(&self.folder).and_then(|it| it.strip_prefix('/'));
        let file = below.unwrap_or(named);
        is_name(file).then(|| self.read(root, file).ok()).flatten()
    }

    /// Of several with that hash, one that may be used. One that was approved under it and is another now is found, too.
    fn of_hash(&self, root: &Root, hash: &str) -> Option<Kept> {
        let is_meant = |it: &Kept| {
            let plan = it.plan.as_ref().ok();
            plan.is_some_and(|it| it.hash == hash || it.declared.as_deref() == Some(hash))
        };
        let mut found: Vec<Kept> = self.all(root).into_iter().filter(is_meant).collect();
        let usable =
            found.iter().position(|it| it.plan.as_ref().is_ok_and(|it| self.judge(it).is_ok()));
        let same = || found.iter().position(|it| it.plan.as_ref().is_ok_and(|it| it.hash == hash));
        let at = usable.or_else(same).unwrap_or(0);
        (at < found.len()).then(|| found.swap_remove(at))
    }

    fn judge(&self, plan: &Plan) -> Result<(), Box<Fault>> {
        plan.judge(|hash, approval| self.is_signed(hash, approval))?;
        match revoked(&self.revoked) {
            Ok(revoked) if revoked.contains(&plan.hash) => {
                let params = [("plan_hash", plan.hash.as_str())];
                Err(Box::new(codes::PLAN_NOT_APPROVED.raise(params)))
            }
            Ok(_) => Ok(()),
            Err(_) => Err(broken(&plan.hash, "the list of revoked plans cannot be read")),
        }
    }

    fn is_signed(&self, hash: &str, approval: &str) -> bool {
        let both = (hash.to_owned(), approval.to_owned());
        if self.memory().signed.contains(&both) {
            return true;
        }
        let is_signed = self.key.is_some_and(|it| it.has_approved(hash, approval));
        if is_signed {
            let mut memory = self.memory();
            make_room(memory.signed.len(), || memory.signed.clear());
            memory.signed.insert(both);
        }
        is_signed
    }

    /// The plan that bytes are. They are hashed each time; what the hash is known for is not read again.
    fn plan(&self, bytes: &[u8]) -> Result<Arc<Plan>, NotAPlan> {
        let hash: [u8; 32] = Sha256::digest(bytes).into();
        if let Some(plan) = self.memory().read.get(&hash) {
            return Ok(Arc::clone(plan));
        }
        let plan = Arc::new(Plan::read(bytes)?);
        let mut memory = self.memory();
        make_room(memory.read.len(), || memory.read.clear());
        memory.read.insert(hash, Arc::clone(&plan));
        Ok(plan)
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every plan of the folder, by name.
    fn all(&self, root: &Root) -> Vec<Kept> {
        let mut bytes = 0;
        let mut plans = Vec::new();
        for file in self.files(root).unwrap_or_default() {
            let Ok((kept, size)) = self.read_sized(root, &file) else { continue };
            bytes += size;
            if bytes > MOST_BYTES {
                break;
            }
            plans.push(kept);
        }
        plans
    }

    fn files(&self, root: &Root) -> io::Result<Vec<String>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat2(&root.dir, self.folder.as_str(), flags, Mode::empty(), STRICT)?;
        let names = Dir::read_from(folder)?.filter_map(Result::ok);
        let names = names.filter_map(|it| it.file_name().to_str().ok().map(str::to_owned));
        let mut names: Vec<String> = names.filter(|it| is_name(it)).take(MOST_PLANS).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn read(&self, root: &Root, file: &str) -> io::Result<Kept> {
        self.read_sized(root, file).map(|it| it.0)
    }

    fn read_sized(&self, root: &Root, file: &str) -> io::Result<(Kept, usize)> {
        let path = format!("{}/{file}", self.folder);
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let found = openat2(&root.dir, path.as_str(), flags, Mode::empty(), STRICT)?;
        if FileType::from_raw_mode(fstat(&found)?.st_mode) != FileType::RegularFile {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut bytes = Vec::new();
        File::from(found).take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        let kept = Kept { file: file.to_owned(), plan: self.plan(&bytes) };
        Ok((kept, bytes.len()))
    }

    /// A refusal with what the operator can do about it.
    fn advise(&self, mut fault: Box<Fault>, file: &str) -> Box<Fault> {
        let path = format!("{}/{file}", self.folder);
        fault.hint = if fault.code() == codes::PLAN_NOT_APPROVED.name() {
            format!(
                "Ask the operator to run `redress plan approve {path}`, then make the same call again."
            )
        } else {
            format!(
                "Ask the operator to look at {path}, and to approve it again with `redress plan approve`."
            )
        };
        fault
    }

    fn not_found(&self, root: &Root, named: &str) -> Box<Fault> {
        let approved: Vec<(String, String)> = self.usable(root);
        let mut fault = codes::PLAN_NOT_FOUND.raise([("plan_hash", named)]);
        let names = approved.iter().flat_map(|(file, hash)| [file.as_str(), hash.as_str()]);
        fault.similar_refs = nearest_n(named, names, 3).into_iter().map(Similar::new).collect();
        fault.violations = vec![Violation::new("/plan", "not_found", None)];
        fault.hint = match approved.as_slice() {
            [] => "Ask the operator to approve a plan: there is none.".to_owned(),
            all => {
                let names: Vec<&str> = all.iter().take(5).map(|it| it.0.as_str()).collect();
                format!("Name a plan that is approved: {}.", names.join(", "))
            }
        };
        Box::new(fault)
    }

    /// Files and hashes of the plans that may be used.
    fn usable(&self, root: &Root) -> Vec<(String, String)> {
        let all = self.all(root).into_iter();
        let usable = all.filter_map(|it| Some((it.file, it.plan.ok()?)));
        let usable = usable.filter(|it| self.judge(&it.1).is_ok());
        usable.map(|(file, plan)| (file, plan.hash.clone())).collect()
    }

    /// What clients see of the plans.
    pub(super) fn listed(&self, root: &Root) -> String {
        let (mut approved, mut others) = (String::from("["), String::from("["));
        for Kept { file, plan } in self.all(root) {
            match plan.as_ref().map(|it| (it, self.judge(it))) {
                Ok((plan, Ok(()))) => write_approved(next(&mut approved), &file, plan),
                Ok((plan, Err(fault))) => {
                    let why = match plan.status {
                        Status::Draft => "nobody has approved it".to_owned(),
                        Status::Revoked => "its approval was revoked".to_owned(),
                        Status::Approved => reason(&fault),
                    };
                    write_other(next(&mut others), &file, fault.code(), &why);
                }
                Err(why) => {
                    let code = codes::PLAN_ENFORCEMENT_FAILED.name();
                    write_other(next(&mut others), &file, code, &why.to_string());
                }
            }
        }
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        members.str("folder", &self.folder);
        members.raw("plans", &(approved + "]")).raw("not_usable", &(others + "]"));
        members.close();
        out
    }
}

impl Governor {
    /// Whether a call follows a plan that is approved, if it needs one.
    pub(super) fn follows(
        &self,
        call: &Call<'_>,
        governed: &mut Governed,
        root: &Root,
        (paths, places): (&[String], &[Place]),
    ) -> Result<(), Box<Fault>> {
        if !self.needs_plan(call.name) {
            return Ok(());
        }
        governed.phase_id = text(call, "phase")?;
        let Some(named) = text(call, "plan")? else { return Err(unnamed()) };
        let plan = self.policy.plans.approved(root, &named, governed)?;
        // What names no path may change anything.
        if paths.is_empty() {
            return plan.allows_all_below("").map_err(unseen);
        }
        for path in paths.iter().filter(|it| !it.is_empty()) {
            plan.allows(path)?;
        }
        for place in places {
            if place.is_directory {
                plan.allows_all_below(&place.path)?;
            } else {
                plan.allows(&place.path)?;
            }
        }
        Ok(())
    }

    /// Whether calls of a tool follow a plan.
    pub(super) fn needs_plan(&self, tool: &str) -> bool {
        self.policy.extras.iter().any(|it| it.name() == "plan" && it.is_of(tool))
    }
}

/// The hashes of the plans whose approval was taken back, one a line.
///
/// # Errors
/// The file is there and cannot be read, or is no such list.
pub fn revoked(path: &Path) -> io::Result<BTreeSet<String>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        file => file?,
    };
    let mut text = String::new();
    file.take(MOST_REVOKED + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST_REVOKED || !text.lines().all(is_hash) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(text.lines().map(str::to_owned).collect())
}

/// Whether a text is a hash as plans have it.
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}

/// Forgets everything when it is too much.
fn make_room(known: usize, forget: impl FnOnce()) {
    if known >= MOST_KNOWN {
        forget();
    }
}

/// Whether a text is the name of a plan's file.
fn is_name(text: &str) -> bool {
    let is_markdown = Path::new(text).extension().is_some_and(|it| it == "md");
    is_markdown && !text.starts_with('.') && !text.contains(['/', '\0']) && text.len() <= 255
}

/// An argument that is a short text.
fn text(call: &Call<'_>, name: &str) -> Result<Option<String>, Box<Fault>> {
    let value = call.arguments.and_then(|it| it.get(name)).filter(|it| !it.is_null());
    let Some(value) = value else { return Ok(None) };
    let field = format!("/{name}");
    let Some(text) = value.as_str().filter(|it| !it.trim().is_empty()) else {
        let params = [("field", field.as_str()), ("expected", "text")];
        return Err(Box::new(codes::INVALID_INPUT_TYPE.raise(params)));
    };
    if text.chars().count() > 256 || text.chars().any(char::is_control) {
        return Err(Box::new(codes::INVALID_INPUT_VALUE.raise([("field", field.as_str())])));
    }
    Ok(Some(text.into_owned()))
}

fn unnamed() -> Box<Fault> {
    let mut fault = codes::MISSING_REQUIRED_FIELD.raise([("field", "/plan")]);
    "Name the approved plan that this call follows, by its hash or its file."
        .clone_into(&mut fault.hint);
    fault.next_actions = vec![NextAction::call("list_plans", [] as [(&str, &str); 0])];
    Box::new(fault)
}

/// A call of which it cannot be seen what it changes, under a plan that is not about everything.
fn unseen(mut fault: Box<Fault>) -> Box<Fault> {
    let rest = " It cannot be seen what this call changes: its contract has to name the arguments that are paths, or the plan has the scope `**`.";
    fault.hint.push_str(rest);
    fault
}

/// Why a plan that says of itself that it is approved may not be used.
fn reason(fault: &Fault) -> String {
    let said = |it: Value<'_>| it.get("reason").and_then(Value::as_str).map(Cow::into_owned);
    let said = fault.details.as_ref().and_then(|it| it.with(said)).flatten();
    said.unwrap_or_else(|| "its approval was revoked".to_owned())
}

fn next(list: &mut String) -> &mut String {
    if list.len() > 1 {
        list.push(',');
    }
    list
}

fn write_approved(out: &mut String, file: &str, plan: &Plan) {
    let mut scope = String::from("[");
    for pattern in plan.scope.patterns() {
        write_str(next(&mut scope), pattern);
    }
    scope.push(']');
    let mut members = Members::open(out);
    members.str("file", file).str("hash", &plan.hash).str("title", &plan.title);
    members.raw("scope", &scope);
    members.close();
}

fn write_other(out: &mut String, file: &str, code: &str, why: &str) {
    let mut members = Members::open(out);
    members.str("file", file).str("code", code).str("reason", why);
    members.close();
}
