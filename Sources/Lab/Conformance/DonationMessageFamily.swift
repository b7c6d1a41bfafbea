// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Donation

/// Messages of donations, as bytes and as fields.
enum DonationMessages: VectorFamily {
    static let name = "ppa-messages"

    private static let types: [String: any DonationMessage.Type] = [
        "PPADataIOS": PPADataIOS.self, "PPADataAndroid": PPADataAndroid.self, "PPASemanticVersion": PPASemanticVersion.self,
        "ExposureRiskMetadata": ExposureRiskMetadata.self, "PPAExposureWindow": PPAExposureWindow.self,
        "PPAExposureWindowScanInstance": PPAExposureWindowScanInstance.self,
        "PPANewExposureWindow": PPANewExposureWindow.self, "PPATestResultMetadata": PPATestResultMetadata.self,
        "PPAKeySubmissionMetadata": PPAKeySubmissionMetadata.self, "PPAUserMetadata": PPAUserMetadata.self,
        "PPAClientMetadataIOS": PPAClientMetadataIOS.self, "PPAClientMetadataAndroid": PPAClientMetadataAndroid.self,
        "PPACIOS": PPACIOS.self, "PPACAndroid": PPACAndroid.self,
        "EDUSOneTimePassword": OneTimePassword.self, "ELSOneTimePassword": OneTimePassword.self,
        "SRSOneTimePassword": OneTimePassword.self,
        "PPADataRequestIOS": PPACRequest<PPACIOS, PPADataIOS>.self,
        "PPADataRequestAndroid": PPACRequest<PPACAndroid, PPADataAndroid>.self,
        "EDUSOneTimePasswordRequestIOS": PPACRequest<PPACIOS, OneTimePassword>.self,
        "EDUSOneTimePasswordRequestAndroid": PPACRequest<PPACAndroid, OneTimePassword>.self,
        "ELSOneTimePasswordRequestAndroid": PPACRequest<PPACAndroid, OneTimePassword>.self,
        "SRSOneTimePasswordRequestIOS": PPACRequest<PPACIOS, OneTimePassword>.self,
        "SRSOneTimePasswordRequestAndroid": PPACRequest<PPACAndroid, SRSOneTimePasswordAndroid>.self,
    ]

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let type = try require("message", types[vector["message"].string ?? ""])
                let bytes = try vector["hex"].hex("hex")
                let message = try require("message", type.init(decoding: bytes))
                try expect("written again", Hex.string(message.encoded), Hex.string(bytes))
                try compare(message, vector["fields"])
            }
        }
    }

    /// Properties are called as the fields are; the form of JSON has no field with the value that protobuf takes for absent.
    private static func compare(_ message: any DonationMessage, _ fields: VectorValue) throws {
        let properties = Mirror(reflecting: message).children
        let names = Set(properties.compactMap(\.label))
        for name in fields.object.keys where !names.contains(name) {
            throw Mismatch(description: "there is no field \(name)")
        }
        for property in properties {
            let name = property.label ?? "?"
            try compare(name, property.value, fields[name])
        }
    }

    private static func compare(_ name: String, _ value: Any, _ expected: VectorValue) throws {
        switch value {
        case let value as Bool: try expect(name, value, expected.bool ?? false)
        case let value as Double: try expect(name, value, expected.double ?? 0)
        case let value as any FixedWidthInteger:
            // JSON has numbers of 64 bits as texts.
            try expect(name, Int(truncatingIfNeeded: value), expected.int ?? expected.string.flatMap { Int($0) } ?? 0)
        case let value as String: try expect(name, value, expected.string ?? "")
        case let value as [UInt8] where !value.isEmpty: try expect(name, Base64.string(value), expected.string ?? "")
        case let value as any DonationMessage: try compare(value, expected)
        case let values as [any DonationMessage]:
            try expect("number of \(name)", values.count, expected.array.count)
            for (value, wanted) in zip(values, expected.array) { try compare(value, wanted) }
        default:
            if let number = number(of: value) {
                try expect(name, number, try expected.isNull ? 0 : require(name, enumeration(expected.string ?? "")))
            } else {
                // An optional message that is absent.
                try expect("\(name) is absent", expected.isNull, true)
            }
        }
    }

    private static func number(of value: Any) -> Int? {
        (value as? any RawRepresentable).flatMap { $0.rawValue as? Int32 }.map { Int($0) }
    }

    /// The number of a value of an enumeration by its name, as Corona-Warn-App has them.
    private static func enumeration(_ name: String) -> Int? {
        for (prefix, names) in enumerations where name.hasPrefix(prefix) {
            if let number = names.split(separator: " ").firstIndex(of: name.dropFirst(prefix.count)) { return number }
        }
        return nil
    }

    private static let enumerations: [(String, String)] = [
        ("RISK_LEVEL_", "UNKNOWN NONE LOW HIGH"),
        ("REPORT_TYPE_", "UNKNOWN CONFIRMED_TEST CONFIRMED_CLINICAL_DIAGNOSIS SELF_REPORT RECURSIVE REVOKED"),
        ("INFECTIOUSNESS_", "NONE STANDARD HIGH"),
        (
            "TEST_RESULT_",
            "UNKNOWN PENDING NEGATIVE POSITIVE INVALID RAT_PENDING RAT_NEGATIVE RAT_POSITIVE RAT_INVALID"
        ),
        ("SUBMISSION_FLOW_SCREEN_", "UNKNOWN OTHER TEST_RESULT WARN_OTHERS SYMPTOMS SYMPTOM_ONSET"),
        (
            "SUBMISSION_TYPE_",
            "REGISTERED_TEST SRS_SELF_TEST SRS_REGISTERED_RAT SRS_UNREGISTERED_RAT SRS_REGISTERED_PCR SRS_UNREGISTERED_PCR "
                + "SRS_RAPID_PCR SRS_OTHER"
        ),
        ("AGE_GROUP_", "UNSPECIFIED 0_TO_29 30_TO_59 FROM_60"), ("TSB_", "UNSPECIFIED TRUE FALSE"),
        ("FEDERAL_STATE_", "UNSPECIFIED BW BY BE BB HB HH HE MV NI NRW RP SL SN ST SH TH"),
    ]
}
