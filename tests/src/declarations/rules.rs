//! Rules: expressions that have a value, over what a declaration has.

use crate::random::Random;

/// A field or key as rules see it.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    /// The word for it.
    pub(super) word: String,
    pub(super) is: Is,
    pub(super) presence: Presence,
}

/// What a rule may ask of a field.
#[derive(Debug, Clone)]
pub(super) enum Is {
    /// Nothing but whether it is there.
    Nothing,
    Number,
    Truth,
    /// An enumeration: the path to it, its values, and keys of numbers or of conditions (true) that they carry.
    Value {
        path: String,
        values: Vec<String>,
        data: Vec<(String, bool)>,
    },
    /// Flags.
    Flags(Vec<String>),
    /// A union, and its variants.
    Variant(Vec<String>),
    /// Its length.
    Long,
    /// Its length, the product of its elements and the least of them.
    Integers,
    /// How many file descriptors there are.
    Fds,
    /// A contract with fields of its own.
    Nested(Vec<Subject>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    There,
    /// Or else its default.
    OrDefault,
    /// Or not: only `present(f)` may be asked.
    Maybe,
}

/// What can stand in a rule of one declaration.
#[derive(Clone)]
pub(super) struct Rules {
    numbers: Vec<String>,
    /// Numbers of which half are even, whatever bounds they have.
    free: Vec<String>,
    /// Numbers that are not named: the types let them be small.
    counts: Vec<String>,
    conditions: Vec<String>,
    /// Enumerations and unions: a place, and what it can be compared with.
    named: Vec<(String, Vec<String>)>,
    fd_count: bool,
}

impl Rules {
    /// Of these fields; `whole` are the variants of a union whose own rules they are.
    pub(super) fn of(subjects: &[Subject], whole: &[String], fd_count: bool) -> Self {
        let mut rules = Rules {
            numbers: Vec::new(),
            free: Vec::new(),
            counts: Vec::new(),
            conditions: Vec::new(),
            named: Vec::new(),
            fd_count,
        };
        let words: Vec<&str> = subjects.iter().map(|subject| subject.word.trim_start_matches("r#")).collect();
        for subject in subjects {
            rules.add(&subject.word, subject, &words);
        }
        if !whole.is_empty() {
            rules.named.push(("variant".to_owned(), whole.to_vec()));
        }
        rules
    }

    fn add(&mut self, place: &str, subject: &Subject, words: &[&str]) {
        if matches!(subject.is, Is::Fds) {
            self.numbers.push(format!("fds({place})"));
        }
        if subject.presence != Presence::There {
            self.conditions.push(format!("present({place})"));
        }
        if subject.presence == Presence::Maybe {
            return;
        }
        match &subject.is {
            Is::Number => {
                self.numbers.push(place.to_owned());
                self.counts.push(place.to_owned());
                self.free.push(place.to_owned());
            }
            Is::Truth => self.conditions.push(place.to_owned()),
            Is::Long => {
                self.numbers.push(format!("len({place})"));
                self.counts.push(format!("len({place})"));
            }
            Is::Integers => {
                let asked = ["len", "product", "least"].map(|asked| format!("{asked}({place})"));
                self.counts.extend(asked.iter().cloned());
                self.numbers.extend(asked);
            }
            Is::Value { path, values, data } => {
                self.numbers.push(place.to_owned());
                for (key, is_condition) in data {
                    let list = if *is_condition { &mut self.conditions } else { &mut self.numbers };
                    list.push(format!("{key}({place})"));
                }
                let bare = values.iter().filter(|value| !words.contains(&value.as_str()));
                let whole = values.iter().map(|value| format!("{path}::{value}"));
                self.named.push((place.to_owned(), bare.cloned().chain(whole).collect()));
            }
            Is::Flags(values) => {
                self.numbers.push(place.to_owned());
                let flags = values.iter().filter(|value| !words.contains(&value.as_str()));
                self.conditions.extend(flags.map(|flag| format!("has({place}, {flag})")));
            }
            Is::Variant(values) => {
                let bare: Vec<String> =
                    values.iter().filter(|value| !words.contains(&value.as_str())).cloned().collect();
                if !bare.is_empty() {
                    self.named.push((place.to_owned(), bare));
                }
            }
            Is::Nested(subjects) if subject.presence == Presence::There => {
                for nested in subjects {
                    // What is nested has names of its own, but a bare word is looked up here first.
                    self.add(&format!("{place}.{}", nested.word), nested, words);
                }
            }
            Is::Nested(_) | Is::Nothing | Is::Fds => {}
        }
    }

