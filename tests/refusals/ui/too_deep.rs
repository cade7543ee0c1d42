//! What is deeper, or more, than a record may be.

use wirecontract::WireContract;

#[derive(WireContract)]
#[wire(recipe, rule((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))) > 0))]
pub struct Nested {
    pub a: u32,
}

#[derive(WireContract)]
#[wire(recipe, rule(a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a > 0))]
pub struct Sum {
    pub a: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Arrays {
    pub deepest: Option<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<u8>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>,
    pub deeper: Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<u8>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>,
}

type Hidden = Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<u8>>>>>>>>>>>>>>>>;

#[derive(WireContract)]
#[wire(recipe)]
pub struct Behind {
    pub deeper: Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Hidden>>>>>>>>>>>>>>>>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Named {
    pub name: String,
}

#[derive(WireContract)]
#[wire(union, untagged)]
pub enum Many {
    V0(Named),
    V1(Named),
    V2(Named),
    V3(Named),
    V4(Named),
    V5(Named),
    V6(Named),
    V7(Named),
    V8(Named),
    V9(Named),
    V10(Named),
    V11(Named),
    V12(Named),
    V13(Named),
    V14(Named),
    V15(Named),
    V16(Named),
    V17(Named),
    V18(Named),
    V19(Named),
    V20(Named),
    V21(Named),
    V22(Named),
    V23(Named),
    V24(Named),
    V25(Named),
    V26(Named),
    V27(Named),
    V28(Named),
    V29(Named),
    V30(Named),
    V31(Named),
    V32(Named),
    V33(Named),
    V34(Named),
    V35(Named),
    V36(Named),
    V37(Named),
    V38(Named),
    V39(Named),
    V40(Named),
    V41(Named),
    V42(Named),
    V43(Named),
    V44(Named),
    V45(Named),
    V46(Named),
    V47(Named),
    V48(Named),
    V49(Named),
    V50(Named),
    V51(Named),
    V52(Named),
    V53(Named),
    V54(Named),
    V55(Named),
    V56(Named),
    V57(Named),
    V58(Named),
    V59(Named),
    V60(Named),
    V61(Named),
    V62(Named),
    V63(Named),
    V64(Named),
    V65(Named),
}

fn main() {}
