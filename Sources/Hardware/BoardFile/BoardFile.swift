// SPDX-License-Identifier: Apache-2.0

import JSON
public import Power

/// The part of a board's file (Board/boards, docs/board-check.md) about the hardware beside the processor. For the supervisor, which asks the kernel
/// for the lines, and for `vigil board check`, which compares. The parts of the file that describe images are for the builder (Board/image) and are
/// not read here.
public struct BoardFile: Sendable, Hashable {
    /// Lights, a buzzer and a button on one GPIO chip.
    public struct Lines: Sendable, Hashable {
        /// One line of the chip, and its polarity.
        public struct Line: Sendable, Hashable {
            /// Number of the line on the chip, 0 to 1023.
            public var line: UInt32
            /// Whether a low voltage on the line means on; false unless the file says so.
            public var activeLow: Bool
        }

        /// Colours that a light can have, by their words in the file.
        public enum Colour: String, Sendable, CaseIterable { case red, green, blue, yellow, white }

        /// The resistor that holds a line, by its word in the file.
        public enum Bias: String, Sendable, CaseIterable { case none, pullUp, pullDown }

        /// Label of the chip (the driver's, which stays) or its name in the kernel (which may not), 1 to 31 bytes.
        public var chip: String
        /// The lights in the order of the file, at most ``BoardFile/mostLights``; empty without any. No line of the file is named twice.
        public var lights: [(line: Line, colour: Colour)] { zip(lightLines, lightColours).map { ($0, $1) } }
        /// The buzzer's line; `nil` without a buzzer.
        public var buzzer: Line?
        /// The button's line; `nil` without a button.
        public var button: Line?
        /// The resistor that holds the button's line while nobody presses it; `none` unless the file asks for one.
        public var bias: Bias = .none

        var lightLines: [Line] = []
        var lightColours: [Colour] = []
    }

    /// The board's short name, 1 to 32 bytes without control characters; also the name of its file, which is not compared.
    public var name: String
    /// The board's name for people, 1 to 80 bytes.
    public var title: String
    /// Debian's name of the architecture, such as `arm64`; 1 to 16 bytes.
    public var architecture: String
    /// The way to the controller (docs/transports.md), 1 to 200 bytes without control characters; not parsed here.
    public var transport: String
    /// Lights, buzzer and button; `nil` when none is described.
    public var lines: Lines?
    /// The board's battery and what the board draws; without values when the file does not say.
    public var power = BoardPower()
    /// Whether it has a clock that goes on without power; `nil` when the file does not say.
    public var hasClockChip: Bool?
    /// Whether it has a hardware watchdog; `nil` when the file does not say.
    public var hasWatchdog: Bool?
    /// Whether it has a hardware source of randomness; `nil` when the file does not say.
    public var hasRandomness: Bool?
    /// The least memory it has, in MiB, 32 to 1,048,576; `nil` when the file does not say.
    public var memory: Int64?
    /// The board profile that fits it: token, kiosk, or the path of one, 1 to 200 bytes; `nil` when the file does not say.
    public var profile: String?

    /// The most lights of one board: our own bound.
    public static let mostLights = 8
    /// The most bytes of a file, our own bound; a larger one is refused without being parsed.
    public static let maximumByteCount = 65_536

    /// The reason why a file is not used: every problem, with its path.
    public struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        /// One sentence for each problem, with the path of its field if it is about one; 1 to 32.
        public let problems: [String]
        /// All problems in one line, for the command line. Unknown names are cut and shown in ASCII.
        public var description: String { problems.joined(separator: "; ") }
    }

    /// Reads the file's JSON. Throws all problems together, 32 at most: bad JSON, fields that are missing or out of range, fields below `hardware`
    /// that are unknown, and a line that is named twice. Other unknown fields are stepped over.
    public init(parsing bytes: [UInt8]) throws(Refusal) {
        guard bytes.count <= Self.maximumByteCount else {
            throw Refusal(problems: ["it has more than \(Self.maximumByteCount) bytes"])
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: bytes, maximumDepth: 12) } catch {
            throw Refusal(problems: ["\(error)"])
        }
        guard json.object != nil else { throw Refusal(problems: ["it is not a JSON object"]) }
        var reader = FieldReader()
        name = reader.text(json["name"], "name", limit: 32)
        title = reader.text(json["title"], "title", limit: 80)
        architecture = reader.text(json["architecture"], "architecture", limit: 16)
        transport = reader.text(json["radio"]?["transport"], "radio.transport", limit: 200)
        if let hardware = json["hardware"] {
            reader.know(
                hardware, ["lines", "battery", "power", "clockChip", "watchdog", "randomness", "memory", "profile"],
                "hardware")
            lines = hardware["lines"].flatMap { Lines($0, &reader) }
            do throws(BoardPower.Refusal) { power = try BoardPower(parsing: bytes) } catch { reader.take(error.problems) }
            hasClockChip = reader.flag(hardware["clockChip"], "hardware.clockChip")
            hasWatchdog = reader.flag(hardware["watchdog"], "hardware.watchdog")
            hasRandomness = reader.flag(hardware["randomness"], "hardware.randomness")
            memory = reader.number(hardware["memory"], "hardware.memory", 32...1_048_576)
            if let value = hardware["profile"] { profile = reader.text(value, "hardware.profile", limit: 200) }
        }
        guard reader.problems.isEmpty else { throw Refusal(problems: reader.problems) }
    }
}

