// SPDX-License-Identifier: Apache-2.0

extension TextCatalog {
    /// A line in a file of texts that breaks a rule of the format.
    public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        /// The line's number, from 1; 1 also for a fault of the whole file.
        public let line: Int
        /// The broken rule, in an English sentence for the file's author.
        public let reason: String

        /// The line's number and the reason, on one line.
        public var description: String { "line \(line): \(reason)" }
    }

    /// The error for a file of texts, with all of its problems.
    public struct Problems: Error, Sendable, CustomStringConvertible {
        /// The language of the file.
        public let language: Language
        /// The problems, at least one: in the order of lines, then `[one]` forms without an `[other]`.
        public let problems: [Problem]

        /// The file's name and all problems on one line, for logs; of the file's content it contains only the names of
        /// texts.
        public var description: String {
            var text = "texts/\(language.rawValue).txt:"
            for problem in problems { text += " " + problem.description + ";" }
            return text
        }
    }

    /// The most bytes of a file that is read: 512 KiB, our choice, about six times the largest of the pages' own
    /// files.
    public static let largestFile = 512 * 1_024

    /// Reads a file of texts (Plugins/WebUI/texts/README.md), in UTF-8. `behind` provides the texts that the file lacks;
    /// `nil` for none.
    ///
    /// - Throws: ``Problems`` with every line that breaks a rule; or with one problem if the file is larger than
    ///   ``largestFile`` or is not UTF-8.
    public static func parse(_ bytes: [UInt8], language: Language, behind: TextCatalog? = nil) throws -> TextCatalog {
        var templates: [String: Template] = [:]
        var problems: [Problem] = []
        guard bytes.count <= largestFile else {
            throw Problems(language: language, problems: [Problem(line: 1, reason: "the file is too large")])
        }
        guard let file = String(validating: bytes, as: UTF8.self) else {
            throw Problems(language: language, problems: [Problem(line: 1, reason: "the file is not UTF-8")])
        }
        // By bytes: the end of a line in Windows' manner would be one character.
        let lines = file.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, raw) in lines.enumerated() {
            let line = trimmed(Substring(raw))
            guard !line.isEmpty, line.first != "#" else { continue }
            switch entry(line) {
            case .success(let (key, template)):
                if templates.updateValue(template, forKey: key) != nil {
                    problems.append(Problem(line: index + 1, reason: "\(key) is there twice"))
                }
            case .failure(let fault):
                problems.append(Problem(line: index + 1, reason: fault.reason))
            }
        }
        for key in templates.keys.sorted() where key.hasSuffix("[one]") {
            if templates[key.dropLast(5) + "[other]"] == nil {
                problems.append(Problem(line: 1, reason: "\(key) has no [other] beside it"))
            }
        }
        guard problems.isEmpty else { throw Problems(language: language, problems: problems) }
        return TextCatalog(language: language, templates: templates, behind: behind)
    }

    struct Fault: Error { let reason: String }

    private static func entry(_ line: Substring) -> Result<(String, Template), Fault> {
        guard let equals = line.firstIndex(of: "=") else { return .failure(Fault(reason: "there is no = after the name")) }
        let key = String(trimmed(line[..<equals]))
        guard isKey(key) else {
            return .failure(Fault(reason: "names are words of letters, digits and dashes with dots between them"))
        }
        let value = String(trimmed(line[line.index(after: equals)...]))
        guard !value.isEmpty else { return .failure(Fault(reason: "\(key) says nothing")) }
        guard let template = template(value) else {
            return .failure(
                Fault(reason: "\(key): { and } enclose the name of a value, and a text has no invisible characters"))
        }
        return .success((key, template))
    }

    /// `nil` where braces do not match, enclose no name, or there are controls.
    static func template(_ value: String) -> Template? {
        var pieces: [Template.Piece] = []
        var constant = ""
        var name: String?
        for character in value {
            switch (character, name) {
            case ("{", nil):
                if !constant.isEmpty { pieces.append(.text(constant)) }
                constant = ""
                name = ""
            case ("}", let present?):
                guard !present.isEmpty, present.utf8.allSatisfy(isLetter) else { return nil }
                pieces.append(.value(present))
                name = nil
            case ("{", _?), ("}", nil): return nil
            case (_, nil):
                guard character.unicodeScalars.allSatisfy(isVisible) else { return nil }
                constant.append(character)
            case (_, _?): name?.append(character)
            }
        }
        guard name == nil else { return nil }
        if !constant.isEmpty { pieces.append(.text(constant)) }
        return Template(pieces: pieces)
    }

    private static func isKey(_ key: String) -> Bool {
        var stem = Substring(key)
        for form in ["[one]", "[other]"] where stem.hasSuffix(form) { stem = stem.dropLast(form.count) }
        let words = stem.split(separator: ".", omittingEmptySubsequences: false)
        return words.count >= 2
            && words.allSatisfy { word in
                !word.isEmpty
                    && word.utf8.allSatisfy { isLetter($0) || $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    /// Nothing that is not seen, and nothing that turns the direction of what follows. A soft hyphen helps long words.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFFD: false
        default: true
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" || character == "\r" }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }
}
