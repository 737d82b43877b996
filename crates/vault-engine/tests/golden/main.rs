//! What the scanner finds in 58 notes, against what the app's metadata cache held for each
//! (`README.md` says where they are from).

#[cfg(test)]
mod cache;
#[cfg(test)]
mod meaning;
