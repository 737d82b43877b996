//! Texts that are checked once, when they are parsed.

/// Adds `as_str`, and the conversions from and to a `String`, to a text that `new` checks.
#[doc(hidden)]
#[macro_export]
macro_rules! __checked_text {
    ($name:ident, $error:ty) => {
        impl $name {
            /// Returns the text as written.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = $error;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::new(&text)
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }
    };
}

pub use __checked_text as checked_text;
