// SPDX-License-Identifier: Apache-2.0

package import KeyExport

/// Reads export.bin from archives that are not key files: published samples without a signature. For the lab only.
package enum UnsignedKeyFile {
    /// Returns the archive's export.bin, whatever other entries it has; nothing is verified. Throws
    /// ``KeyExportError``: `missingExport` when there is no such entry, and others when the archive is faulty.
    package static func exportBin(path: String) throws(KeyExportError) -> [UInt8] { try entry("export.bin", path: path) }

    /// Returns the content of the entry `name`, within the standard limits of compression. Throws ``KeyExportError``:
    /// `missingExport` when there is no such entry, and others when the archive is faulty.
    package static func entry(_ name: String, path: String) throws(KeyExportError) -> [UInt8] {
        let archive = try ZipArchive(path: path)
        return try archive.content(archive.entry(named: name, .standard))
    }
}
