// SPDX-License-Identifier: Apache-2.0

import Glibc

/// systemd-networkd's folder: one file of ours for each interface, and beside it, while a change is on trial, what was there before. That
/// something is aside *is* the record of the trial: whoever finds it at the start knows that nobody has confirmed.
struct NetworkFolder {
    let path: String

    private static let beginning = "10-vigil-"
    private static let ending = ".network"
    /// The former file, under a name that systemd-networkd passes over.
    private static let aside = ".before"
    /// Empty: there was no file.
    private static let none = ".none"
    static let maximumByteCount = 16_384

    func file(_ interface: String) -> String { "\(path)/\(Self.beginning)\(interface)\(Self.ending)" }

    /// Puts what is there aside and the new file into its place; on the disk in that order.
    func store(_ bytes: [UInt8], for interface: String) throws(Folders.Failure) {
        let file = file(interface)
        if link(file, file + Self.aside) == 0 {
            try Folders.syncFolder(of: file)
        } else if errno == ENOENT {
            try Folders.replaceLastingly(file + Self.none, with: [], mode: 0o644)
        } else {
            throw Folders.Failure(file, "cannot be put aside")
        }
        do throws(Folders.Failure) { try Folders.replaceLastingly(file, with: bytes, mode: 0o644) } catch {
            try? takeBack(interface)
            throw error
        }
    }

    /// What was aside is there again, whole, whenever the power goes.
    func takeBack(_ interface: String) throws(Folders.Failure) {
        let file = file(interface)
        if access(file + Self.none, F_OK) == 0 {
            guard unlink(file) == 0 || errno == ENOENT else { throw Folders.Failure(file, "cannot be removed") }
            try Folders.syncFolder(of: file)
            guard unlink(file + Self.none) == 0 else { throw Folders.Failure(file + Self.none, "cannot be removed") }
        } else {
            // Two names of one file, when the new one was never written: rename would leave both.
            if Self.isSame(file, file + Self.aside) {
                guard unlink(file + Self.aside) == 0 else { throw Folders.Failure(file + Self.aside, "cannot be removed") }
            } else if rename(file + Self.aside, file) != 0 {
                throw Folders.Failure(file, "cannot be put back")
            }
        }
        try Folders.syncFolder(of: file)
    }

    /// Nothing is aside any more: the change stays.
    func keep(_ interface: String) throws(Folders.Failure) {
        let file = file(interface)
        for name in [file + Self.aside, file + Self.none] where unlink(name) != 0 && errno != ENOENT {
            throw Folders.Failure(name, "cannot be removed")
        }
        try Folders.syncFolder(of: file)
    }

    /// Interfaces whose change nobody has confirmed.
    func unconfirmed(among interfaces: [String]) -> [String] {
        interfaces.filter { interface in
            [Self.aside, Self.none].contains { access(file(interface) + $0, F_OK) == 0 }
        }
    }

    /// What is in the file; `nil` when there is none.
    func read(_ interface: String) -> [UInt8]? { Folders.read(file(interface), limit: Self.maximumByteCount) }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        var (one, other) = (stat(), stat())
        return lstat(left, &one) == 0 && lstat(right, &other) == 0 && one.st_ino == other.st_ino
            && one.st_dev == other.st_dev
    }
}
