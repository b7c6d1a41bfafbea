// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// The reason why an answer is refused: a sentence of its own for each wrong answer, which says what would be right. May
/// quote the answer, made printable, but never a private key.
public enum AnswerFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing was answered.
    case empty(Question)
    /// There was no line left for the question.
    case inputEnded(Question)
    /// The answer has a control character, or more than 1,000 bytes.
    case unprintable(Question)
    /// The answer is neither person nor place; with the answer.
    case noUse(String)
    /// The answer is none of the languages that pages speak; with the answer.
    case noLanguage(String)
    /// The answer has neither the word `automatic` nor the form of addresses; with the answer.
    case noNetwork(String)
    /// The addresses cannot be; with the supervisor's own words.
    case badNetwork(String)
    /// The profile's file cannot be read; with the system's words.
    case unreadableProfile(String)
    /// The profile's file is not JSON.
    case profileNoJSON
    /// The profile is wrong; with everything that is wrong in it.
    case badProfile(String)
    /// That authority has ended its service; with its name.
    case endedAuthority(String)
    /// The profile names a server in a private network; with its host.
    case localAuthority(String)
    /// The key's file cannot be read; with the system's words.
    case unreadableKey(String)
    /// It is a private key.
    case privateKey
    /// The file has no key in it.
    case noKey
    /// The line, counted from 1, is no public key of SSH.
    case badKey(line: Int)
    /// The line, counted from 1, has a kind of key that the board's SSH server does not take; with the kind.
    case unknownKeyKind(line: Int, String)
    /// An RSA key of fewer than 2,048 bits.
    case shortKey(line: Int, bits: Int)
    /// The key is in the form of RFC 4716, which the board's SSH server does not read.
    case otherKeyForm
    /// The key was damaged on its way: its content is not what its first word says.
    case damagedKey(line: Int)
    /// The line, counted from 1, has options before the key.
    case keyOptions(line: Int)
    /// More keys than a card takes; with the number that it takes.
    case tooManyKeys(Int)
    /// The name of the device is empty, has more than 60 characters, or cannot be shown.
    case badTitle
    /// The operator's name for the board is empty, has more than 100 characters, or cannot be shown.
    case badName

    /// The question that was answered; `nil` for the device's name and the board's, which no question asks for.
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
        case .badTitle, .badName: nil
        }
    }

    /// One English line for the person who answered: what is wrong, and what would be right. What it quotes is made printable and cut.
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
        case .badTitle: "The name of the device must have 1 to 60 characters that can be shown."
        }
    }

    private static func quoted(_ text: String) -> String { ForeignText.line(text, limit: 60) }
}
