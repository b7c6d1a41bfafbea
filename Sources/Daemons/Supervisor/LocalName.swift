// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// The name under which a board can be found in a local network by multicast DNS (RFC 6762): the file `name` of the folder
/// `provision`, one line such as `vg-7k3m-q0r1x` or `vigil-q7m2xa setup`.
public struct LocalName: Hashable, Sendable {
    /// The most bytes that the file may have: 64, our own choice.
    public static let maximumByteCount = 64

    /// The most characters of a name: 32. A label of DNS may have 63 (RFC 1035, section 2.3.4); people have to type this one.
    public static let maximumLength = 32

    /// The name without `.local`: 1 to ``maximumLength`` small letters, digits and dashes, with no dash at either end.
    public let name: String
    /// Whether the board has the name only while it is being set up: for an hour in each of its first five starts with the
    /// card. Otherwise it has it as long as the card holds.
    public let isForSetup: Bool

    /// The reason why a file is not a name. The texts are parts of the file; only ``description`` makes them printable.
    public enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The file has no word in it.
        case empty
        /// The file has more than one line, or more than ``LocalName/maximumByteCount`` bytes.
        case tooMuch
        /// The name, given here, ends with `.local`, which the board adds by itself.
        case ending(String)
        /// The name, given here, has more than ``LocalName/maximumLength`` characters.
        case long(String)
        /// The name, given here, has other characters than small letters, digits and dashes, or a dash at one end.
        case characters(String)
        /// After the name comes another word than `setup`, given here.
        case word(String)

        /// An English sentence for the operator: what is wrong, and what would be right.
        public var description: String {
            switch self {
            case .empty: "there is no name in it; write one such as vigil-hall, or remove the file"
            case .tooMuch: "it has more than one short line; write the name alone, such as vigil-hall"
            case .ending(let name): "“\(Self.quoted(name))” ends with .local, which the board adds by itself; leave it out"
            case .long(let name): "“\(Self.quoted(name))” is longer than \(LocalName.maximumLength) characters"
            case .characters(let name):
                "“\(Self.quoted(name))” is no name for a network; use small letters a to z, digits, and dashes in between"
            case .word(let word):
                "after the name comes “\(Self.quoted(word))”; only the word setup may follow, and it means for setting up only"
            }
        }

        private static func quoted(_ text: String) -> String { ForeignText.line(text, limit: 40) }
    }

    /// Reads the content of the file: a name, and after one blank perhaps `setup`. A line end is fine, that of Windows too.
    /// Throws the first ``Fault`` that is found.
    public init(parsing bytes: [UInt8]) throws(Fault) {
        guard bytes.count <= Self.maximumByteCount else { throw .tooMuch }
        var line = bytes.filter { $0 != UInt8(ascii: "\r") }
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        guard !line.contains(UInt8(ascii: "\n")) else { throw .tooMuch }
        guard let blank = line.firstIndex(of: UInt8(ascii: " ")) else {
            (name, isForSetup) = (try Self.checked(line), false)
            return
        }
        name = try Self.checked(Array(line[..<blank]))
        let word = String(decoding: line[(blank + 1)...], as: UTF8.self)
        guard word == "setup" else { throw .word(word) }
        isForSetup = true
    }

    private static func checked(_ bytes: [UInt8]) throws(Fault) -> String {
        guard !bytes.isEmpty else { throw .empty }
        let text = String(decoding: bytes, as: UTF8.self)
        guard !text.lowercased().hasSuffix(".local") else { throw .ending(text) }
        let dash = UInt8(ascii: "-")
        let isRight = bytes.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || $0 == dash
        }
        guard isRight, bytes.first != dash, bytes.last != dash else { throw .characters(text) }
        guard bytes.count <= maximumLength else { throw .long(text) }
        return text
    }
}
