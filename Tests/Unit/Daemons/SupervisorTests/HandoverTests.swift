// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls
import TestKit
import Testing

@testable import Supervisor

/// What a card has for one plugin alone, on a disk.
struct HandoverTests {
    private let root: TemporaryFolder
    private let (from, to): (String, String)
    private let claim = Array("7H2K-9D3K-HT6W-4Q7P\n".utf8)

    init() throws {
        root = try TemporaryFolder()
        (from, to) = ("\(root.path)/handover", "\(root.path)/state")
        for folder in [from, to] { try #require(mkdir(folder, 0o700) == 0) }
    }

    private func move() throws -> [String] { try Handover.move(from, to: to, user: nil) }
    private func put(_ name: String, _ bytes: [UInt8]) throws {
        try WholeFile.replace("\(from)/\(name)", with: bytes, mode: 0o600)
    }
    private func held(_ name: String) -> [UInt8]? { Folders.read("\(to)/\(name)", limit: 8_192) }

    @Test func itIsWithThePluginAndNowhereElse() throws {
        try put("claim", claim)
        #expect(try move() == ["claim"])
        #expect(held("claim") == claim && Folders.names(from) == [] && Folders.names(to) == ["claim"])
        // No more of it: what the plugin has erased stays erased.
        try #require(unlink("\(to)/claim") == 0)
        #expect(try move() == [] && held("claim") == nil)
        #expect(try Handover.move("\(root.path)/none", to: to, user: nil) == [])
    }

    /// The power goes after the copy, after half of the overwriting, after all of it.
    @Test func afterACutTheRestIsDone() throws {
        try put("claim", claim)
        try WholeFile.replace("\(to)/claim", with: claim, mode: 0o600)
        #expect(try move() == ["claim"] && held("claim") == claim)
        try #require(unlink("\(to)/claim") == 0)
        for torn in [Array(repeating: 0, count: 9) + claim.dropFirst(9), [UInt8](repeating: 0, count: 4_096), []] {
            try put("claim", torn)
            #expect(try move() == [] && held("claim") == nil && Folders.names(from) == [])
        }
        // A draft of whoever puts it there counts for nothing.
        try put("claim.new", claim)
        #expect(try move() == [] && Folders.names(from) == ["claim.new"])
    }

    @Test func whatIsNoSmallFileIsNotMoved() throws {
        try put("long", [UInt8](repeating: 65, count: 4_097))
        #expect(throws: Folders.Failure.self) { try move() }
        try #require(unlink("\(from)/long") == 0)
        try #require(symlink("/etc/passwd", "\(from)/link") == 0)
        #expect(throws: Folders.Failure.self) { try move() }
        try #require(unlink("\(from)/link") == 0)
        try #require(mkfifo("\(from)/pipe", 0o600) == 0)
        #expect(throws: Folders.Failure.self) { try move() }
        #expect(Folders.names(to) == [])
    }

    @Test func aPluginsLinkIsReplacedAndNotFollowed() throws {
        let victim = "\(root.path)/victim"
        try WholeFile.replace(victim, with: Array("mine".utf8), mode: 0o600)
        for name in ["claim", "claim.new"] { try #require(symlink(victim, "\(to)/\(name)") == 0) }
        try put("claim", claim)
        #expect(try move() == ["claim"])
        #expect(Folders.read(victim, limit: 100) == Array("mine".utf8) && held("claim") == claim)
    }
}
