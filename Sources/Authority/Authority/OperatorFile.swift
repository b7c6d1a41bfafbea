// SPDX-License-Identifier: Apache-2.0

package import ContentBundle
import ExposureRisk
import JSON
package import RiskConfiguration

/// A document that the operator writes into the state folder, and that is published signed when it is good and newer than the last.
package protocol OperatorFile: Equatable {
    /// What the database and the paths of faults call it.
    static var name: String { get }
    /// Where it lies in the state folder.
    static var fileName: String { get }
    /// What its faults are called.
    static var fault: AuthorityError.Code { get }
    /// Whether an authority may have none.
    static var isOptional: Bool { get }
    /// Raised with every change; above 0.
    var version: Int64 { get }
    /// Reads the operator's text; throws ``fault`` with everything that is wrong with it.
    init(operatorsText: [UInt8]) throws(AuthorityError)
    /// The reason why keys that are published by these rules would not be read as they are meant; a plain sentence each,
    /// empty when they would.
    func misreadings(of keys: PublishingRules) -> [String]
}

extension OperatorFile {
    /// None: for files that no key is judged by.
    package func misreadings(of keys: PublishingRules) -> [String] { [] }

    /// Throws ``fault`` with all ``misreadings(of:)``; returns when there are none.
    package func requireFit(_ keys: PublishingRules) throws(AuthorityError) {
        let sentences = misreadings(of: keys)
        guard sentences.isEmpty else { throw AuthorityError(Self.fault, "\n  " + sentences.joined(separator: "\n  ")) }
    }
}

extension PublicConfiguration: OperatorFile {
    /// Its name in the database and in faults: `configuration`.
    package static var name: String { "configuration" }
    /// Its file in the state folder: `configuration.json`.
    package static var fileName: String { "configuration.json" }
    /// The code of its faults: `invalidConfiguration`.
    package static var fault: AuthorityError.Code { .invalidConfiguration }
    /// Whether there may be none: false, boards need one.
    package static var isOptional: Bool { false }

    /// Reads `configuration.json`, as ``init(parsing:)``; throws `invalidConfiguration` with every fault.
    package init(operatorsText text: [UInt8]) throws(AuthorityError) { self = try Self(parsing: text) }
}

extension RiskConfiguration: OperatorFile {
    /// Its name in the database and in faults: `risk`.
    package static var name: String { "risk" }
    /// Its file in the state folder: `risk.json`.
    package static var fileName: String { "risk.json" }
    /// The code of its faults: `invalidRiskConfiguration`.
    package static var fault: AuthorityError.Code { .invalidRiskConfiguration }
    /// Whether there may be none: false, boards need one.
    package static var isOptional: Bool { false }

    /// Reads `risk.json`; throws `invalidRiskConfiguration` with every fault and its path.
    package init(operatorsText text: [UInt8]) throws(AuthorityError) {
        do { self = try Self(parsing: text) } catch {
            let lines = error.problems.map { $0.path.isEmpty ? "risk: \($0.sentence)" : "risk.\($0.path): \($0.sentence)" }
            throw AuthorityError(Self.fault, lines.isEmpty ? "\(error)" : "\n  " + lines.joined(separator: "\n  "))
        }
    }
}

extension ContentBundle: OperatorFile {
    /// Its name in the database and in faults: `content`.
    package static var name: String { "content" }
    /// Its file in the state folder: `content.json`.
    package static var fileName: String { "content.json" }
    /// The code of its faults: `invalidContent`.
    package static var fault: AuthorityError.Code { .invalidContent }
    /// Whether there may be none: true, boards have texts of their own.
    package static var isOptional: Bool { true }

    /// Reads `content.json`; throws `invalidContent` with every fault and its path. Boards' limits are for what is
    /// published, which has no blanks and line breaks between its parts.
    package init(operatorsText text: [UInt8]) throws(AuthorityError) {
        let json: JSON
        do { json = try JSON(parsing: text) } catch { throw AuthorityError(Self.fault, "content: \(error)") }
        do throws(ContentProblems) { self = try Self(parsing: json.bytes) } catch {
            throw AuthorityError(Self.fault, error.problems.map { "\n  content: \($0)" }.joined())
        }
    }
}
