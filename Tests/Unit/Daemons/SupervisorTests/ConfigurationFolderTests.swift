// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import SystemCalls
import TestKit
import Testing

@testable import Supervisor

/// A configuration on a disk, with a power cut before each step that the disk remembers: what held before holds, or what was kept, whole.
struct ConfigurationFolderTests {
    private struct Cut: Error {}

    private let root: TemporaryFolder
    private let before = Array(#"{"plugins": {"sync": {"enabled": false}, "wake": {"enabled": true}}}"#.utf8)
    private let after = Array(#"{"plugins": {"sync": {"enabled": true}, "wake": {"enabled": true}}}"#.utf8)
    private let file = Array("the file".utf8)

    init() throws { root = try TemporaryFolder() }

    /// A board's disk of its own: the folder, grants, and a network folder with a file that is there.
    private final class Disk {
        let place: String
        let network: NetworkFolder
        var folder: ConfigurationFolder
        /// How many steps are done before power goes.
        var left = Int.max

        init(_ place: String, grants: [UInt8]?) throws {
            self.place = place
            for path in [place, "\(place)/network"] where mkdir(path, 0o700) != 0 { throw Cut() }
            network = NetworkFolder(path: "\(place)/network")
            try WholeFile.replace(network.file("eth0"), with: Array("old".utf8), mode: 0o600)
            if let grants { try WholeFile.replace("\(place)/grants.json", with: grants, mode: 0o600) }
            folder = ConfigurationFolder(path: "\(place)/configuration", grants: "\(place)/grants.json")
            folder.beforeStep = { [unowned self] in try step() }
        }

        func step() throws {
            guard left > 0 else { throw Cut() }
            left -= 1
        }

        func keepNetwork() throws {
            for interface in network.unconfirmed(among: ["eth0", "eth1"]) {
                try step()
                try network.keep(interface)
            }
        }

        func restoreNetwork() throws {
            for interface in network.unconfirmed(among: ["eth0", "eth1"]) {
                try step()
                try network.takeBack(interface)
            }
        }

        /// What a start does: the folder first, then whoever looks after the network.
        func start() throws -> ConfigurationFolder.Recovery {
            let found = try folder.recover { try keepNetwork() }
            try restoreNetwork()
            return found
        }

        var grants: [UInt8]? { Folders.read("\(place)/grants.json", limit: 4_096) }
        var addresses: [String?] {
            ["eth0", "eth1"].map { network.read($0).map { String(decoding: $0, as: UTF8.self) } }
        }
        var leftOver: [String] {
            Folders.names("\(place)/configuration").filter { !["held", "taken-back"].contains($0) }
                + Folders.names("\(place)/network").filter { !$0.hasSuffix(".network") }
        }
    }

    private func disk(_ name: String, grants: [UInt8]?? = nil) throws -> Disk {
        try Disk("\(root.path)/\(name)", grants: grants ?? before)
    }

    /// Tries a configuration of version 7 that changes grants and both interfaces.
    private func begin(_ disk: Disk) throws {
        try disk.folder.begin(file, version: 7, grants: after)
        try disk.folder.putGrants()
        for interface in ["eth0", "eth1"] {
            try disk.step()
            try disk.network.store(Array("new".utf8), for: interface)
        }
    }

    /// Cuts before each step of `life`, and again before each step of the start that follows, as often as there are steps.
    private func cutEverywhere(
        _ what: String, _ life: (Disk) throws -> Void, _ judge: (Disk, String) throws -> Void
    ) throws -> Int {
        var count = 0
        for first in 0... {
            for second in 0... {
                let disk = try disk("\(what)-\(first)-\(second)")
                disk.left = first
                let isOver = (try? life(disk)) != nil
                disk.left = second
                let isSecondOver = (try? disk.start()) != nil
                disk.left = .max
                _ = try disk.start()
                try judge(disk, "\(what): cut before step \(first) and \(second)")
                #expect(disk.leftOver == [], "\(what) \(first) \(second)")
                // A further start changes nothing.
                #expect(try disk.start() == .nothing)
                try judge(disk, "\(what): later")
                count += 1
                if isSecondOver {
                    if isOver { return count }
                    break
                }
            }
        }
        return count
    }

    @Test func aCutInATrialTakesItBack() throws {
        let count = try cutEverywhere("trial", { try begin($0) }) { disk, what in
            #expect(disk.grants == before && disk.addresses == ["old", nil] && disk.folder.heldFile() == nil, "\(what)")
        }
        #expect(count > 20)
    }

    /// While it is kept, all of it stays or nothing of it.
    @Test func aCutInTheKeepingLeavesOneOfTwo() throws {
        let life: (Disk) throws -> Void = { disk in
            try begin(disk)
            try disk.folder.keep { try disk.keepNetwork() }
        }
        let count = try cutEverywhere("keep", life) { disk, what in
            let isNew = disk.folder.heldFile() == file
            #expect(
                disk.grants == (isNew ? after : before) && disk.addresses == (isNew ? ["new", "new"] : ["old", nil]),
                "\(what)")
            if isNew { #expect(disk.folder.takenBack() == nil, "\(what)") }
        }
        #expect(count > 50)
    }

    @Test func aCutInTheTakingBackTakesItBack() throws {
        let life: (Disk) throws -> Void = { disk in
            try begin(disk)
            try disk.folder.takeBack("nobody came") { try disk.restoreNetwork() }
        }
        let count = try cutEverywhere("back", life) { disk, what in
            #expect(disk.grants == before && disk.addresses == ["old", nil] && disk.folder.heldFile() == nil, "\(what)")
        }
        #expect(count > 50)
        let whole = try disk("whole")
        try life(whole)
        #expect(whole.folder.takenBack() == .init(version: 7, reason: "nobody came", file: file) && whole.leftOver == [])
    }

    /// A board that is cut off has its network back, also if the disk takes nothing; the rest is done the next time.
    @Test func theNetworkNeedsNoRoomOnTheDisk() throws {
        let disk = try disk("full")
        try begin(disk)
        disk.left = 3
        #expect(throws: Cut.self) { try disk.folder.takeBack("nobody came") { try disk.restoreNetwork() } }
        #expect(disk.addresses == ["old", nil] && disk.grants == after && disk.folder.trialFile() != nil)
        disk.left = .max
        try disk.folder.takeBack("nobody came") { try disk.restoreNetwork() }
        #expect(disk.grants == before && disk.folder.trialFile() == nil)
    }

    /// A card without grants has none afterwards either.
    @Test func grantsThatWereNotThereGrantNothingAfterwards() throws {
        let disk = try disk("none", grants: .some(nil))
        try begin(disk)
        #expect(disk.grants == after)
        try disk.folder.takeBack("x") { try disk.restoreNetwork() }
        #expect(try JSON(parsing: #require(disk.grants))["plugins"]?.object?.members.isEmpty == true)
    }

    /// A new card, or the console, counts more than what is taken back.
    @Test func whatSomebodyChangedSinceStays() throws {
        let other = Array(#"{"plugins": {"wake": {"enabled": false}, "sync": {"enabled": true}, "new": {}}}"#.utf8)
        let restored = try #require(ConfigurationFolder.restored(other, before: before, after: after))
        #expect(
            try JSON(parsing: restored)
                == JSON(
                    parsing: Array(
                        #"{"plugins": {"wake": {"enabled": false}, "sync": {"enabled": false}, "new": {}}}"#.utf8)))
        // Its own entry was changed: it stays.
        #expect(
            ConfigurationFolder.restored(
                Array(#"{"plugins": {"sync": {"enabled": true, "settings": {}}}}"#.utf8), before: before, after: after)
                == nil)
        #expect(ConfigurationFolder.restored(before, before: before, after: after) == nil)
        for damaged in [nil, [], Array("{".utf8)] as [[UInt8]?] {
            #expect(ConfigurationFolder.restored(damaged, before: before, after: after) == nil)
        }
    }

    /// Many versions in a row leave no more than one.
    @Test func manyVersionsLeaveOne() throws {
        let disk = try disk("many")
        for version in 1...100 {
            try disk.folder.begin(
                Array("\(version)".utf8), version: Int64(version), grants: version % 2 == 0 ? before : after)
            try disk.folder.putGrants()
            if version % 3 == 0 { try disk.folder.takeBack("x") {} } else { try disk.folder.keep {} }
        }
        #expect(Folders.names("\(disk.place)/configuration") == ["held", "taken-back"])
        #expect(disk.folder.heldFile() == Array("100".utf8) && disk.folder.takenBack()?.version == 99)
    }
}
