// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SystemCalls

/// `state.json` in the run folder: replaced as a whole, so that whoever reads it never sees half of it. In memory (tmpfs) on boards,
/// so it is not synced.
struct StateFile {
    static let name = "state.json"
    private let folder: String

    init(folder: String) { self.folder = folder }

    /// Writes `status`; gives the reason if it could not be written. The beacon does not depend on it.
    func write(_ status: CoreStatus) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(status) else { return "the state cannot be encoded" }
        let bytes = Array(json) + [UInt8(ascii: "\n")]
        do throws(SystemError) { try WholeFile.replace("\(folder)/\(Self.name)", with: bytes, mode: 0o644, .process) } catch
        {
            return error.text
        }
        return nil
    }
}
