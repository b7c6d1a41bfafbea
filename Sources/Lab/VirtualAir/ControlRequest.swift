// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// One line of the control socket. Every operation takes some of these members and ignores the others.
struct ControlRequest: Decodable {
    var op: String
    var id: Int?
    var a: Int?
    var b: Int?
    var x: Double?
    var y: Double?
    var path: [[Double]]?
    var tx: Int8?
    var loss: Double?
    var body: Double?
    var rssi: Int8?
    var speed: Double?
    var seconds: Double?
    var kind: String?
    var rate: Int?
    var cure: String?
    var paused: Bool?
    var data: String?
    var address: String?
    var interval: Double?

    /// Throws ``VirtualAirError/Code/invalidRequest``.
    static func decode<Value: Decodable>(_ type: Value.Type, _ line: [UInt8]) throws(VirtualAirError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(line))
        } catch {
            throw VirtualAirError(.invalidRequest, JSONProblem.text(error))
        }
    }
}

/// The answer: one line.
struct ControlReply: Encodable {
    struct Device: Encodable {
        let id: Int
        let kind: String
        let pos: [Double]
        let tx: Int8
        let loss: Double
        let body: Double
        let adv: Bool
        let scan: Bool
        /// `null` when there is none.
        let addr: Address
        let connected: Bool?
        let faults: [String]?
        let commands: Int?
        let refusals: Int?
        let reports: Int?
        let dropped: Int?
        let scans: Int?
    }

    struct Address: Encodable {
        let text: String?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let text { try container.encode(text) } else { try container.encodeNil() }
        }
    }

    struct Key: Encodable {
        let key: String
        let rollingStart: UInt32
        let rollingPeriod: UInt32
    }

    var ok = true
    var error: String?
    var id: Int?
    var now: Double?
    var epoch: Int64?
    var speed: Double?
    var paused: Bool?
    var sent: Int?
    var delivered: Int?
    var dropped: Int?
    var devices: Int?
    var scanners: Int?
    var connections: Int?
    var nodes: [Device]?
    var keys: [Key]?

    init() {}

    init(refusing error: VirtualAirError) {
        ok = false
        self.error = "\(error)"
    }

    /// With the line's end.
    var line: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = (try? encoder.encode(self)).map { Array($0) } ?? Array(#"{"ok":false,"error":"no answer"}"#.utf8)
        return bytes + [0x0A]
    }
}
