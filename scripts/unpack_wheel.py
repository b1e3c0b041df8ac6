"""Checks the one wheel in a folder against its sha256 and unpacks it to a new place, all or nothing.

Usage: unpack_wheel.py FOLDER SHA256 DESTINATION

zipfile alone would lose the modes of the programs; the layout must stay, they find their libraries by it.
"""

import hashlib
import os
import pathlib
import shutil
import sys
import zipfile


def main(folder, expected, destination):
    (wheel,) = pathlib.Path(folder).glob("*.whl")
    actual = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if actual != expected:
        sys.exit(f"{wheel.name} has the sha256 {actual}, and {expected} was expected: not using it.")
    unpacked = pathlib.Path(folder) / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            path = pathlib.Path(archive.extract(entry, unpacked))
            if not entry.is_dir():
                # Any account may read and run them: root's server runs as another one.
                path.chmod(0o755 if (entry.external_attr >> 16) & 0o111 else 0o644)
    # The folders too, and those above, whatever the umask is.
    for parent, _, _ in os.walk(unpacked):
        os.chmod(parent, 0o755)
    destination = pathlib.Path(destination)
    if os.geteuid() == 0:
        os.chmod(destination.parent, 0o755)
        if destination.parent == pathlib.Path("/var/lib/attest/bin"):
            os.chmod("/var/lib/attest", 0o755)
    # What an earlier, damaged unpacking left; a rename does not replace a full folder.
    shutil.rmtree(destination, ignore_errors=True)
    try:
        unpacked.rename(destination)
    except OSError:
        # Another run was faster.
        if not destination.is_dir():
            raise


if __name__ == "__main__":
    main(*sys.argv[1:])
