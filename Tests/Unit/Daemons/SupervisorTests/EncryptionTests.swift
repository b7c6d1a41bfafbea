// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import LabKit
import RandomValues
import Sandbox
import Testing

@testable import Supervisor

/// What plugins keep is on the disk for nobody who has not their seal.
@Suite(.enabled(if: DiskImage.canEncrypt, Comment(rawValue: DiskImage.needs)))
struct EncryptionTests {
    private let key = SecretBytes(copying: [UInt8](repeating: 7, count: FolderEncryption.keyByteCount))
    private let other = SecretBytes(copying: [UInt8](repeating: 8, count: FolderEncryption.keyByteCount))
    private let canaries = (0..<200).map { "canary-\($0 + 1_000)-\(Unique.name())" }

    /// Small and large files, names, links and depths: 200 texts that nobody writes by chance.
    private func fill(_ folder: String) throws {
        mkdir(folder, 0o700)
        var deep = folder
        for (number, canary) in canaries.enumerated() {
            switch number % 4 {
            case 0: try Folders.replaceLastingly("\(deep)/\(number)", with: Array(canary.utf8), mode: 0o600)
            case 1: try Folders.replaceLastingly("\(deep)/\(canary)", with: [1], mode: 0o600)
            case 2: #expect(symlink("/\(canary)", "\(deep)/link-\(number)") == 0)
            default:
                let long = [UInt8](repeating: 32, count: 9_000) + Array(canary.utf8)
                try Folders.replaceLastingly("\(deep)/\(number)", with: long, mode: 0o600)
                if number % 20 == 3 {
                    deep += "/d\(number)"
                    #expect(mkdir(deep, 0o700) == 0)
                }
            }
        }
    }

    @Test func nothingOfAnEncryptedFolderIsOnTheDisk() throws {
        let disk = try #require(DiskImage(encrypts: true))
        let folder = disk.mount + "/state", plain = disk.mount + "/plain"
        mkdir(folder, 0o700)
        let part = key.withBytes { FolderEncryption.open(folder, key: $0) }
        #expect(part.primitive == .stateEncryption && part.state == .verified, "\(part.reason)")
        try fill(folder)
        #expect(disk.found(of: canaries) == [])
        // Whoever looks for them finds them where nothing is encrypted, removed or not.
        try fill(plain)
        #expect(disk.found(of: canaries)?.count == 200)
        try Folders.empty(plain)
        #expect((disk.found(of: canaries)?.count ?? 0) > 150)
    }

    /// A file system of a board that was made before, or a kernel without.
    @Test func whereNothingIsEncryptedThatIsSaid() throws {
        let disk = try #require(DiskImage(encrypts: false))
        for folder in [disk.mount, "/proc", "/dev/shm"] {
            let part = key.withBytes { FolderEncryption.open(folder, key: $0) }
            #expect(part.state == .missing && part.level == nil && part.reason.contains(folder), "\(part.reason)")
        }
        #expect(key.withBytes { FolderEncryption.open("/nowhere", key: $0) }.state == .missing)
    }

    @Test func filesFromBeforeStayReadable() throws {
        let disk = try #require(DiskImage(encrypts: true))
        let folder = disk.mount + "/state"
        mkdir(folder, 0o700)
        try Folders.replace(folder + "/x", with: [1], mode: 0o600)
        #expect(key.withBytes { FolderEncryption.open(folder, key: $0) }.state == .missing)
        #expect(Folders.read(folder + "/x", limit: 1) == [1])
        #expect(FolderEncryption.close(folder) == nil)
    }

    @Test func theSameKeyOpensItAgainAndNoOther() throws {
        let disk = try #require(DiskImage(encrypts: true))
        let folder = disk.mount + "/state"
        mkdir(folder, 0o700)
        for _ in 0..<2 { #expect(key.withBytes { FolderEncryption.open(folder, key: $0) }.state == .verified) }
        try Folders.replaceLastingly(folder + "/x", with: [1], mode: 0o600)
        #expect(disk.restart())
        #expect(Folders.read(folder + "/x", limit: 1) == nil)
        #expect(other.withBytes { FolderEncryption.open(folder, key: $0) }.state == .failed)
        #expect(Folders.read(folder + "/x", limit: 1) == nil)
        #expect(key.withBytes { FolderEncryption.open(folder, key: $0) }.state == .verified)
        #expect(Folders.read(folder + "/x", limit: 1) == [1])
    }

    /// The power went after the key was destroyed: names are no names any more, and nothing can be moved.
    @Test func aFolderWhoseKeyIsGoneCanBeEmptied() throws {
        let disk = try #require(DiskImage(encrypts: true))
        let folder = disk.mount + "/state"
        mkdir(folder, 0o700)
        #expect(key.withBytes { FolderEncryption.open(folder, key: $0) }.state == .verified)
        try fill(folder)
        for wide in 0..<40 {
            mkdir("\(folder)/wide-\(wide)", 0o700)
            for inner in 0..<20 { try Folders.replace("\(folder)/wide-\(wide)/\(inner)", with: [1], mode: 0o600) }
        }
        var place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let name = String(repeating: "d", count: 100)
        for _ in 0..<300 {
            #expect(mkdirat(place, name, 0o700) == 0)
            let next = openat(place, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            close(place)
            place = next
        }
        close(place)
        #expect(disk.restart())
        try Folders.empty(folder)
        #expect(Folders.names(folder).isEmpty && rmdir(folder) == 0)
    }
}
