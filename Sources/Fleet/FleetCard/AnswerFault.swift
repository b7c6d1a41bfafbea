// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// The reason why an answer about a board is refused. There is one case, with a sentence of its own, for each kind
/// of wrong answer. An associated text is the answer as it was given; only ``description`` makes it printable. No
/// case holds a private key.
public enum AnswerFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The answer to this question is empty.
    case empty(Question)
    /// The input ended before this question had an answer.
    case inputEnded(Question)
    /// The answer, without the blanks around it, has a control character or another character that cannot be shown;
    /// or it has more than 1,000 bytes as typed.
    case unprintable(Question)
    /// The answer, given here, is neither `person` nor `place`.
    case noUse(String)
    /// The answer, given here, is not a language of the pages.
    case noLanguage(String)
    /// The answer, given here, is neither `automatic` nor `dhcp`, and does not begin with an address and the length
    /// of its network.
    case noNetwork(String)
    /// The addresses are not possible; the text is the supervisor's reason.
    case badNetwork(String)
    /// The file of the profile cannot be read; the text is the system's reason.
    case unreadableProfile(String)
    /// The file of the profile is not JSON.
    case profileNoJSON
    /// The profile has faults, has more bytes than boards read, or gives no settings for plugins; the text lists
    /// the faults.
    case badProfile(String)
    /// The authority of this name is not running.
    case endedAuthority(String)
    /// The profile names a server that is not on the internet: an address of a special range, or a name that is
    /// `localhost`, ends with `.localhost` or `.local`, or has no dot. The text is its host.
    case localAuthority(String)
    /// The file of the key cannot be read; the text is the system's reason.
    case unreadableKey(String)
    /// The file holds a private key.
    case privateKey
    /// The file holds no key.
    case noKey
    /// The line, counted from 1, is not a public SSH key.
    case badKey(line: Int)
    /// The line, counted from 1, holds a key of a kind that the board's SSH server does not accept; the text is the kind.
    case unknownKeyKind(line: Int, String)
    /// The line, counted from 1, holds an RSA key of fewer than 2,048 bits.
    case shortKey(line: Int, bits: Int)
    /// The key is in the form of RFC 4716, which the board's SSH server does not read.
    case otherKeyForm
    /// The line, counted from 1, holds a key whose content does not fit its kind, so it was damaged when it was copied.
    case damagedKey(line: Int)
    /// The line, counted from 1, has options before the key.
    case keyOptions(line: Int)
    /// The file holds more keys than a card takes; the number is how many it takes.
    case tooManyKeys(Int)
    /// The title of the device is empty, has more than 60 Unicode scalars, or has a character that cannot be shown.
    case badTitle
    /// The operator's name for the board is empty or only blanks, has more than 100 Unicode scalars, or has a
    /// character that cannot be shown.
    case badName
    /// The group of a board in a table is no name of a group.
    case badGroup(String)

    /// The question whose answer is refused; `nil` for the title and the name, for which there is no question.
    public var question: Question? {
        switch self {
        case .empty(let question), .inputEnded(let question), .unprintable(let question): question
        case .noUse: .use
        case .noLanguage: .language
        case .noNetwork, .badNetwork: .network
        case .unreadableProfile, .profileNoJSON, .badProfile, .endedAuthority, .localAuthority: .authority
        case .unreadableKey, .privateKey, .noKey, .badKey, .unknownKeyKind, .shortKey, .otherKeyForm, .damagedKey,
            .keyOptions, .tooManyKeys:
            .technician
        case .badTitle, .badName, .badGroup: nil
        }
    }

    /// An English line for the person who answered: what is wrong, and what would be right. Text that it quotes from the
    /// answer is made printable and cut.
    public var description: String {
        switch self {
        case .empty(let question): "The question for \(question.rawValue) has no answer. \(question.text)"
        case .inputEnded(let question):
            "Input ended before question \(question.number); give \(question.option)."
        case .unprintable(let question):
            "The answer for \(question.rawValue) has characters that cannot be shown, or is longer than 1,000 bytes. Type it again."
        case .noUse(let text):
            "“\(Self.quoted(text))” is no use of a board. Answer person if somebody wears it, place if it stands somewhere."
        case .noLanguage(let text):
            "The page does not speak “\(Self.quoted(text))”. Answer en (English), de (German), fr (French) or de-simple (German in plain language)."
        case .noNetwork(let text):
            "“\(Self.quoted(text))” is no network. Answer automatic, or the board's address with the length of its network, the gateway and up to three name servers: 192.168.1.20/24 192.168.1.1 192.168.1.1."
        case .badNetwork(let reason): "This network cannot be: \(reason)."
        case .unreadableProfile(let reason):
            "The profile cannot be read: \(reason). Give the path of the authority's profile, a JSON file."
        case .profileNoJSON:
            "This file is not JSON, so it is no profile of a health authority. Give the file that the authority publishes for boards."
        case .badProfile(let reason):
            "This is no profile of a health authority that a board can follow: \(reason). The authority has to mend it (vigil-lab profile check says all)."
        case .endedAuthority(let name):
            "The authority \(name) has ended its service: a board would say that it is off, and warn of nothing. Choose one that is running, or none."
        case .localAuthority(let host):
            "The profile names \(Self.quoted(host)), an address of a private network. An authority is on the internet; if yours is truly in your own network, say --local-authority."
        case .unreadableKey(let reason):
            "The key cannot be read: \(reason). Give the file of a public key, which ends in .pub."
        case .privateKey:
            "This is a private key. It must not leave the technician's computer. Give the file beside it that ends in .pub."
        case .noKey: "This file has no key in it. Give the file of a public key, which ends in .pub."
        case .badKey(let line):
            "Line \(line) is no public key of SSH. It begins with the kind of the key, such as ssh-ed25519, and goes on with its Base64."
        case .unknownKeyKind(let line, let kind):
            "The board takes no SSH keys of the kind \(Self.quoted(kind)) (line \(line)). Make one with ssh-keygen -t ed25519."
        case .shortKey(let line, let bits):
            "This RSA key has \(bits) bits: too short (line \(line)). A board takes 2,048 and more; better make one with ssh-keygen -t ed25519."
        case .otherKeyForm:
            "This public key is in the form of RFC 4716. Turn it into the form of OpenSSH: ssh-keygen -i -f FILE > key.pub, and give key.pub."
        case .damagedKey(let line):
            "The key in line \(line) is damaged: its content does not fit its kind. Copy the whole line of the .pub file again."
        case .keyOptions(let line):
            "Line \(line) has options before the key. The board's SSH server is given keys alone; remove what stands before the kind of the key."
        case .tooManyKeys(let most):
            "These are more than \(most) keys. Give one for each technician who works on this board."
        case .badName: "The board's name must have 1 to 100 characters that can be shown."
        case .badGroup(let text):
            "“\(Self.quoted(text))” is no group. A group has 1 to 32 small letters, digits and dashes, such as libraries."
        case .badTitle: "The name of the device must have 1 to 60 characters that can be shown."
        }
    }

    private static func quoted(_ text: String) -> String { ForeignText.line(text, limit: 60) }
}
