// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Donation
import KeyExport
import RandomValues
import Testing

@Suite struct MessageTests {
    private func window(scans: Int, _ random: inout SeededGenerator) -> PPANewExposureWindow {
        var (window, part) = (PPANewExposureWindow(), PPAExposureWindow())
        part.date = 1_647_216_000
        part.reportType = .confirmedTest
        part.infectiousness = .high
        part.scanInstances = (0..<scans).map { _ in
            var scan = PPAExposureWindowScanInstance()
            scan.typicalAttenuation = .random(in: -10...120, using: &random)
            scan.minAttenuation = .random(in: 0...120, using: &random)
            scan.secondsSinceLastScan = .random(in: 0...1_800, using: &random)
            return scan
        }
        window.exposureWindow = part
        window.transmissionRiskLevel = .random(in: 0...8, using: &random)
        window.normalizedTime = .random(in: 0...30, using: &random)
        return window
    }

    private func donation(windows: Int, _ random: inout SeededGenerator) -> PPADataDevice {
        var (donation, client, risk, test) = (
            PPADataDevice(), PPAClientMetadataDevice(), ExposureRiskMetadata(), PPATestResultMetadata()
        )
        client.minor = 7
        client.boardClass = .wearable
        client.configTag = [1, 2, 3, 4]
        risk.riskLevel = .high
        risk.mostRecentDateAtRiskLevel = -1
        test.hoursSinceTestRegistration = -1
        donation.clientMetadata = client
        donation.exposureRiskMetadataSet = [risk]
        donation.testResultMetadataSet = [test]
        donation.newExposureWindows = (0..<windows).map { window(scans: $0 % 15 + 1, &random) }
        return donation
    }

    /// A donation is taken if a board can have written it; each change that none can make is found.
    @Test func aServerTakesWhatABoardCanWrite() throws {
        let today = UTCDay(number: 20_785)
        func window(_ day: Int64) -> DonatedWindow {
            DonatedWindow(
                day: day, report: .selfReport, isHighlyInfectious: true, confidence: 3,
                scans: (0..<15).map { .init(typical: 20 + 7 * $0, least: 15 + 6 * $0, seconds: 29 * $0) })
        }
        let windows = [20_784, 20_771, 20_785, 20_769].map(window)
        let good = try #require(
            PPADataDevice(
                decoding: DonationFacts(isIncreased: true, windows: []).content(told: true, windows: windows).bytes))
        func isTaken(_ change: (inout PPADataDevice) -> Void) throws -> Bool {
            var donation = good
            change(&donation)
            let body = try #require(DonationPadding.padded(donation.encoded))
            #expect(DonationBody.content(of: body) == donation.encoded)
            return DonationBody.content(of: body, on: today) != nil
        }
        #expect(try isTaken { _ in })
        #expect(try isTaken { $0 = PPADataDevice() })
        #expect(try isTaken { $0.clientMetadata?.configTag = [1, 2, 3, 4] })
        let changes: [(inout PPADataDevice) -> Void] = [
            { $0.clientMetadata?.configTag = [1] }, { $0.clientMetadata?.configTag = [1, 2, 3, 4, 5] },
            { $0.userMetadata = PPAUserMetadata() }, { $0.testResultMetadataSet = [PPATestResultMetadata()] },
            { $0.keySubmissionMetadataSet = [PPAKeySubmissionMetadata()] },
            { $0.exposureRiskMetadataSet[0].mostRecentDateAtRiskLevel = 20_784 * 86_400 },
            { $0.exposureRiskMetadataSet[0].ptMostRecentDateAtRiskLevel = 1 },
            { $0.exposureRiskMetadataSet[0].ptRiskLevel = .high },
            { $0.exposureRiskMetadataSet[0].riskLevelChangedComparedToPreviousSubmission = true },
            { $0.exposureRiskMetadataSet[0].dateChangedComparedToPreviousSubmission = true },
            { $0.exposureRiskMetadataSet[0].ptRiskLevelChangedComparedToPreviousSubmission = true },
            { $0.exposureRiskMetadataSet[0].ptDateChangedComparedToPreviousSubmission = true },
            { $0.newExposureWindows[0].transmissionRiskLevel = 1 }, { $0.newExposureWindows[0].normalizedTime = 0.5 },
            { $0.newExposureWindows[0].normalizedTime = -0.0 },
            { $0.newExposureWindows[3].exposureWindow?.date += 1 },
            { $0.newExposureWindows[3].exposureWindow?.date -= 86_400 },
            { $0.newExposureWindows[2].exposureWindow?.date += 86_400 },
            { $0.newExposureWindows[0].exposureWindow?.date = .min },
            { $0.newExposureWindows[0].exposureWindow?.reportType = .unknown },
            { $0.newExposureWindows[0].exposureWindow?.reportType = .revoked },
            { $0.newExposureWindows[0].exposureWindow?.infectiousness = .none },
            { $0.newExposureWindows[0].exposureWindow?.calibrationConfidence = 4 },
            { $0.newExposureWindows[0].exposureWindow?.calibrationConfidence = -1 },
            { $0.newExposureWindows[1].exposureWindow?.scanInstances[4].typicalAttenuation += 1 },
            { $0.newExposureWindows[1].exposureWindow?.scanInstances[4].typicalAttenuation = 100 },
            { $0.newExposureWindows[1].exposureWindow?.scanInstances[4].minAttenuation = 20 },
            { $0.newExposureWindows[1].exposureWindow?.scanInstances[4].secondsSinceLastScan = 59 },
            { $0.newExposureWindows[1].exposureWindow?.scanInstances[4].secondsSinceLastScan = 360 },
            { $0.newExposureWindows[1].exposureWindow?.scanInstances[4].secondsSinceLastScan = -60 },
        ]
        for (number, change) in changes.enumerated() { #expect(try !isTaken(change), "change \(number)") }
    }

