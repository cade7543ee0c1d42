//! The checks that reading and writing have in common.

use std::ops::Range;

use super::{MessageValue, PartValue, TailValue};
use crate::counted;
use crate::interpret::check::Fields;
use crate::interpret::rule::{self, Seen, Subject, Violated};
use crate::interpret::{Code, Fault, json};
use crate::model::{
    Catalog, Contract, ContractId, Expr, FdForm, FdGroup, Message, Moment, Path, Rule, Tail, TailItem,
    TailLength, What,
};

/// A message whose parts are known, and of the rest what is known at the moment.
pub(super) struct Checker<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) id: ContractId,
    pub(super) parts: &'a [PartValue],
    pub(super) tail: Option<&'a TailValue>,
    /// How many file descriptors each group has.
    pub(super) counts: &'a [usize],
}

impl<'a> Checker<'a> {
    /// Of a message of which nothing but the parts is known.
    pub(super) fn of_parts(catalog: &'a Catalog, id: ContractId, parts: &'a [PartValue]) -> Self {
        Checker { catalog, id, parts, tail: None, counts: &[] }
    }

    fn contract(&self) -> &'a Contract {
        self.catalog.get(self.id)
    }

    fn message(&self) -> &'a Message {
        self.contract().message()
    }

    pub(super) fn fault(
        &self,
        code: Code,
        field: &str,
        offset: usize,
        expected: String,
        found: String,
    ) -> Fault {
        Fault {
            code,
            contract: self.contract().name.clone(),
            field: field.to_owned(),
            offset,
            expected,
            found,
        }
    }

    fn number(&self, expr: &Expr) -> Result<i128, Violated> {
        rule::number(expr, &|operand| self.look(&operand.what))
    }

    /// Refuses a message that is longer than its bound.
    pub(super) fn bound(&self, length: usize) -> Result<(), Fault> {
        match self.message().max_bytes {
            Some(most) if length > most as usize => Err(self.fault(
                Code::TooLarge,
                "",
                most as usize,
                format!("at most {}", counted::bytes(most)),
                length.to_string(),
            )),
            _ => Ok(()),
        }
    }

    /// Refuses a message of `found` bytes that has `size`.
    pub(super) fn length(&self, size: usize, found: usize) -> Result<(), Fault> {
        let code = match found.cmp(&size) {
            std::cmp::Ordering::Less => Code::TooShort,
            std::cmp::Ordering::Equal => return Ok(()),
            std::cmp::Ordering::Greater => Code::TrailingBytes,
        };
        let expected = counted::bytes(u64::try_from(size).unwrap_or(u64::MAX));
        Err(self.fault(code, "", found.min(size), expected, found.to_string()))
    }

    /// Whether a message of that many bytes, whose tail begins at `start`, has as long a tail as its parts say, and one of
    /// whole elements.
    pub(super) fn tail_length(&self, tail: &Tail, start: usize, length: usize) -> Result<(), Fault> {
        let item = item_size(self.catalog, tail.item);
        if let Some(computed) = tail.length.computed() {
            let unit = if matches!(tail.length, TailLength::Count(_)) { item } else { 1 };
            let room = (self.message().max_bytes.unwrap_or(u32::MAX) as usize).saturating_sub(start);
            let number = self.number(&computed.expr);
            let count = number.ok().and_then(|number| usize::try_from(number).ok());
            let Some(count) = count.filter(|&count| count <= room / unit) else {
                let found = number.map_or_else(|Violated| String::new(), |number| number.to_string());
                let expected = format!("at most {}", room / unit);
                return Err(self.fault(Code::LengthExceeds, &tail.member.name, start, expected, found));
            };
            if !(count * unit).is_multiple_of(item) {
                let expected = format!("at most {}", count / item * item);
                return Err(self.fault(
                    Code::LengthExceeds,
                    &tail.member.name,
                    start,
                    expected,
                    count.to_string(),
                ));
            }
            self.length(start + count * unit, length)?;
        }
        let whole = (length - start).next_multiple_of(item);
        self.length(start + whole, length)
    }

    /// How many elements the tail has, where it has a whole number of them within the bound.
    pub(super) fn elements(&self, tail: &Tail, start: usize) -> Option<usize> {
        let Some(computed) = tail.length.computed() else { return Some(0) };
        let number = usize::try_from(self.number(&computed.expr).ok()?).ok()?;
        let item = item_size(self.catalog, tail.item);
        let unit = if matches!(tail.length, TailLength::Count(_)) { item } else { 1 };
        let bytes = number.checked_mul(unit).filter(|bytes| bytes % item == 0)?;
        let room = (self.message().max_bytes.unwrap_or(u32::MAX) as usize).saturating_sub(start);
        (bytes <= room).then_some(bytes / item)
    }

    /// The least and the greatest number of file descriptors, given the parts.
    pub(super) fn fd_range(&self) -> Result<(usize, usize), Fault> {
        let ranges = self.group_ranges()?;
        Ok(ranges.into_iter().fold((0, 0), |all, own| (all.0 + own.0, all.1 + own.1)))
    }

    /// How many file descriptors each group has, of so many that came.
    pub(super) fn split(&self, found: usize) -> Result<Vec<Range<usize>>, Fault> {
        let ranges = self.group_ranges()?;
        let least: usize = ranges.iter().map(|&(least, _)| least).sum();
        let most: usize = ranges.iter().map(|&(_, most)| most).sum();
        self.fd_count("", (least, most), found)?;
        let mut start = 0;
        let taken = ranges.into_iter().map(|(own, most)| {
            let end = start + if own == most { own } else { own + (found - least) };
            std::mem::replace(&mut start, end)..end
        });
        Ok(taken.collect())
    }

    /// Refuses groups that have other numbers of file descriptors than their conditions and numbers say.
    pub(super) fn groups(&self) -> Result<(), Fault> {
        let ranges = self.group_ranges()?;
        for ((group, range), &count) in self.message().fds.iter().zip(ranges).zip(self.counts) {
            self.fd_count(&group.member.name, range, count)?;
        }
        Ok(())
    }

    /// The least and the greatest number of file descriptors of each group, given the parts.
    fn group_ranges(&self) -> Result<Vec<(usize, usize)>, Fault> {
        self.message().fds.iter().map(|group| self.group_range(group)).collect()
    }

    fn group_range(&self, group: &FdGroup) -> Result<(usize, usize), Fault> {
        match &group.form {
            FdForm::One => Ok((1, 1)),
            FdForm::Optional { present_if: None } => Ok((0, 1)),
            FdForm::Optional { present_if: Some(rule) } => {
                match rule::holds(&rule.expr, &|operand| self.look(&operand.what)) {
                    Ok(is_there) => Ok((usize::from(is_there), usize::from(is_there))),
                    Err(Violated) => Err(self.condition(group, rule)),
                }
            }
            FdForm::Many { least, most, count: None } => Ok((*least as usize, *most as usize)),
            FdForm::Many { least, most, count: Some(count) } => {
                let number = self.number(&count.expr);
                let is_within = |number: &i128| (i128::from(*least)..=i128::from(*most)).contains(number);
                match number.map(|number| usize::try_from(number).ok().filter(|_| is_within(&number))) {
                    Ok(Some(count)) => Ok((count, count)),
                    _ => {
                        let found = number.map_or_else(|Violated| String::new(), |number| number.to_string());
                        let expected = counted::file_descriptors(*least, *most);
                        Err(self.fault(Code::FdCount, &group.member.name, 0, expected, found))
                    }
                }
            }
        }
    }

    /// The fault of a group whose condition has no value.
    fn condition(&self, group: &FdGroup, rule: &Rule) -> Fault {
        let expected = format!("a file descriptor only when {}", rule.text);
        self.fault(Code::ConditionViolated, &group.member.name, 0, expected, rule::values(rule, self))
    }

    fn fd_count(&self, field: &str, (least, most): (usize, usize), found: usize) -> Result<(), Fault> {
        if (least..=most).contains(&found) {
            return Ok(());
        }
        Err(self.fault(Code::FdCount, field, 0, counted::file_descriptors(least, most), found.to_string()))
    }

    /// Checks the rules of that moment.
    pub(super) fn rules(&self, at: Moment) -> Result<(), Fault> {
        rule::check(self.contract(), at, 0, self, &|_| false)
    }
}

