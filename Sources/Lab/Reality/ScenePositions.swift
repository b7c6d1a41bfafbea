// SPDX-License-Identifier: Apache-2.0

import CZip
import CivilTime
public import CommandFiles

/// Where everybody stood in one scene, by video, 24 times a second (spec reality, section 4).
public struct ScenePositions: Sendable {
    /// The published scenes with positions; the names are this project's.
    public enum Name: String, Sendable, CaseIterable {
        case lunch, train, office, movement

        /// The archive and the file in it that have the positions.
        var place: (archive: String, entry: String) {
            switch self {
            case .lunch: ("0_lunch.zip", "0_lunch/lunch.json")
            case .train: ("1_train.zip", "1_train/train.json")
            case .office: ("2_coworking.zip", "2_coworking/coworking.json")
            case .movement: ("5_moving.zip", "5_moving/moving.json")
            }
        }
    }

    /// The times of the frames in microseconds since 1970, rising.
    public let times: [Int64]
    /// For each person by number, x and y in metres in each frame; not a number where the person was not seen.
    let places: [Int: [SIMD2<Double>]]

    /// The numbers of the people who were seen.
    public var people: Set<Int> { Set(places.keys) }
    /// The seconds that a frame stands for.
    public static let frameSeconds = 1.0 / 24

    /// Creates positions of these parts. Every list of places must be as long as `times`, which must rise; not checked.
    init(times: [Int64], places: [Int: [SIMD2<Double>]]) { (self.times, self.places) = (times, places) }

    /// Reads a scene from `folder` (`computer-vision` of the published data). Its clock is `clockOffset` seconds ahead of UTC.
    /// Throws `InputError` if the archive cannot be read, or its file is not of the published form.
    public init(_ name: Name, folder: String, clockOffset: Int64) throws(InputError) {
        let path = "\(folder)/\(name.place.archive)"
        var scanner = PositionScanner(path: path, try ZipEntry(archive: path, entry: name.place.entry))
        var (times, places): ([Int64], [Int: [SIMD2<Double>]]) = ([], [:])
        try scanner.read(
            times: { times.append($0 - clockOffset * 1_000_000) }, place: { places[$0, default: []].append($1) })
        guard !times.isEmpty, places.values.allSatisfy({ $0.count == times.count }),
            zip(times, times.dropFirst()).allSatisfy(<)
        else { throw InputError(file: path, "has not as many places of each person as times that rise") }
        self.init(times: times, places: places)
    }

    /// The distance in metres between two people in a frame; `nil` if one was not seen.
    public func distance(_ left: Int, _ right: Int, frame: Int) -> Double? {
        guard let one = places[left]?[frame], let other = places[right]?[frame] else { return nil }
        let step = one - other
        let distance = (step.x * step.x + step.y * step.y).squareRoot()
        return distance.isNaN ? nil : distance
    }

    /// The frame nearest to `time`, in microseconds since 1970; `nil` before the first and after the last.
    public func frame(at time: Int64) -> Int? {
        guard let first = times.first, let last = times.last, (first...last).contains(time) else { return nil }
        var (low, high) = (0, times.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < time { low = middle + 1 } else { high = middle }
        }
        return low > 0 && time - times[low - 1] < times[low] - time ? low - 1 : low
    }

    /// The seconds that both were seen, and for each of `limits`, in metres, those within it.
    public func seconds(_ left: Int, _ right: Int, within limits: [Double]) -> (seen: Double, near: [Double]) {
        guard let one = places[left], let other = places[right] else { return (0, limits.map { _ in 0 }) }
        var seen = 0
        var near = limits.map { _ in 0 }
        let squares = limits.map { $0 * $0 }
        for frame in times.indices {
            let step = one[frame] - other[frame]
            let square = step.x * step.x + step.y * step.y
            guard !square.isNaN else { continue }
            seen += 1
            for index in squares.indices where square <= squares[index] { near[index] += 1 }
        }
        return (Double(seen) * Self.frameSeconds, near.map { Double($0) * Self.frameSeconds })
    }
}

/// An entry of an archive, read in pieces.
final class ZipEntry {
    private let path: String
    private let archive: OpaquePointer
    private let file: OpaquePointer
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var (position, end) = (0, 0)

    init(archive path: String, entry: String) throws(InputError) {
        self.path = path
        guard let archive = zip_open(path, ZIP_RDONLY, nil) else { throw InputError(file: path, "is no readable archive") }
        guard let file = zip_fopen(archive, entry, 0) else {
            zip_discard(archive)
            throw InputError(file: path, "has no \(entry)")
        }
        (self.archive, self.file) = (archive, file)
    }

