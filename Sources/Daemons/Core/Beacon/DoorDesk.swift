// SPDX-License-Identifier: Apache-2.0

import DoorBroadcast
import HCI
import Radio

/// A code that a place broadcasts between two moments.
struct DoorShowing: Sendable, Equatable {
    /// What ``DoorCode`` carries: 1 to ``DoorCode/maximumByteCount`` bytes.
    let content: [UInt8]
    /// When it begins, Unix seconds.
    let from: Int64
    /// When it is over, Unix seconds; later than ``from``.
    let until: Int64
}

/// What a place broadcasts when: in memory only, for a few hours, until the plugin that knows the codes says it anew.
struct DoorDesk {
    /// The most showings at once: the place's code, before, during and after an event or two. Our choice.
    static let mostShowings = 8
    /// How far ahead a showing may end, in seconds: twice the time after which the plugin comes by. A plugin that is gone broadcasts
    /// nothing after that.
    static let horizon: Int64 = 4 * 3_600

    private var showings: [DoorShowing] = []
    /// What is on air, or would be.
    private var identity: DoorIdentity?
    /// When something begins or ends next, on the boot clock; `nil` if nothing does.
    private(set) var due: Duration?

    /// Whether something is to be on air, as of the last ``identity(at:now:power:using:)``.
    var isDue: Bool { identity != nil }

    mutating func set(_ new: [DoorShowing]) { showings = new }

    /// Forgets what ends after `last`, Unix seconds: a clock that was ahead said it.
    mutating func forget(endingAfter last: Int64) { showings.removeAll { $0.until > last } }

    /// Nothing is on air: what comes next has another address.
    mutating func rest() {
        identity = nil
        due = nil
    }

    /// What is to be on air at `seconds` (Unix time), which is `now` on the boot clock; `nil` for nothing. Of several showings the
    /// first counts. The same code in a row keeps its address.
    ///
    /// Throws ``HCIError`` when no address can be made.
    mutating func identity(
        at seconds: Int64, now: Duration, power: Int8, using generator: inout some RandomNumberGenerator
    ) throws(HCIError) -> DoorIdentity? {
        let changes = showings.flatMap { [$0.from, $0.until] }.filter { $0 > seconds }
        due = changes.min().map { now + .seconds($0 - seconds) }
        guard let showing = showings.first(where: { $0.from <= seconds && seconds < $0.until }),
            let code = DoorCode(content: showing.content, transmitPower: power)
        else {
            identity = nil
            return nil
        }
        if identity?.code != code {
            identity = DoorIdentity(address: try .nonResolvable(from: &generator), code: code)
        }
        return identity
    }
}
