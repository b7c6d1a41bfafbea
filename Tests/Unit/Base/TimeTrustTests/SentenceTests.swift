// SPDX-License-Identifier: Apache-2.0

import Testing
import TimeTrust

/// The sentences of docs/time.md, word for word: people read them aloud on the telephone.
@Suite struct SentenceTests {
    private var bench = Bench()
    private var sentence: String { bench.now.sentence }

    @Test mutating func statesAreSaidPlainly() throws {
        #expect(sentence == "The time is not known. Nothing is sent. Connect the device or set the time.")
        bench.hear(.clockChip, midnight)
        #expect(
            sentence
                == "The time comes from the board's clock chip, to within 5 minutes, and is not signed: "
                + "identifiers are sent, nothing is deleted by it alone.")
        bench.hear(.network, midnight)
        #expect(
            sentence
                == "The time comes from the network, to within 1 second, and is not signed: "
                + "identifiers are sent, nothing is deleted by it alone.")
        bench.hear(.operator, midnight)
        #expect(
            sentence
                == "The time was set by hand, to within 60 seconds, and is not signed: "
                + "identifiers are sent, nothing is deleted by it alone.")
        bench.hearSigned(midnight, .seconds(3))
        #expect(sentence == "The time is signed by the health authority and right to within 3 seconds.")
        bench.pass(.days(80))
        #expect(
            sentence
                == "The time was signed by the health authority 80 days ago and may be wrong by 12 minutes since: "
                + "identifiers are sent, nothing is deleted by it alone.")
        bench.pass(.days(400))
        #expect(
            sentence
                == "No clock was heard for so long that the time may be wrong by 70 minutes. "
                + "Nothing is sent. Connect the device or set the time.")
    }

    /// What is shown beside the sentence is the same number, also of parts of a second.
    @Test(arguments: [(1, 1), (500, 1), (1_000, 1), (1_001, 2), (59_999, 60), (60_001, 61)])
    mutating func theNumberIsRoundedAsInTheSentence(milliseconds: Int, seconds: Int64) throws {
        #expect(bench.now.uncertaintySeconds == nil)
        bench.hearSigned(midnight, .milliseconds(milliseconds))
        #expect(bench.now.uncertaintySeconds == seconds)
        #expect(sentence.contains("within \(seconds) second"))
    }

    @Test mutating func powerCutsAreSaidPlainly() {
        bench.hear(.network, midnight)
        bench.cutPower()
        #expect(
            sentence
                == "The time was carried over a power cut and may be late by 31 minutes: "
                + "identifiers are sent, nothing is deleted by it alone. A clock must be heard within 3 days.")
        bench.run(.days(4))
        #expect(
            sentence
                == "The time was carried over a power cut and no clock has confirmed it since. "
                + "Nothing is sent. Connect the device or set the time.")
        bench.hear(.network, midnight)
        for _ in 0..<3 { bench.cutPower() }
        #expect(
            sentence == "The time was lost with the power. Nothing is sent. Connect the device or set the time.")
    }

    @Test mutating func aContradictionIsSaidForADay() {
        bench.hearSigned(midnight)
        bench.hear(.network, midnight + .hours(26))
        #expect(sentence.hasSuffix(" The network is not believed: it contradicts the signed time (26 hours ahead)."))
        #expect(bench.now.contradiction?.cause == .contradictsSigned)
        bench.pass(.hours(25))
        #expect(bench.now.contradiction == nil)
        bench.hear(.network, midnight)
        #expect(sentence.hasSuffix(" The network is not believed: it contradicts the signed time (25 hours behind)."))
        bench.hear(.clockChip, UnixTime(seconds: 0))
        #expect(sentence.hasSuffix("it contradicts the signed time (25 hours behind)."), "the better source's is shown")
        bench.hear(.network, midnight + .hours(25))
        #expect(
            sentence.hasSuffix(
                " The clock chip is not believed: it lies before what is certainly past (20779 days behind)."))
    }

    @Test mutating func everyRefusalHasASentence() {
        var sentences: Set<String> = []
        for source in TrustedTime.Source.allCases {
            for cause in TrustedTime.Refusal.Cause.allCases {
                let refusal = TrustedTime.Refusal(source: source, cause: cause, difference: .seconds(-90_000))
                #expect(refusal.sentence.hasSuffix(".") && refusal.sentence.hasPrefix("The "))
                sentences.insert(refusal.sentence)
            }
        }
        #expect(sentences.count == 40)
    }

    @Test func rawValuesAreStable() {
        #expect(
            TrustedTime.Reason.allCases.map(\.rawValue) == [
                "no-source", "power-lost", "hold-over-expired", "drifted", "hold-over", "clock-chip", "network", "operator",
                "signed-long-ago", "signed",
            ])
        #expect(TrustedTime.Source.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
    }
}
