//! Which form the function `scale` has: `RIG_SCALE` says it, as a later version of the library would.

const FORMS: [&str; 7] = ["declared", "renamed", "removed", "retyped", "reordered", "gained", "missing"];

fn main() {
    println!("cargo::rerun-if-env-changed=RIG_SCALE");
    let values = FORMS.map(|form| format!("\"{form}\"")).join(", ");
    println!("cargo::rustc-check-cfg=cfg(scale, values({values}))");
    let form = std::env::var("RIG_SCALE").unwrap_or_else(|_| "declared".to_owned());
    assert!(FORMS.contains(&&*form), "RIG_SCALE is {form}: expected one of {}", FORMS.join(", "));
    println!("cargo::rustc-cfg=scale=\"{form}\"");
}
