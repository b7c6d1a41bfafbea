// SPDX-License-Identifier: Apache-2.0

public import GAEN
public import HCI

/// The identity of a board on air for some minutes: an address and a payload. One value, because the two change together or the board can be
/// followed.
///
/// Has no text form, because it identifies somebody.
public struct BeaconIdentity: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The address on air, random and non-resolvable; changes together with the payload.
    public let address: BluetoothAddress
    /// Identifier and encrypted metadata, as advertised.
    public let payload: AdvertisingPayload

    /// An identity to send; `nil` when `address` is not a random non-resolvable address (Bluetooth Specification 1.2; iOS
    /// ignores other kinds).
    public init?(address: BluetoothAddress, payload: AdvertisingPayload) {
        guard address.isUsableAsRandomAddress, address.randomKind == .nonResolvable else { return nil }
        self.address = address
        self.payload = payload
    }

    /// The same for every identity, so that logs and errors tell none.
    public var description: String { "an identity" }
    /// A mirror without children, so that `dump` shows nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
