//! What tells pkg-config and `cmake` of the library.

use super::VERSION;

/// What the static library needs of the system, in the linker's words.
const SYSTEM: &str = "-lgcc_s -lpthread -ldl -lm";

/// Names below the library folder, which is so many folders below the prefix, and texts.
pub(super) fn all(depth: usize, libdir: &str) -> [(&'static str, String); 3] {
    let up = |folders: usize| vec![".."; folders].join("/");
    let fill = |template: &str| {
        template
            .replace("@VERSION@", VERSION)
            .replace("@COMPATIBLE@", compatible())
            .replace("@MAJOR@", VERSION.split('.').next().unwrap_or(VERSION))
            .replace("@POINTER@", &size_of::<usize>().to_string())
            .replace("@SYSTEM@", SYSTEM)
            .replace("@SYSTEM_LIST@", &SYSTEM.replace("-l", "").replace(' ', ";"))
            .replace("@LIBDIR@", libdir)
            .replace("@FROM_PKGCONFIG@", &up(depth + 1))
            .replace("@FROM_CMAKE@", &up(depth + 2))
    };
    [
        ("pkgconfig/wirecontract.pc", fill(PKG_CONFIG)),
        ("cmake/wirecontract/wirecontractConfig.cmake", fill(CONFIG)),
        ("cmake/wirecontract/wirecontractConfigVersion.cmake", fill(CONFIG_VERSION)),
    ]
}

/// The first part of a version that has to be the same: before 1.0 the first two, as cargo has it.
fn compatible() -> &'static str {
    let mut dots = VERSION.match_indices('.').map(|(at, _)| at);
    let first = dots.next().unwrap_or(VERSION.len());
    if VERSION.starts_with("0.") {
        &VERSION[..dots.next().unwrap_or(VERSION.len())]
    } else {
        &VERSION[..first]
    }
}

const PKG_CONFIG: &str = "\
prefix=${pcfiledir}/@FROM_PKGCONFIG@
libdir=${prefix}/@LIBDIR@
includedir=${prefix}/include

Name: wirecontract
Description: Wire contracts of GPU and camera SDKs
Version: @VERSION@
Cflags: -I${includedir}
Libs: -L${libdir} -lwirecontract
Libs.private: @SYSTEM@
";

const CONFIG: &str = r#"# wirecontract::wirecontract is the shared library, wirecontract::wirecontract_static the static one.
get_filename_component(_wirecontract_prefix "${CMAKE_CURRENT_LIST_DIR}/@FROM_CMAKE@" ABSOLUTE)

if(NOT TARGET wirecontract::wirecontract)
  add_library(wirecontract::wirecontract SHARED IMPORTED)
  set_target_properties(wirecontract::wirecontract PROPERTIES
    IMPORTED_LOCATION "${_wirecontract_prefix}/@LIBDIR@/libwirecontract.so.@VERSION@"
    IMPORTED_SONAME "libwirecontract.so.@MAJOR@"
    INTERFACE_INCLUDE_DIRECTORIES "${_wirecontract_prefix}/include")
endif()

if(NOT TARGET wirecontract::wirecontract_static)
  add_library(wirecontract::wirecontract_static STATIC IMPORTED)
  set_target_properties(wirecontract::wirecontract_static PROPERTIES
    IMPORTED_LOCATION "${_wirecontract_prefix}/@LIBDIR@/libwirecontract.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES "C"
    INTERFACE_LINK_LIBRARIES "@SYSTEM_LIST@"
    INTERFACE_INCLUDE_DIRECTORIES "${_wirecontract_prefix}/include")
endif()

unset(_wirecontract_prefix)
"#;

const CONFIG_VERSION: &str = r#"set(PACKAGE_VERSION "@VERSION@")
if(PACKAGE_FIND_VERSION MATCHES "^@COMPATIBLE@(\\.|$)" AND NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
else()
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
endif()
# A library of another word size is none.
if(NOT "${CMAKE_SIZEOF_VOID_P}" STREQUAL "" AND NOT CMAKE_SIZEOF_VOID_P EQUAL @POINTER@)
  set(PACKAGE_VERSION_UNSUITABLE TRUE)
endif()
"#;
