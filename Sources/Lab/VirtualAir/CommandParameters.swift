// SPDX-License-Identifier: Apache-2.0

/// Parameters of a command, as they came: little-endian. Reading beyond the end gives zero; lengths are checked before.
struct CommandParameters {
    let bytes: ArraySlice<UInt8>

    var count: Int { bytes.count }

    func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[bytes.startIndex + offset] : 0 }
    func word(_ offset: Int) -> Int { Int(byte(offset)) | Int(byte(offset + 1)) << 8 }
    func triple(_ offset: Int) -> Int { word(offset) | Int(byte(offset + 2)) << 16 }
    func signed(_ offset: Int) -> Int8 { Int8(bitPattern: byte(offset)) }
    func mask(_ offset: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(byte(offset + $1)) << (8 * UInt64($1)) } }
    func slice(_ offset: Int, _ count: Int) -> [UInt8] { Array(bytes.dropFirst(offset).prefix(count)) }
}

/// Error codes of the specification (Vol 1 Part F 1.3) that this controller gives.
enum Status: UInt8, Error {
    case success = 0x00
    case unknownCommand = 0x01
    case memoryCapacityExceeded = 0x07
    case commandDisallowed = 0x0C
    case unsupportedParameter = 0x11
    case invalidParameters = 0x12
    case unspecified = 0x1F
    case advertisingTimeout = 0x3C
    case unknownAdvertisingIdentifier = 0x42
    case limitReached = 0x43
}

/// Refuses with `status` unless the condition holds.
func require(_ condition: Bool, _ status: Status) throws(Status) {
    guard condition else { throw status }
}
