// SPDX-License-Identifier: Apache-2.0

import KeyArchive

/// A small archive that unpacks to a great deal.
enum KeyBomb {
    private static let byteCount = 180 << 20

    static func archive() throws -> [UInt8] {
        try KeyArchiveWriter.archive(exportBin: [UInt8](repeating: 0, count: byteCount), exportSig: [0x0A, 0])
    }
}
