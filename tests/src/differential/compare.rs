//! Everybody's answers, side by side.

use std::fmt;

use wirecontract_codegen::interpret::{Code, Host};
use wirecontract_codegen::model::{Body, Catalog, ContractId, Element, Field, Moment};

use super::probe::{Probe, probes};
use super::request::{Operation, Request, answer};
use super::workbench::Driver;

/// The first request that was not answered alike, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The line that all were given.
    pub request: String,
    /// Who answered what; the interpreter first.
    pub answers: Vec<(String, String)>,
    /// How many requests were answered differently in all.
    pub count: usize,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} requests were not answered alike; the first:", self.count)?;
        writeln!(f, "  {:<16} {}", "request", self.request)?;
        for (who, answer) in &self.answers {
            writeln!(f, "  {who:<16} {answer}")?;
        }
        let expected = self.answers.first().map_or("", |(_, answer)| answer);
        for (who, answer) in self.answers.iter().skip(1).filter(|(_, answer)| answer != "-") {
            if answer != expected {
                let same =
                    expected.bytes().zip(answer.bytes()).take_while(|(left, right)| left == right).count();
                let same =
                    (0..=same).rev().find(|&at| expected.is_char_boundary(at) && answer.is_char_boundary(at));
                let same = same.unwrap_or(0);
                let start = same.saturating_sub(40);
                let start = (0..=start).rev().find(|&at| expected.is_char_boundary(at)).unwrap_or(0);
                let near: String = answer[start.min(answer.len())..].chars().take(90).collect();
                writeln!(f, "  {who} differs from character {same} on: …{near}")?;
            }
        }
        Ok(())
    }
}

/// What all agreed on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Agreement {
    /// How many requests were compared.
    pub requests: usize,
    /// How many of them came to the rules of their contract, which hold or do not.
    pub ruled: usize,
    /// How many were refused by a rule.
    pub violated: usize,
}

/// Gives every driver the requests and compares the answers with the interpreter's.
///
/// # Panics
/// When a driver dies.
pub fn compare(
    catalog: &Catalog,
    requests: &[Request],
    drivers: &[&Driver],
) -> Result<Agreement, Box<Disagreement>> {
    let ruled: Vec<[bool; 2]> = catalog
        .iter()
        .map(|(id, _)| [Moment::Read, Moment::Import].map(|at| has_rules(catalog, id, at)))
        .collect();
    let mut agreement = Agreement { requests: requests.len(), ..Agreement::default() };
    let probes: Vec<Vec<Probe>> = catalog
        .iter()
        .map(|(id, contract)| if contract.kind() == "descriptor" { probes(catalog, id) } else { Vec::new() })
        .collect();
    let lines: Vec<String> = requests.iter().map(|request| request.line(catalog)).collect();
    let given: Vec<Vec<String>> = std::thread::scope(|scope| {
        let running: Vec<_> = drivers.iter().map(|driver| scope.spawn(|| driver.answers(&lines))).collect();
        running.into_iter().map(|thread| thread.join().expect("a driver answers every request")).collect()
    });
    let violation = format!("err {} ", Code::RuleViolated.number());
    let mut first = None;
    let mut count = 0;
    for (index, request) in requests.iter().enumerate() {
        let expected = [Host::Little, Host::Big].map(|host| {
            let is_asked = drivers.iter().any(|driver| driver.host() == host);
            is_asked.then(|| answer(catalog, &probes[request.contract.0], request, host))
        });
        let [at_read, at_import] = ruled[request.contract.0];
        let asks_import = matches!(
            request.operation,
            Operation::Import | Operation::ImportDocument(_) | Operation::Message(_)
        );
        if let (true, Some(said)) = (at_read || (at_import && asks_import), expected.iter().flatten().next())
        {
            let violated = said.starts_with(&violation);
            agreement.violated += usize::from(violated);
            agreement.ruled += usize::from(violated || said.starts_with("ok"));
        }
        let differs = |(driver, answers): (&&Driver, &Vec<String>)| {
            let expected = &expected[usize::from(driver.host() == Host::Big)];
            answers[index] != "-" && Some(&answers[index]) != expected.as_ref()
        };
        if drivers.iter().zip(&given).any(differs) {
            count += 1;
            first.get_or_insert(index);
        }
    }
    let Some(index) = first else { return Ok(agreement) };
    let mut answers = Vec::new();
    for (driver, given) in drivers.iter().zip(&given) {
        let expected = answer(catalog, &probes[requests[index].contract.0], &requests[index], driver.host());
        let who = format!("interpreter ({})", driver.host().name());
        if !answers.iter().any(|(name, _)| *name == who) {
            answers.push((who, expected));
        }
        answers.push((driver.name().to_owned(), given[index].clone()));
    }
    Err(Box::new(Disagreement { request: lines[index].clone(), answers, count }))
}

/// Whether a contract has rules of that moment, or nests in place one that has.
pub fn has_rules(catalog: &Catalog, id: ContractId, at: Moment) -> bool {
    let body = &catalog.get(id).body;
    let rules = match body {
        Body::Descriptor(descriptor) => &descriptor.rules,
        Body::Recipe(recipe) => &recipe.rules,
        Body::Union(union) => &union.rules,
        Body::Message(message) => &message.rules,
        _ => return false,
    };
    let nests = |field: &Field| match field.ty.element {
        Element::Descriptor(nested) => has_rules(catalog, nested, at),
        _ => false,
    };
    rules.iter().any(|rule| rule.at == at)
        || matches!(body, Body::Descriptor(descriptor) if descriptor.fields.iter().any(nests))
}
