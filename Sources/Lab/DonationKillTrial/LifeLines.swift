// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Lines of text between the judge and a process that it kills. One end, used by one thread.
struct LifeLines {
    /// The longest line: a donation of 16 KiB in Base64, and a token.
    static let maximumByteCount = 1 << 20

    let input: Int32
    let output: Int32
    private var bytes: [UInt8] = []

    init(input: Int32, output: Int32) {
        self.input = input
        self.output = output
    }

    /// The words of the next line; `nil` if the other end is gone, and what it had begun with it. Throws ``KilledDonationsFailure`` after a minute, or for a line that
    /// is too long.
    mutating func next() throws(KilledDonationsFailure) -> [String]? {
        var searched = 0
        while true {
            if let end = bytes[searched...].firstIndex(of: 0x0A) {
                let line = String(decoding: bytes[..<end], as: UTF8.self)
                bytes.removeFirst(end + 1)
                return line.split(separator: " ").map(String.init)
            }
            searched = bytes.count
            guard bytes.count < Self.maximumByteCount else { throw KilledDonationsFailure("a line without an end") }
            var entry = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, 60_000)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw KilledDonationsFailure("no answer for a minute") }
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = read(input, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += piece[..<count]
        }
    }

    /// Says a line. Whether the other end is there is learnt by ``next()``.
    func say(_ words: [String]) {
        let line = Array((words.joined(separator: " ") + "\n").utf8)
        var sent = 0
        while sent < line.count {
            let count = line[sent...].withUnsafeBytes { send(output, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            sent += count
        }
    }
}

/// The reason why a trial cannot go on: something failed that it does not test.
package struct KilledDonationsFailure: Error, CustomStringConvertible {
    /// The failure in words.
    package let description: String

    init(_ description: String) { self.description = description }
}
