// SPDX-License-Identifier: Apache-2.0

/// The message that registers for pushes, or takes that back (SwissCovid, `POST /v3/register`, application/x-protobuf).
public struct PushRegistration: Hashable, Sendable {
    /// The ways in which the server reaches whoever registers. Raw values are the server's words for the types.
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

    /// The longest push token, in characters, that the server's column holds (swisscovid-cn-backend, V0_1__init.sql).
    public static let maximumTokenCount = 100
    /// The longest device identifier, in characters, that the server's column holds (same file).
    public static let maximumDeviceCount = 255

    /// The version of the message, field 1; 1 is the only one that is sent.
    public var version: Int32
    /// The address that the server would send its pushes to, at most ``maximumTokenCount`` characters. Empty: takes the
    /// registration back.
    public var pushToken: String
    /// The push service that the token would belong to, field 3.
    public var pushType: PushType
    /// The app-instance token, at most ``maximumDeviceCount`` characters; a server knows the registration again by it.
    public var deviceId: String

    /// A message with these values. Lengths are not checked here; see ``maximumTokenCount`` and ``maximumDeviceCount``.
    public init(pushToken: String, pushType: PushType, deviceId: String, version: Int32 = 1) {
        self.version = version
        self.pushToken = pushToken
        self.pushType = pushType
        self.deviceId = deviceId
    }

    /// The bytes of the message in protobuf's wire format: fields in order, fields at their default left out.
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
