// SPDX-License-Identifier: Apache-2.0

import Interfaces
import SelfCheck
import Testing
import WebPagesGallery

@testable import WebPages

/// The self-check's words and its verdict.
@Suite struct HealthTests {
    @Test func theConsoleSaysWhatThePageSays() throws {
        let english = try Files.catalog(.english)
        for finding in Finding.allCases {
            #expect(finding.words.title == english.text("tech.finding.title.\(finding.rawValue)"))
            #expect(finding.words.meaning == english.text("tech.finding.meaning.\(finding.rawValue)"))
            #expect(finding.words.fix == english.text("tech.finding.fix.\(finding.rawValue)"))
        }
    }

    @Test func theDocumentationKnowsEachFinding() {
        let page = String(decoding: Files.read("docs/health.md"), as: UTF8.self)
        for finding in Finding.allCases {
            #expect(finding.documentation == "docs/health.md#\(finding.rawValue)")
            #expect(page.contains("\n### \(finding.rawValue)\n\n\(finding.words.title) (\(finding.severity.rawValue)"))
            #expect(page.contains(finding.words.fix))
        }
    }

    @Test func whatHappenedToTheBoardIsFound() {
        func room(_ free: UInt64, of size: UInt64) -> (inout CheckInputs) -> Void {
            return {
                $0.storage?.freeByteCount = free
                $0.storage?.byteCount = size
            }
        }
        func certificate(from first: Int64, to last: Int64) -> (inout CheckInputs) -> Void {
            return {
                let now = $0.now ?? 0
                $0.processes?.processes[2].certificates = [
                    Technician1.Certificate(name: "client", notBefore: now + first * 86_400, notAfter: now + last * 86_400)
                ]
            }
        }
        func empty(reachedAt time: Int64?) -> (inout CheckInputs) -> Void {
            return {
                $0.freshness?.sources[0].newestEnd = nil
                $0.freshness?.sources[0].packageCount = 0
                $0.freshness?.sources[0].lastSuccess = time
            }
        }
        func configuration(
            _ held: Int64?, _ trial: Int64?, _ takenBack: Int64?, refused: String? = nil
        ) -> (inout CheckInputs) -> Void {
            return {
                $0.configuration = Trust1.ConfigurationReply(
                    version: held, trial: trial, secondsLeft: trial, takenBack: takenBack,
                    reason: takenBack.map { _ in "x" },
                    refused: nil, refusedReason: refused)
            }
        }
        let cases: [([Finding], (inout CheckInputs) -> Void)] = [
            ([.endedUnexpectedly], { $0.processes?.lastEnd = "killed" }),
            ([.powerLost], { $0.processes?.lastEnd = "powerLost" }),
            ([], { $0.processes?.lastEnd = "inOrder" }),
            ([], { $0.processes?.lastEnd = "a word of tomorrow" }),
            ([.partitionMended], { $0.processes?.partitions = ["keys": "good", "data": "mended"] }),
            ([.partitionAnew], { $0.processes?.partitions = ["data": "made anew: what was there could not be read"] }),
            ([.partitionInMemory], { $0.processes?.partitions = ["data": "missing: there is none"] }),
            ([.partitionInMemory], { $0.processes?.partitions = ["keys": "broken: it cannot be formatted"] }),
            ([], { $0.processes?.partitions = ["data": "", "keys": "::", "more": "good: made at the first start"] }),
            ([.partRestarted], { $0.processes?.processes[0].restarts = 1 }),
            ([], { $0.processes?.processes[2].restarts = 1 }),
            ([.pluginRestarts], { $0.processes?.processes[2].restarts = 3 }),
            ([.systemClockOff], { $0.time?.systemOffset = -1_700_000_000 }),
            ([], { $0.time?.systemOffset = 599 }),
            ([], { $0.processes?.battery = Technician1.Battery(percent: 50, powered: false, low: false) }),
            ([.batteryLow], { $0.processes?.battery = Technician1.Battery(percent: 9, powered: false, low: true) }),
            ([.certificateExpiring], certificate(from: -9, to: 20)),
            ([.certificateExpiring], certificate(from: -9, to: -1)),
            ([.certificateExpiring], certificate(from: 1, to: 99)), ([], certificate(from: -9, to: 22)),
            (
                [],
                {
                    // Without the time nobody knows; while it is not confirmed the clock may be behind.
                    certificate(from: -9, to: 1)(&$0)
                    $0.now = nil
                }
            ), ([.timeRefused], { $0.time?.refused = "The network is not believed." }),
            ([.diskNearlyFull], room(9, of: 100)), ([], room(10, of: 100)), ([.diskNearlyFull], room(0, of: 1 << 40)),
            ([], configuration(1, nil, nil)), ([], configuration(2, nil, 1)),
            ([.configurationOnTrial], configuration(1, 2, nil)), ([.configurationTakenBack], configuration(1, nil, 2)),
            ([.configurationTakenBack], configuration(nil, nil, 1, refused: "it was taken back")),
            ([.configurationOnTrial], configuration(1, 3, 2)),
            ([.configurationRefused], configuration(1, nil, nil, refused: "no")),
            ([.configurationRefused], configuration(nil, nil, nil, refused: "no")),
            // A server that has published nothing yet has no fault; one that nobody has reached may have one.
            ([.sourceEmpty], empty(reachedAt: 1)), ([.neverCompared], empty(reachedAt: nil)),
        ]
        var sound = Samples.checks(trouble: false)
        sound.auditIsIntact = true
        let before = SelfCheck.run(sound)
        for (number, (wanted, change)) in cases.enumerated() {
            var inputs = sound
            change(&inputs)
            let found = SelfCheck.run(inputs).filter { !before.contains($0) }
            #expect(found.map(\.finding) == wanted, "case \(number)")
        }
    }

