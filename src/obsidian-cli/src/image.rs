//! Determines the executable format of a file from its first bytes, never from its name.
//!
//! A text file without `#!` is not a program: some ways to start a process pass such a file to
//! `/bin/sh`, and this program promises never to use a shell (`threats.toml` C04).

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Number of bytes read of a file.
const HEAD: u64 = 64 * 1024;

/// The executable format of a file, with other facts from its first bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// A program in ELF, the format of Linux.
    Elf {
        /// Whether it is built for this machine's processor.
        runs_here: bool,
        /// Whether it is a 64-bit program.
        is_wide: bool,
        /// The path of the program's dynamic loader; `None` for a static program.
        interpreter: Option<PathBuf>,
        /// Whether it is an `AppImage`, which would start the desktop app.
        app_image: bool,
    },
    /// A program in Mach-O, the format of macOS.
    MachO {
        /// Whether it is built for this machine's processor.
        runs_here: bool,
    },
    /// A program in the PE format of Windows.
    Portable,
    /// A script with a `#!` line.
    Script {
        /// The start of its text, with invalid UTF-8 replaced.
        head: String,
    },
    /// Neither a program nor a script with a `#!` line.
    NotAProgram,
}

impl Image {
    /// Reads the first bytes of `path`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut file = fs_err::File::open(path)?;
        let mut head = Vec::new();
        file.by_ref().take(HEAD).read_to_end(&mut head)?;
        Self::parse(&head, &mut file)
    }

    /// Whether this machine can run it.
    pub fn runs_here(&self) -> bool {
        match self {
            Self::Elf { runs_here, .. } => {
                *runs_here && cfg!(not(any(windows, target_os = "macos")))
            }
            Self::MachO { runs_here } => *runs_here && cfg!(target_os = "macos"),
            Self::Portable => cfg!(windows),
            Self::Script { .. } => cfg!(unix),
            Self::NotAProgram => false,
        }
    }

    fn parse(head: &[u8], rest: &mut (impl Read + Seek)) -> io::Result<Self> {
        if head.starts_with(b"\x7fELF") {
            return parse_elf(head, rest);
        }
        if head.starts_with(b"#!") {
            return Ok(Self::Script {
                head: String::from_utf8_lossy(head).into_owned(),
            });
        }
        if head.starts_with(b"MZ") {
            return Ok(Self::Portable);
        }
        Ok(parse_mach_o(head).unwrap_or(Self::NotAProgram))
    }
}

/// Reads an unsigned integer of `width` bytes at offset `at`; `None` past the end.
fn number(bytes: &[u8], at: usize, width: usize, little: bool) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(width)?)?;
    let fold = |value: u64, byte: &u8| (value << 8) | u64::from(*byte);
    Some(if little {
        field.iter().rev().fold(0, fold)
    } else {
        field.iter().fold(0, fold)
    })
}

fn parse_elf(head: &[u8], rest: &mut (impl Read + Seek)) -> io::Result<Image> {
    let wide = head.get(4) == Some(&2);
    let little = head.get(5) == Some(&1);
    let field = |at, width| number(head, at, width, little).unwrap_or(0);
    let interpreter = match program_interpreter(head, wide, little) {
        Some((offset, size)) if size > 1 && size <= 4096 => {
            rest.seek(SeekFrom::Start(offset))?;
            let mut text = Vec::new();
            rest.take(size).read_to_end(&mut text)?;
            let end = text.iter().position(|byte| *byte == 0);
            text.truncate(end.unwrap_or(text.len()));
            String::from_utf8(text).ok().map(PathBuf::from)
        }
        Some(_) | None => None,
    };
    Ok(Image::Elf {
        runs_here: little == cfg!(target_endian = "little")
            && elf_machine_runs_here(field(18, 2), wide),
        is_wide: wide,
        interpreter,
        app_image: head.get(8..10) == Some(b"AI"),
    })
}

/// Offset and size of the `PT_INTERP` segment, in bytes.
fn program_interpreter(head: &[u8], wide: bool, little: bool) -> Option<(u64, u64)> {
    const PT_INTERP: u64 = 3;
    let field = |at, width| number(head, at, width, little);
    let (table, entry_size, count) = if wide {
        (field(32, 8)?, field(54, 2)?, field(56, 2)?)
    } else {
        (field(28, 4)?, field(42, 2)?, field(44, 2)?)
    };
    let table = usize::try_from(table).ok()?;
    let entry_size = usize::try_from(entry_size).ok()?;
    (0..usize::try_from(count).ok()?).find_map(|index| {
        let at = table.checked_add(index.checked_mul(entry_size)?)?;
        if field(at, 4)? != PT_INTERP {
            return None;
        }
        if wide {
            Some((
                field(at.checked_add(8)?, 8)?,
                field(at.checked_add(32)?, 8)?,
            ))
        } else {
            Some((
                field(at.checked_add(4)?, 4)?,
                field(at.checked_add(16)?, 4)?,
            ))
        }
    })
}

