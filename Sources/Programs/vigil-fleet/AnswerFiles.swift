// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import FleetCard
import Glibc

/// Answers that name a file, or say `none`.
enum AnswerFiles {
    static func authority(_ text: String, isLocal: Bool) throws(AnswerFault) -> BoardAnswers.Authority? {
        guard text.lowercased() != "none" else { return nil }
        let bytes: [UInt8]
        do throws(InputError) { bytes = try Files.read(path(text), limit: BoardAnswers.Authority.maximumByteCount) } catch {
            throw .unreadableProfile("\(error)")
        }
        return try BoardAnswers.Authority(parsing: bytes, isLocal: isLocal)
    }

    static func technicians(_ text: String) throws(AnswerFault) -> TechnicianKeys? {
        guard text.lowercased() != "none" else { return nil }
        let bytes: [UInt8]
        do throws(InputError) { bytes = try Files.read(path(text), limit: TechnicianKeys.maximumByteCount) } catch {
            throw .unreadableKey("\(error)")
        }
        return try TechnicianKeys(parsing: bytes)
    }

    /// No shell has seen what was typed as an answer.
    private static func path(_ text: String) -> String {
        guard text.hasPrefix("~/"), let home = getenv("HOME") else { return text }
        return String(cString: home) + text.dropFirst(1)
    }
}