    /// Offsets and times come from servers by way of a plugin: whatever they are, the check ends.
    @Test(arguments: [Int64.min, .min + 1, -1, 0, .max])
    func anyNumberIsJudged(number: Int64) throws {
        var inputs = Samples.checks(trouble: false)
        inputs.time?.systemOffset = number
        inputs.freshness?.clockOffset = number
        try #require(inputs.freshness?.sources.isEmpty == false)
        inputs.freshness?.sources[0].newestEnd = number
        inputs.now = 1_800_000_000
        let found = Set(SelfCheck.run(inputs).map(\.finding))
        let isFar = number.magnitude > 1
        #expect(found.contains(.systemClockOff) == isFar && found.contains(.clockOffset) == isFar)
        #expect(found.contains(.keysOld) == (number < .max), "\(found)")
    }

    /// Somebody jams, or the receiver is deaf: of ten scans nine heard nothing, and there were enough of them to say so.
    /// A place compares no keys; that a source does not answer is told there, too, because its time comes from it.
    @Test func aPlaceHearsNothingOfKeys() {
        let ofKeys: Set<Finding> = [
            .noSources, .sourceProblem, .keysOld, .packagesMissing, .neverCompared, .sourceEmpty, .noRules,
        ]
        func keys(_ role: Exposure1.Role, _ change: (inout CheckInputs) -> Void) -> [Finding] {
            var inputs = Samples.checks(trouble: false)
            inputs.status?.role = role
            inputs.rulesVersion = 0
            change(&inputs)
            return SelfCheck.run(inputs).map(\.finding).filter(ofKeys.contains)
        }
        let none: (inout CheckInputs) -> Void = { inputs in inputs.freshness?.sources = [] }
        let troubled: (inout CheckInputs) -> Void = { inputs in
            guard var source = inputs.freshness?.sources.first else { return }
            (source.problem, source.missingCount, source.newestEnd) = ("no answer", 3, nil)
            inputs.freshness?.sources = [source]
        }
        #expect(keys(.person, none).contains(.noSources) && keys(.place, none) == [])
        #expect(keys(.person, troubled).contains(.packagesMissing) && keys(.place, troubled) == [.sourceProblem])
    }

    /// The technician's list of all checks has words for each, and begins with what was found, the gravest first.
    @Test(arguments: Language.allCases) func whatWasFoundStandsFirst(language: Language) throws {
        let context = PageContext(
            texts: try Files.catalog(language), reader: .technician, formToken: "token", path: "/tech/checks",
            now: Samples.now, timeIsKnown: true)
        let found = [Found(.diskNearlyFull), Found(.noSources), Found(.keysOld)]
        let html = TechnicianPages.checks(found: found, context).html
        func place(_ finding: Finding) throws -> String.Index {
            let title = context.t(.findingTitle, finding.rawValue)
            #expect(title != finding.rawValue && html.contains(HTML(title).markup), "\(finding)")
            return try #require(html.firstRange(of: "<code>\(finding.rawValue)</code>")).lowerBound
        }
        let order = try Finding.allCases.map { (finding: $0, place: try place($0)) }.sorted { $0.place < $1.place }
        let first = order.prefix(found.count).map(\.finding)
        #expect(Set(first) == Set(found.map(\.finding)))
        let weights = first.compactMap { Severity.allCases.firstIndex(of: $0.severity) }
        #expect(weights == weights.sorted())
    }