    /// Whether there is anything to ask.
    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.conditions.is_empty() && self.named.is_empty()
    }

    /// As many `rule(…)` keys, at most four, of which no two have one name.
    pub(super) fn rules(&self, count: usize, random: &mut Random) -> Vec<String> {
        let mut names = ["fits: ", "r#type: ", "", ""];
        random.shuffle(&mut names);
        names.iter().take(count).map(|name| self.rule(name, random)).collect()
    }

    /// A `rule(…)` key, with its moment.
    fn rule(&self, name: &str, random: &mut Random) -> String {
        let at_import = random.one_in(2);
        let rest = Rules { fd_count: self.fd_count && at_import, ..self.clone() };
        // Most values should keep a rule that every reader checks; one that none can keep is refused.
        let others = if at_import { random.between(0, 1) } else { random.between(1, 3) };
        let mut arms = vec![rest.kept_by_some(random)];
        arms.extend((0..others).map(|_| rest.condition(2, random)));
        let moment = if at_import { ", at = import" } else { "" };
        format!("rule({name}{}){moment}", arms.join(" || "))
    }

    /// What an optional key's presence depends on.
    pub(super) fn required_if(&self, random: &mut Random) -> Option<String> {
        let at_import = random.one_in(2);
        let moment = if at_import { ", at = import" } else { "" };
        // `fd_count` is nothing that a condition may ask before import.
        let rest = Rules { fd_count: self.fd_count && at_import, ..self.clone() };
        Some(format!("required_if({}{moment})", rest.held_by_some(random)?))
    }

    /// A condition that the types let some value keep and another one not; nothing where nothing of it is free.
    pub(super) fn held_by_some(&self, random: &mut Random) -> Option<String> {
        if self.free.is_empty() && self.conditions.is_empty() && self.named.is_empty() {
            return None;
        }
        let [reads, other] = [self.kept_by_some(random), self.kept_by_some(random)];
        Some(match random.below(3) {
            0 => reads,
            1 => format!("{reads} && ({other} || {})", self.condition(1, random)),
            _ => format!("{reads} || ({other} && {})", self.condition(1, random)),
        })
    }

    /// How many of something there are; nothing where there is no number.
    pub(super) fn count(&self, random: &mut Random) -> Option<String> {
        if self.counts.is_empty() {
            return None;
        }
        let number = random.pick(&self.counts);
        Some(match random.below(9) {
            0 | 1 => number.clone(),
            2 => format!("{number} - 1"),
            3..=5 => format!("{number} % 4"),
            6 => format!("2 * {number}"),
            7 => format!("int({}) + {number} / 2", self.kept_by_some(random)),
            _ => format!("({number} + {} % 2)", random.pick(&self.numbers)),
        })
    }

    /// `one_of(TAG: A, B)`, where there is a tag.
    pub(super) fn one_of(&self, random: &mut Random) -> Option<String> {
        let named: Vec<&(String, Vec<String>)> =
            self.named.iter().filter(|(place, _)| place != "variant").collect();
        if named.is_empty() {
            return None;
        }
        let (place, values) = random.pick(&named);
        let mut bare: Vec<&String> = values.iter().filter(|value| !value.contains(':')).collect();
        random.shuffle(&mut bare);
        bare.truncate(random.between(1, 3));
        if bare.is_empty() {
            return None;
        }
        let values: Vec<&str> = bare.iter().map(|value| value.as_str()).collect();
        let moment = if random.one_in(4) { ", at = import" } else { "" };
        Some(format!("one_of({place}: {}{moment})", values.join(", ")))
    }

