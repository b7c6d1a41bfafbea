// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Finds families of test vectors in folders, and runs them.
package enum ConformanceSuite {
    private static var implemented: [any VectorFamily.Type] {
        [
            AdvertisingPayloads.self, CapturedCrypto.self, DerivedCrypto.self, OfficialCrypto.self,
            DailySummaryVectors.self,
            ExportFiles.self, ExportEncoding.self, UnsignedExports.self, InfectiousnessMappings.self, IntervalVectors.self,
            MatchingScenarios.self, MatchingDemo.self, RotationTraces.self, DistanceStatistics.self, UploadProofs.self,
            FirstGenerationArithmetic.self, SignedPackages.self, AppConfigurations.self, TimingRules.self,
            DistributionIndexes.self, ArchiveIntervals.self,
            PushRegistrations.self, PushRegistrationStates.self,
            CWARiskNovember2020.self, CWARiskMarch2021.self, CWARiskMarch2022.self, CWAFirstScores.self,
            NHSGammaQuantiles.self, NHSFilters.self, NHSObservations.self, NHSPowerLoss.self,
            NHSObservationTransforms.self, NHSScores.self, NHSConfiguredScores.self, NHSScenarioScores.self,
            NHSFieldScores.self, NHSFirstInfectiousness.self, NHSFirstScores.self, NHSInfectiousness.self,
            NHSWindowRisks.self, NHSMostRelevant.self,
            TeleTANs.self, TestCodes.self, TransmissionVectors.self, DerivationMaps.self, LevelEncodings.self,
            PlausibleDeniability.self,
            NHSTransmissionLevels.self, NHSSubmissionRanges.self,
            CWAConfigFiles.self, NHSSignatures.self, NHSDocuments.self, DailySummaryRules.self, SwissCovidRules.self,
            RuleDocuments.self,
            ENSProofs.self, ENSCodeFormats.self, ENSDates.self, ENSTransformations.self, ENSRevisions.self, ENSAnswers.self,
            ENSRequests.self,
            NHSSubmissions.self, NHSVirology.self, NHSCircuitBreakers.self,
            TraceLocationIDs.self, TraceLocationCodes.self, CheckInTimes.self, CheckInSplitting.self, CheckInOverlaps.self,
            CheckInCryptography.self, CheckInRisks.self, CheckInRiskLevels.self, CheckInTransmission.self,
            AutomaticCheckOuts.self, CheckInAges.self, WarningValidity.self,
            CrowdNotifierKeys.self, CrowdNotifierIdentities.self, CrowdNotifierLegacyIdentities.self,
            AffectedIntervals.self,
            UserUploadEntries.self, UserUploads.self, CrowdNotifierCodes.self, SecretBoxes.self, AssociatedDataVectors.self,
            TraceKeyLists.self, MatchFlows.self, ResponseSignatures.self,
            ScalarHashes.self, PointHashes.self, Pairings.self, PointSerializations.self, IdentityKeyDerivations.self,
            IdentityEncryptions.self, IdentityDecryptions.self,
            NHSVenueCodes.self, NHSRiskyVenues.self,
            CBORExamples.self, DeterministicCBOR.self, COSESignatures.self, EvidenceTokens.self,
            BlindSignatures.self, TokenIssuance.self, TokenVerification.self, TokenChallenges.self, TokenHeaderFields.self,
            IssuerDirectories.self, TokenDerivations.self, DonationChallenges.self, IssuanceLedgers.self,
            TokenRedemptions.self, SurveyPasswords.self, RandomisedResponses.self, DonationMetadata.self,
            AppDonationGates.self, ProofNonces.self, MoreProofNonces.self, ProofRateLimits.self, ProofTokens.self,
            ProofSalts.self, DonationMessages.self,
        ]
    }

    /// A family that was found: a file with vectors, or a folder with data, whose `manifest.json` is the file with vectors.
    package struct Found: Sendable, Equatable {
        /// The name of the family: that of the file without its extension, or that of the folder.
        package let family: String
        /// The path of the folder that relative paths in the vectors start from.
        package let folder: String
        /// The path of the JSON file with the vectors; `nil` for a folder without one.
        package let file: String?

        /// Creates a found family of these parts. Nothing is checked.
        package init(family: String, folder: String, file: String?) {
            self.family = family
            self.folder = folder
            self.file = file
        }
    }

    /// Returns the families in `folder`: its `.json` files, and those of its subfolders that have no `.json` file
    /// of the same name beside them. In a folder without `.json` files, the subfolders are searched instead; a
    /// folder that bears the name of an implemented family of data folders is returned alone, unread. Throws when a
    /// folder cannot be read.
    package static func families(under folder: String) throws -> [Found] {
        let name = String(folder.split(separator: "/").last ?? "")
        if implemented.contains(where: { $0.isFolder && $0.name == name }) {
            return [Found(family: name, folder: folder, file: nil)]
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let files = names.filter { $0.hasSuffix(".json") }
        let folders = names.filter { isFolder("\(folder)/\($0)") }
        if files.isEmpty { return try folders.flatMap { try families(under: "\(folder)/\($0)") } }
        var found = files.map { Found(family: String($0.dropLast(5)), folder: folder, file: "\(folder)/\($0)") }
        for name in folders where !files.contains("\(name).json") {
            let manifest = "\(folder)/\(name)/manifest.json"
            let hasManifest = FileManager.default.fileExists(atPath: manifest)
            found.append(Found(family: name, folder: "\(folder)/\(name)", file: hasManifest ? manifest : nil))
        }
        return found
    }

    private static func isFolder(_ path: String) -> Bool {
        var isDirectory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
    }

    /// Runs one family, and returns the result; blocks. Never throws: a file that cannot be read, a file without a case,
    /// and a family that is not implemented each count as one failure named `all`.
    package static func run(_ found: Found) -> Checks {
        var checks = Checks(family: found.family)
        guard let family = implemented.first(where: { $0.name == found.family }) else {
            checks.fail("all", "this family is not implemented")
            return checks
        }
        do {
            if family.isFolder {
                try family.run(Vectors(json: .null, folder: found.folder), &checks)
            } else {
                let file = try require("the family's VectorValue file", found.file)
                try family.run(Vectors(json: VectorValue(contentsOf: file), folder: found.folder), &checks)
            }
            if checks.passed == 0, checks.failures.isEmpty { checks.fail("all", "the file holds no case") }
        } catch {
            checks.fail("all", "\(error)")
        }
        return checks
    }
}
