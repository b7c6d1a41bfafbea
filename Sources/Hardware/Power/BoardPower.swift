// SPDX-License-Identifier: Apache-2.0

import JSON

/// The parts of a board's file (Board/boards, docs/power.md) about battery and consumption: `hardware.battery` and
/// `hardware.power`. The rest of the file is ignored.
public struct BoardPower: Sendable, Hashable {
    /// The battery's limits; `nil` if the file describes no battery.
    public var battery: BatteryRules?
    /// The currents that the board draws; `nil` if the file does not say.
    public var figures: PowerFigures?

    /// The largest size of a file in bytes, inclusive: 64 KiB, our own bound. A larger file is refused without being
    /// parsed.
    public static let maximumByteCount = 65_536

    /// Creates a description from these parts, unchecked; `nil` for a part that the board's file does not describe.
    public init(battery: BatteryRules? = nil, figures: PowerFigures? = nil) {
        self.battery = battery
        self.figures = figures
    }

    /// The reason why a file is refused: all problems, each with its place.
    public struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        /// One or more sentences, one for each problem, with the path of the field if the problem is about one.
        public let problems: [String]
        /// All problems in one line, for the command line. Unknown field names are cut and shown in ASCII.
        public var description: String { problems.joined(separator: "; ") }
    }

    /// Reads the two parts from a board's file in JSON. Throws a ``Refusal`` with all problems: more than
    /// ``maximumByteCount`` bytes, malformed JSON, nesting of more than 12 levels, and fields of the two parts that
    /// are unknown or out of range. In `hardware.battery` every field may be missing, in `hardware.power` only
    /// `converterPercent`.
    public init(parsing bytes: [UInt8]) throws(Refusal) {
        guard bytes.count <= Self.maximumByteCount else {
            throw Refusal(problems: ["it has more than \(Self.maximumByteCount) bytes"])
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: bytes, maximumDepth: 12) } catch {
            throw Refusal(problems: ["\(error)"])
        }
        guard json.object != nil else { throw Refusal(problems: ["it is not a JSON object"]) }
        var reader = Reader()
        if let battery = json["hardware"]?["battery"] { self.battery = reader.battery(battery) }
        if let power = json["hardware"]?["power"] { figures = reader.figures(power) }
        guard reader.problems.isEmpty else { throw Refusal(problems: reader.problems) }
    }

    private struct Reader {
        var problems: [String] = []

        mutating func battery(_ json: JSON) -> BatteryRules? {
            let path = "hardware.battery"
            guard knows(json, path, ["supply", "low", "stop", "lowMillivolts", "stopMillivolts", "milliwattHours"]) else {
                return nil
            }
            var rules = BatteryRules()
            if let supply = json["supply"] {
                // A name below a folder, and nothing that leads elsewhere.
                if let name = supply.string, (1...64).contains(name.utf8.count), !name.hasPrefix("."),
                    name.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") })
                {
                    rules.supply = name
                } else {
                    say(path + ".supply", "a name below /sys/class/power_supply") as Void?
                }
            }
            rules.low = number(json, "low", path, 2...90) ?? rules.low
            rules.stop = number(json, "stop", path, 1...50) ?? rules.stop
            rules.lowMillivolts = number(json, "lowMillivolts", path, 1_000...100_000)
            rules.stopMillivolts = number(json, "stopMillivolts", path, 1_000...100_000)
            rules.milliwattHours = number(json, "milliwattHours", path, 10...10_000_000)
            if rules.stop >= rules.low { say(path + ".stop", "less than low, \(rules.low)") as Void? }
            if let stop = rules.stopMillivolts, stop >= rules.lowMillivolts ?? .max {
                say(path + ".stopMillivolts", "less than lowMillivolts") as Void?
            }
            return rules
        }

        mutating func figures(_ json: JSON) -> PowerFigures? {
            let path = "hardware.power"
            let names = [
                "millivolts", "idleMicroamps", "awakeMicroamps", "wakeMicroseconds", "receiveMicroamps",
                "transmitMicroamps", "converterPercent", "source", "confidence",
            ]
            guard knows(json, path, names) else { return nil }
            func needed(_ name: String, _ range: ClosedRange<Int64>, _ reader: inout Reader) -> Int {
                if json[name] == nil { reader.say("\(path).\(name)", "given") as Void? }
                return reader.number(json, name, path, range) ?? 0
            }
            let source = json["source"]?.string ?? ""
            if !(1...300).contains(source.utf8.count) {
                say(path + ".source", "1 to 300 bytes on where the figures are from") as Void?
            }
            let confidence = json["confidence"]?.string.flatMap(PowerFigures.Confidence.init(rawValue:))
            if confidence == nil { say(path + ".confidence", "estimated, dataSheet or measured") as Void? }
            return PowerFigures(
                millivolts: needed("millivolts", 1_000...100_000, &self),
                idleMicroamps: needed("idleMicroamps", 1...10_000_000, &self),
                awakeMicroamps: needed("awakeMicroamps", 0...10_000_000, &self),
                wakeMicroseconds: needed("wakeMicroseconds", 0...1_000_000, &self),
                receiveMicroamps: needed("receiveMicroamps", 0...1_000_000, &self),
                transmitMicroamps: needed("transmitMicroamps", 0...1_000_000, &self),
                converterPercent: number(json, "converterPercent", path, 10...100) ?? 100, source: source,
                confidence: confidence ?? .estimated)
        }

        /// Whether it is an object; fields that nobody knows are problems.
        private mutating func knows(_ json: JSON, _ path: String, _ names: [String]) -> Bool {
            guard let object = json.object else {
                say(path, "an object") as Void?
                return false
            }
            for member in object.members where !names.contains(member.name) && problems.count < 32 {
                // A name from a file may be long, or move a terminal's cursor.
                let word = String(
                    member.name.unicodeScalars.prefix(40).map { $0.value < 32 || $0.value > 126 ? "?" : Character($0) })
                problems.append("\(path).\(word): there is no such field; there are \(names.joined(separator: ", "))")
            }
            return true
        }

        private mutating func number(_ json: JSON, _ name: String, _ path: String, _ range: ClosedRange<Int64>) -> Int? {
            guard let value = json[name] else { return nil }
            guard let number = value.int, range.contains(number) else {
                return say("\(path).\(name)", "a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return Int(number)
        }

        @discardableResult
        private mutating func say<Value>(_ path: String, _ wanted: String) -> Value? {
            problems.append("\(path): must be \(wanted)")
            return nil
        }
    }
}
