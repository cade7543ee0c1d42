//! What a change does, on each side.

use std::fmt;

use wirecontract::Code;

/// What becomes of the readers of one declaration when they meet what writers of the other one wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// They accept it, and it means the same.
    Reads,
    /// They refuse some of it or all, and say so; with a code, where a reader looks at it at all.
    Refuses(Option<Code>),
    /// They accept it and take it for something else.
    Misreads,
}

impl Side {
    /// To misread is worse than to refuse.
    pub(super) const fn weight(self) -> u8 {
        match self {
            Side::Reads => 0,
            Side::Refuses(_) => 1,
            Side::Misreads => 2,
        }
    }

    /// The worse one of two; of two that are as bad the first.
    pub fn worse(self, other: Side) -> Side {
        if other.weight() > self.weight() { other } else { self }
    }
}

/// Readers refuse it with this code.
pub(super) const fn refuses(code: Code) -> Side {
    Side::Refuses(Some(code))
}

pub(super) const BOTH_READ: [Side; 2] = [Side::Reads; 2];
pub(super) const BOTH_MISREAD: [Side; 2] = [Side::Misreads; 2];

/// Readers of both declarations refuse it with this code.
pub(super) const fn both_refuse(code: Code) -> [Side; 2] {
    [refuses(code); 2]
}

/// Old readers refuse what new writers may write from now on; whatever was written before is still read.
pub(super) const fn loosened(code: Code) -> [Side; 2] {
    [refuses(code), Side::Reads]
}

/// New readers refuse what old writers may have written; whatever is written from now on was always read.
pub(super) const fn tightened(code: Code) -> [Side; 2] {
    [Side::Reads, refuses(code)]
}

/// What a change does to both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    /// What old readers do with what new writers write.
    pub old: Side,
    /// What new readers do with what old writers wrote.
    pub new: Side,
    /// Whether nothing that crosses changed: documentation, a name in one language.
    pub is_harmless: bool,
}

impl Effect {
    /// Nothing that crosses changed.
    pub const HARMLESS: Effect = Effect { old: Side::Reads, new: Side::Reads, is_harmless: true };

    /// Whether old readers read what new writers write.
    pub fn old_reads_new(self) -> bool {
        self.old == Side::Reads
    }

    /// Whether new readers read what old writers wrote.
    pub fn new_reads_old(self) -> bool {
        self.new == Side::Reads
    }

    /// Old readers, and new ones.
    pub fn sides(self) -> [Side; 2] {
        [self.old, self.new]
    }

    /// What several changes do together: each side counts the worst.
    pub fn of_all(effects: impl IntoIterator<Item = Effect>) -> Effect {
        effects.into_iter().fold(Effect::HARMLESS, |all, each| Effect {
            old: all.old.worse(each.old),
            new: all.new.worse(each.new),
            is_harmless: all.is_harmless && each.is_harmless,
        })
    }

    /// The effect in a word.
    pub fn verdict(self) -> Verdict {
        match (self.is_harmless, self.old_reads_new(), self.new_reads_old()) {
            (true, ..) => Verdict::Harmless,
            (_, true, true) => Verdict::Compatible,
            (_, true, false) => Verdict::OldReadersRead,
            (_, false, true) => Verdict::NewReadersRead,
            (_, false, false) => Verdict::Breaking,
        }
    }
}

impl From<[Side; 2]> for Effect {
    fn from([old, new]: [Side; 2]) -> Self {
        Effect { old, new, is_harmless: false }
    }
}

/// `old readers refuse it (missing_key), new readers read it`.
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_harmless {
            return f.write_str("harmless");
        }
        for (who, side) in [("old readers", self.old), (", new readers", self.new)] {
            match side {
                Side::Reads => write!(f, "{who} read it")?,
                Side::Refuses(None) => write!(f, "{who} refuse it")?,
                Side::Refuses(Some(code)) => {
                    write!(f, "{who} refuse it ({})", wirecontract::Enumeration::name(code))?;
                }
                Side::Misreads => write!(f, "{who} misread it")?,
            }
        }
        Ok(())
    }
}

/// What a contract's changes do, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Nothing that crosses changed.
    Harmless,
    /// Both sides read each other.
    Compatible,
    /// Old readers still read, new readers do not read what is old.
    OldReadersRead,
    /// New readers still read what is old, old readers do not read what is new.
    NewReadersRead,
    /// Neither side reads the other.
    Breaking,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Harmless => "harmless",
            Verdict::Compatible => "compatible both ways",
            Verdict::OldReadersRead => "old readers still read, new readers do not read what is old",
            Verdict::NewReadersRead => {
                "new readers still read what is old, old readers do not read what is new"
            }
            Verdict::Breaking => "breaking",
        })
    }
}
