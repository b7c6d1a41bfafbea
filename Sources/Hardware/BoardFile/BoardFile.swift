// SPDX-License-Identifier: Apache-2.0

import JSON
public import Power

/// The part of a board's file (Board/boards, docs/board-check.md) that describes the hardware around the processor. The
/// supervisor uses it to request the lines from the kernel, and `vigil board check` to compare. The parts of the file about
/// images are for the image builder (Board/image) and are not read here.
public struct BoardFile: Sendable, Hashable {
    /// The lines of the lights, the buzzer and the button, all on one GPIO chip; at least one in a file.
    public struct Lines: Sendable, Hashable {
        /// A line of the chip, with its polarity.
        public struct Line: Sendable, Hashable {
            /// The number of the line on the chip, 0 to 1023.
            public var line: UInt32
            /// Whether a low voltage on the line means on; `false` if the file does not say.
            public var activeLow: Bool
        }

        /// The colours that a light can have; raw values are the words of the file.
        public enum Colour: String, Sendable, CaseIterable { case red, green, blue, yellow, white }

        /// The resistor that holds an input line; raw values are the words of the file.
        public enum Bias: String, Sendable, CaseIterable { case none, pullUp, pullDown }

        /// The label of the chip, which its driver sets and which stays, or the chip's name in the kernel, which
        /// may change; 1 to 31 bytes without control characters.
        public var chip: String
        /// The lights in the order of the file, at most ``BoardFile/mostLights``; empty if there are none. No line appears
        /// twice in a file.
        public var lights: [(line: Line, colour: Colour)] { zip(lightLines, lightColours).map { ($0, $1) } }
        /// The line of the buzzer; `nil` if there is none.
        public var buzzer: Line?
        /// The line of the button; `nil` if there is none.
        public var button: Line?
        /// The resistor that holds the button's line while the button is not pressed; `none` if the file does not say.
        public var bias: Bias = .none

        var lightLines: [Line] = []
        var lightColours: [Colour] = []
    }

    /// The short name of the board, 1 to 32 bytes without control characters. It should be the name of the file too, which
    /// is not checked.
    public var name: String
    /// The name of the board for people, 1 to 80 bytes without control characters.
    public var title: String
    /// Debian's name of the architecture, such as `arm64`; 1 to 16 bytes without control characters.
    public var architecture: String
    /// The address of the Bluetooth controller (docs/transports.md), 1 to 200 bytes without control characters; not parsed
    /// here.
    public var transport: String
    /// The lines of lights, buzzer and button; `nil` if the file describes none.
    public var lines: Lines?
    /// The battery of the board and the power that the board draws; without values if the file does not say.
    public var power = BoardPower()
    /// Whether the board has a clock that runs without power; `nil` if the file does not say.
    public var hasClockChip: Bool?
    /// Whether the board has a hardware watchdog; `nil` if the file does not say.
    public var hasWatchdog: Bool?
    /// Whether the board has a hardware source of random numbers; `nil` if the file does not say.
    public var hasRandomness: Bool?
    /// The least memory of the board, in MiB, 32 to 1,048,576; `nil` if the file does not say.
    public var memory: Int64?
    /// The board profile that fits the board: `token`, `kiosk`, or a path; 1 to 200 bytes without control
    /// characters, not looked up here. `nil` if the file does not say.
    public var profile: String?

    /// The largest number of lights of a board: our own bound.
    public static let mostLights = 8
    /// The largest size of a file in bytes: our own bound. A larger file is refused without being parsed.
    public static let maximumByteCount = 65_536

    /// The reason why a file is refused: all problems, each with its place.
    public struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        /// One to 32 sentences, one for each problem, with the path of the field if the problem is about one.
        public let problems: [String]
        /// All problems in one line, for the command line. Unknown field names are cut and shown in ASCII.
        public var description: String { problems.joined(separator: "; ") }
    }

    /// Reads a board's file in JSON. Throws a ``Refusal`` with up to 32 problems: more than ``maximumByteCount``
    /// bytes, malformed JSON, nesting of more than 12 levels, fields that are out of range, unknown fields below
    /// `hardware`, and a line that appears twice. `name`, `title`, `architecture` and `radio.transport` must be
    /// there; `hardware` may be missing. Unknown fields elsewhere are ignored.
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
