// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import Enrolment
import JSON

/// What a signed card says of its fleet: the operator's key, the board's group, and the number by which boards know a newer card.
public struct FleetMembership: Sendable {
    /// The most spare keys of a card, inclusive: with the key that signs as many as sign a configuration (`SignedConfiguration.maximumSignatures`).
    public static let maximumSpares = 3

    /// The operator's public keys in PEM: the one that signs the card, and the spare ones.
    private let keyTexts: [String]
    /// ``BoardFile``'s name of the only kind of board that may take the card; `nil` for every kind.
    public let boardType: String?
    /// Whether the board takes signed cards only from then on.
    public let takesSignedOnly: Bool
    /// Where boards look for the fleet's configuration: a path beside the authority's files, such as `fleet/v1/configuration`; `nil` for nowhere.
    public let configurationPath: String?
    /// The group of the board; `nil` for none.
    public var group: String?
    /// Higher than that of each card that was made for the board before: Unix seconds.
    public var issued: Int64

    /// Takes the operator's public key, the spare ones, up to ``maximumSpares``, and what holds for all boards of a table. Throws ``CryptographyError``
    /// when a key cannot be written as PEM.
    public init(
        key: P256.VerificationKey, spares: [P256.VerificationKey] = [], boardType: String? = nil,
        takesSignedOnly: Bool = false, group: String? = nil,
        issued: Int64 = 0, configurationPath: String? = nil
    ) throws(CryptographyError) {
        var texts: [String] = []
        for key in [key] + spares.prefix(Self.maximumSpares) { texts.append(try key.pem()) }
        keyTexts = texts
        self.configurationPath = configurationPath
        (self.boardType, self.takesSignedOnly, self.group, self.issued) = (boardType, takesSignedOnly, group, issued)
    }

    /// The keys as boards know them: `fleet-1` signs the card, `fleet-2` and on are spare. Each has a file in the card's folder.
    var keys: [(name: String, file: String, text: String)] {
        keyTexts.enumerated().map { index, text in
            ("fleet-\(index + 1)", index == 0 ? DeviceFile.keyName : Self.spareFile(index), text)
        }
    }

    /// The files that spare keys can have in a card's folder.
    static let spareFiles = (1...maximumSpares).map(spareFile)

    private static func spareFile(_ index: Int) -> String { "operator-\(index + 1).pem" }

    /// Whether `text` is the name of a group: 1 to 32 small letters, digits and dashes. The bound is our own.
    public static func isGroup(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    }

    /// Whether `text` can be the name of a kind of board, which is that of a file of Board/boards without its end: 1 to 48 small letters,
    /// digits, dashes and underscores. The bound is our own.
    public static func isBoardType(_ text: String) -> Bool {
        (1...48).contains(text.utf8.count)
            && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 95 }
    }

    /// Whether `text` can be a path beside an authority's files: 1 to 200 letters, digits, dashes, dots, underscores and slashes, none at the beginning.
    public static func isPath(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count) && !text.hasPrefix("/") && !text.contains("..")
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (65...90).contains($0) || (45...57).contains($0) || $0 == 95
            }
    }

    /// `fleet` of `vigil.json` (docs/supervisor.md).
    func json(_ serial: BoardSerial) -> JSON {
        var object: JSON.Object = ["board": .string("\(serial)")]
        if let group { object["group"] = .string(group) }
        if takesSignedOnly { object["signedCards"] = true }
        return .object(object)
    }
}