    /// A condition that reads something, and that the types let some value keep.
    fn kept_by_some(&self, random: &mut Random) -> String {
        for _ in 0..8 {
            match random.below(3) {
                0 if !self.named.is_empty() => {
                    let (place, values) = random.pick(&self.named);
                    return format!("{place} == {}", random.pick(values));
                }
                1 if !self.conditions.is_empty() => return random.pick(&self.conditions).clone(),
                2 if !self.free.is_empty() => return format!("{} % 2 == 0", random.pick(&self.free)),
                _ => {}
            }
        }
        match (self.conditions.first(), self.free.first(), self.named.first(), self.numbers.first()) {
            (Some(condition), ..) => condition.clone(),
            (_, Some(number), ..) => format!("{number} % 2 == 0"),
            (_, _, Some((place, values)), _) => format!("{place} == {}", values[0]),
            (.., Some(number)) => format!("{number} == {number}"),
            _ => panic!("there is nothing to ask"),
        }
    }

    fn condition(&self, depth: usize, random: &mut Random) -> String {
        for _ in 0..8 {
            match random.below(if depth == 0 { 3 } else { 8 }) {
                0 if !self.named.is_empty() => {
                    let (place, values) = random.pick(&self.named);
                    let value = random.pick(values);
                    let op = random.pick(&["==", "!="]);
                    return if random.one_in(4) {
                        format!("({value} {op} {place})")
                    } else {
                        format!("({place} {op} {value})")
                    };
                }
                1 if !self.conditions.is_empty() => return random.pick(&self.conditions).clone(),
                2 | 3 => {
                    let (left, right) = (self.number(depth, random), self.number(depth, random));
                    let op = random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                    return format!("({left} {op} {right})");
                }
                4 => return format!("!{}", self.condition(depth - 1, random)),
                5..=7 => {
                    let (left, right) =
                        (self.condition(depth - 1, random), self.condition(depth - 1, random));
                    let op = random.pick(&["&&", "||", "==", "!="]);
                    return format!("({left} {op} {right})");
                }
                _ => {}
            }
        }
        (*random.pick(&["true", "false"])).to_owned()
    }

    fn number(&self, depth: usize, random: &mut Random) -> String {
        const LITERALS: [&str; 18] = [
            "0",
            "1",
            "2",
            "3",
            "7",
            "16",
            "100",
            "0x10",
            "0b101",
            "1_000",
            "255",
            "65536",
            "4294967295",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551615",
            "0xffff_ffff_ffff_ffff",
            "4_294_967_296",
        ];
        match random.below(if depth == 0 { 4 } else { 9 }) {
            0 => (*random.pick(&LITERALS)).to_owned(),
            1 if self.fd_count => "fd_count".to_owned(),
            // A literal is refused when it is out of range at once.
            4 => match self.number(depth - 1, random) {
                literal if literal.starts_with(|first: char| first.is_ascii_digit()) => {
                    (*random.pick(&["-1", "-5", "-9223372036854775808", "-0x80"])).to_owned()
                }
                number => format!("-{number}"),
            },
            5 => format!("int({})", self.condition(depth - 1, random)),
            6..=8 => {
                let (left, right) = (self.number(depth - 1, random), self.number(depth - 1, random));
                let op = random.pick(&["+", "-", "*", "/", "%", "+", "-"]);
                format!("({left} {op} {right})")
            }
            _ if self.numbers.is_empty() => (*random.pick(&LITERALS)).to_owned(),
            _ => random.pick(&self.numbers).clone(),
        }
    }
}
