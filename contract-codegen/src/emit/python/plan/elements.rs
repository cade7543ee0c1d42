//! Values: single elements, nested descriptors, arrays of either.

use std::collections::BTreeSet;

use super::{Planner, all_bits, is_flattened};
use crate::emit::python::plan::Line;
use crate::emit::python::text::hex;
use crate::emit::python::types::{Shape, are_open, code, format, order, scalar, shape};
use crate::model::{Element, Field, Scalar};

impl Planner<'_> {
    /// A single element, or a nested descriptor.
    pub(super) fn single(&mut self, context: &str, field: &Field, offset: u32, path: &str) -> String {
        match field.ty.element {
            Element::Scalar(Scalar::F32) => self.f32(context, field, offset, path),
            Element::Scalar(Scalar::F64) if self.stands_apart(field) => {
                let local = self.unpack(context, &field.name, "8s".to_owned());
                let form = format(self.scope, field.ty.endian, "d");
                self.look_up(format!("({local},) = _struct.unpack({form}, {local})"));
                self.plan.packed.push(format!("_struct.pack({form}, {path})"));
                local
            }
            Element::Scalar(Scalar::Bool) => {
                let local = self.unpack(context, &field.name, "B".to_owned());
                self.look_up(format!("{local} = {}[{local}]", self.scope.wire("BOOLS")));
                self.plan.packed.push(path.to_owned());
                local
            }
            Element::Scalar(_) => {
                let local = self.integer(context, field);
                let written = self.integer_written(field, path);
                self.plan.packed.push(written);
                local
            }
            Element::Enumeration { contract, open } => {
                let local = self.integer(context, field);
                let values = self.scope.private("values", contract);
                self.look_up(if open {
                    format!("{local} = {values}.get({local}, {local})")
                } else {
                    format!("{local} = {values}[{local}]")
                });
                let written = self.integer_written(field, path);
                self.plan.packed.push(written);
                local
            }
            Element::Flags { contract } => {
                let local = self.integer(context, field);
                let flags = self.scope.catalog.get(contract).flags();
                let unknown = all_bits(flags.repr) & !flags.known_bits();
                if !flags.open && unknown != 0 {
                    self.plan.conditions.push(format!("not {local} & {}", hex(unknown)));
                }
                let make = self.scope.wire("flag_set");
                let class = self.scope.class(contract);
                self.plan.builds.push(format!("{local} = {make}({class}, {local})"));
                let written = self.integer_written(field, path);
                self.plan.packed.push(written);
                local
            }
            Element::Descriptor(nested) if is_flattened(self.scope, field) => {
                let access = self.write.add(context, &field.name);
                let (before, packed) = (self.plan.before.len(), self.plan.packed.len());
                let context =
                    if context.is_empty() { field.name.clone() } else { format!("{context}_{}", field.name) };
                let value = self.descriptor(nested, offset, &context, &access);
                let attribute = format!("{access}.");
                let mut written = self.plan.before[before..].iter().chain(&self.plan.packed[packed..]);
                if written.any(|code| code.contains(&attribute)) {
                    self.plan.before.insert(before, format!("{access} = {path}"));
                }
                value
            }
            Element::Descriptor(nested) => {
                let size = self.scope.catalog.field_size(field);
                let local = self.unpack(context, &field.name, format!("{size}s"));
                let class = self.scope.class(nested);
                let read = self.read.add(context, &format!("{}_value", field.name));
                self.look_up(format!("{read} = {class}.from_bytes({local})"));
                self.plan.packed.push(format!("{path}.to_bytes()"));
                read
            }
        }
    }

    fn f32(&mut self, context: &str, field: &Field, offset: u32, path: &str) -> String {
        let scope = self.scope;
        let order = order(scope, field.ty.endian);
        if self.stands_apart(field) {
            let local = self.unpack(context, &field.name, "4s".to_owned());
            let read = self.read.add(context, &format!("{}_value", field.name));
            self.look_up(format!("{read} = {}({local}, 0, {order})", scope.wire("f32_from")));
            self.plan.packed.push(format!("{}({path}, {order})", scope.wire("f32_bytes")));
            return read;
        }
        let local = self.unpack(context, &field.name, "f".to_owned());
        let code = format!("{local} = {}(data, {offset}, {order})", scope.wire("f32_from"));
        self.plan.lookups.push(Line::ForNan(local.clone(), code));
        let written = self.write.add(context, &field.name);
        self.plan.before.push(format!("{written} = {path}"));
        self.plan.packed.push(written.clone());
        self.nans.push((offset, written));
        local
    }

    /// An array, whose bytes are one item. `path` is where writing finds the value.
    pub(super) fn array(&mut self, context: &str, field: &Field, path: &str, counted: bool) -> String {
        let scope = self.scope;
        let none = BTreeSet::new();
        let total: u32 = field.ty.dims.iter().product();
        let local = self.unpack(context, &field.name, format!("{}s", scope.catalog.field_size(field)));
        if shape(field) == Shape::Bytes {
            self.plan.packed.push(path.to_owned());
            return local;
        }
        let rank = field.ty.dims.len();
        let tuple = scope.builtin("tuple", &none);
        let values = if rank == 1 {
            path.to_owned()
        } else {
            format!("{}({path}, {rank})", scope.wire("flat_elements"))
        };
        let (mut read, written) = match field.ty.element {
            Element::Scalar(Scalar::Bool) => {
                let map = scope.builtin("map", &none);
                let read = format!("{tuple}({map}({}.__getitem__, {local}))", scope.wire("BOOLS"));
                (read, format!("{}({values})", scope.builtin("bytes", &none)))
            }
            Element::Scalar(Scalar::U8) => {
                (format!("{tuple}({local})"), format!("{}({values})", scope.builtin("bytes", &none)))
            }
            Element::Scalar(Scalar::F32) => {
                let form = format(scope, field.ty.endian, &format!("{total}f"));
                let order = order(scope, field.ty.endian);
                let read = format!("{}({form}, {local})", scope.wire("unpack_f32s"));
                (read, format!("{}({order}, {values})", scope.wire("pack_f32s")))
            }
            Element::Descriptor(nested) => {
                let class = scope.class(nested);
                let size = scope.catalog.element_size(field.ty.element);
                let bytes = scope.catalog.field_size(field);
                let range = scope.builtin("range", &none);
                let read = format!(
                    "{}({local}, {range}(0, {bytes}, {size}), {class}.from_bytes)",
                    scope.wire("read_elements")
                );
                (read, format!("b\"\".join([item.to_bytes() for item in {values}])"))
            }
            element => {
                let letter = code(scalar(scope, element));
                let form = format(scope, field.ty.endian, &format!("{total}{letter}"));
                let read = format!("_struct.unpack({form}, {local})");
                let written = if counted {
                    let order = order(scope, field.ty.endian);
                    format!("{}({order}, \"{letter}\", {values})", scope.wire("pack_all"))
                } else {
                    format!("_struct.pack({form}, *{values})")
                };
                (self.named(element, &read), written)
            }
        };
        if rank > 1 {
            let dims = field.ty.dims.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            read = format!("{}({read}, ({dims}))", scope.wire("nest_elements"));
        }
        let elements = self.read.add(context, &format!("{}_elements", field.name.trim_end_matches('_')));
        self.look_up(format!("{elements} = {read}"));
        self.plan.packed.push(written);
        elements
    }

    /// Integers as what they stand for.
    fn named(&self, element: Element, integers: &str) -> String {
        let scope = self.scope;
        let tuple = scope.builtin("tuple", &BTreeSet::new());
        match element {
            Element::Enumeration { contract, open: false } => {
                let map = scope.builtin("map", &BTreeSet::new());
                format!("{tuple}({map}({}.__getitem__, {integers}))", scope.private("values", contract))
            }
            Element::Enumeration { contract, open: true } => {
                let values = scope.private("values", contract);
                format!("{tuple}([{values}.get(item, item) for item in {integers}])")
            }
            Element::Flags { contract } => {
                let flags = scope.catalog.get(contract).flags();
                let accepted =
                    if are_open(scope, element) { all_bits(flags.repr) } else { flags.known_bits() };
                format!(
                    "{}({}, {}, {integers})",
                    scope.wire("flag_sets"),
                    scope.class(contract),
                    hex(accepted)
                )
            }
            _ => integers.to_owned(),
        }
    }
}
