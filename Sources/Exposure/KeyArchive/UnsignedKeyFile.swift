// SPDX-License-Identifier: Apache-2.0

package import KeyExport

/// Reads export.bin out of archives that are not key files, for the lab only: published samples without a signature.
package enum UnsignedKeyFile {
    /// The content of the archive's export.bin, whatever else is in it; nothing is verified. Throws `missingExport`, or
    /// what is wrong with the archive.
    package static func exportBin(path: String) throws(KeyExportError) -> [UInt8] { try entry("export.bin", path: path) }

    /// The content of any entry, held to the usual limits of compression. Throws `missingExport` when there is none of that
    /// name, or what is wrong with the archive.
    package static func entry(_ name: String, path: String) throws(KeyExportError) -> [UInt8] {
        let archive = try ZipArchive(path: path)
        return try archive.content(archive.entry(named: name, .standard))
    }
}
