// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A folder that goes with the value that made it.
final class Scratch {
    private let folder: String

    init(below base: String) throws {
        folder = "\(base)/warned-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func path(_ name: String) -> String { "\(folder)/\(name)" }
}
