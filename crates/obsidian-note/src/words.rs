//! Enums of which each variant has one word, in files and in answers.

/// Declares an enum from its variants and their words, with the list of all, their words, and the word of each, which
/// serde reads and writes too.
#[doc(hidden)]
#[macro_export]
macro_rules! __words {
    ($(#[$of_all:meta])* $public:vis enum $name:ident {
        $($(#[$of_one:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$of_all])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize)]
        $public enum $name {
            $($(#[$of_one])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every variant, in the order of the enum.
            $public const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word of each variant, in the order of the enum.
            $public const WORDS: [&str; Self::ALL.len()] = [$($word),+];

            /// Returns the word in files and answers. It never changes.
            $public const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }
    };
}

pub use __words as words;