    @Test func donationsComeBack() throws {
        var random = SeededGenerator(seed: 9_801)
        for count in [0, 1, 30] {
            let donation = donation(windows: count, &random)
            let bytes = donation.encoded
            #expect(PPADataDevice(decoding: bytes) == donation)
            let body = try #require(DonationPadding.padded(bytes))
            #expect(DonationBody.content(of: body) == bytes)
            #expect(PPADataDevice(decoding: body)?.requestPadding.isEmpty == false)
            #expect(DonationBody.content(of: bytes) == nil)
            #expect(DonationBody.content(of: body + [0]) == nil)
        }
        // An empty donation is one, so that a board with nothing to tell looks like any other.
        let empty = try #require(DonationPadding.padded([]))
        #expect(DonationBody.content(of: empty) == [])
    }

    @Test func damagedDonationsAreRefusedOrOthers() throws {
        var random = SeededGenerator(seed: 9_802)
        let bytes = donation(windows: 3, &random).encoded
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= UInt8.random(in: 1...255, using: &random)
            let body = try #require(DonationPadding.padded(changed))
            guard let content = DonationBody.content(of: body) else { continue }
            let again = try #require(DonationPadding.padded(content))
            #expect(DonationBody.content(of: again) == content)
        }
        for count in bytes.indices { _ = PPADataDevice(decoding: Array(bytes.prefix(count))) }
        #expect(PPADataDevice(decoding: [0x12]) == nil)
        // Field 6, a message, as a number; field 7 with an age group that there is not.
        #expect(PPADataDevice(decoding: [0x30, 1]) == nil)
        #expect(PPADataDevice(decoding: [0x3A, 2, 0x18, 3]) != nil)
        #expect(PPADataDevice(decoding: [0x3A, 2, 0x18, 4]) == nil)
        // Field 9 is not known.
        #expect(PPADataDevice(decoding: [0x48, 1])?.encoded == [])
    }

    @Test func limits() {
        var random = SeededGenerator(seed: 9_803)
        func keeps(_ change: (inout PPADataDevice) -> Void) -> Bool {
            var donation = donation(windows: 2, &random)
            change(&donation)
            return DonationLimits.areKept(by: donation)
        }
        #expect(keeps { _ in })
        #expect(!keeps { $0.exposureRiskMetadataSet += $0.exposureRiskMetadataSet })
        #expect(keeps { $0.testResultMetadataSet += $0.testResultMetadataSet })
        #expect(!keeps { $0.testResultMetadataSet = Array(repeating: .init(), count: 3) })
        #expect(keeps { $0.keySubmissionMetadataSet = Array(repeating: .init(), count: 3) })
        #expect(!keeps { $0.keySubmissionMetadataSet = Array(repeating: .init(), count: 4) })
        #expect(!keeps { $0.newExposureWindows[0].exposureWindow?.scanInstances = [] })
        #expect(!keeps { $0.newExposureWindows[0].exposureWindow?.scanInstances = Array(repeating: .init(), count: 16) })
        #expect(!keeps { $0.newExposureWindows[0].exposureWindow = nil })
        #expect(!keeps { $0.testResultMetadataSet[0].exposureWindowsUntilTestResult = [.init()] })
        #expect(keeps { $0.newExposureWindows = Array(repeating: $0.newExposureWindows[0], count: 2_688) })
        #expect(!keeps { $0.newExposureWindows = Array(repeating: $0.newExposureWindows[0], count: 2_689) })
    }
}
