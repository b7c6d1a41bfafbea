// SPDX-License-Identifier: Apache-2.0

import KeyExport

/// A device's wish to be woken, or not any more, as it was sent (`PushRegistration`, spec checkin-and-nhs A.6).
struct PushRegistrationMessage: Hashable {
    /// Where SwissCovid's servers would push to; empty to take the registration back.
    var pushToken = ""
    /// 0 Apple, 1 Google, 2 Apple's test service.
    var pushType: UInt32 = 0
    /// Made by the device for this.
    var deviceID = ""

    /// The limits of SwissCovid's database columns, in characters (swisscovid-cn-backend, V0_1__init.sql).
    static let maximumToken = 100
    static let maximumDevice = 255
    /// Bytes of a message at most: both texts in characters of four bytes, and their heads.
    static let maximumBytes = 4 * (maximumToken + maximumDevice) + 30

    /// `nil` for what is no such message of version 1, a text that is too long, an unknown type, and a device without a
    /// name.
    init?(decoding bytes: [UInt8]) {
        guard bytes.count <= Self.maximumBytes else { return nil }
        var version: UInt32 = 0
        let isWhole = bytes.withUnsafeBytes { message in
            ProtobufCursor.forEachField(of: message) { field, value in
                switch field {
                case 1: store(value.uint32, in: &version)
                case 2: store(value.text, in: &pushToken)
                case 3: store(value.uint32, in: &pushType)
                case 4: store(value.text, in: &deviceID)
                default: true
                }
            }
        }
        guard isWhole, version == 1, pushType <= 2, pushToken.unicodeScalars.count <= Self.maximumToken,
            !deviceID.isEmpty, deviceID.unicodeScalars.count <= Self.maximumDevice
        else { return nil }
    }
}
