// SPDX-License-Identifier: Apache-2.0

import Trust

/// The signed changes of keys that this authority has made: `successions/0001-export.json` and so on, in the order they were made.
struct Successions {
    /// One that was made.
    struct Made {
        let path: String
        let content: SuccessionContent
        /// The roles whose keys signed.
        let signers: [KeyRole]
    }

    let folder: String
    let made: [Made]

    /// Reads all that were made. Throws `stateDamaged` when one of them cannot be read or is missing: the next number would be a wrong one.
    init(_ state: StateFolder) throws(AuthorityError) {
        folder = state.path + "/successions"
        var made: [Made] = []
        // What a cut left behind has another ending.
        let names = FileWork.exists(folder) ? try FileWork.names(in: folder).filter { $0.hasSuffix(".json") } : []
        for name in names {
            let path = "\(folder)/\(name)"
            guard name.hasPrefix(Self.number(made.count + 1) + "-") else {
                throw AuthorityError(
                    .stateDamaged, "\(path): number \(made.count + 1) is missing, or there is another with its number")
            }
            do {
                let succession = try Succession(file: FileWork.read(path, limit: Succession.maximumFileByteCount))
                made.append(
                    Made(path: path, content: try succession.content(), signers: succession.signatures.map(\.role)))
            } catch let error as TrustError {
                throw AuthorityError(.stateDamaged, "\(path): \(error)")
            } catch let error as AuthorityError { throw error } catch { throw AuthorityError(.stateDamaged, path) }
        }
        self.made = made
    }

    /// Number of the last one that a key of `role` signed; 0 without any.
    func lastSequence(of signer: KeyRole) -> UInt64 {
        made.filter { $0.signers.contains(signer) }.map(\.content.sequence).max() ?? 0
    }

    /// The last one that changed the keys of `role`.
    func last(changing role: KeyRole) -> Made? { made.last { $0.content.roles[role] != nil } }

    /// Where the next one goes.
    func nextPath(_ role: KeyRole) -> String { "\(folder)/\(Self.number(made.count + 1))-\(role.rawValue).json" }

    private static func number(_ number: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, 4 - text.count)) + text
    }
}
