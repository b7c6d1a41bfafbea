// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import SyncKillTrial
import SystemCalls

/// Files and folders of a trial.
enum DonationFiles {
    /// The most bytes of a file that is read.
    private static let maximumByteCount = 64 << 20

    /// Throws ``KilledDonationsFailure`` if the file cannot be read.
    static func read(_ path: String) throws(KilledDonationsFailure) -> [UInt8] {
        do throws(SystemError) { return try WholeFile.read(path, limit: maximumByteCount) } catch {
            throw KilledDonationsFailure("\(path): \(error.text)")
        }
    }

    /// Throws ``KilledDonationsFailure`` if the file cannot be written.
    static func write(_ bytes: [UInt8], _ path: String) throws(KilledDonationsFailure) {
        do throws(SystemError) { try WholeFile.replace(path, with: bytes, mode: 0o600) } catch {
            throw KilledDonationsFailure("\(path): \(error.text)")
        }
    }

    /// Makes a folder, or leaves the one that is there. Throws ``KilledDonationsFailure`` if it cannot be made.
    static func make(_ folder: String) throws(KilledDonationsFailure) {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw KilledDonationsFailure("\(folder): \(String(cString: strerror(errno)))")
        }
    }

    /// Removes a folder and what is in it.
    static func clear(_ folder: String) {
        for name in KillPlaces.names(folder) where unlink("\(folder)/\(name)") != 0 { clear("\(folder)/\(name)") }
        rmdir(folder)
    }

    /// Makes `target` the same as `source`: a board's folders, files only.
    static func copy(_ source: String, to target: String) throws(KilledDonationsFailure) {
        clear(target)
        try make(target)
        for part in ["data", "keys"] {
            try make("\(target)/\(part)")
            for name in KillPlaces.names("\(source)/\(part)") {
                // The index of a log belongs to the processes that have it open, and is made again.
                if name.hasSuffix("-shm") { continue }
                try write(try read("\(source)/\(part)/\(name)"), "\(target)/\(part)/\(name)")
            }
        }
    }

    /// Whether `bytes` have `part` in them.
    static func contain(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { all in part.withUnsafeBytes { contain(all, $0) } }
    }

    private static func contain(_ all: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
        guard let start = all.baseAddress, let wanted = part.baseAddress, !part.isEmpty else { return false }
        let (count, first) = (part.count, Int32(part[0]))
        var place = 0
        while place + count <= all.count, let hit = memchr(start + place, first, all.count - place - count + 1) {
            if memcmp(hit, wanted, count) == 0 { return true }
            place = UnsafeRawPointer(hit) - start + 1
        }
        return false
    }
}