extension BoardFile.Lines {
    init?(_ json: JSON, _ reader: inout FieldReader) {
        let path = "hardware.lines"
        guard reader.know(json, ["chip", "lights", "buzzer", "button"], path) else { return nil }
        chip = reader.text(json["chip"], "\(path).chip", limit: 31)
        let list = json["lights"]?.array ?? []
        if json["lights"] != nil, json["lights"]?.array == nil || list.count > BoardFile.mostLights {
            reader.say("\(path).lights", "a list of at most \(BoardFile.mostLights)")
        }
        for (index, light) in list.prefix(BoardFile.mostLights).enumerated() {
            let place = "\(path).lights[\(index)]"
            guard let line = Self.line(light, place, &reader, others: ["colour"]) else { continue }
            guard let colour = light["colour"]?.string.flatMap(Colour.init(rawValue:)) else {
                reader.say("\(place).colour", "red, green, blue, yellow or white")
                continue
            }
            lightLines.append(line)
            lightColours.append(colour)
        }
        if let value = json["buzzer"] { buzzer = Self.line(value, "\(path).buzzer", &reader) }
        if let value = json["button"] {
            button = Self.line(value, "\(path).button", &reader, others: ["bias"])
            if let word = value["bias"] {
                if let bias = word.string.flatMap(Bias.init(rawValue:)) {
                    self.bias = bias
                } else {
                    reader.say("\(path).button.bias", "none, pullUp or pullDown")
                }
            }
        }
        let all = (lightLines + [buzzer, button].compactMap { $0 }).map(\.line)
        if Set(all).count != all.count { reader.say(path, "lines that differ: one is named twice") }
        if all.isEmpty, reader.problems.isEmpty { reader.say(path, "at least one line") }
    }

    private static func line(
        _ json: JSON, _ path: String, _ reader: inout FieldReader, others: [String] = []
    ) -> Line? {
        guard reader.know(json, ["line", "activeLow"] + others, path) else { return nil }
        guard let number = json["line"]?.int, (0...1_023).contains(number) else {
            reader.say("\(path).line", "a number from 0 to 1023")
            return nil
        }
        return Line(line: UInt32(number), activeLow: reader.flag(json["activeLow"], "\(path).activeLow") ?? false)
    }
}

/// Reads fields and collects what is wrong with them.
struct FieldReader {
    private(set) var problems: [String] = []
    private static let most = 32

    mutating func say(_ path: String, _ wanted: String) {
        if problems.count < Self.most { problems.append("\(path): must be \(wanted)") }
    }

    /// What another reader of the same file found.
    mutating func take(_ others: [String]) { problems += others.prefix(max(0, Self.most - problems.count)) }

    /// Whether it is an object; fields that nobody knows are problems.
    @discardableResult
    mutating func know(_ json: JSON, _ names: [String], _ path: String) -> Bool {
        guard let object = json.object else {
            say(path, "an object")
            return false
        }
        for member in object.members where !names.contains(member.name) {
            // A name from a file may be long, or move a terminal's cursor.
            let word = String(
                member.name.unicodeScalars.prefix(40).map { $0.value < 32 || $0.value > 126 ? "?" : Character($0) })
            if problems.count < Self.most {
                problems.append("\(path).\(word): there is no such field; there are \(names.joined(separator: ", "))")
            }
        }
        return true
    }

    mutating func text(_ json: JSON?, _ path: String, limit: Int) -> String {
        guard let text = json?.string, (1...limit).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 })
        else {
            say(path, "a text of 1 to \(limit) bytes")
            return ""
        }
        return text
    }

    mutating func flag(_ json: JSON?, _ path: String) -> Bool? {
        guard let json else { return nil }
        if json.bool == nil { say(path, "true or false") }
        return json.bool
    }

    mutating func number(_ json: JSON?, _ path: String, _ range: ClosedRange<Int64>) -> Int64? {
        guard let json else { return nil }
        guard let value = json.int, range.contains(value) else {
            say(path, "a number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return value
    }
}
