//! The record of functions that generated code exports.

/// Leaves a record that lists exported functions. `$text` is its first line; `$name` tells it apart where records need
/// names.
#[doc(hidden)]
#[macro_export]
macro_rules! __symbols_record {
    ($name:literal, $text:literal $(,)?) => {
        const _: () = {
            use $crate::__private as wire;
            use $crate::record;

            const SOURCE: &str = concat!("\n{\"package\":\"", env!("CARGO_PKG_NAME"), "\",\"members\":[]}");
            const HASH: u64 = record::fold(0xcbf2_9ce4_8422_2325, $text.as_bytes());
            const TEXT: &str = wire::text(concat!(
                $text,
                "\n{\"package\":\"",
                env!("CARGO_PKG_NAME"),
                "\",\"members\":[]}\n{\"package_version\":\"",
                env!("CARGO_PKG_VERSION"),
                "\",\"module\":\"",
                module_path!(),
                "\",\"line\":",
                line!(),
                ",\"column\":",
                column!(),
                "}\n",
                file!()
            ));

            #[used]
            #[cfg_attr(not(any(target_vendor = "apple", windows)), unsafe(link_section = ".note.wirec"))]
            #[cfg_attr(
                target_vendor = "apple",
                unsafe(link_section = "__DATA,__wirec,regular,no_dead_strip")
            )]
            #[cfg_attr(
                                        windows,
                                        unsafe(link_section = ".wirec"),
                                        unsafe(export_name = concat!("wirecontract_record_symbols_", $name))
                                    )]
            static RECORD: wire::Record<0, { TEXT.len() }> = wire::Record::new(
                HASH,
                wire::source_id(record::fold(HASH, SOURCE.as_bytes()), module_path!(), &[]),
                [],
                TEXT,
            );
        };
    };
}
