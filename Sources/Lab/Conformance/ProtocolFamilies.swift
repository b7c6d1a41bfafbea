// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import VirtualAir

enum IntervalVectors: VectorFamily {
    static let name = "intervals"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            let epoch = try require("epoch", vector["epoch"].int)
            check.check("epoch \(epoch)") {
                let interval = try require("interval", ENIN(unixSeconds: Int64(epoch)))
                try expect("interval", Int(interval.number), require("interval", vector["interval"].int))
                try expect("day", Int(interval.day), require("day", vector["day"].int))
                try expect(
                    "start of day", Int(interval.startOfDay.number),
                    require("day_start_interval", vector["day_start_interval"].int))
                try expect(
                    "intervals to midnight", Int(interval.intervalsToMidnight),
                    require("period_to_midnight", vector["period_to_midnight"].int))
            }
        }
    }
}

enum AdvertisingPayloads: VectorFamily {
    static let name = "adv_payload"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                let data = try vector["data"].hex("data")
                let payload = try? AdvertisingPayload(advertisingData: data)
                try expect("accepted", payload != nil, require("accept", vector["accept"].bool))
                guard let payload else { return }
                try expect("rpi", Hex.string(payload.identifier.bytes), vector["rpi"].string ?? "")
                try expect("aem", Hex.string(payload.metadata.bytes), vector["aem"].string ?? "")
                // A frame in one of the two shapes we send must be what we would send.
                for form in [AdvertisingPayload.Form.withFlags, .withoutFlags] {
                    let built = payload.advertisingData(form)
                    try expect("round trip", try AdvertisingPayload(advertisingData: built), payload)
                    if built.count == data.count, data.starts(with: built.prefix(3)) {
                        try expect("built frame", Hex.string(built), Hex.string(data))
                    }
                }
            }
        }
    }
}

enum RotationTraces: VectorFamily {
    static let name = "rotation_trace"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        var audit = RotationAudit()
        let names: [RotationAudit.Change: String] = [
            .none: "none", .both: "both", .addressOnly: "mac_only", .identifierOnly: "rpi_only",
        ]
        for (index, vector) in vectors.cases.enumerated() {
            check.check("step \(index)") {
                let mac = try require("mac", vector["mac"].string)
                let address = try require("mac", Hex.bytes(mac.filter { $0 != ":" }))
                let change = audit.observe(address: address, serviceData: try vector["service_data"].hex("service_data"))
                try expect("change", names[change], vector["change"].string)
            }
        }
    }
}

enum DistanceStatistics: VectorFamily {
    static let name = "rssi_distance"
    // How far one measured series may lie from the model: series taken at the same place differ by up to 1.3 dB between
    // receivers and by 5 dB between rooms of the same distance.
    private static let meanTolerance = 5.0
    private static let spreadTolerance = 2.0

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let model = PathLoss()
        for vector in vectors.cases {
            let centimetres = try require("distance_cm", vector["distance_cm"].double)
            check.check("\(Int(centimetres)) cm, receiver \(vector["receiver"].string ?? "?")") {
                let mean = try require("mean", vector["mean"].double)
                let deviation = try require("stdev", vector["stdev"].double)
                let modelled = model.meanRSSI(metres: centimetres / 100)
                guard abs(modelled - mean) <= meanTolerance else {
                    throw Mismatch(description: "the model says \(modelled) dBm, measured are \(mean)")
                }
                guard abs(model.fading - deviation) <= spreadTolerance else {
                    throw Mismatch(description: "the model spreads by \(model.fading) dB, measured are \(deviation)")
                }
                // What the air will really produce must have the statistics of the model.
                var generator = SplitMix64(seed: UInt64(centimetres))
                let drawn = (0..<4_000).map { _ in Double(model.rssi(metres: centimetres / 100, using: &generator)) }
                let drawnMean = drawn.reduce(0, +) / Double(drawn.count)
                let variance = drawn.reduce(0) { $0 + ($1 - drawnMean) * ($1 - drawnMean) } / Double(drawn.count)
                guard abs(drawnMean - modelled) < 0.6, abs(variance.squareRoot() - model.fading) < 0.5 else {
                    throw Mismatch(description: "drawn readings have mean \(drawnMean), spread \(variance.squareRoot())")
                }
            }
        }
    }
}

enum InfectiousnessMappings: VectorFamily {
    static let name = "infectiousness_mapping"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            let hex = try require("hex", vector["hex"].string)
            check.check(hex) {
                let number = try require("hex", UInt64(hex.dropFirst(2), radix: 16))
                let mapping = try require("mapping", DiagnosisKeyMapping(compact: number))
                try expect("map", mapping.infectiousness.map { Int($0.rawValue) }, vector["map"].array.compactMap(\.int))
                try expect(
                    "when missing", Int(mapping.infectiousnessWhenOnsetMissing.rawValue),
                    require("when_missing", vector["when_missing"].int))
                try expect("compact", mapping.compact, number)
            }
        }
    }
}

enum UploadProofs: VectorFamily {
    static let name = "upload_hmac"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for (index, vector) in vectors.cases.enumerated() {
            check.check("case \(index)") {
                let secret = SecretBytes(copying: try vector["secret"].hex("secret"))
                let keys = try vector["keys"].array.map { entry in
                    let data = try require("key", entry[0].string.flatMap(Base64.bytes))
                    let numbers = try (1...3).map { try require("number", entry[$0].int) }
                    return try require(
                        "key",
                        DiagnosisKey(
                            data: require("16 bytes", Block(data)), rollingStart: ENIN(UInt32(numbers[0])),
                            rollingPeriod: UInt32(numbers[1]), transmissionRiskLevel: UInt8(numbers[2])))
                }
                let allowsShort = keys.allSatisfy { $0.transmissionRiskLevel == 0 }
                let codes = try [false, true].prefix(allowsShort ? 2 : 1).map {
                    Base64.string(try UploadProof.code(for: keys, secret: secret, withoutLevels: $0))
                }
                try expect("codes", Set(codes), Set(vector["hmac"].array.compactMap(\.string)))
            }
        }
    }
}
