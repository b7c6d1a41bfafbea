// SPDX-License-Identifier: Apache-2.0

import AppConfig

/// A document that a health authority signs and the core follows. It is carried as it was published; only the core looks at what is in it.
public enum CarriedDocument: String, Sendable, CaseIterable {
    /// The authority's rules for judging encounters.
    case rules
    /// The authority's texts for people: recommendations, hotlines, links.
    case content

    /// The name of the document in sentences for people, in English, with its article.
    public var title: String {
        switch self {
        case .rules: "the health authority's rules"
        case .content: "the health authority's content"
        }
    }

    /// Whether an authority may publish no such document, so that its absence is no fault.
    public var isOptional: Bool { self == .content }

    /// The number of bytes that are fetched at most: ``maximumArchiveByteCount`` for forms with an archive, otherwise ``maximumByteCount``.
    ///
    /// - Parameter form: `nil` for a document that has no form of its own, which comes in an archive.
    public static func maximumFetchByteCount(_ form: RulesForm?) -> Int {
        form?.proofHeaders == nil ? maximumArchiveByteCount : maximumByteCount
    }

    /// The longest document, in bytes, that a message to the core can carry beside its signatures (64 KiB in all, in Base64).
    public static let maximumByteCount = 40 << 10
    /// The most bytes of signatures that the core looks at: 4 KiB, a limit of its interface.
    public static let maximumSignatureByteCount = 4 << 10
    /// The largest archive that is fetched, in bytes, a choice of ours: document, signatures, and what the archive needs
    /// for itself.
    public static let maximumArchiveByteCount = 48 << 10
}

/// The form in which a source publishes its rules; the names are those of profiles (`RuleForm`). Only the core knows how
/// they are verified.
public enum RulesForm: String, Sendable, CaseIterable {
    /// An archive of export.bin and export.sig: Vigil's own document, and the Corona-Warn-App's configurations.
    case vigil, cwa, cwaIOS
    /// The body, and what proves whose it is in headers.
    case nhs, swissCovid

    /// The headers of the answer that are kept with the body, as ``proof(_:)`` looks them up; `nil` for archives.
    public var proofHeaders: [String]? {
        switch self {
        case .vigil, .cwa, .cwaIOS: nil
        case .nhs: [NHSSignature.signatureHeader, NHSSignature.dateHeader]
        case .swissCovid: [ContentToken.header]
        }
    }

    /// The proof as the core takes it, of an answer's headers by the names in ``proofHeaders``; not checked. `nil` when one is missing, and for
    /// archives.
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
