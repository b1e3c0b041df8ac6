//! A new migration must rebuild the crate that embeds them all.

fn main() {
    #[allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]
    {
        println!("cargo:rerun-if-changed=../../migrations");
    }
}
