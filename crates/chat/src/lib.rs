//! One turn's life: admit, drive, attach, stop, finish.
