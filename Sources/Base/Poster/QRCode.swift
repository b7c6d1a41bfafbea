// SPDX-License-Identifier: Apache-2.0

import CQREncode
import Glibc

/// A QR code as modules (ISO/IEC 18004), made by libqrencode and read back here by other code before anybody is given it: what is drawn says the
/// text, and has no damage. A value, for any thread.
public struct QRCode: Sendable, Equatable {
    /// How much of a code may be damaged or hidden; about 7, 15 and 25 percent. Raw values are libqrencode's.
    public enum Level: Int32, Sendable, CaseIterable {
        /// The levels L, M and Q.
        case low, medium, quartile
    }

    /// Modules of a side: 21 to 177.
    public let side: Int
    /// The level that it was made with.
    public let level: Level
    private let dark: [Bool]

    /// Light modules around it that readers need (ISO/IEC 18004, section 6.3.8). They are not in ``side``.
    public static let quiet = 4

    /// The version, 1 to 40.
    var version: Int { (side - 17) / 4 }

    /// Whether the module is dark; outside of the code all are light. The first column and the first row are 0.
    public func isDark(_ column: Int, _ row: Int) -> Bool {
        (0..<side).contains(column) && (0..<side).contains(row) && dark[row * side + column]
    }

    /// A code of `text` in UTF-8, of the smallest size. What does not fit with `level` is made with ``Level/low``.
    ///
    /// - Throws: `unfit` for an empty text, one with a NUL and one that is too long (2,953 bytes fit at most), `unreadable` or `noMemory`.
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

    /// Runs of dark modules, row by row: column, row and length.
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

    /// The path of an SVG (its attribute `d`) that draws the dark modules, one unit each, by a stroke that is one unit wide; the upper left module of
    /// the quiet zone begins at 0, 0, so the whole picture is `side + 2 * quiet` units wide and high.
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

    /// A picture of the code alone with its quiet zone, black on white, of 8 points a module (PNG): 232 to 1,480 points a side.
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
