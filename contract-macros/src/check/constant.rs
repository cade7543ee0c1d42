//! Rules that say the same of every value.

use crate::report::Report;
use crate::rule::Checked;

/// A rule reads something: of numbers alone, it holds always or never.
pub(super) fn not_constant(rule: Option<Checked>, report: &mut Report) -> Option<Checked> {
    let rule = rule?;
    if rule.operands.is_empty() {
        report.span(
            rule.span,
            format_args!(
                "`{}` reads no field, and says the same of every value: name a field, or remove it",
                rule.text
            ),
        );
        return None;
    }
    Some(rule)
}
