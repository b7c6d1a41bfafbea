// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Testing

@testable import FleetCard

@Suite struct FolderTests {
    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    @Test func filesAreTheirOwnersAlone() throws {
        let place = try Sample.scratch()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let old = umask(0)
        defer { umask(old) }
        let card = try Sample.card()
        try CardFolder.write(card, to: "\(place)/board")
        #expect(Set(card.files.map(\.path)).isSubset(of: Card.paths))
        for file in card.files { #expect(mode("\(place)/board/\(file.path)") == 0o600, "\(file.path)") }
        for folder in ["", "/provision", "/provision/network"] { #expect(mode("\(place)/board\(folder)") == 0o700) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["board"])
    }

    @Test func anotherBoardsFolderIsLeftAlone() throws {
        let place = try Sample.scratch()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let (first, second) = (try Sample.card(seed: 1), try Sample.card(seed: 2))
        try CardFolder.write(first, to: "\(place)/board")
        #expect(throws: FolderFault.otherBoard(path: "\(place)/board", serial: "\(first.serial)")) {
            try CardFolder.write(second, to: "\(place)/board")
        }
        #expect(throws: FolderFault.self) { try CardFolder.write(second, to: "\(place)/board", replacing: second.serial) }
        #expect(try CardFolder.owner(of: "\(place)/board") == first.serial)
        let label = try String(decoding: Data(contentsOf: URL(filePath: "\(place)/board/label.txt")), as: UTF8.self)
        #expect(label == first.text("label.txt"))
        // The same board again, with new secrets; what is left of a cut before is in nobody's way.
        for name in [".board.vigil-partial", ".board.vigil-old"] {
            try FileManager.default.createDirectory(atPath: "\(place)/\(name)/provision", withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(filePath: "\(place)/\(name)/provision/first-secrets"))
        }
        try CardFolder.write(second, to: "\(place)/board", replacing: first.serial)
        #expect(try CardFolder.owner(of: "\(place)/board") == second.serial)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["board"])
    }

    /// Mounts the folder on itself (mount(2), MS_BIND is 4096): nobody can rename it then.
    private static func pin(_ path: String) -> Bool { mount(path, path, nil, 4_096, nil) == 0 }

    private static let mayPin: Bool = {
        let place = FileManager.default.temporaryDirectory.path + "/vigil-pin-\(getpid())"
        guard geteuid() == 0, mkdir(place, 0o700) == 0 else { return false }
        defer { rmdir(place) }
        return pin(place) && umount2(place, Int32(MNT_DETACH)) == 0
    }()

    /// No draft with secrets stays beside a folder that cannot be replaced.
    @Test(.enabled(if: mayPin, "needs the right to mount")) func whatCannotBePutInPlaceLeavesNothing() throws {
        let place = try Sample.scratch()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let (first, second) = (try Sample.card(seed: 1), try Sample.card(seed: 2))
        try CardFolder.write(first, to: "\(place)/board")
        try #require(Self.pin("\(place)/board"))
        defer { umount2("\(place)/board", Int32(MNT_DETACH)) }
        #expect(throws: FolderFault.system(path: "\(place)/.board.vigil-old", action: "put in place", number: EBUSY)) {
            try CardFolder.write(second, to: "\(place)/board", replacing: first.serial)
        }
        #expect(try CardFolder.owner(of: "\(place)/board") == first.serial)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["board"])
    }

    @Test func whatIsNoFolderOfOursIsLeftAlone() throws {
        let place = try Sample.scratch()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let card = try Sample.card()
        try FileManager.default.createDirectory(atPath: "\(place)/photos", withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: "\(place)/photos/a.jpg"))
        try Data("x".utf8).write(to: URL(filePath: "\(place)/file"))
        symlink("/nowhere", "\(place)/link")
        for name in ["photos", "file", "link"] {
            #expect(throws: FolderFault.foreign(path: "\(place)/\(name)")) {
                try CardFolder.write(card, to: "\(place)/\(name)")
            }
        }
        // A pipe for a record: nobody writes into it, and nobody waits.
        try FileManager.default.createDirectory(atPath: "\(place)/pipe", withIntermediateDirectories: true)
        try #require(mkfifo("\(place)/pipe/board.json", 0o600) == 0)
        #expect(throws: FolderFault.foreign(path: "\(place)/pipe")) { try CardFolder.write(card, to: "\(place)/pipe") }
        try FileManager.default.removeItem(atPath: "\(place)/pipe")
        #expect(throws: FolderFault.self) { try CardFolder.write(card, to: "\(place)/none/board") }
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: place)) == ["photos", "file", "link"])
        try FileManager.default.createDirectory(atPath: "\(place)/lost/provision", withIntermediateDirectories: true)
        #expect(throws: FolderFault.noRecord(path: "\(place)/lost")) { try CardFolder.write(card, to: "\(place)/lost") }
        try FileManager.default.removeItem(atPath: "\(place)/lost")
        // Nothing in it: nobody's.
        try FileManager.default.createDirectory(atPath: "\(place)/empty", withIntermediateDirectories: true)
        try CardFolder.write(card, to: "\(place)/empty")
        #expect(try CardFolder.owner(of: "\(place)/empty") == card.serial)
    }

    /// A file of a card that is somebody else's as well, by another name, keeps what is in it there.
    @Test func whatHasTwoNamesIsNotOverwritten() throws {
        let place = try Sample.scratch()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let (first, second) = (try Sample.card(seed: 1), try Sample.card(seed: 2))
        try CardFolder.write(first, to: "\(place)/board")
        let name = "\(place)/board/provision/first-secrets"
        try FileManager.default.removeItem(atPath: name)
        try Data("the operator's".utf8).write(to: URL(filePath: "\(place)/own"))
        try #require(link("\(place)/own", name) == 0)
        try CardFolder.write(second, to: "\(place)/board", replacing: first.serial)
        #expect(try Data(contentsOf: URL(filePath: "\(place)/own")) == Data("the operator's".utf8))
        #expect(try CardFolder.owner(of: "\(place)/board") == second.serial)
    }

    /// Cut between putting the old folder aside and the new one in its place: it is still that board's, and nothing is lost.
    @Test func aFolderThatWasPutAsideIsStillThere() throws {
        let place = try Sample.scratch()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let (first, second) = (try Sample.card(seed: 1), try Sample.card(seed: 2))
        try CardFolder.write(first, to: "\(place)/board/")
        try FileManager.default.moveItem(atPath: "\(place)/board", toPath: CardFolder.beside("\(place)/board", "old"))
        #expect(try CardFolder.owner(of: "\(place)/board") == first.serial)
        #expect(throws: FolderFault.otherBoard(path: "\(place)/board", serial: "\(first.serial)")) {
            try CardFolder.write(second, to: "\(place)/board")
        }
        try CardFolder.write(second, to: "\(place)/board", replacing: first.serial)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["board"])
        // Somebody's own copy has a name that looks like ours of before.
        try FileManager.default.createDirectory(atPath: "\(place)/new.old/mine", withIntermediateDirectories: true)
        try CardFolder.write(first, to: "\(place)/new")
        #expect(FileManager.default.fileExists(atPath: "\(place)/new.old/mine"))
    }
}
