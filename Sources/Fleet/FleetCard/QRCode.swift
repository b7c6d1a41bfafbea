// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import Poster

/// The reason why no label was made; the card itself is not affected.
public enum LabelFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The program of this name, `qrencode` or `zbarimg`, which labels need, is not installed.
    case missingProgram(String)
    /// The program of this name failed, its output has more than 1 MiB, or it drew no code of 21 to 77 modules a
    /// side.
    case failedProgram(String)
    /// The code that was drawn does not say what it should say when it is read back.
    case unreadable
    /// The text, given here in printable form, is not a size of labels.
    case noSize(String)

    /// An English sentence for the operator: what is wrong, and what to do.
    public var description: String {
        switch self {
        case .missingProgram(let name):
            "There is no program \(name) here, which labels need. On Debian: apt install qrencode zbar-tools; or leave out --label, and write label.txt on the label."
        case .failedProgram(let name):
            "The program \(name) failed; nothing was written. Leave out --label, and write label.txt on the label."
        case .unreadable:
            "The code that was drawn could not be read back, so it is not offered; nothing was written. Leave out --label, and write label.txt on the label."
        case .noSize(let text): "\(text) is no size of label. There is \(LabelSize.names)."
        }
    }
}

/// A QR code as modules, made by libqrencode and read back by zbar, both as the programs of Debian. What is in it goes to them through sockets: words
/// of a command line can be seen by everybody on the machine.
struct QRCode {
    /// Modules of a side, 21 to 77: a label has no more room.
    let side: Int
    private let dark: [Bool]

    /// Light modules around it that readers need (ISO/IEC 18004, section 6.3.8).
    static let quiet = 4
    /// Points of a picture for each module.
    private static let scale = 8

    /// Whether the module is dark; outside it is light.
    func isDark(_ column: Int, _ row: Int) -> Bool {
        (0..<side).contains(column) && (0..<side).contains(row) && dark[row * side + column]
    }

    /// Makes one that survives a quarter of it being damaged, and reads it back.
    init(_ text: SecretBytes) throws(LabelFault) {
        let drawn = try FilterProgram.run(
            "qrencode", ["-8", "-l", "Q", "-m", "0", "-t", "ASCII", "-o", "-"], input: text.withBytes { Array($0) })
        let rows = drawn.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
        guard (21...77).contains(rows.count), rows.allSatisfy({ $0.count == 2 * rows.count }) else {
            throw .failedProgram("qrencode")
        }
        side = rows.count
        // Two characters for a module.
        dark = rows.flatMap { row in
            stride(from: row.startIndex, to: row.endIndex, by: 2).map { row[$0] == UInt8(ascii: "#") }
        }
        let read = try FilterProgram.run(
            "zbarimg", ["-q", "--raw", "--oneshot", "-Sdisable", "-Sqrcode.enable", "PNG:-"], input: png)
        // Some versions end with a line break.
        let said = read.last == UInt8(ascii: "\n") ? Array(read.dropLast()) : read
        guard text.withBytes({ Array($0) }) == said else { throw .unreadable }
    }

    /// A picture with the light border, one bit a point.
    var png: [UInt8] {
        let modules = side + 2 * Self.quiet
        let points = modules * Self.scale
        var rows: [UInt8] = []
        for row in 0..<modules {
            var line = [UInt8](repeating: 0xFF, count: (points + 7) / 8)
            for column in 0..<modules where isDark(column - Self.quiet, row - Self.quiet) {
                // A scale of eight: a module is a byte.
                line[column] = 0
            }
            for _ in 0..<Self.scale { rows += [0] + line }
        }
        return PNG.file(width: points, height: points, rows: rows)
    }
}

/// A program that turns one input into one output.
enum FilterProgram {
    private static let most = 1 << 20

    /// Runs `name` of the path; what it says on standard error is dropped, for it may quote its input.
    static func run(_ name: String, _ words: [String], input: [UInt8]) throws(LabelFault) -> [UInt8] {
        var toProgram: [Int32] = [-1, -1]
        var fromProgram: [Int32] = [-1, -1]
        guard pair(&toProgram) else { throw .failedProgram(name) }
        guard pair(&fromProgram) else {
            close(toProgram[0])
            close(toProgram[1])
            throw .failedProgram(name)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toProgram[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromProgram[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let values: [UnsafeMutablePointer<CChar>?] = ([name] + words).map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        var process: pid_t = 0
        let status = posix_spawnp(&process, name, &actions, nil, values, environ)
        close(toProgram[0])
        close(fromProgram[1])
        guard status == 0 else {
            close(toProgram[1])
            close(fromProgram[0])
            throw status == ENOENT ? .missingProgram(name) : .failedProgram(name)
        }
        // Less than a socket holds (socket(7), SO_SNDBUF), so nobody waits for anybody.
        let isWritten = input.count <= 65_536 && send(input, to: toProgram[1])
        close(toProgram[1])
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while output.count <= most {
            let count = buffer.withUnsafeMutableBytes { read(fromProgram[0], $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            output += buffer.prefix(count)
        }
        close(fromProgram[0])
        var result: Int32 = 0
        while waitpid(process, &result, 0) < 0 { guard errno == EINTR else { throw .failedProgram(name) } }
        guard result == 0, isWritten, output.count <= most else {
            // As a shell says it: there was no such program.
            throw result == 127 << 8 ? .missingProgram(name) : .failedProgram(name)
        }
        return output
    }

    /// Closed in every program that is started, by whichever thread.
    private static func pair(_ ends: inout [Int32]) -> Bool {
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    }

    /// Without a signal where the program has ended early.
    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var total = 0
            while total < bytes.count {
                let count = Glibc.send(
                    descriptor, bytes.baseAddress.map { $0 + total }, bytes.count - total, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                total += count
            }
            return true
        }
    }
}
