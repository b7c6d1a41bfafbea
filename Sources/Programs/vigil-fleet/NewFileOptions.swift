// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Glibc

/// What can be said to each command that writes one new file.
struct NewFileOptions: ParsableArguments {
    @Flag(help: "Replace the file if it is there.")
    var replace = false

    @Flag(help: "Check everything; write nothing.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Refuses a file that is there, unless it is to be replaced.
    func admit(_ file: String) throws(InputError) {
        guard !replace, access(file, F_OK) == 0 else { return }
        throw InputError(file: file, "this is there already; give another name, or --replace")
    }
}
