// SPDX-License-Identifier: Apache-2.0

/// The message that registers for pushes, or cancels the registration (SwissCovid, `POST /v3/register`,
/// application/x-protobuf).
public struct PushRegistration: Hashable, Sendable {
    /// The ways in which the server reaches a registered app. Raw values are the server's words.
    public enum PushType: String, Sendable, CaseIterable {
        /// Apple's push service.
        case ios = "IOS"
        /// Google's push service.
        case android = "AND"
        /// Apple's test service for apps under development.
        case iosDevelopment = "IOD"

        var number: UInt8 {
            switch self {
            case .ios: 0
            case .android: 1
            case .iosDevelopment: 2
            }
        }
    }

    /// The most characters of a push token: 100, the limit of the server's database column (swisscovid-cn-backend,
    /// V0_1__init.sql).
    public static let maximumTokenCount = 100
    /// The most characters of a device identifier: 255, the limit of the server's database column (same file).
    public static let maximumDeviceCount = 255

    /// The version of the message, field 1; only 1 is sent.
    public var version: Int32
    /// The address to which the server would send its pushes, at most ``maximumTokenCount`` characters; an empty one
    /// cancels the registration.
    public var pushToken: String
    /// The push service that the token would belong to, field 3.
    public var pushType: PushType
    /// The app-instance token, at most ``maximumDeviceCount`` characters, by which the server recognises the registration.
    public var deviceId: String

    /// Creates a message of these values. Lengths are not checked; see ``maximumTokenCount`` and ``maximumDeviceCount``.
    public init(pushToken: String, pushType: PushType, deviceId: String, version: Int32 = 1) {
        self.version = version
        self.pushToken = pushToken
        self.pushType = pushType
        self.deviceId = deviceId
    }

    /// The message in protobuf's wire format: fields in order, without those that have their default.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        if version != 0 { bytes += [0x08] + Self.varint(UInt64(bitPattern: Int64(version))) }
        bytes += Self.text(0x12, pushToken)
        if pushType.number != 0 { bytes += [0x18, pushType.number] }
        bytes += Self.text(0x22, deviceId)
        return bytes
    }

    private static func text(_ tag: UInt8, _ text: String) -> [UInt8] {
        text.isEmpty ? [] : [tag] + varint(UInt64(text.utf8.count)) + Array(text.utf8)
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
