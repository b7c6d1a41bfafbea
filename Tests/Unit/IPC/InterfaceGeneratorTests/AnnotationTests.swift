// SPDX-License-Identifier: Apache-2.0

import InterfaceGenerator
import Testing

/// What annotations say, and what is refused of them. Nothing is a default: a method that says too little gets into no program.
@Suite struct AnnotationTests {
    @Test func whatTheTextSaysIsTheLaw() throws {
        let files = try Sample.files()
        #expect(files.map(\.name) == ["org.vigil.sample1.swift", "CoreMethod.swift", "InterfaceTexts+All.swift"])
        for line in [
            "case .getBattery: Law([.technicianReadOnly, .technician], .nothing)",
            "case .getMeetings: Law([.wearer], .windows)",
            "case .take: Law([], .nothing, isAboutConsents: true, isExclusive: true)", "case getBattery = \"GetBattery\"",
            "case .own: [.wearer]", "case .all: [.wearer, .technician]", "/// How full the battery is.",
        ] {
            #expect(files[0].text.contains(line), "\(line)")
        }
        #expect(!files[0].text.contains("/// @"), "annotations are no documentation")
        #expect(files[1].text.contains("case sample1(Sample1.Method)"))
    }

    @Test func whatAFleetMayGiveIsInTheLaw() throws {
        let text = try Sample.changed("technician\n# @results nothing\n", to: "technician\n# @results nothing\n# @fleet\n")
        let files = try Sample.files(text)
        #expect(
            files[0].text.contains(
                "case .getBattery: Law([.technicianReadOnly, .technician], .nothing, isForFleets: true)"))
        #expect(
            files[2].text.contains("case Sample1.Method.interface: return Sample1.Method(rawValue: name)"))
    }

    @Test func whatAPlaceAddsIsInTheLaw() throws {
        let text = try Sample.changed(
            "# @roles technicianReadOnly technician\n", to: "# @roles technicianReadOnly\n# @place technician\n")
        #expect(
            try Sample.files(text)[0].text.contains(
                "case .getBattery: Law([.technicianReadOnly], .nothing, inPlaces: [.technician])"))
    }

    @Test(arguments: ["egress", "plugin"]) func whatTheCoreDoesNotAnswerIsNotAmongItsMethods(server: String) throws {
        let files = try Sample.files(try Sample.changed("@server core", to: "@server \(server)"))
        #expect(!files[1].text.contains("sample1"))
        #expect(files[2].text.contains("Sample1.Method.interface: Sample1.text,"))
    }

    /// One thing wrong, where it is reported, and what the advice says.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let place, replacement: String
        let line: Int
        let advice: String
        var testDescription: String { "\(place.debugDescription) is \(replacement.debugDescription)" }
    }

    static let mistakes = [
        // A method that says nothing, or not everything.
        Mistake(
            place: "# @roles technicianReadOnly technician\n# @results nothing\n", replacement: "", line: 31,
            advice: "`# @roles wearer technician`"),
        Mistake(
            place: "# @roles technicianReadOnly technician\n", replacement: "", line: 32,
            advice: "GetBattery must say who may call it"),
        Mistake(
            place: "technician\n# @results nothing\n", replacement: "technician\n", line: 32,
            advice: "GetBattery must say which results of matching its answers tell: write `# @results nothing`"),
        // Words that are not known.
        Mistake(
            place: "technicianReadOnly technician", replacement: "technicianReadOnly carer", line: 33,
            advice: "carer is no role"),
        Mistake(
            place: "technicianReadOnly technician", replacement: "none technician", line: 33, advice: "none is no role"),
        Mistake(
            place: "technicianReadOnly technician", replacement: "technicianReadOnly technicianReadOnly", line: 33,
            advice: "write each role that may once"),
        Mistake(
            place: " technicianReadOnly technician", replacement: "", line: 33,
            advice: "write each role that may once, or none"),
        Mistake(place: "@results nothing", replacement: "@results some", line: 33, advice: "`# @results nothing`"),
        Mistake(
            place: "@results nothing", replacement: "@results nothing windows", line: 33, advice: "`# @results nothing`"),
        Mistake(
            place: "@consents", replacement: "@consent", line: 51, advice: "@consent means nothing here: known are @roles"),
        Mistake(place: "@exclusive", replacement: "@exclusive yes", line: 51, advice: "nothing may follow @exclusive"),
        // What a place adds.
        Mistake(
            place: "technician\n# @results nothing\n", replacement: "technician\n# @place technician\n# @results nothing\n",
            line: 34, advice: "technician may call it everywhere"),
        Mistake(
            place: "technicianReadOnly technician", replacement: "technicianReadOnly\n# @place wearer", line: 34,
            advice: "a place has no wearer"),
        Mistake(
            place: "technicianReadOnly technician", replacement: "technicianReadOnly\n# @place none", line: 34,
            advice: "a place has no wearer"),
        Mistake(
            place: "technicianReadOnly technician", replacement: "technicianReadOnly\n# @place nobody", line: 34,
            advice: "whoever has not signed in gets no more"),
        Mistake(
            place: "technicianReadOnly technician", replacement: "technicianReadOnly\n# @place", line: 34,
            advice: "write each role that may once, or none"),
        Mistake(
            place: "technicianReadOnly technician", replacement: "technicianReadOnly\n# @place host", line: 34,
            advice: "host is no role"),
        Mistake(
            place: "# @roles wearer\n# @results windows\nmethod",
            replacement: "# @roles wearer\n# @place technician\n# @results windows\nmethod", line: 42,
            advice: "take technician out of its roles"),
        // What a fleet's configuration may give.
        Mistake(
            place: "technician\n# @results nothing\n", replacement: "technician\n# @results nothing\n# @fleet all\n",
            line: 34, advice: "nothing may follow @fleet"),
        Mistake(
            place: "# @exclusive", replacement: "# @fleet", line: 51, advice: "is about consents, so only a card grants it"),
        Mistake(
            place: "# @consents\n", replacement: "# @fleet\n", line: 51,
            advice: "is for one caller of a board alone, so only a card grants it"),
        Mistake(
            place: "# @results windows\nmethod", replacement: "# @results windows\n# @fleet\nmethod", line: 42,
            advice: "tells results of matching, so only a card grants it"),
        Mistake(
            place: "# @roles technicianReadOnly technician\n# @results nothing\n",
            replacement: "# @roles wearer\n# @results nothing\n# @fleet\n", line: 34, advice: "is the wearer's alone"),
        Mistake(place: "@roles none", replacement: "@roles none\n# @roles wearer", line: 52, advice: "more than once"),
        // Results in the hands of others.
        Mistake(
            place: "# @roles wearer\n# @results windows\nmethod",
            replacement: "# @roles wearer\n# @results nothing\nmethod", line: 41,
            advice: "GetMeetings returns Meeting, which tells windows"),
        Mistake(
            place: "# @roles wearer\n# @results windows\nmethod",
            replacement: "# @roles wearer\n# @results summaries\nmethod",
            line: 41, advice: "which tells windows: write `# @results windows`"),
        Mistake(
            place: "# @roles wearer\n# @results windows\nmethod",
            replacement: "# @roles wearer technicianReadOnly\n# @results windows\nmethod",
            line: 41, advice: "take technicianReadOnly out of its roles"),
        Mistake(
            place: "# @results windows\ntype", replacement: "# @results nothing\ntype", line: 19,
            advice: "or nothing at all"),
        // Who answers.
        Mistake(place: "# @server core\n", replacement: "", line: 4, advice: "write `# @server core`, or egress or plugin"),
        Mistake(place: "@server core", replacement: "@server board", line: 5, advice: "must say once who answers it"),
        Mistake(place: "@server core", replacement: "@server core plugin", line: 5, advice: "must say once who answers it"),
        // Words of an enumeration.
        Mistake(
            place: "  # @roles wearer\n  own", replacement: "  own", line: 8, advice: "Purpose.own must have `# @roles`"),
        Mistake(place: "wearer technician\n", replacement: "wearer nurse\n", line: 8, advice: "nurse is no role"),
        // Where nobody reads them.
        Mistake(
            place: "@exclusive\n", replacement: "@exclusive\n\n# Takes.\n# @roles none\n# @results nothing\n", line: 47,
            advice: "stands above nothing: take away the empty line"),
        Mistake(
            place: "  # Percent.", replacement: "  # Percent.\n  # @roles technician", line: 33,
            advice: "@roles means nothing here"),
        Mistake(
            place: "  # Which day.", replacement: "  # @results windows", line: 19, advice: "@results means nothing here"),
        Mistake(
            place: "# It failed.", replacement: "# It failed.\n# @roles technician", line: 58,
            advice: "@roles means nothing here"),
        Mistake(place: "# @exclusive", replacement: "#  @exclusive", line: 50, advice: "one space before the @"),
        Mistake(place: "# @exclusive", replacement: "#@exclusive", line: 50, advice: "one space before the @"),
        Mistake(place: "# @exclusive", replacement: "## @exclusive", line: 50, advice: "one space before the @"),
        Mistake(place: "charge: int", replacement: "charge: int # @exclusive", line: 35, advice: "a line of its own"),
        // What is no interface, or another one.
        Mistake(place: "method Take(", replacement: "method take(", line: 51, advice: "capital letter"),
        Mistake(place: "[]Meeting", replacement: "[]Meetings", line: 27, advice: ""),
        Mistake(place: "org.vigil.sample1", replacement: "org.vigil.sample2", line: 1, advice: "org.vigil.sample2.varlink"),
        Mistake(place: "For tests.", replacement: "For\r tests.", line: 1, advice: "control character"),
    ]

    @Test(arguments: mistakes) func aMistakeIsNamedWithItsLine(mistake: Mistake) throws {
        let problems = try Sample.problems(try Sample.changed(mistake.place, to: mistake.replacement))
        let found = problems.contains {
            $0.line == mistake.line && $0.advice.contains(mistake.advice) && $0.path == Sample.path
        }
        #expect(found, "\(problems)")
        #expect(problems.first?.description.hasPrefix("\(Sample.path):") ?? false, "an editor finds the place")
    }

    @Test func onlyTheCoreKnowsWhetherItIsAPlace() throws {
        let text = try Sample.changed(
            "# @roles technicianReadOnly technician\n", to: "# @roles technicianReadOnly\n# @place technician\n")
        for server in ["egress", "plugin"] {
            let problems = try Sample.problems(text.replacing("@server core", with: "@server \(server)"))
            #expect(problems.contains { $0.line == 34 && $0.advice.contains("only the core knows") }, "\(problems)")
        }
    }

    @Test func everythingThatIsWrongIsReportedAtOnce() throws {
        let text = Sample.text.replacing("# @roles none\n", with: "").replacing("technicianReadOnly", with: "looker")
        #expect(try Sample.problems(text).count == 2)
    }

    @Test func twoTextsOfOneNameAreRefused() throws {
        let text = InterfaceText(path: Sample.path, text: Sample.text)
        #expect(throws: GenerationFailure.self) { try InterfaceGenerator.generate([text, text]) }
    }
}
