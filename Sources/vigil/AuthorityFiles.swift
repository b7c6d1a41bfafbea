// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import Core
import Offline

/// The profiles given with `--authority`.
enum AuthorityFiles {
    /// Reads and checks them all; throws what is wrong with the first that is.
    static func load(_ paths: [String]) throws -> [AuthoritySource] {
        guard paths.count < AuthoritySource.most else {
            throw InputError(file: "--authority", "at most \(AuthoritySource.most - 1) authorities can be followed")
        }
        var sources: [AuthoritySource] = []
        for path in paths {
            let bytes = try Files.read(path, limit: AuthorityProfile.maximumByteCount)
            let profile: AuthorityProfile
            do throws(AuthorityProfileError) { profile = try AuthorityProfile(parsing: bytes) } catch {
                throw InputError(file: path, "\(error)")
            }
            guard !sources.contains(where: { $0.name == profile.name }) else {
                throw InputError(file: path, "another profile has the name \(profile.name)")
            }
            sources.append(AuthoritySource(profile))
        }
        return sources
    }
}