/// How many file descriptors each group of a value has.
pub(super) fn counts(value: &MessageValue) -> Vec<usize> {
    value.fds.iter().map(ExactSizeIterator::len).collect()
}

/// The bytes of an element of a tail.
pub(super) fn item_size(catalog: &Catalog, item: TailItem) -> usize {
    match item {
        TailItem::Descriptor(id) => catalog.get(id).descriptor().size as usize,
        TailItem::Bytes | TailItem::Text => 1,
    }
}

impl Subject for Checker<'_> {
    fn look(&self, what: &What) -> Option<Seen> {
        let (Path(path), within) = stepped(what)?;
        let (&index, _) = path.split_first()?;
        if let Some(part) = self.message().parts.get(index) {
            return match self.parts.get(index)? {
                PartValue::Descriptor(value) => {
                    Fields { catalog: self.catalog, id: part.contract, value }.look(&within)
                }
                PartValue::Document(value) => json::look(self.catalog, part.contract, value, &within),
            };
        }
        let number = |count: usize| i128::try_from(count).ok().map(Seen::Number);
        let Some(group) = index.checked_sub(self.message().first_group()) else {
            return number(self.tail?.len());
        };
        let count = *self.counts.get(group)?;
        match what {
            What::Present(_) => Some(Seen::Truth(count > 0)),
            _ => number(count),
        }
    }
}

/// The path of what is read, and the same without its first step.
fn stepped(what: &What) -> Option<(&Path, What)> {
    let rest = |path: &Path| Path(path.0.get(1..).unwrap_or_default().to_vec());
    Some(match what {
        What::Value(path) => (path, What::Value(rest(path))),
        What::Length(path) => (path, What::Length(rest(path))),
        What::Product(path) => (path, What::Product(rest(path))),
        What::Least(path) => (path, What::Least(rest(path))),
        What::Present(path) => (path, What::Present(rest(path))),
        What::Has { path, bits } => (path, What::Has { path: rest(path), bits: *bits }),
        What::Data { path, contract, key } => {
            (path, What::Data { path: rest(path), contract: *contract, key: *key })
        }
        What::FdCount => return None,
    })
}
