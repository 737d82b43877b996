//! The scanner's findings in 58 notes, compared with the app's metadata cache of each
//! (`README.md` says where they are from).

#[cfg(test)]
mod cache;
#[cfg(test)]
mod meaning;