fn elf_machine_runs_here(machine: u64, wide: bool) -> bool {
    match std::env::consts::ARCH {
        "x86_64" => machine == 62 || (machine == 3 && !wide),
        "x86" => machine == 3,
        "aarch64" => machine == 183,
        "arm" => machine == 40,
        "riscv64" => machine == 243,
        _ => true,
    }
}

fn parse_mach_o(head: &[u8]) -> Option<Image> {
    const X86_64: u64 = 0x0100_0007;
    const ARM64: u64 = 0x0100_000c;
    // Apple silicon runs both architectures (Rosetta), Intel only its own.
    let runs = |cpu: u64| match std::env::consts::ARCH {
        "aarch64" => cpu == ARM64 || cpu == X86_64,
        "x86_64" => cpu == X86_64,
        _ => false,
    };
    let runs_here = match head.get(..4)? {
        b"\xcf\xfa\xed\xfe" => runs(number(head, 4, 4, true)?),
        b"\xca\xfe\xba\xbe" => {
            let count = usize::try_from(number(head, 4, 4, false)?).ok()?;
            // Java class files start with the same magic number, followed by a version of at least
            // 45.
            if count > 16 {
                return None;
            }
            // A universal binary lists its architectures after the count, 20 bytes each.
            (0..count)
                .filter_map(|index| number(head, 8 + index * 20, 4, false))
                .any(runs)
        }
        _ => return None,
    };
    Some(Image::MachO { runs_here })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn image(bytes: &[u8]) -> Image {
        Image::parse(bytes, &mut Cursor::new(bytes)).unwrap()
    }

    fn elf(machine: u16) -> Vec<u8> {
        let mut bytes = vec![0; 200];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[18..20].copy_from_slice(&machine.to_le_bytes());
        bytes[32..40].copy_from_slice(&64_u64.to_le_bytes());
        bytes[54..56].copy_from_slice(&56_u16.to_le_bytes());
        bytes[56..58].copy_from_slice(&1_u16.to_le_bytes());
        bytes[64..68].copy_from_slice(&3_u32.to_le_bytes());
        bytes[72..80].copy_from_slice(&150_u64.to_le_bytes());
        bytes[96..104].copy_from_slice(&8_u64.to_le_bytes());
        bytes[150..158].copy_from_slice(b"/lib/ld\0");
        bytes
    }

    #[test]
    fn c04_text_without_an_interpreter_line_is_not_a_program() {
        assert_eq!(image(b"echo pwned\n"), Image::NotAProgram);
        assert_eq!(image(b""), Image::NotAProgram);
        assert_eq!(image(b" #!/bin/sh\n"), Image::NotAProgram);
        assert_eq!(image(b"\xef\xbb\xbf#!/bin/sh\n"), Image::NotAProgram);
        assert!(matches!(image(b"#!/bin/sh\n"), Image::Script { .. }));
    }

    #[test]
    fn c05_a_program_for_another_processor_does_not_run_here() {
        let s390 = image(&elf(22));
        assert!(!s390.runs_here());
        assert!(
            matches!(s390, Image::Elf { interpreter: Some(ref path), .. } if path == Path::new("/lib/ld"))
        );
        let mut big_endian = elf(62);
        big_endian[5] = 2;
        assert!(!image(&big_endian).runs_here());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_test_program_is_a_program_that_runs_here() {
        let own = Image::read(Path::new("/proc/self/exe")).unwrap();
        assert!(own.runs_here());
        let Image::Elf {
            interpreter,
            app_image,
            ..
        } = own
        else {
            panic!("not ELF: {own:?}");
        };
        assert!(interpreter.is_none_or(|path| path.exists()));
        assert!(!app_image);
    }

    #[test]
    fn app_images_and_mac_programs_are_known() {
        let mut bytes = elf(62);
        bytes[8..10].copy_from_slice(b"AI");
        assert!(matches!(
            image(&bytes),
            Image::Elf {
                app_image: true,
                ..
            }
        ));
        let mut thin = b"\xcf\xfa\xed\xfe".to_vec();
        thin.extend(0x0100_0007_u32.to_le_bytes());
        assert!(matches!(image(&thin), Image::MachO { .. }));
        assert_eq!(
            image(b"\xca\xfe\xba\xbe\x00\x00\x00\x41"),
            Image::NotAProgram
        );
    }

    #[test]
    fn a_cut_or_lying_header_is_read_without_panic() {
        let whole = elf(62);
        for end in 0..whole.len() {
            drop(image(&whole[..end]));
        }
        let mut lying = whole;
        lying[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(matches!(
            image(&lying),
            Image::Elf {
                interpreter: None,
                ..
            }
        ));
    }
}
