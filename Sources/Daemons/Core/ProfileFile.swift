// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
public import Radio
import SystemCalls

/// A board profile as JSON (docs/profiles.md, Board/profiles/profile.schema.json).
///
/// Everything but the name may be left out and is then as on a token. Unknown fields are refused: a misspelt one would silently do
/// nothing.
public enum ProfileFile {
    /// No profile is longer.
    static let maximumByteCount = 64 << 10

    /// The reason why a profile is refused: every problem with its path in the file, all in one go.
    public struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        /// One English sentence each, with the path in the file if it is about a field; at least one.
        public let problems: [String]
        /// All problems on one line, separated by semicolons, after what cannot be used.
        public var description: String { "the board profile cannot be used: " + problems.joined(separator: "; ") }
    }

    /// Reads a profile from JSON text in UTF-8, at most 64 KiB.
    ///
    /// - Throws: ``Refusal`` with every field that is unknown or out of range, or with the one reason why it cannot be read: too long, no JSON, a
    ///   field that is missing or of another kind.
    public static func parse(_ json: some Collection<UInt8>) throws(Refusal) -> BoardProfile {
        guard json.count <= maximumByteCount else { throw Refusal(problems: ["it is longer than 64 KiB"]) }
        let draft: ProfileDraft
        let keys: KeyPaths
        do {
            keys = try JSONDecoder().decode(KeyPaths.self, from: Data(json))
            draft = try JSONDecoder().decode(ProfileDraft.self, from: Data(json))
        } catch let error as DecodingError {
            throw Refusal(problems: [sentence(error)])
        } catch { throw Refusal(problems: ["it is not JSON"]) }
        var problems = keys.paths.filter { !ProfileDraft.fields.contains($0) }.map {
            "\($0.prefix(60)): there is no such field"
        }
        let profile = draft.profile(&problems)
        problems += profile.problems
        guard problems.isEmpty else { throw Refusal(problems: problems) }
        return profile
    }

    /// The built-in profile of this name (`token`, `kiosk`), or else the one in the file at this path.
    ///
    /// - Throws: ``Refusal`` when the file cannot be read or is no profile.
    public static func load(_ nameOrPath: String) throws(Refusal) -> BoardProfile {
        switch nameOrPath {
        case "token": return .token
        case "kiosk": return .kiosk
        default: return try parse(try read(nameOrPath))
        }
    }

    private static func read(_ path: String) throws(Refusal) -> [UInt8] {
        do throws(SystemError) { return try WholeFile.read(path, limit: maximumByteCount) } catch {
            let hint = error.number == ENOENT ? "; the built-in ones are token and kiosk" : ""
            throw Refusal(problems: ["\(path): \(error.text)\(hint)"])
        }
    }

    private static func sentence(_ error: DecodingError) -> String {
        func path(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return path.isEmpty ? "the file" : path
        }
        switch error {
        case .typeMismatch(_, let context): return "\(path(context)): another kind of value is expected"
        case .valueNotFound(_, let context): return "\(path(context)): null is not a value"
        case .keyNotFound(let key, let context): return "\(path(context)): \(key.stringValue) is missing"
        case .dataCorrupted(let context): return "\(path(context)): \(context.debugDescription)"
        @unknown default: return "it cannot be read"
        }
    }
}
