//! `sqlx::migrate!` notices a changed file and not a new one.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
