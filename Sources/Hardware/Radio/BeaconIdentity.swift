// SPDX-License-Identifier: Apache-2.0

public import GAEN
public import HCI

/// The identity that a board broadcasts for some minutes: an address and a payload. They form one value because they must
/// change together, or the board could be followed.
///
/// Its text form shows nothing, because it identifies a person.
public struct BeaconIdentity: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The broadcast address, random and non-resolvable; changes together with the payload.
    public let address: BluetoothAddress
    /// The identifier and the encrypted metadata, as advertised.
    public let payload: AdvertisingPayload

    /// Creates an identity to broadcast. Returns `nil` unless `address` is a usable non-resolvable random address
    /// (Exposure Notification Bluetooth Specification 1.2).
    public init?(address: BluetoothAddress, payload: AdvertisingPayload) {
        guard address.isUsableAsRandomAddress, address.randomKind == .nonResolvable else { return nil }
        self.address = address
        self.payload = payload
    }

    /// The same text for every identity, so that logs and errors reveal none.
    public var description: String { "an identity" }
    /// A mirror without children, so that `dump` shows nothing of the identity.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
