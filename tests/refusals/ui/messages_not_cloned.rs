//! What a union is put together of again is copied.

use wirecontract::WireContract;

#[derive(WireContract)]
#[wire(recipe)]
pub struct Document {
    pub name: String,
}

#[derive(WireContract)]
#[wire(union, tag = "op")]
pub enum Request {
    Name(Document),
}

#[derive(WireContract)]
#[wire(message, body = Request)]
pub enum RequestMessage {
    Name(Document),
}

fn main() {}
