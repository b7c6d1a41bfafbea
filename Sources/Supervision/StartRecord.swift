// SPDX-License-Identifier: Apache-2.0

/// How often the supervisor has started lately without living long: what tells a boot loop from a power cut. A few bytes that are
/// written at start and when the start has proved sound, as text `vigil-starts 1 COUNT`.
public struct StartRecord: Sendable, Equatable {
    /// So many starts in a row that did not last mean safe mode.
    public static let safeModeAfter = 4
    /// A start that lasted this long is sound.
    public static let soundAfter = Duration.seconds(180)
    public static let maximumByteCount = 64

    /// Starts in a row, this one included, that have not proved sound.
    public private(set) var count: Int

    public init(count: Int = 0) { self.count = count }

    /// Reads what a former start left; anything that is not ours counts as nothing, because a damaged record must not keep plugins away.
    public init(parsing bytes: [UInt8]) {
        let parts = String(decoding: bytes.prefix(Self.maximumByteCount), as: UTF8.self).split(separator: " ")
        guard parts.count == 3, parts[0] == "vigil-starts", parts[1] == "1",
            let count = Int(parts[2].filter { !$0.isNewline }), (0...1000).contains(count)
        else {
            self.count = 0
            return
        }
        self.count = count
    }

    public var bytes: [UInt8] { Array("vigil-starts 1 \(count)\n".utf8) }

    /// This start; whether it has to be a safe one: the core and the web page only.
    public mutating func begin() -> Bool {
        count = min(count + 1, 1000)
        return count >= Self.safeModeAfter
    }

    /// It lasted, or ended because somebody wanted it to.
    public mutating func prove() { count = 0 }
}
