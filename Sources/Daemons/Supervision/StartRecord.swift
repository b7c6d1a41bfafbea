// SPDX-License-Identifier: Apache-2.0

/// The supervisor's memory of its own starts: the number of recent short lives, which tells a boot loop from a power cut,
/// and a mark that the last life ended in order. A few bytes, written at start, when the start has proved sound, and at the
/// end, as text `vigil-starts 2 COUNT BOOT` while it runs and `vigil-starts 2 COUNT ended` afterwards; release 0.2.0 wrote
/// `vigil-starts 1 COUNT`.
public struct StartRecord: Sendable, Equatable {
    /// The first of the starts in a row without a sound one that is in safe mode, core and web page only: after three that did not last, the fourth.
    /// A choice of ours (docs/supervisor.md).
    public static let safeModeAfter = 4
    /// A start that lasted this long is sound: three minutes, a choice of ours (docs/supervisor.md).
    public static let soundAfter = Duration.seconds(180)
    /// The most bytes that are read of the file, a choice of ours: a record has at most 57.
    public static let maximumByteCount = 64
    /// What stands in the place of the boot once the end was in order.
    private static let ended = "ended"

    /// The way in which a life of the supervisor ended.
    public enum End: String, Sendable {
        /// Somebody wanted it to end: it was stopped in order.
        case inOrder
        /// It ended without a word, while the board ran on.
        case killed
        /// The power went: the board was switched off or started anew without a stop in order.
        case powerLost
    }

    /// Starts in a row, this one included, that have not proved sound; 0 to 1000.
    public private(set) var count: Int
    /// The boot this life is of, in a word without blanks; `ended` when it is over, empty when nobody knows.
    private var life: String

    /// A record without a former life: ``count`` is 0.
    public init() {
        count = 0
        life = ""
    }

    /// Reads what a former start left, from the first ``maximumByteCount`` bytes; anything that is not ours, or has a count outside 0 to 1000, counts
    /// as nothing (see ``init()``), because a damaged record must not keep plugins away. Cannot fail.
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

    /// The record as it is written to the file, a line of ASCII with its end; at most ``maximumByteCount`` if the boot has no more than 36
    /// characters.
    public var bytes: [UInt8] {
        Array((life.isEmpty ? "vigil-starts 1 \(count)\n" : "vigil-starts 2 \(count) \(life)\n").utf8)
    }

    /// The end of the life that wrote what was read; `nil` if that is unknown, as it is after release 0.2.0 and without a record. To be asked before
    /// ``begin(boot:)``.
    ///
    /// - Parameter boot: The boot there is now, as ``begin(boot:)`` takes it.
    public func end(boot: String) -> End? {
        if life.isEmpty { return nil }
        if life == Self.ended { return .inOrder }
        return life == boot ? .killed : .powerLost
    }

    /// Counts this start, and returns whether it has to be a safe one (`true`: the core and the web page only), which the ``safeModeAfter``th is.
    ///
    /// - Parameter boot: A word that differs between boots of the board: 1 to 36 letters, digits and dashes, as the kernel's boot_id; not checked.
    public mutating func begin(boot: String) -> Bool {
        count = min(count + 1, 1000)
        life = boot
        return count >= Self.safeModeAfter
    }

    /// Notes that this start has lasted ``soundAfter``: the count begins anew. Cannot fail.
    public mutating func prove() { count = 0 }

    /// Notes that this life ends on request: the next start counts from zero, and says that the end was in order. Cannot
    /// fail.
    public mutating func finish() {
        count = 0
        life = Self.ended
    }
}
