//! Earlier versions that contracts say they speak, held against what was agreed of them.

use std::fmt;

use super::Declared;
use super::judge::Judged;
use crate::changes::{Classified, Effect, Verdict};
use crate::lock::{Form, Kind, Lock};

/// What is to be said of the earlier versions of one contract.
#[derive(Debug)]
pub(super) struct Earlier<'a> {
    pub(super) form: &'a Form,
    /// What is wrong with those that it names.
    pub(super) faults: Vec<Fault>,
    /// Those that it does not name and may, where it has a version that is not agreed yet: version and wire id.
    pub(super) may: Vec<(u32, u64)>,
}

/// Why a version may not be named.
#[derive(Debug)]
pub(super) enum Fault {
    /// It was never agreed.
    NotAgreed { version: u32, agreed: Vec<u32> },
    /// It has another wire id.
    OtherId { version: u32, said: u64, agreed: u64 },
    /// Programs of the two versions do not read each other.
    NotSpoken { version: u32, effect: Effect, changes: Vec<Classified> },
}

/// What is to be said of each declared contract, where that is anything.
pub(super) fn all<'a>(lock: &Lock, declared: &'a Declared) -> Vec<Earlier<'a>> {
    let contracts = declared.forms.iter().zip(&declared.earlier).filter(|(form, _)| declared.is_own(form));
    contracts
        .map(|(form, said)| of_contract(lock, declared, form, said))
        .filter(|earlier| !(earlier.faults.is_empty() && earlier.may.is_empty()))
        .collect()
}

fn of_contract<'a>(lock: &Lock, declared: &Declared, form: &'a Form, said: &[(u32, u64)]) -> Earlier<'a> {
    let agreed: Vec<&Form> = lock.earlier(form).filter(|old| old.version < form.version).collect();
    let fault = |&(version, wire_id): &(u32, u64)| match agreed.iter().find(|old| old.version == version) {
        None => Some(Fault::NotAgreed { version, agreed: agreed.iter().map(|old| old.version).collect() }),
        Some(old) if old.wire_id != wire_id => {
            Some(Fault::OtherId { version, said: wire_id, agreed: old.wire_id })
        }
        Some(old) => {
            let (effect, changes) = compare(lock, declared, old, form);
            let is_spoken = is_spoken(effect, writes_earlier(form));
            (!is_spoken).then_some(Fault::NotSpoken { version, effect, changes })
        }
    };
    let faults = said.iter().filter_map(fault).collect();
    // What is agreed already was looked at when it was new.
    let is_new = lock.version(&form.path, form.version).is_none();
    let may = |old: &&&Form| {
        is_new
            && old.wire_id != form.wire_id
            && said.iter().all(|&(version, _)| version != old.version)
            && is_spoken(compare(lock, declared, old, form).0, writes_earlier(form))
    };
    let may = agreed.iter().filter(may).map(|old| (old.version, old.wire_id)).collect();
    Earlier { form, faults, may }
}

/// Whether a side that was built of a newer declaration speaks an older version too: it reads what is old, and what it
/// writes is read by old readers, or it can write that version.
fn is_spoken(effect: Effect, writes_earlier: bool) -> bool {
    effect.new_reads_old() && (writes_earlier || effect.old_reads_new())
}

/// Whether programs of a declaration can write its earlier versions: descriptors that say the size of each version.
fn writes_earlier(form: &Form) -> bool {
    form.kind == Kind::Descriptor && form.get("sizes").is_some()
}

/// What programs of an agreed version and of what is declared do with each other.
fn compare(lock: &Lock, declared: &Declared, old: &Form, new: &Form) -> (Effect, Vec<Classified>) {
    let forms = declared.beside_all(lock.around(old).into_iter());
    let compared = forms.compare();
    let changes: Vec<Classified> = compared
        .into_iter()
        .filter(|each| each.new.is_some_and(|form| form.path == new.path))
        .flat_map(|each| each.changes)
        .collect();
    (Effect::of_all(changes.iter().map(|change| change.effect)), changes)
}

