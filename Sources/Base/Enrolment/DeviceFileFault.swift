// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// The reason why a board does not take a card by its device file.
public enum DeviceFileFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no device file, and the board takes signed cards only.
    case missing
    /// One of the two files is there, and the one with this name is not.
    case half(missing: String)
    /// The board takes signed cards only, and knows no key to verify one by.
    case noKey
    /// The device file or its signature is longer than any that vigil-fleet writes.
    case tooLong
    /// The card's own key has signed it, and the board knows other keys.
    case otherKey
    /// No key that the board knows has signed these bytes.
    case changed
    /// It is signed, and is not JSON with a board and a list of files.
    case malformed
    /// It is for the first board, and this is the second.
    case otherBoard(card: String, board: String)
    /// It is for the first kind of board, and this is the second.
    case otherType(card: String, board: String)
    /// The card that holds is newer, or has the same number.
    case older
    /// The file with this path is not in the list.
    case added(String)
    /// The file with this path is in the list, and not in the folder.
    case removed(String)
    /// The file with this path has another content than the list says.
    case altered(String)
    /// The secret in the file with this name is not the one of the device file.
    case otherSecret(String)
    /// The code in the file with this name is for another role than the card's.
    case otherRole(String)
    /// The code in the file with this name was taken before: one is good once.
    case spent(String)

    /// An English sentence for the operator: what is wrong, and what to do.
    public var description: String {
        switch self {
        case .missing:
            "this board takes signed cards only, and the card has no \(DeviceFile.name); make it with vigil-fleet plan and --key"
        case .half(let name):
            "\(Self.shown(name)) is missing, and a device file counts only together with its signature; copy the whole folder again"
        case .noKey:
            "this board takes signed cards only, and knows no key of an operator; name one in vigil.json (operatorKeys), or in the image"
        case .tooLong:
            "\(DeviceFile.name) has more than \(DeviceFile.maximumByteCount) bytes, or \(DeviceFile.signatureName) more than \(DeviceFile.maximumSignatureByteCount); make the card anew"
        case .otherKey:
            "another key has signed \(DeviceFile.name) than this board knows; sign the card with the operator's key of this board's fleet"
        case .changed:
            "\(DeviceFile.name) was changed after it was signed, or is not what \(DeviceFile.signatureName) belongs to; copy the folder again, or make the card anew"
        case .malformed: "\(DeviceFile.name) names no board or lists no files; make the card anew"
        case .otherBoard(let card, let board):
            "the card is for the board \(Self.shown(card)), and this is \(Self.shown(board)); put it into that board"
        case .otherType(let card, let board):
            "the card is for boards of the kind \(Self.shown(card)), and this is a \(Self.shown(board)); make one for it"
        case .older:
            "a newer card of this board was taken before; use that one, or make the card anew"
        case .added(let path):
            "\(Self.shown(path)) was added after \(DeviceFile.name) was signed; delete it, or make the card anew"
        case .removed(let path):
            "\(Self.shown(path)) is missing, and \(DeviceFile.name) lists it; copy the whole folder again"
        case .altered(let path):
            "\(Self.shown(path)) was changed after \(DeviceFile.name) was signed; copy it again, or make the card anew"
        case .otherSecret(let name):
            "\(Self.shown(name)) is not the one that \(DeviceFile.name) was signed with; it is not taken, and stays on the card"
        case .otherRole(let name):
            "\(Self.shown(name)) names another role than the card's: a person's card has the wearer's code, a place's the technician's; it is not taken, and stays on the card"
        case .spent(let name):
            "\(Self.shown(name)) was taken from this card before, and is good once; it is erased from the card and not taken. For a new code, make the card anew"
        }
    }

    private static func shown(_ text: String) -> String { ForeignText.line(text, limit: 200) }
}
