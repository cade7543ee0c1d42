//! Rules that nobody wrote, over values at the edges, against integers that cannot overflow.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use wirecontract::__private::rule::Interval;
use wirecontract_tests::differential::toolchain::run;
use wirecontract_tests::random::Random;
use wirecontract_tests::repository;

/// How many rules: few every day, each of which the compiler has to optimise, and more in `cargo xtask test --all`.
fn rules() -> usize {
    if std::env::var_os("WIRECONTRACT_TEST_ALL").is_some() { 80 } else { 40 }
}

const VALUES: usize = 150;

/// The fields that rules read, with their types.
const NUMBERS: [(&str, &str); 7] =
    [("a", "u64"), ("b", "u64"), ("c", "i64"), ("d", "i64"), ("e", "u32"), ("f", "i16"), ("g", "u8")];
const CONDITIONS: [&str; 2] = ["yes", "also"];

/// An expression of a rule.
#[derive(Debug)]
enum Tree {
    Literal(u64),
    Number(usize),
    Truth(bool),
    Condition(usize),
    Negate(Box<Tree>),
    Not(Box<Tree>),
    Int(Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Value {
    Number(i128),
    Truth(bool),
}

/// The values of the fields, numbers first.
type Fields = [i128; NUMBERS.len() + CONDITIONS.len()];

impl Tree {
    fn number(depth: usize, random: &mut Random) -> Tree {
        let inner = |random: &mut Random| Box::new(Tree::number(depth - 1, random));
        match random.below(if depth == 0 { 4 } else { 12 }) {
            0 => Tree::Literal(*random.pick(&[0, 1, 2, 3, 255, 1 << 32, 1 << 63, u64::MAX])),
            1..4 => Tree::Number(random.below(NUMBERS.len())),
            4 => match *inner(random) {
                // A literal that is out of range is refused where it is declared.
                Tree::Literal(number) if number > 1 << 63 => Tree::Literal(number),
                inner => Tree::Negate(Box::new(inner)),
            },
            5 => Tree::Int(Box::new(Tree::condition(depth - 1, random))),
            _ => {
                let op = *random.pick(&["+", "-", "*", "*", "/", "%"]);
                Tree::Binary(op, inner(random), inner(random))
            }
        }
    }

    fn condition(depth: usize, random: &mut Random) -> Tree {
        if depth == 0 {
            return match random.below(5) {
                0 => Tree::Truth(random.one_in(2)),
                _ => Tree::Condition(random.below(CONDITIONS.len())),
            };
        }
        match random.below(10) {
            0 => Tree::condition(0, random),
            1 => Tree::Not(Box::new(Tree::condition(depth - 1, random))),
            2..5 => {
                let op = *random.pick(&["&&", "||", "==", "!="]);
                let left = Box::new(Tree::condition(depth - 1, random));
                Tree::Binary(op, left, Box::new(Tree::condition(depth - 1, random)))
            }
            _ => {
                let op = *random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                let left = Box::new(Tree::number(depth - 1, random));
                Tree::Binary(op, left, Box::new(Tree::number(depth - 1, random)))
            }
        }
    }

    /// How tightly it binds, as in Rust.
    fn level(&self) -> u8 {
        match self {
            Tree::Binary("||", ..) => 1,
            Tree::Binary("&&", ..) => 2,
            Tree::Binary("+" | "-", ..) => 4,
            Tree::Binary("*" | "/" | "%", ..) => 5,
            Tree::Binary(..) => 3,
            Tree::Negate(_) | Tree::Not(_) => 6,
            _ => 7,
        }
    }

    /// The text, with no parentheses but those it needs.
    fn text(&self) -> String {
        let within = |tree: &Tree, level: u8| {
            if tree.level() < level { format!("({})", tree.text()) } else { tree.text() }
        };
        match self {
            Tree::Literal(number) => number.to_string(),
            Tree::Number(index) => NUMBERS[*index].0.to_owned(),
            Tree::Truth(truth) => truth.to_string(),
            Tree::Condition(index) => CONDITIONS[*index].to_owned(),
            Tree::Negate(inner) => format!("-{}", within(inner, 6)),
            Tree::Not(inner) => format!("!{}", within(inner, 6)),
            Tree::Int(inner) => format!("int({})", inner.text()),
            Tree::Binary(op, left, right) => {
                // Comparisons are not chained, the others go from left to right.
                let level = self.level();
                let (left, right) = (within(left, level + u8::from(level == 3)), within(right, level + 1));
                format!("{left} {op} {right}")
            }
        }
    }

    /// Whether a field is in it.
    fn reads(&self) -> bool {
        match self {
            Tree::Number(_) | Tree::Condition(_) => true,
            Tree::Literal(_) | Tree::Truth(_) => false,
            Tree::Negate(inner) | Tree::Not(inner) | Tree::Int(inner) => inner.reads(),
            Tree::Binary(_, left, right) => left.reads() || right.reads(),
        }
    }

    /// What const evaluation knows of it.
    fn interval(&self) -> Interval {
        match self {
            Tree::Literal(number) => Interval::one((*number).into()),
            Tree::Number(index) => match NUMBERS[*index].1 {
                "u64" => Interval::between(0, u64::MAX.into()),
                "i64" => Interval::between(i64::MIN.into(), i64::MAX.into()),
                "u32" => Interval::between(0, u32::MAX.into()),
                "i16" => Interval::between(i16::MIN.into(), i16::MAX.into()),
                _ => Interval::between(0, u8::MAX.into()),
            },
            Tree::Truth(truth) => Interval::one((*truth).into()),
            Tree::Condition(_) => Interval::CONDITION,
            Tree::Negate(inner) => inner.interval().neg(),
            Tree::Not(inner) => inner.interval().not(),
            Tree::Int(inner) => inner.interval(),
            Tree::Binary(op, left, right) => {
                let (left, right) = (left.interval(), right.interval());
                match *op {
                    "&&" => left.and(right),
                    "||" => left.or(right),
                    "+" => left.add(right),
                    "-" => left.sub(right),
                    "*" => left.mul(right),
                    "/" => left.div(right),
                    "%" => left.rem(right),
                    "==" => left.eq(right),
                    "!=" => left.ne(right),
                    "<" => left.lt(right),
                    "<=" => left.le(right),
                    ">" => left.gt(right),
                    _ => left.ge(right),
                }
            }
        }
    }

    /// The same, or a rule of it that is taken: one that no value keeps, and one that reads nothing, are refused.
    fn taken(self) -> Tree {
        if self.reads() && self.interval().may_be_true() {
            return self;
        }
        Tree::Binary("||", Box::new(Tree::Condition(0)), Box::new(self))
    }

    /// None when it leaves the range, or divides by zero.
    fn compute(&self, fields: &Fields) -> Option<Value> {
        let number = |number: Option<i128>| {
            number.filter(|number| (i64::MIN.into()..=u64::MAX.into()).contains(number)).map(Value::Number)
        };
        let as_number = |tree: &Tree| match tree.compute(fields)? {
            Value::Number(number) => Some(number),
            Value::Truth(_) => panic!("{tree:?} is no number"),
        };
        let as_truth = |tree: &Tree| match tree.compute(fields)? {
            Value::Truth(truth) => Some(truth),
            Value::Number(_) => panic!("{tree:?} is no condition"),
        };
        let truth = |truth| Some(Value::Truth(truth));
        match self {
            Tree::Literal(literal) => number(Some((*literal).into())),
            Tree::Number(index) => number(Some(fields[*index])),
            Tree::Truth(value) => truth(*value),
            Tree::Condition(index) => truth(fields[NUMBERS.len() + index] != 0),
            Tree::Negate(inner) => number(as_number(inner)?.checked_neg()),
            Tree::Not(inner) => truth(!as_truth(inner)?),
            Tree::Int(inner) => number(Some(as_truth(inner)?.into())),
            Tree::Binary("&&", left, right) => truth(as_truth(left)? && as_truth(right)?),
            Tree::Binary("||", left, right) => truth(as_truth(left)? || as_truth(right)?),
            Tree::Binary(op, left, right) => {
                let (left, right) = match (left.compute(fields)?, right.compute(fields)?) {
                    (Value::Number(left), Value::Number(right)) => (left, right),
                    (Value::Truth(left), Value::Truth(right)) => (left.into(), right.into()),
                    _ => panic!("{self:?} compares a number and a condition"),
                };
                match *op {
                    "+" => number(left.checked_add(right)),
                    "-" => number(left.checked_sub(right)),
                    // What 128 bits do not hold, the range does not.
                    "*" => number(left.checked_mul(right)),
                    "/" => number(left.checked_div(right)),
                    "%" => number(left.checked_rem(right)),
                    "==" => truth(left == right),
                    "!=" => truth(left != right),
                    "<" => truth(left < right),
                    "<=" => truth(left <= right),
                    ">" => truth(left > right),
                    _ => truth(left >= right),
                }
            }
        }
    }
}

/// Numbers at the edges more often than not.
fn field(ty: &str, random: &mut Random) -> i128 {
    let bits = i128::from(random.bits());
    let edges =
        [0, 1, 2, 3, 255, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1];
    let number = if random.one_in(3) { bits >> random.below(64) } else { *random.pick(&edges) };
    let signed = if random.one_in(2) { -number } else { number };
    match ty {
        "u64" => number & i128::from(u64::MAX),
        "i64" => signed.clamp(i64::MIN.into(), i64::MAX.into()),
        "u32" => number & i128::from(u32::MAX),
        "i16" => signed.clamp(i16::MIN.into(), i16::MAX.into()),
        _ => number & 255,
    }
}

fn fields(random: &mut Random) -> Fields {
    let mut fields = Fields::default();
    for (at, (_, ty)) in NUMBERS.iter().enumerate() {
        fields[at] = field(ty, random);
    }
    for at in 0..CONDITIONS.len() {
        fields[NUMBERS.len() + at] = i128::from(random.one_in(2));
    }
    fields
}

fn program(rules: &[Tree]) -> String {
    let numbers = NUMBERS.map(|(name, ty)| format!("pub {name}: {ty}, ")).concat();
    let conditions = CONDITIONS.map(|name| format!("pub {name}: bool, ")).concat();
    let names: Vec<&str> = NUMBERS.iter().map(|(name, _)| *name).chain(CONDITIONS).collect();
    let copied: Vec<String> = names.iter().map(|name| format!("{name}: free.{name}, ")).collect();
    let copied = copied.concat();
    let mut text = format!(
        "#![allow(dead_code)]\nuse wirecontract::WireContract;\n\n\
         #[derive(WireContract, Clone)]\n#[wire(descriptor, layout = packed)]\npub struct Free {{ {numbers}{conditions}}}\n"
    );
    let mut arms = String::new();
    for (index, rule) in rules.iter().enumerate() {
        let rule = rule.text();
        write!(
            text,
            "\n#[derive(WireContract, Clone)]\n#[wire(descriptor, layout = packed, rule({rule}))]\n\
             pub struct R{index} {{ {numbers}{conditions}}}\n"
        )
        .expect("text");
        writeln!(arms, "            {index} => answer(R{index}::from_bytes(&bytes).err(), R{index} {{ {copied}}}.to_bytes().err()),")
            .expect("text");
    }
    text + &format!(
        r#"
fn answer(read: Option<wirecontract::WireError>, written: Option<wirecontract::WireError>) {{
    match (read, written) {{
        (None, None) => println!("holds"),
        (Some(read), Some(written)) if read == written => println!("{{}} {{}}", read.code.name(), read.expected),
        (read, written) => println!("read {{read:?}} written {{written:?}}"),
    }}
}}

trait Name {{ fn name(self) -> &'static str; }}
impl Name for wirecontract::Code {{ fn name(self) -> &'static str {{ wirecontract::Enumeration::name(self) }} }}

fn main() {{
    for line in std::io::stdin().lines() {{
        let line = line.unwrap();
        let (index, hex) = line.split_once(' ').unwrap();
        let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
        let free = Free::from_bytes(&bytes).unwrap();
        match index.parse::<usize>().unwrap() {{
{arms}            _ => unreachable!(),
        }}
    }}
}}
"#
    )
}

fn bytes(fields: &Fields) -> String {
    let mut text = String::new();
    let sizes = NUMBERS.iter().map(|(_, ty)| ty[1..].parse::<usize>().expect("bits") / 8).chain([1, 1]);
    for (number, size) in fields.iter().zip(sizes) {
        for byte in &number.to_le_bytes()[..size] {
            write!(text, "{byte:02x}").expect("text");
        }
    }
    text
}

/// What is refused at compile time is what no value keeps.
#[test]
fn what_an_expression_may_be_by_its_types_holds_every_value() {
    let mut random = Random::new(Random::seed());
    let mut refused = 0;
    for index in 0..20_000 {
        let tree = Tree::condition(1 + index % 5, &mut random);
        let interval = tree.interval();
        refused += usize::from(!interval.may_be_true());
        for _ in 0..20 {
            let fields = fields(&mut random);
            let number = match tree.compute(&fields) {
                Some(Value::Truth(truth)) => i128::from(truth),
                Some(Value::Number(number)) => number,
                None => continue,
            };
            assert!(interval.has(number), "{} is {number}, not in {interval:?}: {fields:?}", tree.text());
        }
    }
    assert!(refused > 100, "{refused} can be kept by no value");
}

#[test]
fn random_rules_hold_where_exact_integers_say_so() {
    let mut random = Random::new(Random::seed());
    let rules: Vec<Tree> =
        (0..rules()).map(|index| Tree::condition(1 + index % 5, &mut random).taken()).collect();

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random_rules");
    let core = repository().join("contracts/core").display().to_string();
    // The optimiser is part of what is tested.
    let manifest = format!(
        "[package]\nname = \"random-rules\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n\
         wirecontract = {{ path = {core:?} }}\n\n[profile.dev]\ndebug = false\nopt-level = 2\n\n[workspace]\n"
    );
    std::fs::create_dir_all(folder.join("src")).expect("a folder for the program");
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("the program can be written");
    std::fs::write(folder.join("src/main.rs"), program(&rules)).expect("the program can be written");
    std::fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock file");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cargo");
    let mut build = Command::new(env!("CARGO"));
    run(build.args(["build", "--quiet", "--offline"]).current_dir(&folder).env("CARGO_TARGET_DIR", &target));

    let mut requests = String::new();
    let mut expected = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        for _ in 0..VALUES {
            let fields = fields(&mut random);
            writeln!(requests, "{index} {}", bytes(&fields)).expect("text");
            let verdict = match rule.compute(&fields) {
                Some(Value::Truth(true)) => "holds".to_owned(),
                _ => format!("rule_violated {}", rule.text()),
            };
            expected.push((verdict, fields));
        }
    }
    let mut child = Command::new(target.join("debug/random-rules"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("piped");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(requests.as_bytes()).ok());
        child.wait_with_output().expect("a child can be waited for")
    });
    let answers = String::from_utf8(output.stdout).expect("answers are UTF-8");
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), expected.len());
    for (at, (answer, (verdict, fields))) in answers.iter().zip(&expected).enumerate() {
        let rule = rules[at / VALUES].text();
        assert_eq!(answer, verdict, "{rule} with {fields:?}");
    }
    let held = expected.iter().filter(|(verdict, _)| verdict == "holds").count();
    assert!(
        (expected.len() / 10..expected.len() * 9 / 10).contains(&held),
        "{held} of {} hold",
        expected.len()
    );
}
