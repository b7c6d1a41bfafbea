// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import RandomValues
import Testing

/// A board by itself fetches within the hour, at a random moment. Who has just agreed is not to wait that long for a first word.
@Suite struct FirstFetchTests {
    /// A server that only counts who comes.
    private final class Door {
        let descriptor: Int32
        let port: UInt16

        init() throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let number = descriptor
            let isBound = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(number, $0, length) == 0 && listen(number, 8) == 0 && getsockname(number, $0, &length) == 0
                }
            }
            try #require(isBound)
            port = UInt16(bigEndian: address.sin_port)
        }

        deinit { close(descriptor) }

        /// Whether somebody has come within so many seconds.
        func hasCaller(within seconds: Int32) -> Bool {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, seconds * 1_000) == 1
        }
    }

    @Test func whoAgreesIsServedAtOnce() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        let (door, port) = (try Door(), try Unique.port())
        let address = "http://127.0.0.1:\(door.port)"
        let source: JSON = ["name": "home", "kind": "cwa", "base": .string(address), "country": "EUR"]
        let parts: [(name: String, folder: String, rest: JSON.Object)] = [
            (
                "sync", "Sync",
                [
                    "settings": ["sources": [source], "plainHTTP": true],
                    "endpoints": [
                        "distribution": [["host": "127.0.0.1", "port": .int(Int64(door.port)), "private": true]]
                    ],
                ]
            ),
            ("webui", "WebUI", ["listens": ["web": ["port": .int(Int64(port))]]]),
        ]
        var plugins = JSON.Object()
        for part in parts {
            var plugin = part.rest
            plugin["enabled"] = true
            let calls = try board.installFromTree(part.name, part.folder, without: ["diagnosis1", "wake1", "checkin1"])
            plugin["calls"] = .object(calls)
            plugins[part.name] = .object(plugin)
        }
        try board.grant("\(JSON.object(["plugins": .object(plugins)]))")
        let left = board.folder + "/data/core/first-secrets"
        try FileManager.default.createDirectory(atPath: board.folder + "/data/core", withIntermediateDirectories: true)
        try Data(#"{"wearer": "Correct-Horse-1"}"#.utf8).write(to: URL(filePath: left))
        try board.start()
        let isThere = board.waits {
            board.state("core") == "running" && board.state("webui") == "waiting" && board.state("sync") == "waiting"
                && access(left, F_OK) != 0
        }
        try #require(isThere, "\(board.log)")
        var wearer = WebClient(port: port)
        #expect(try wearer.signIn("wearer", "Correct-Horse-1").header("Location") == "/")
        let token = try wearer.formToken("/welcome?step=4")
        #expect(
            try wearer.ask("POST", "/welcome", body: "form=\(token)&act=agree&terms=yes&beacon=yes").header("Location")
                == "/")
        #expect(door.hasCaller(within: 120), "\(board.log)")
    }
}
