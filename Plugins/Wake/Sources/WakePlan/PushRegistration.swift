// SPDX-License-Identifier: Apache-2.0

/// The message that registers for pushes, or takes that back (SwissCovid, `POST /v3/register`, application/x-protobuf).
public struct PushRegistration: Hashable, Sendable {
    /// How the server reaches whoever registers.
    public enum PushType: String, Sendable, CaseIterable {
        case ios = "IOS"
        case android = "AND"
        /// Apple's test service.
        case iosDevelopment = "IOD"

        var number: UInt8 {
            switch self {
            case .ios: 0
            case .android: 1
            case .iosDevelopment: 2
            }
        }
    }

    /// Characters the server's columns hold (swisscovid-cn-backend, V0_1__init.sql).
    public static let maximumTokenCount = 100
    public static let maximumDeviceCount = 255

    public var version: Int32
    /// Empty: take the registration back.
    public var pushToken: String
    public var pushType: PushType
    /// The app-instance token.
    public var deviceId: String

    public init(pushToken: String, pushType: PushType, deviceId: String, version: Int32 = 1) {
        self.version = version
        self.pushToken = pushToken
        self.pushType = pushType
        self.deviceId = deviceId
    }

    /// As protobuf has it: fields in order, those at their default left out.
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
