// SPDX-License-Identifier: Apache-2.0

/// The supervisor's record of its own starts: the number of recent starts that did not last, which tells a boot loop from a
/// power cut, and a mark that the last life ended in order. It is written at the start, when the start has proved sound,
/// and at the end: as the text `vigil-starts 2 COUNT BOOT` while the supervisor runs, and `vigil-starts 2 COUNT ended`
/// afterwards; release 0.2.0 wrote `vigil-starts 1 COUNT`.
public struct StartRecord: Sendable, Equatable {
    /// The number of starts in a row, none of them sound, at which the supervisor starts in safe mode, with the core and
    /// the web page only: 4, after three that did not last. Our choice (docs/supervisor.md).
    public static let safeModeAfter = 4
    /// The time after which a start counts as sound: three minutes, our choice (docs/supervisor.md).
    public static let soundAfter = Duration.seconds(180)
    /// The most bytes that are read of the file: 64, our choice, because a record has at most 57.
    public static let maximumByteCount = 64
    /// What stands in the place of the boot once the end was in order.
    private static let ended = "ended"

    /// The way in which an earlier life of the supervisor ended.
    public enum End: String, Sendable {
        /// The supervisor was stopped in order.
        case inOrder
        /// The supervisor ended without being stopped, while the board ran on.
        case killed
        /// The board lost its power or was restarted while the supervisor ran.
        case powerLost
    }

    /// The number of starts in a row, this one included, that have not proved sound; 0 to 1000.
    public private(set) var count: Int
    /// The boot this life is of, in a word without blanks; `ended` when it is over, empty when nobody knows.
    private var life: String

    /// Creates a record of no earlier start: ``count`` is 0.
    public init() {
        count = 0
        life = ""
    }

    /// Reads the record that an earlier start left, from the first ``maximumByteCount`` bytes. Bytes in another form, or
    /// with a count outside 0 to 1000, are read as no record (see ``init()``), because a damaged record must not keep
    /// plugins from running. Cannot fail.
    public init(parsing bytes: [UInt8]) {
        self.init()
        let parts = String(decoding: bytes.prefix(Self.maximumByteCount), as: UTF8.self).split { $0 == " " || $0.isNewline }
        guard parts.count >= 3, parts[0] == "vigil-starts", let count = Int(parts[2]), (0...1000).contains(count) else {
            return
        }
        switch (parts[1], parts.count) {
        case ("1", 3): self.count = count
        case ("2", 4):
            self.count = count
            life = String(parts[3])
        default: break
        }
    }

    /// The record as it is written to the file, a line of ASCII with a line feed; at most ``maximumByteCount`` bytes if the
    /// boot has no more than 36 characters.
    public var bytes: [UInt8] {
        Array((life.isEmpty ? "vigil-starts 1 \(count)\n" : "vigil-starts 2 \(count) \(life)\n").utf8)
    }

    /// Returns how the life ended that wrote the record; `nil` if that is unknown, as it is after release 0.2.0 and without
    /// a record. Call it before ``begin(boot:)``.
    ///
    /// - Parameter boot: The word for the current boot, the same as for ``begin(boot:)``.
    public func end(boot: String) -> End? {
        if life.isEmpty { return nil }
        if life == Self.ended { return .inOrder }
        return life == boot ? .killed : .powerLost
    }

    /// Counts this start, and returns whether it has to be in safe mode, with the core and the web page only: `true` from
    /// the ``safeModeAfter``th start in a row that did not last.
    ///
    /// - Parameter boot: A word that differs between boots of the board: 1 to 36 letters, digits and dashes, such as the
    ///   kernel's boot_id; not checked.
    public mutating func begin(boot: String) -> Bool {
        count = min(count + 1, 1000)
        life = boot
        return count >= Self.safeModeAfter
    }

    /// Notes that this start has lasted for ``soundAfter``: the count begins anew. Cannot fail.
    public mutating func prove() { count = 0 }

    /// Notes that this life ends in order: the next start counts from zero, and ``end(boot:)`` returns `inOrder`. Cannot
    /// fail.
    public mutating func finish() {
        count = 0
        life = Self.ended
    }
}
