// SPDX-License-Identifier: Apache-2.0

import Glibc
import SandboxC

/// Where a started program writes its lines.
final class Pipe {
    private let read: Int32
    private(set) var write: Int32
    private var text: [UInt8] = []

    init() throws {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) { sandbox_pipe($0.assumingMemoryBound(to: Int32.self).baseAddress) }
        guard result == 0 else { throw SceneProblem(description: "no pipe") }
        (read, write) = ends
    }

    deinit {
        close(read)
        closeWrite()
    }

    func closeWrite() {
        if write >= 0 { close(write) }
        write = -1
    }

    /// Everything up to the line `done` or the end; fails after `seconds`.
    func readAll(within seconds: Double) throws -> [String] {
        let deadline = ContinuousClock().now + .seconds(seconds)
        while !text.starts(with: Array("done\n".utf8)), !String(decoding: text, as: UTF8.self).contains("\ndone\n") {
            guard try more(until: deadline) else { break }
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    func readLine() throws -> String {
        let deadline = ContinuousClock().now + .seconds(120)
        while !text.contains(0x0A) { guard try more(until: deadline) else { break } }
        return String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self)
    }

    private func more(until deadline: ContinuousClock.Instant) throws -> Bool {
        var wanted = pollfd(fd: read, events: Int16(POLLIN), revents: 0)
        while poll(&wanted, 1, 100) <= 0 {
            if ContinuousClock().now > deadline {
                throw SceneProblem(description: "said so far: " + String(decoding: text, as: UTF8.self))
            }
        }
        var block = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(read, &block, block.count)
        if count > 0 { text += block.prefix(count) }
        return count > 0
    }
}
