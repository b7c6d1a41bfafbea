// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
public import Radio
import SystemCalls

/// A board profile as JSON (docs/profiles.md, Board/profiles/profile.schema.json).
///
/// Only the name is required; other fields default to those of a token. Unknown fields are refused, because a misspelt one
/// would have no effect.
public enum ProfileFile {
    /// No profile is longer.
    static let maximumByteCount = 64 << 10

    /// The reason why a profile is refused: all problems together, each with its path in the file.
    public struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        /// The problems, one English sentence each, with the path in the file if it concerns a field; at least one.
        public let problems: [String]
        /// All problems on one line, separated by semicolons, after what cannot be used.
        public var description: String { "the board profile cannot be used: " + problems.joined(separator: "; ") }
    }

    /// Reads a profile from JSON text in UTF-8, at most 64 KiB.
    ///
    /// - Throws: ``Refusal`` with all fields that are unknown or out of range; or with the one reason why the text cannot
    ///   be read: it is too long or not JSON, or a field is missing or of the wrong type.
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

    /// Returns the built-in profile with this name (`token`, `kiosk`), or else reads the file at this path.
    ///
    /// - Throws: ``Refusal`` if the file cannot be read or is not a profile.
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
