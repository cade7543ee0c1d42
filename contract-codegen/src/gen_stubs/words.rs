//! Words of a package that a target has for something else: a module `time` would hide Python's own, and a namespace
//! `exp` is the name of a function that every program has.

use std::collections::BTreeSet;

use super::Target;
use crate::emit::{Family, PackageConfig};
use crate::names::{c, python};

/// A word that the package cannot have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error(
    "package {package}: `{key}` is `{word}`{default}, and `{part}` is {owner}: set `{key}` to another in \
     `[package.metadata.wirecontract]` of the package's Cargo.toml",
    default = if *is_default { " by default, after the package" } else { "" }
)]
pub(crate) struct Taken {
    package: String,
    key: &'static str,
    word: String,
    part: String,
    owner: &'static str,
    is_default: bool,
}

/// The words of these families' packages that the target cannot have.
pub(super) fn taken<'family>(
    target: Target,
    families: impl Iterator<Item = &'family Family>,
) -> BTreeSet<Taken> {
    families.filter_map(|family| of_package(target, &family.package)).collect()
}

fn of_package(target: Target, words: &PackageConfig) -> Option<Taken> {
    let (key, word, found) = match target {
        Target::C | Target::CJson => ("c-prefix", &words.c_prefix, of_prefix(&words.c_prefix)),
        Target::Cpp => ("cpp-namespace", &words.cpp_namespace, of_namespace(&words.cpp_namespace)),
        Target::Python | Target::PythonNative | Target::PythonStub => {
            ("python-package", &words.python_package, of_module(&words.python_package))
        }
        Target::Json | Target::Schema | Target::Vectors => return None,
    };
    let (part, owner) = found?;
    Some(Taken {
        package: words.package.clone(),
        key,
        word: word.clone(),
        part: part.to_owned(),
        owner,
        is_default: *word == words.package.replace('-', "_"),
    })
}

/// A word, and what it is.
type Owned<'word> = (&'word str, &'static str);

const RESERVED: &str = "a reserved word or a macro of C or C++";

fn of_prefix(word: &str) -> Option<Owned<'_>> {
    c::is_reserved(word).then_some((word, RESERVED))
}

fn of_namespace(word: &str) -> Option<Owned<'_>> {
    let first = word.split("::").next().unwrap_or_default();
    if first == "std" {
        return Some((first, "the namespace of the C++ standard library"));
    }
    if let Some(part) = word.split("::").find(|part| c::is_reserved(part)) {
        return Some((part, RESERVED));
    }
    // Inside another namespace it hides nothing that a program needs.
    LIBRARY
        .iter()
        .any(|line| line.split(' ').any(|name| name == first))
        .then_some((first, "a name of the C library"))
}

fn of_module(word: &str) -> Option<Owned<'_>> {
    if let Some(part) = word.split('.').find(|part| !python::is_identifier(part)) {
        return Some((part, "a keyword of Python"));
    }
    let first = word.split('.').next().unwrap_or_default();
    python::is_standard_module(first).then_some((first, "a module of Python's standard library"))
}