    deinit {
        zip_fclose(file)
        zip_discard(archive)
    }

    /// The next byte; `nil` at the end.
    func next() throws(InputError) -> UInt8? {
        if position == end {
            let count = zip_fread(file, &buffer, UInt64(buffer.count))
            guard count >= 0 else { throw InputError(file: path, "is damaged") }
            (position, end) = (0, Int(count))
            if count == 0 { return nil }
        }
        defer { position += 1 }
        return buffer[position]
    }
}

/// Reads the one form that files with positions have, without holding them: an object of lists, `datetime` of texts, the
/// others, numbers of people, of `null` or three numbers.
struct PositionScanner {
    private static let maximumWordBytes = 64
    private static let maximumElements = 500_000

    private let path: String
    private let source: ZipEntry
    private var current: UInt8?

    init(path: String, _ source: ZipEntry) { (self.path, self.source) = (path, source) }

    mutating func read(times: (Int64) -> Void, place: (Int, SIMD2<Double>) -> Void) throws(InputError) {
        current = try source.next()
        try expect("{")
        repeat {
            let name = try text()
            try expect(":")
            try expect("[")
            var count = 0
            repeat {
                count += 1
                guard count <= Self.maximumElements else { throw refusal("a list is too long") }
                if name == "datetime" {
                    guard let time = Self.time(try text()) else { throw refusal("a time is none") }
                    times(time)
                } else {
                    guard let person = Int(name) else { throw refusal("\(name) is no number of a person") }
                    place(person, try position())
                }
            } while try takes(",")
            try expect("]")
        } while try takes(",")
        try expect("}")
    }

    /// `null`, or x, y and z, of which the third is left out.
    private mutating func position() throws(InputError) -> SIMD2<Double> {
        guard try takes("[") else {
            guard try word() == "null" else { throw refusal("a place is neither null nor a list") }
            return SIMD2(.nan, .nan)
        }
        var numbers: [Double] = []
        repeat {
            guard let number = Double(try word()), number.isFinite, numbers.count < 3 else {
                throw refusal("a place is none")
            }
            numbers.append(number)
        } while try takes(",")
        try expect("]")
        guard numbers.count == 3 else { throw refusal("a place has not three numbers") }
        return SIMD2(numbers[0], numbers[1])
    }

    private mutating func skipSpace() throws(InputError) {
        while let byte = current, byte == 0x20 || (0x09...0x0D).contains(byte) { current = try source.next() }
    }

    private mutating func takes(_ mark: Unicode.Scalar) throws(InputError) -> Bool {
        try skipSpace()
        guard current == UInt8(ascii: mark) else { return false }
        current = try source.next()
        return true
    }

    private mutating func expect(_ mark: Unicode.Scalar) throws(InputError) {
        guard try takes(mark) else { throw refusal("\(mark) is missing") }
    }

    private mutating func text() throws(InputError) -> String {
        try expect("\"")
        var bytes: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\""), bytes.count < Self.maximumWordBytes {
            bytes.append(byte)
            current = try source.next()
        }
        try expect("\"")
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func word() throws(InputError) -> String {
        try skipSpace()
        var bytes: [UInt8] = []
        while let byte = current, bytes.count < Self.maximumWordBytes, byte > 0x20, byte != UInt8(ascii: ","),
            byte != UInt8(ascii: "]")
        {
            bytes.append(byte)
            current = try source.next()
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func refusal(_ message: String) -> InputError { InputError(file: path, "is not as published: \(message)") }

    /// `2020-07-30 14:49:15.856667`, also without a fraction, in microseconds since 1970.
    static func time(_ text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let date = CivilDate(isoText: parts[0]) else { return nil }
        let clock = parts[1].split(separator: ":")
        guard clock.count == 3, let hour = Int64(clock[0]), let minute = Int64(clock[1]), (0..<24).contains(hour),
            (0..<60).contains(minute)
        else { return nil }
        let seconds = clock[2].split(separator: ".")
        guard let second = seconds.first.flatMap({ Int64($0) }), (0..<60).contains(second), seconds.count <= 2 else {
            return nil
        }
        var fraction: Int64 = 0
        if seconds.count == 2 {
            guard seconds[1].utf8.count == 6, let micros = Int64(seconds[1]), micros >= 0 else { return nil }
            fraction = micros
        }
        return (date.dayNumber * UTCDay.seconds + hour * 3_600 + minute * 60 + second) * 1_000_000 + fraction
    }
}
