// SPDX-License-Identifier: Apache-2.0

/// A trouble of a device that is worth telling its makers, from the catalogue of the self-check: the raw values are its stable words. Only what concerns the board itself
/// is here. What comes from outside (no connection, a lost power, a clock that nobody set, an empty room) tells how somebody lives, and is never told.
public enum DeviceTrouble: String, Sendable, Codable, CaseIterable, Comparable {
    case noController = "no-controller"
    case transportProblem = "transport-problem"
    case radioSilent = "radio-silent"
    case radioDeaf = "radio-deaf"
    case lateRotation = "late-rotation"
    case lostScans = "lost-scans"
    case ladderClimbed = "ladder-climbed"
    case storageProblem = "storage-problem"
    case storageFindings = "storage-findings"
    case auditBroken = "audit-broken"
    case diskNearlyFull = "disk-nearly-full"

    /// The number in messages, 1 or more; never given to another trouble.
    var number: Int32 { Int32(Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    init?(number: Int32) {
        guard number >= 1, number <= Self.allCases.count else { return nil }
        self = Self.allCases[Int(number) - 1]
    }

    /// Whether `one` stands before `other` in the catalogue.
    public static func < (one: Self, other: Self) -> Bool { one.number < other.number }
}

/// An error log as it is sent: which troubles there were, each once, and nothing else. No count, no time, no text, no version. One size for all.
public enum TroubleReport {
    /// The content, without padding: the troubles in the order of the catalogue, each once. Cannot fail.
    public static func content(_ troubles: some Sequence<DeviceTrouble>) -> [UInt8] {
        var message = ErrorLogDevice()
        message.troubles = Set(troubles).sorted().map { TroubleLine(kind: $0.number) }
        return message.encoded
    }

    /// The troubles of a body, from anywhere; `nil` unless it has exactly ``DonationPadding/byteCount`` bytes and at least one trouble, all of them are known, and none
    /// is there twice.
    public static func troubles(ofBody body: [UInt8]) -> [DeviceTrouble]? {
        guard body.count == DonationPadding.byteCount else { return nil }
        return troubles(of: body)
    }

    /// The troubles of a content, with padding or without. `nil` as for a body.
    public static func troubles(of content: [UInt8]) -> [DeviceTrouble]? {
        guard let message = ErrorLogDevice(decoding: content), !message.troubles.isEmpty,
            message.troubles.count <= DeviceTrouble.allCases.count
        else { return nil }
        let troubles = message.troubles.compactMap { DeviceTrouble(number: $0.kind) }
        guard troubles.count == message.troubles.count, Set(troubles).count == troubles.count else { return nil }
        return troubles.sorted()
    }
}

/// One trouble of an error log (our own message).
struct TroubleLine: DonationMessage {
    var kind: Int32 = 0

    init() {}
    init(kind: Int32) { self.kind = kind }

    static var fields: [MessageField<Self>] { [.number(1, \.kind)] }
}

/// An error log (our own message): `requestPadding` as in donations, and the troubles.
struct ErrorLogDevice: DonationMessage {
    var requestPadding: [UInt8] = []
    var troubles: [TroubleLine] = []

    init() {}

    static var fields: [MessageField<Self>] { [.bytes(1, \.requestPadding), .list(2, \.troubles)] }
}