/// Functions, variables and types at global scope that the headers of ISO C and POSIX declare, and that a package may
/// well be called; a line a header. (`struct` tags beside them do no harm: a namespace may not share a name with one,
/// but each such tag here is a function too.)
const LIBRARY: &[&str] = &[
    // math.h and complex.h, with the Bessel functions of POSIX.
    "abs acos acosh asin asinh atan atan2 atanh carg cbrt ceil conj copysign cos cosh cproj creal cimag erf erfc exp exp2",
    "expm1 fabs fdim floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10",
    "log1p log2 logb lrint lround modf nan nearbyint nextafter pow remainder remquo rint round scalb scalbln scalbn",
    "signgam significand sin sinh sqrt tan tanh tgamma trunc y0 y1 yn",
    // stdlib.h
    "abort atexit atof atoi atol atoll bsearch calloc div ecvt exit fcvt free gcvt getenv getsubopt labs ldiv llabs lldiv",
    "malloc mblen mkstemp mktemp mkdtemp putenv qsort rand random realloc realpath setenv setstate srand srandom",
    "initstate strtod strtof strtol strtoul system unsetenv drand48 grantpt ptsname unlockpt reallocarray valloc alloca",
    // string.h, strings.h and wchar.h
    "basename bcmp bcopy bzero ffs index memccpy memchr memcmp memcpy memmem memmove memset rindex stpcpy strcat strchr",
    "strcmp strcoll strcpy strcspn strdup strerror strlen strncat strncmp strncpy strndup strnlen strpbrk strrchr",
    "strsep strsignal strspn strstr strtok strxfrm btowc wcscmp wcscpy wcslen wctob wmemcpy",
    // stdio.h
    "clearerr ctermid cuserid dprintf fclose fdopen feof ferror fflush fgetc fgets fileno fopen fprintf fputc fputs fread",
    "freopen fscanf fseek ftell fwrite getc getchar getdelim getline gets getw pclose perror popen printf putc putchar",
    "puts putw remove rename rewind scanf setbuf setvbuf snprintf sprintf sscanf tempnam tmpfile tmpnam ungetc vprintf",
    // time.h, sys/time.h, signal.h, setjmp.h, locale.h
    "asctime clock ctime daylight difftime gmtime localtime mktime nanosleep strftime strptime time timegm timezone tzname",
    "tzset adjtime futimes getitimer gettimeofday setitimer settimeofday utimes kill killpg psignal raise sigaction",
    "sigaltstack signal sigpause sigqueue sigwait longjmp localeconv setlocale",
    // unistd.h, fcntl.h, sys/stat.h, dirent.h
    "access acct alarm brk chdir chmod chown chroot close confstr creat crypt daemon dup dup2 encrypt environ execl execv",
    "execve fchdir fchmod fchown fcntl fork fpathconf fstat fsync ftruncate getcwd getopt getpid getuid isatty lchown link",
    "lockf lseek lstat mkdir mkfifo mknod nice open openat optarg opterr optind optopt pathconf pause pipe pread profil",
    "pwrite read readlink rmdir sbrk setuid sleep stat swab symlink sync syscall sysconf truncate ttyname ualarm umask",
    "unlink usleep vfork vhangup write alphasort closedir opendir readdir rewinddir scandir seekdir telldir",
    // Sockets, processes, terminals, users.
    "accept bind connect getsockopt htonl htons listen ntohl ntohs recv recvfrom recvmsg send sendmsg sendto setsockopt",
    "shutdown socket socketpair poll ppoll select pselect mmap mprotect msync munmap mlock shm_open wait waitpid wait3",
    "clone sched_yield sem_open getpwnam getgrnam times uname utime ulimit ioctl mount umount syslog openlog closelog",
    "regcomp regexec regfree glob globfree fnmatch wordexp ftw nftw getrusage getrlimit ptrace reboot sethostid swapon",
    "iconv catopen catgets gettext dgettext textdomain dlopen dlsym dlclose err errx warn warnx error insque remque hsearch",
    "lsearch lfind tsearch tfind tdelete twalk",
    // ctype.h and wctype.h
    "isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit toascii",
    "tolower toupper towlower towupper wctype",
    // Types.
    "blkcnt_t clock_t dev_t div_t gid_t id_t imaxdiv imaxabs ino_t key_t mode_t off_t pid_t quad_t ssize_t time_t timer_t",
    "u_char u_int u_long u_short uid_t uint ulong ushort main",
];

#[cfg(test)]
mod tests {
    use super::super::Target;
    use super::{LIBRARY, taken};
    use crate::emit::{Family, PackageConfig};

    fn problems(target: Target, package: PackageConfig) -> Vec<String> {
        let family = Family { package, name: "x".into(), contracts: vec![] };
        taken(target, [&family, &family].into_iter()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_taken_word_is_refused_with_the_key_to_set() {
        for (target, package, parts) in [
            (Target::Python, "time", ["`python-package` is `time` by default", "standard library"]),
            (Target::Cpp, "time", ["`cpp-namespace` is `time` by default", "a name of the C library"]),
            (Target::Cpp, "std", ["`cpp-namespace` is `std`", "the C++ standard library"]),
            (Target::Cpp, "co-yield", ["`cpp-namespace` is `co_yield` by default", "a reserved word"]),
            (Target::C, "register", ["`c-prefix` is `register` by default", "a reserved word"]),
            (Target::Python, "lambda", ["`python-package` is `lambda` by default", "a keyword"]),
        ] {
            let [problem] = problems(target, PackageConfig::default_for(package)).try_into().unwrap();
            for part in parts.into_iter().chain([package, "set `", "`[package.metadata.wirecontract]`"]) {
                assert!(problem.contains(part), "{part:?} is not in: {problem}");
            }
        }
    }

    #[test]
    fn what_hides_nothing_is_no_problem() {
        for target in Target::ALL {
            assert!(problems(target, PackageConfig::default_for("sensor-sdk")).is_empty());
        }
        for target in [Target::C, Target::CJson, Target::Json, Target::Schema, Target::Vectors] {
            assert!(problems(target, PackageConfig::default_for("time")).is_empty());
        }
        let words = PackageConfig {
            cpp_namespace: "acme::time".into(),
            python_package: "acme.time".into(),
            ..PackageConfig::default_for("time")
        };
        for target in Target::ALL {
            assert!(problems(target, words.clone()).is_empty());
        }
        let words = PackageConfig { cpp_namespace: "acme::new".into(), ..words };
        let [problem] = problems(Target::Cpp, words).try_into().unwrap();
        assert!(problem.contains("is `acme::new`, and `new` is a reserved word"), "{problem}");
    }

    #[test]
    fn the_c_library_is_listed_once() {
        let mut names: Vec<&str> = LIBRARY.iter().flat_map(|line| line.split(' ')).collect();
        let all = names.len();
        names.sort_unstable();
        let twice: Vec<&&str> =
            names.iter().zip(&names[1..]).filter(|(a, b)| a == b).map(|(a, _)| a).collect();
        assert_eq!(twice, [&""; 0]);
        assert!(all > 300);
    }
}
