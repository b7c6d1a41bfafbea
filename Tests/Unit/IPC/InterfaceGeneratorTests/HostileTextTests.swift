// SPDX-License-Identifier: Apache-2.0

import InterfaceGenerator
import RandomValues
import Testing
import Varlink

/// Texts at random. What is accepted is written down whole; everything else is refused with its place.
@Suite struct HostileTextTests {
    /// What a program would be given of a generated file: the text between its fences.
    private func embedded(_ file: String) throws -> String {
        let begin = try #require(file.firstRange(of: "public static let text =\n")).upperBound
        let fence = file[begin...].prefix { $0 == "#" }
        let open = file.index(begin, offsetBy: fence.count + 4)
        let end = try #require(file[open...].firstRange(of: "\n\"\"\"\(fence)\n")).lowerBound
        let text = String(file[open..<end])
        #expect(!text.contains("\"\"\"\(fence)") && !text.contains("\\\(fence)"), "Swift would read it otherwise")
        return text
    }

    private func judge(_ text: String) throws -> Bool {
        do {
            let files = try Sample.files(text)
            let interface = try InterfaceDescription(parsing: text)
            #expect(try embedded(files[0].text) == text)
            for method in interface.methods {
                #expect(files[0].text.contains(" = \"\(method.name)\"\n"))
                // Nothing is a default.
                for name in ["roles", "results"] { #expect(method.annotations.count { $0.name == name } == 1, "\(text)") }
            }
            return true
        } catch let failure as GenerationFailure {
            // The parser counts as terminals do.
            let lines = text.unicodeScalars.count { "\n\r\u{2028}".unicodeScalars.contains($0) } + 1
            #expect(!failure.problems.isEmpty)
            for problem in failure.problems {
                #expect((1...lines).contains(problem.line) && !problem.advice.isEmpty, "\(problem)")
            }
            return false
        }
    }

    @Test func aTextThatLostOrGainedALineIsWholeOrRefused() throws {
        let lines = Sample.text.split(separator: "\n", omittingEmptySubsequences: false)
        var accepted = 0
        for index in lines.indices {
            for change in ["", "# @roles wearer", "# @exclusive", "# Words.", "\\#(x)", "\"\"\""] {
                var other = lines.map(String.init)
                if change.isEmpty { other.remove(at: index) } else { other.insert(change, at: index) }
                if try judge(other.joined(separator: "\n")) { accepted += 1 }
            }
        }
        #expect(accepted > lines.count / 2)
    }

    @Test func pieceByPieceNothingIsTakenThatIsNotWhole() throws {
        let pieces = [
            "# ", "@roles", " wearer", " technician", " none", "\n", "\n\n", "@results", " nothing", " windows", "method ",
            "A",
            "B", "() -> ()",
            "type ", "(", ")", "a: int", "#", "@", "\"\"\"", "\\#(", "\r", "\u{0}", "\u{2028}", "é", "[]", "?", "error ",
            "@exclusive",
        ]
        var dice = SeededGenerator(seed: 22)
        var accepted = 0
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...30, using: &dice)
            let tail = (0..<count).map { _ in pieces.randomElement(using: &dice) ?? "" }.joined()
            // One in two begins as a text does.
            let head = Bool.random(using: &dice) ? "# @server core\ninterface org.vigil.sample1\n" : ""
            if try judge(head + tail) { accepted += 1 }
        }
        #expect(accepted > 0)
    }

    @Test func whatStandsInCommentsCannotEndTheLiteral() throws {
        for comment in ["\"\"\"", "\"\"\"#", "\\#(1)", "\\(1)", "\"\"\"##\\###n", "\\", "\\#"] {
            #expect(try judge(try Sample.changed("For tests.", to: "For \(comment)")), "\(comment)")
        }
    }
}
