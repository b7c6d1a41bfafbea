// SPDX-License-Identifier: Apache-2.0

package import ContentBundle
package import Donation
import ExposureRisk
import JSON
package import RiskConfiguration

/// A document that the operator writes into the state folder. It is published, signed, when it is valid and its version is
/// above the last one.
package protocol OperatorFile: Equatable {
    /// The document's name in the database and in the paths of faults.
    static var name: String { get }
    /// The name of the file in the state folder.
    static var fileName: String { get }
    /// The code of errors about the document's content.
    static var fault: AuthorityError.Code { get }
    /// Whether an authority may do without this document.
    static var isOptional: Bool { get }
    /// The version, above 0, which the operator raises with every change.
    var version: Int64 { get }
    /// Reads the operator's text. Throws ``fault`` with everything that is wrong with it.
    init(operatorsText: [UInt8]) throws(AuthorityError)
    /// Returns the reasons why this document's rules would misread keys published by the rules `keys`, a sentence each;
    /// empty if they read all keys correctly.
    func misreadings(of keys: PublishingRules) -> [String]
}

extension OperatorFile {
    /// Returns an empty list: the default for documents whose rules do not read keys.
    package func misreadings(of keys: PublishingRules) -> [String] { [] }

    /// Throws ``fault`` with all ``misreadings(of:)`` if there are any; otherwise returns.
    package func requireFit(_ keys: PublishingRules) throws(AuthorityError) {
        let sentences = misreadings(of: keys)
        guard sentences.isEmpty else { throw AuthorityError(Self.fault, "\n  " + sentences.joined(separator: "\n  ")) }
    }
}

extension PublicConfiguration: OperatorFile {
    /// The name in the database and in faults: `configuration`.
    package static var name: String { "configuration" }
    /// The name of the file in the state folder: `configuration.json`.
    package static var fileName: String { "configuration.json" }
    /// The code of errors about its content: `invalidConfiguration`.
    package static var fault: AuthorityError.Code { .invalidConfiguration }
    /// Whether an authority may do without it: `false`, because boards need one.
    package static var isOptional: Bool { false }

    /// Reads the text of `configuration.json`, as ``init(parsing:)`` does; throws `invalidConfiguration` with every fault.
    package init(operatorsText text: [UInt8]) throws(AuthorityError) { self = try Self(parsing: text) }
}

extension RiskConfiguration: OperatorFile {
    /// The name in the database and in faults: `risk`.
    package static var name: String { "risk" }
    /// The name of the file in the state folder: `risk.json`.
    package static var fileName: String { "risk.json" }
    /// The code of errors about its content: `invalidRiskConfiguration`.
    package static var fault: AuthorityError.Code { .invalidRiskConfiguration }
    /// Whether an authority may do without it: `false`, because boards need one.
    package static var isOptional: Bool { false }

    /// Reads the text of `risk.json`; throws `invalidRiskConfiguration` with every fault and its path.
    package init(operatorsText text: [UInt8]) throws(AuthorityError) {
        do { self = try Self(parsing: text) } catch {
            let lines = error.problems.map { $0.path.isEmpty ? "risk: \($0.sentence)" : "risk.\($0.path): \($0.sentence)" }
            throw AuthorityError(Self.fault, lines.isEmpty ? "\(error)" : "\n  " + lines.joined(separator: "\n  "))
        }
    }
}

extension ContentBundle: OperatorFile {
    /// The name in the database and in faults: `content`.
    package static var name: String { "content" }
    /// The name of the file in the state folder: `content.json`.
    package static var fileName: String { "content.json" }
    /// The code of errors about its content: `invalidContent`.
    package static var fault: AuthorityError.Code { .invalidContent }
    /// Whether an authority may do without it: `true`, because boards have texts of their own.
    package static var isOptional: Bool { true }

    /// Reads the text of `content.json`; throws `invalidContent` with every fault and its path. The size limits of boards
    /// apply to the published form, which has no blanks and line breaks between its parts.
    package init(operatorsText text: [UInt8]) throws(AuthorityError) {
        let json: JSON
        do { json = try JSON(parsing: text) } catch { throw AuthorityError(Self.fault, "content: \(error)") }
        do throws(ContentProblems) { self = try Self(parsing: json.bytes) } catch {
            throw AuthorityError(Self.fault, error.problems.map { "\n  content: \($0)" }.joined())
        }
    }
}

extension DonationTerms: OperatorFile {
    /// The name in the database and in faults: `donation`.
    package static var name: String { "donation" }
    /// The name of the file in the state folder: `donation.json`.
    package static var fileName: String { "donation.json" }
    /// The code of errors about its content: `invalidDonation`.
    package static var fault: AuthorityError.Code { .invalidDonation }
    /// Whether an authority may do without it: `true`, because most regions have no data donation.
    package static var isOptional: Bool { true }

    /// Reads what `donations terms` wrote; throws `invalidDonation` if ``Donation/DonationTerms/init(decoding:)`` refuses it.
    package init(operatorsText text: [UInt8]) throws(AuthorityError) {
        guard let terms = Self(decoding: text) else {
            throw AuthorityError(Self.fault, "donation: not what `vigil-authority donations terms` writes")
        }
        self = terms
    }
}
