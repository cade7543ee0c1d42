//! What a number or a condition over the parts asks of a field that has none.

use std::os::fd::OwnedFd;

use wirecontract::WireContract;

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 16)]
pub struct Header {
    pub sizes: [u32; 2],
    #[wire(text)]
    pub name: [u8; 8],
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Surface {
    pub name: String,
    pub planes: Option<u32>,
    pub fenced: Option<bool>,
    pub scale: f32,
    #[wire(max_items = 4)]
    pub sizes: Vec<u32>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct TextCounts {
    pub surface: Surface,
    #[wire(fds(0..=4), count = surface.name)]
    pub planes: Vec<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct OptionalCounts {
    pub surface: Surface,
    #[wire(fds(0..=4), count = surface.planes)]
    pub planes: Vec<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct ListCounts {
    pub surface: Surface,
    #[wire(fds(0..=4), count = surface.sizes)]
    pub planes: Vec<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct FloatCounts {
    pub surface: Surface,
    #[wire(fds(0..=4), count = surface.scale)]
    pub planes: Vec<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct TextDecides {
    pub surface: Surface,
    #[wire(fd, present_if(surface.name))]
    pub fence: Option<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct OptionalDecides {
    pub surface: Surface,
    #[wire(fd, present_if(surface.fenced))]
    pub fence: Option<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct ComparedOptional {
    pub surface: Surface,
    #[wire(fd, present_if(surface.planes > 1))]
    pub fence: Option<OwnedFd>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct TextOfTail {
    pub header: Header,
    #[wire(tail(count = header.name))]
    pub rest: Vec<u8>,
}

#[derive(WireContract)]
#[wire(message)]
pub struct ArrayOfTail {
    pub header: Header,
    #[wire(tail(bytes = header.sizes))]
    pub rest: Vec<u8>,
}

fn main() {}