/// A change that both sides read, under the version that was agreed: nothing is lost but for programs that say hello,
/// which refuse what has two wire ids.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TwoIds {
    /// The version that it has.
    agreed: u32,
    /// One that nobody has yet.
    pub(super) version: u32,
    /// What that one is to name: what is named now, and what was agreed.
    pub(super) earlier: Vec<(u32, u64)>,
}

impl TwoIds {
    /// What a hello would make of a change, where it is one of this kind.
    pub(super) fn of(declared: &Declared, judged: &Judged<'_>) -> Option<TwoIds> {
        let (old, new) = (judged.old?, judged.new?);
        let is_same_version = old.version == new.version && old.wire_id != new.wire_id;
        // What is called by a symbol, and lists of that, are in no hello.
        let is_spoken = !matches!(new.kind, Kind::Function | Kind::Handle | Kind::Library | Kind::Symbols);
        if !(is_same_version && is_spoken && declared.is_own(new) && judged.verdict <= Verdict::Compatible) {
            return None;
        }
        let mut earlier = declared.earlier_of(&new.path).to_vec();
        earlier.push((old.version, old.wire_id));
        Some(TwoIds { agreed: old.version, version: new.version.checked_add(1)?, earlier })
    }

    /// As it is declared.
    fn suggestion(&self) -> String {
        format!("version = {}, {}", self.version, spelled(&self.earlier))
    }
}

impl fmt::Display for TwoIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "version {} has two wire ids now, so programs that say hello refuse each other (two_ids): where any do, \
             declare `{}`",
            self.agreed,
            self.suggestion()
        )
    }
}

/// `earlier(v1 = 0x…, v2 = 0x…)`
fn spelled(versions: &[(u32, u64)]) -> String {
    let each = versions.iter().map(|(version, wire_id)| format!("v{version} = {wire_id:#018x}"));
    format!("earlier({})", each.collect::<Vec<_>>().join(", "))
}

impl Earlier<'_> {
    /// What may be written besides, as it is declared; none where there is nothing.
    pub(super) fn suggestion(&self) -> Option<String> {
        (!self.may.is_empty()).then(|| spelled(&self.may))
    }
}

impl Fault {
    /// The version that is named.
    pub(super) fn version(&self) -> u32 {
        match *self {
            Fault::NotAgreed { version, .. }
            | Fault::OtherId { version, .. }
            | Fault::NotSpoken { version, .. } => version,
        }
    }

    /// The word for programs.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Fault::NotAgreed { .. } => "not_agreed",
            Fault::OtherId { .. } => "other_id",
            Fault::NotSpoken { .. } => "not_spoken",
        }
    }

    /// What differs, where that is why.
    pub(super) fn changes(&self) -> &[Classified] {
        match self {
            Fault::NotSpoken { changes, .. } => changes,
            _ => &[],
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotAgreed { version, agreed } if agreed.is_empty() => write!(
                f,
                "`earlier` names version {version}, and no version before this one was agreed: remove it"
            ),
            Fault::NotAgreed { version, agreed } => {
                let agreed: Vec<String> = agreed.iter().map(ToString::to_string).collect();
                write!(
                    f,
                    "`earlier` names version {version}, which was never agreed: versions before this one are {}",
                    agreed.join(", ")
                )
            }
            Fault::OtherId { version, said, agreed } => write!(
                f,
                "`earlier` says v{version} = {said:#018x}, and what was agreed is another: write `v{version} = \
                 {agreed:#018x}`"
            ),
            Fault::NotSpoken { version, effect, .. } => write!(
                f,
                "`earlier` names version {version}, and programs of the two do not read each other ({effect}): remove \
                 `v{version}`, or take back what differs"
            ),
        }
    }
}
