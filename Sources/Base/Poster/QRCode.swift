// SPDX-License-Identifier: Apache-2.0

import CQREncode
import Glibc

/// A QR code (ISO/IEC 18004) as dark and light modules. libqrencode makes it, and other code reads it back before
/// it is returned, so it contains the text without damage. An immutable value, which may be used on any thread.
public struct QRCode: Sendable, Equatable {
    /// The levels of error correction, by the share of a code that may be damaged or hidden. Raw values are those
    /// of libqrencode.
    public enum Level: Int32, Sendable, CaseIterable {
        /// The levels L, M and Q of the specification: about 7, 15 and 25 percent.
        case low, medium, quartile
    }

    /// The number of modules on a side, without the quiet zone: 21 to 177.
    public let side: Int
    /// The level of error correction with which the code was made; it may be lower than the one that was asked for.
    public let level: Level
    private let dark: [Bool]

    /// The number of light modules that readers need on each side of the code, the quiet zone (ISO/IEC 18004,
    /// section 6.3.8). ``side`` does not include them.
    public static let quiet = 4

    /// The version, 1 to 40.
    var version: Int { (side - 17) / 4 }

    /// Returns whether a module is dark; `false` outside the code. Columns and rows are counted from 0 at the upper
    /// left.
    public func isDark(_ column: Int, _ row: Int) -> Bool {
        (0..<side).contains(column) && (0..<side).contains(row) && dark[row * side + column]
    }

    /// Makes the smallest code that contains `text` in UTF-8. A text that does not fit with `level` is made with
    /// ``Level/low``.
    ///
    /// Throws `unfit` for a text that is empty, contains a NUL or is too long: 2,953 bytes always fit, and more do
    /// if they are digits or capital letters (ISO/IEC 18004, version 40). Throws `unreadable` if the code does not
    /// read back as the text, and `noMemory` if no memory is left.
    public init(_ text: String, level: Level = .medium) throws(PosterError) {
        do throws(PosterError) { self = try Self.made(text, level) } catch {
            guard error == .unfit, level != .low else { throw error }
            self = try Self.made(text, .low)
        }
        guard try reading() == Array(text.utf8) else { throw .unreadable }
    }

    private static func made(_ text: String, _ level: Level) throws(PosterError) -> QRCode {
        // libqrencode takes a text up to its first NUL.
        guard !text.isEmpty, !text.utf8.contains(0) else { throw .unfit }
        guard let made = vigil_qr_encode(text, level.rawValue) else { throw errno == ENOMEM ? .noMemory : .unfit }
        defer { QRcode_free(made) }
        let side = Int(made.pointee.width)
        guard (21...177).contains(side), side % 4 == 1, let data = made.pointee.data else { throw .unreadable }
        // The lowest bit is the module's.
        return QRCode(side: side, level: level, dark: (0..<side * side).map { data[$0] & 1 == 1 })
    }

    /// A code as somebody else drew it; nothing is checked.
    init(side: Int, level: Level, dark: [Bool]) {
        self.side = side
        self.level = level
        self.dark = dark
    }

    /// The runs of dark modules, row by row and from left to right: the column and the row of the first module,
    /// both from 0 and without the quiet zone, and the number of modules.
    public var runs: [(column: Int, row: Int, length: Int)] {
        var runs: [(column: Int, row: Int, length: Int)] = []
        for row in 0..<side {
            var column = 0
            while column < side {
                guard isDark(column, row) else {
                    column += 1
                    continue
                }
                let start = column
                while isDark(column, row) { column += 1 }
                runs.append((start, row, column - start))
            }
        }
        return runs
    }

    /// The path of an SVG (its attribute `d`) for the dark modules, one unit each. Draw it with a stroke one unit
    /// wide. The quiet zone begins at 0, 0, so the picture is `side + 2 * quiet` units wide and high.
    public var path: String {
        var path = ""
        var end = (column: 0, row: -1)
        for run in runs {
            path +=
                run.row == end.row
                ? "m\(run.column - end.column) 0" : "M\(run.column + Self.quiet) \(run.row + Self.quiet).5"
            path += "h\(run.length)"
            end = (run.column + run.length, run.row)
        }
        return path
    }

    /// The code with its quiet zone as a PNG, black on white, with 8 pixels per module: 232 to 1,480 pixels on a
    /// side.
    public var png: [UInt8] {
        let modules = side + 2 * Self.quiet
        var rows: [UInt8] = []
        for row in 0..<modules {
            // Eight points a module: a byte.
            let line = (0..<modules).map { isDark($0 - Self.quiet, row - Self.quiet) ? UInt8(0) : 0xFF }
            for _ in 0..<8 { rows += [0] + line }
        }
        return PNG.file(width: modules * 8, height: modules * 8, rows: rows)
    }
}
