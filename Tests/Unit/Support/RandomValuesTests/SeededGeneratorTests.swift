// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import RandomValues

@Suite struct SeededGeneratorTests {
    private func numbers(_ generator: SeededGenerator) -> [UInt64] {
        var generator = generator
        return (0..<4).map { _ in generator.next() }
    }

    /// The published numbers of SplitMix64 for the seed 1234567 (rosettacode.org, "Pseudo-random numbers/Splitmix64").
    @Test func withoutASeedOfTheRunTheNumbersAreSplitMix64s() {
        let generator = SeededGenerator(seed: 1_234_567, runSeed: 0)
        #expect(
            numbers(generator) == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
            ])
    }

    @Test func theSeedOfTheRunChangesAllOfThem() {
        var starts: Set<UInt64> = []
        for run in [0, 1, 2, UInt64.max] {
            for seed in 0..<100 { starts.insert(SeededGenerator(seed: seed, runSeed: run).first) }
        }
        #expect(starts.count == 400)
    }

    @Test func aSeedIsAnyWholeNumber() {
        #expect(numbers(SeededGenerator(seed: -1)) == numbers(SeededGenerator(seed: UInt64.max)))
        #expect(numbers(SeededGenerator(seed: 7 as UInt8)) == numbers(SeededGenerator(seed: 7)))
    }

    /// A path to a socket has 107 bytes: a name that is long by chance would be a test that fails by chance.
    @Test func namesAreEquallyLongAndNoneComesAgain() {
        let names = (0..<10_000).map { _ in Unique.name() }
        #expect(names.allSatisfy { $0.utf8.count == 16 })
        #expect(Set(names).count == names.count)
    }

    /// As many as one process could ever want: with ports that are only free at the moment, 400 of 22,528 hold two equal ones in
    /// 29 of 30 runs.
    @Test func noPortIsGivenTwice() throws {
        let ports = try (0..<400).map { _ in try Unique.port() }
        #expect(ports.allSatisfy { (10_240..<32_768).contains($0) })
        #expect(Set(ports).count == ports.count)
    }

    /// A server can listen there, stop, and listen again; a connection finds nobody meanwhile; and nothing else gets the port.
    @Test func aServerListensAtAReservedPort() throws {
        let port = try Unique.port()
        for _ in 0..<3 {
            #expect(try !connects(to: port))
            let server = try socketOfTest()
            defer { close(server) }
            var on: Int32 = 1
            try #require(setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size)) == 0)
            try #require(at(port) { bind(server, $0, $1) } == 0 && listen(server, 1) == 0)
            #expect(try connects(to: port))
        }
        let greedy = try socketOfTest()
        defer { close(greedy) }
        #expect(at(port) { bind(greedy, $0, $1) } == -1 && errno == EADDRINUSE)
    }

    private func socketOfTest() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(descriptor >= 0)
        return descriptor
    }

    private func connects(to port: UInt16) throws -> Bool {
        let client = try socketOfTest()
        defer { close(client) }
        return at(port) { connect(client, $0, $1) } == 0
    }

    private func at(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

extension SeededGenerator {
    fileprivate var first: UInt64 {
        var copy = self
        return copy.next()
    }
}
