//! What the scan of sources promises.

#[cfg(test)]
mod branches;
#[cfg(test)]
mod handlers;
#[cfg(test)]
mod imports;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod robust;
#[cfg(test)]
mod slips;
