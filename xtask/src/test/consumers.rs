//! The part `consumers`: pytest over tests/consumers, where array libraries take our tensors and give us theirs.

use std::env::join_paths;

use super::{Context, python};

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    let Context { workspace, setup, runner, all, .. } = context;
    let arrays = setup.arrays(runner)?;
    let root = workspace.root();
    // The producer that is told what to say is one of tests/python.
    let mut path = vec![root.join("bindings/python"), root.join("tests/python"), python::tensors(context)?];
    let mut pytest = runner.command(arrays.python()).args(["-m", "pytest", "-q", "tests/consumers"]);
    if *all {
        path.push(setup.torch(runner, &arrays)?.folder().to_owned());
        pytest = pytest.env("WIRECONTRACT_TEST_ALL", "1");
    }
    Ok(pytest.env("PYTHONPATH", join_paths(path)?).run()?)
}