    @Test func scansThatHearNothingAreNamed() {
        func isNamed(_ quiet: UInt64, of scans: UInt64) -> Bool {
            var inputs = Samples.checks(trouble: false)
            inputs.radio?.scanCount = scans
            inputs.radio?.quietScanCount = quiet
            return SelfCheck.run(inputs).contains { $0.finding == .quietScans }
        }
        #expect(isNamed(20, of: 20) && isNamed(18, of: 20) && isNamed(2_880, of: 2_880))
        #expect(!isNamed(17, of: 20) && !isNamed(19, of: 19) && !isNamed(0, of: 2_880))
        #expect(!isNamed(18, of: 29) && !isNamed(26, of: 29) && isNamed(27, of: 29) && isNamed(27, of: 30))
    }

    @Test func aCertificateIsNamedWithItsDay() {
        var inputs = Samples.checks(trouble: false)
        func detail(_ end: Int64, _ begin: Int64 = 0, _ state: Exposure1.TimeState = .authenticated) -> String? {
            inputs.time?.state = state
            // 2026-11-22 00:00 UTC.
            inputs.now = 1_795_305_600
            inputs.processes?.processes[2].certificates = [
                Technician1.Certificate(name: "client", notBefore: begin, notAfter: end)
            ]
            return SelfCheck.run(inputs).first { $0.finding == .certificateExpiring }?.detail
        }
        #expect(detail(1_795_392_000) == "Its certificate (client) ends on 2026-11-23, in 1 day.")
        #expect(detail(1_797_000_000) == "Its certificate (client) ends on 2026-12-11, in 19 days.")
        #expect(detail(951_782_400) == "Its certificate (client) ended on 2000-02-29.")
        #expect(detail(2_000_000_000, 1_835_395_200) == "Its certificate (client) is good from 2028-02-29 on.")
        #expect(detail(2_000_000_000, 1_835_395_200, .plausible) == nil)
        #expect(detail(1_795_392_000, 0, .plausible) != nil)
    }

    @Test func theBatteryIsSaidInASentence() {
        var battery = Technician1.Battery(
            percent: 9, voltage: 3_400, powered: false, power: 500, secondsLeft: 5_399, low: true, stopPercent: 5,
            stopCount: 2)
        #expect(
            BatteryWords.sentence(battery)
                == "9 % full, no charger, about 89 minutes left at what is drawn now, below 5 % the board switches itself off. Because its battery was nearly empty it stopped 2 times in a row."
        )
        battery = Technician1.Battery(percent: nil, voltage: 3_400, powered: true, low: false, stopPercent: 5, stopCount: 1)
        #expect(
            BatteryWords.sentence(battery)
                == "3400 mV, at a charger. Because its battery was nearly empty it stopped before this start.")
    }

    @Test func onlyABoardWithABatteryShowsOne() throws {
        let context = PageContext(
            texts: try Files.catalog(.english), reader: .technician, formToken: "", path: "/tech", now: Samples.now,
            timeIsKnown: true)
        for trouble in [false, true] {
            let inputs = Samples.checks(trouble: trouble)
            let markup = String(
                decoding: TechnicianPages.overviewFragment(inputs, context), as: UTF8.self)
            #expect(markup.contains("Battery") == trouble && markup.contains("11 %, no charger") == trouble)
        }
    }

    @Test func theVerdictIsAboutTheBoard() {
        func verdict(_ change: (inout CheckInputs) -> Void) -> HealthVerdict {
            var inputs = Samples.checks(trouble: false)
            inputs.auditIsIntact = true
            change(&inputs)
            return HealthVerdict(inputs, SelfCheck.run(inputs))
        }
        #expect(verdict { _ in } == .good)
        #expect(verdict { $0 = Samples.checks(trouble: true) } == .bad)
        #expect(verdict { $0.storage?.problem = "no room" } == .bad)
        #expect(verdict { $0.auditIsIntact = false } == .bad)
        // A board that has just begun has made no scan yet; one whose identifier has changed should have.
        func verdictWithoutScans(identifiers: UInt64) -> HealthVerdict {
            verdict {
                $0.radio?.scanCount = 0
                $0.radio?.rotationCount = identifiers
                $0.radio?.scanning = false
            }
        }
        #expect(verdictWithoutScans(identifiers: 1) == .good)
        #expect(verdictWithoutScans(identifiers: 2) == .bad)
        #expect(
            verdict { $0.processes?.partitions = ["data": "broken: /dev/vda5 can neither be read nor formatted"] } == .bad)
        #expect(verdict { $0.processes?.partitions = ["data": "made anew: what was there could not be read"] } == .good)
        // From outside: said, and no part of the verdict.
        #expect(verdict { $0.freshness = Samples.freshness(trouble: true) } == .good)
        #expect(verdict { $0.freshness = nil } == .good)
        // What was not answered cannot be good.
        #expect(verdict { $0.processes = nil } == .unknown)
        #expect(verdict { $0.radio = nil } == .unknown)
        #expect(verdict { $0 = CheckInputs() } == .unknown)
    }
}
