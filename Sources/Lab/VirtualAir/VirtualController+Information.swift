// SPDX-License-Identifier: Apache-2.0

import Cryptography

// Which command goes where, and what a controller says about itself (Core Specification, Vol 4 Part E 7.3, 7.4, 7.8).

extension VirtualController {
    /// What follows the status of success.
    func perform(_ opcode: UInt16, _ parameters: CommandParameters) throws(Status) -> [UInt8] {
        if let lengths = Self.lengths[opcode] {
            guard model.offersExtended || !Self.isExtended(opcode) else { throw .unknownCommand }
            try require(lengths.contains(parameters.count), .invalidParameters)
        }
        if Self.isLegacy(opcode) { try use(.legacy) }
        if Self.isExtended(opcode), Self.lengths[opcode] != nil { try use(.extended) }
        switch opcode {
        case 0x0C03:
            reset()
            cure(.reset)
            return []
        case 0x0C01: eventMask = parameters.mask(0)
        case 0x0C14: return [UInt8](repeating: 0, count: 248)
        case 0x0C00...0x0FFF: return []
        case 0x1001:
            let version = model.version.rawValue
            return [version, 0, 0, version, 0xFF, 0xFF, 0, 0]
        case 0x1002: return supportedCommands
        // LE supported, BR/EDR not supported.
        case 0x1003: return [0, 0, 0, 0, 0x60, 0, 0, 0]
        case 0x1005: return [251, 0, 0, 8, 0, 0, 0]
        case 0x1009: return publicAddress.bytes
        case 0x2001: lowEnergyMask = parameters.mask(0)
        case 0x2002: return [251, 0, 8]
        // LE Encryption; with advertising sets bit 12.
        case 0x2003: return [0x01, model.offersExtended ? 0x10 : 0, 0, 0, 0, 0, 0, 0]
        case 0x200F: return [8]
        case 0x2010, 0x2011, 0x2012: try changeAcceptList(opcode, parameters)
        case 0x2017: return encrypt(parameters)
        case 0x2018: return (0..<8).map { _ in .random(in: 0...255, using: &air.generator) }
        // Advertising and scanning alone, and, if it can, non-connectable, scannable and connectable with either scan.
        case 0x201C: return [0x37, model.canAdvertiseAndScanAtOnce ? 0x77 : 0, 0, 0, 0, 0, 0, 0]
        case 0x2005...0x200C: return try performLegacy(opcode, parameters)
        case 0x2035...0x2042: return try performExtended(opcode, parameters)
        default: throw .unknownCommand
        }
        return []
    }

    /// Every command with parameters of its own, and how many bytes they have. Others that are known take none.
    private static let lengths: [UInt16: ClosedRange<Int>] = [
        0x0C01: 8...8, 0x0C03: 0...0, 0x1001: 0...0, 0x1002: 0...0, 0x1003: 0...0, 0x1005: 0...0, 0x1009: 0...0,
        0x2001: 8...8, 0x2002: 0...0, 0x2003: 0...0, 0x2005: 6...6, 0x2006: 15...15, 0x2007: 0...0, 0x2008: 32...32,
        0x2009: 32...32, 0x200A: 1...1, 0x200B: 7...7, 0x200C: 2...2, 0x200F: 0...0, 0x2010: 0...0, 0x2011: 7...7,
        0x2012: 7...7, 0x2017: 32...32, 0x2018: 0...0, 0x201C: 0...0, 0x2035: 7...7, 0x2036: 25...25, 0x2037: 4...255,
        0x2038: 4...255, 0x2039: 2...255, 0x203A: 0...0, 0x203B: 0...0, 0x203C: 1...1, 0x203D: 0...0, 0x2041: 3...255,
        0x2042: 6...6,
    ]

    private static func isLegacy(_ opcode: UInt16) -> Bool { (0x2006...0x200C).contains(opcode) }
    private static func isExtended(_ opcode: UInt16) -> Bool { (0x2035...0x2042).contains(opcode) }

    private func use(_ wanted: CommandFamily) throws(Status) {
        try require(family == nil || family == wanted, .commandDisallowed)
        family = wanted
    }

    /// Octets and bits of Vol 4 Part E 6.27; only what is implemented, since kernels send whatever is claimed.
    private var supportedCommands: [UInt8] {
        var octets = [UInt8](repeating: 0, count: 64)
        octets[5] = 0xC0
        octets[14] = 0xB8
        octets[15] = 0x02
        octets[25] = 0xF7
        octets[26] = 0xCF
        octets[27] = 0xC3
        octets[28] = 0x08
        if model.offersExtended {
            octets[36] = 0xFE
            octets[37] = 0x63
        }
        return octets
    }

    private func changeAcceptList(_ opcode: UInt16, _ parameters: CommandParameters) throws(Status) {
        try require(!(scan.isOn && scan.filterPolicy & 1 == 1), .commandDisallowed)
        guard opcode != 0x2010 else {
            acceptList = []
            return
        }
        try require(parameters.byte(0) <= 1 || parameters.byte(0) == 0xFF, .invalidParameters)
        let address = AirAddress(littleEndian: parameters.slice(1, 6), isRandom: parameters.byte(0) == 1)
        if opcode == 0x2012 {
            acceptList.remove(address)
        } else {
            try require(acceptList.contains(address) || acceptList.count < 8, .memoryCapacityExceeded)
            acceptList.insert(address)
        }
    }

    /// Key and plain text come least significant byte first, and so does the answer (7.8.22).
    private func encrypt(_ parameters: CommandParameters) -> [UInt8] {
        let key = SecretBytes(copying: parameters.slice(0, 16).reversed())
        guard let block = Block(parameters.slice(16, 16).reversed()) else { return [] }
        return ConstantTimeAES128.encrypt(block, key: key).bytes.reversed()
    }
}
