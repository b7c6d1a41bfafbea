// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import FuzzSupport
import RiskConfiguration
import Trust

/// What an authority says boards shall judge by, in each of the forms there are: read as a configuration that can be written and read
/// again, or refused with reasons that can be shown.
///
/// The first byte chooses: Vigil's own document, the Corona-Warn-App's two messages, the NHS's document, Google's, or what was stored.
@_cdecl("LLVMFuzzerTestOneInput")
public func testRiskConfig(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    _ = tables
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch choice % 6 {
    case 0: check { () throws(RiskConfigurationError) in try RiskConfiguration(parsing: bytes) }
    case 1: check { () throws(RiskConfigurationError) in try RiskConfiguration(cwaConfiguration: bytes, version: 1) }
    case 2: check { () throws(RiskConfigurationError) in try RiskConfiguration(cwaFirstConfiguration: bytes, version: 1) }
    case 3: check { () throws(RiskConfigurationError) in try RiskConfiguration(nhsConfiguration: bytes, version: 1) }
    case 4:
        check { () throws(RiskConfigurationError) in
            try RiskConfiguration(dailySummaries: bytes, measure: .sum, increasedFrom: 900, version: 1)
        }
    default:
        // Nobody signed anything here, so only an empty slot can be read, and nothing is ever taken.
        if let slot = try? RiskConfigurationSlot(encoded: bytes, trust: nobody) {
            claim(slot == RiskConfigurationSlot() && slot.encoded == bytes, "something unsigned was read from storage")
        }
        var slot = RiskConfigurationSlot()
        let result = slot.offer(document: bytes, signatures: bytes, trust: nobody, time: nil)
        claim((try? result.get()) == nil && slot == RiskConfigurationSlot(), "something unsigned was taken")
    }
    return 0
}

private func check(_ read: () throws(RiskConfigurationError) -> RiskConfiguration) {
    do throws(RiskConfigurationError) {
        let configuration = try read()
        claim(!configuration.models.isEmpty, "a configuration without a model")
        claim(configuration.choose(for: [])?.shares.first?.model == configuration.models.first, "nobody judges")
        let written = configuration.document
        let again = needed("what was written") { try RiskConfiguration(parsing: written) }
        claim(again == configuration, "written and read it is another one")
        claim(again.document == written, "written twice the bytes differ")
    } catch {
        claim(error.problems.count <= RiskConfigurationError.mostProblems, "problems without an end")
        claim(error.code == .tooLarge || !error.problems.isEmpty, "refused without a reason")
        for problem in error.problems {
            let text = problem.description
            claim(text.utf8.count < 1_000, "a problem without an end")
            claim(
                text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) },
                "a problem that cannot be shown")
        }
    }
}

// The tables live to the end, in enumerations and closures whose pointers LeakSanitizer does not find.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let nobody = needed("trust") { try TrustStore(keys: []) }

private let tables = {
    lookAway()
    defer { lookAgain() }
    for bytes in [[], Array("{}".utf8)] {
        _ = try? RiskConfiguration(parsing: bytes)
        _ = try? RiskConfiguration(cwaConfiguration: bytes, version: 1)
        _ = try? RiskConfiguration(cwaFirstConfiguration: bytes, version: 1)
        _ = try? RiskConfiguration(nhsConfiguration: bytes, version: 1)
        _ = try? RiskConfiguration(dailySummaries: bytes, measure: .sum, increasedFrom: 1, version: 1)
    }
    return RiskConfiguration.schema
}()
