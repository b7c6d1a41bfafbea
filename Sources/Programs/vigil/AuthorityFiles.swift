// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import CommandFiles
import Core

/// The profiles given with `--authority`.
enum AuthorityFiles {
    /// Reads and checks them all. The beacon comes first: one with faults is followed by its name alone. What it says is then *not known*, and
    /// its old warnings are kept. Gives what is wrong, a sentence for each file.
    static func load(_ paths: [String]) -> (sources: [AuthoritySource], faults: [String]) {
        var faults: [String] = []
        return (read(paths, &faults), faults)
    }

    private static func read(_ paths: [String], _ faults: inout [String]) -> [AuthoritySource] {
        if paths.count >= AuthoritySource.most {
            faults.append("at most \(AuthoritySource.most - 1) authorities can be followed; the first are")
        }
        var sources: [AuthoritySource] = []
        for (number, path) in paths.prefix(AuthoritySource.most - 1).enumerated() {
            var bytes: [UInt8] = []
            var source: AuthoritySource
            do {
                bytes = try Files.read(path, limit: AuthorityProfile.maximumByteCount, isOrdinary: true)
                source = AuthoritySource(try AuthorityProfile(parsing: bytes))
            } catch {
                faults.append("\(path): \(error)")
                source = AuthoritySource(unreadable: bytes, number: number + 1)
            }
            guard !sources.contains(where: { $0.name == source.name }) else {
                faults.append("\(path): another profile has the name \(source.name)")
                continue
            }
            sources.append(source)
        }
        return sources
    }
}
