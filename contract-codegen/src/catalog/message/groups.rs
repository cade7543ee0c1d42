//! Groups of file descriptors.

use super::super::json::{Object, TextError, required};
use super::super::rules::{self, Stated};
use super::{computed, member};
use crate::model::{FdForm, FdGroup, MOST_FDS};

/// The group that these texts are of.
pub(super) fn group(
    mut wire: Object,
    mut source: Object,
    stated: &mut Vec<Stated>,
) -> Result<FdGroup, TextError> {
    let member = member(&mut wire, &mut source)?;
    let name = &*member.name;
    let form = match required(wire.take_text("form")?, "form")?.as_str() {
        "one" => FdForm::One,
        "optional" => {
            let condition = rules::expression(&mut wire, &mut source, "present_if")?;
            let present_if = condition.as_ref().map(|condition| condition.rule.clone());
            stated.extend(condition);
            FdForm::Optional { present_if }
        }
        "many" => {
            let least = required(wire.take_integer("least")?, "least")?;
            let most = required(wire.take_integer("most")?, "most")?;
            if least > most || most == 0 || most > MOST_FDS {
                return Err(TextError::Wrong(format!(
                    "`{name}` takes {least} to {most} file descriptors, which no message has"
                )));
            }
            FdForm::Many { least, most, count: computed(&mut wire, &mut source, "count", stated)? }
        }
        other => return Err(TextError::Unknown(format!("the form `{other}` of `{name}`"))),
    };
    wire.finish()?;
    source.finish()?;
    Ok(FdGroup { member, form })
}

/// Whether it is known which file descriptors are whose, and whether one message can have them all.
pub(super) fn check(groups: &[FdGroup]) -> Result<(), TextError> {
    let mut flexible = groups.iter().filter(|group| group.form.flexible().is_some());
    if let (Some(first), Some(second)) = (flexible.next(), flexible.next()) {
        return Err(TextError::Wrong(format!(
            "nothing says how many file descriptors `{}` has and how many `{}`",
            first.member.name, second.member.name
        )));
    }
    let most: u64 = groups.iter().map(|group| u64::from(group.form.range().1)).sum();
    if most > u64::from(MOST_FDS) {
        return Err(TextError::Wrong(format!(
            "it takes {most} file descriptors, of which one message has at most {MOST_FDS}"
        )));
    }
    Ok(())
}
