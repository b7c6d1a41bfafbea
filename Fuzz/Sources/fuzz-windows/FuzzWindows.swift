// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import FuzzSupport
import GAEN
import RiskConfiguration
import RiskStudy

/// Encounters for studies, as JSON or as a table: read as a dataset that can be written and read again and that every model can judge, or
/// refused with reasons that can be shown.
@_cdecl("LLVMFuzzerTestOneInput")
public func testWindows(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    _ = models
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(StudyError) {
        let dataset = try StudyDataset(reading: input)
        let written = dataset.document
        let again = needed("what was written") { try StudyDataset(parsing: written) }
        claim(again == dataset, "written and read it is another one")
        claim(again.document == written, "written twice the bytes differ")
        // Judging is linear in the seconds, of which a file can name many.
        guard dataset.cases.reduce(0, { $0 + $1.seconds }) < 20_000 else { return 0 }
        let evaluation = Evaluation(dataset, models: models, mapping: .standard)
        for model in evaluation.models {
            claim(model.cases.count == dataset.cases.count, "a case was lost")
            for result in model.cases {
                claim(result.lowest <= result.score && result.score <= result.highest, "a score outside of its interval")
            }
        }
        claim(!evaluation.picture.contains("nan"), "a picture without a place")
    } catch {
        claim(error.problems.count <= 100, "problems without an end")
        claim(error.code == .tooLarge || !error.problems.isEmpty, "refused without a reason")
        for problem in error.problems {
            let text = problem.description
            claim(text.utf8.count < 1_000, "a problem without an end")
            claim(
                text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) },
                "a problem that cannot be shown")
        }
    }
    return 0
}

// The tables live to the end, in enumerations and closures whose pointers LeakSanitizer does not find.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let models: [RiskModelParameters] = {
    lookAway()
    defer { lookAgain() }
    _ = try? StudyDataset(reading: Array("{}".utf8))
    return [.cwaSecond(CWASecondParameters()), .nhsSecond(NHSSecondParameters())]
}()
