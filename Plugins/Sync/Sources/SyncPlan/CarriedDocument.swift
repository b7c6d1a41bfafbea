// SPDX-License-Identifier: Apache-2.0

import AppConfig

/// A document that a health authority signs and the core follows. It is passed to the core as it was published; only the
/// core reads it.
public enum CarriedDocument: String, Sendable, CaseIterable {
    /// The authority's rules for judging encounters.
    case rules
    /// The authority's texts for people: recommendations, hotlines, links.
    case content
    /// The authority's document about data donation: servers and the keys of their tokens.
    case donation

    /// The name of the document in English sentences for people, with its article.
    public var title: String {
        switch self {
        case .rules: "the health authority's rules"
        case .content: "the health authority's content"
        case .donation: "the health authority's document about donations"
        }
    }

    /// Whether an authority may do without this document, so that its absence is not a fault.
    public var isOptional: Bool { self != .rules }

    /// Returns the most bytes that are fetched for a document: ``maximumByteCount`` if its proof is in headers,
    /// ``maximumArchiveByteCount`` if it comes in an archive.
    ///
    /// - Parameter form: The form of the rules; `nil` for a document without a form of its own, which comes in an archive.
    public static func maximumFetchByteCount(_ form: RulesForm?) -> Int {
        form?.proofHeaders == nil ? maximumArchiveByteCount : maximumByteCount
    }

    /// The most bytes of a document: 40 KiB, the limit of `org.vigil.content1`. They fit into a message to the core
    /// together with the signatures (64 KiB in all, in Base64). Of rules the core accepts only 24 KiB
    /// (`org.vigil.risk1`), which is not checked here. The document about donations has some 13 KiB with the keys of a month.
    public static let maximumByteCount = 40 << 10
    /// The most bytes of signatures that the core accepts: 4 KiB, the limit of `org.vigil.content1`,
    /// `org.vigil.risk1` and `org.vigil.donation1`.
    public static let maximumSignatureByteCount = 4 << 10
    /// The most bytes of an archive that is fetched: 48 KiB, our choice, for the document, its signatures and the archive's
    /// own structure.
    public static let maximumArchiveByteCount = 48 << 10
}

/// The form in which a source publishes its rules. The names are those of profiles (`RuleForm`). Only the core verifies the
/// rules.
public enum RulesForm: String, Sendable, CaseIterable {
    /// An archive of export.bin and export.sig: Vigil's own document, and the Corona-Warn-App's configurations.
    case vigil, cwa, cwaIOS
    /// A plain body, with headers that prove who signed it.
    case nhs, swissCovid

    /// The headers of the answer that are kept with the body, by the names that ``proof(_:)`` looks up; `nil` for archives.
    public var proofHeaders: [String]? {
        switch self {
        case .vigil, .cwa, .cwaIOS: nil
        case .nhs: [NHSSignature.signatureHeader, NHSSignature.dateHeader]
        case .swissCovid: [ContentToken.header]
        }
    }

    /// Returns the proof in the form that the core expects, from the headers that ``proofHeaders`` names; not checked.
    /// `nil` if one of them is missing, and for archives.
    public func proof(_ headers: [String: String]) -> [UInt8]? {
        switch self {
        case .vigil, .cwa, .cwaIOS: return nil
        case .nhs:
            guard let signature = headers[NHSSignature.signatureHeader], let date = headers[NHSSignature.dateHeader] else {
                return nil
            }
            return NHSSignature.lines(header: signature, date: date)
        case .swissCovid: return headers[ContentToken.header].map { Array($0.utf8) }
        }
    }
}
