// SPDX-License-Identifier: Apache-2.0

public import DoorBroadcast
import GAEN
public import HCI

/// What a place broadcasts while its door is open: an address and the place's code, of which each advertisement carries one
/// fragment (docs/decisions/0046-check-in-by-broadcast.md). Nothing else than fragments of a code can be broadcast by it.
///
/// Its text form shows nothing, as that of a ``BeaconIdentity``.
public struct DoorIdentity: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The broadcast address, random and non-resolvable.
    public let address: BluetoothAddress
    /// The code of the place.
    public let code: DoorCode

    /// Creates what a place broadcasts. Returns `nil` unless `address` is a usable non-resolvable random address.
    public init?(address: BluetoothAddress, code: DoorCode) {
        guard address.isUsableAsRandomAddress, address.randomKind == .nonResolvable else { return nil }
        self.address = address
        self.code = code
    }

    /// The same text for every identity.
    public var description: String { "a door's identity" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The time between two fragments: 100 ms, the shortest interval that controllers before Bluetooth 5.0 accept for
    /// advertisements that cannot be answered (Core Specification 4.2, Vol 2 Part E 7.8.5). The controller adds 0 to 10 ms
    /// to its own interval, so that hardly any advertisement repeats the fragment before.
    public static let interval: Duration = .milliseconds(100)
    /// The power in dBm that is asked of controllers that can choose: -20, our choice. They take the nearest that they have
    /// below it.
    public static let transmitPower: Int8 = -20
}

/// What goes on air: the one of a person's board or the one of a place's. There is no third.
enum Sending: Sendable, Equatable {
    case identity(BeaconIdentity)
    case door(DoorIdentity)

    /// Which parameters it is sent with.
    enum Kind: Sendable, Equatable { case identity, door }

    var kind: Kind {
        switch self {
        case .identity: .identity
        case .door: .door
        }
    }

    var address: BluetoothAddress {
        switch self {
        case .identity(let identity): identity.address
        case .door(let door): door.address
        }
    }

    /// What is advertised first.
    func data(_ form: AdvertisingPayload.Form) -> [UInt8] {
        switch self {
        case .identity(let identity): identity.payload.advertisingData(form)
        case .door(let door): door.code.fragment(0).advertisingData
        }
    }
}
