// SPDX-License-Identifier: Apache-2.0

public import KeyExport

/// Signed documents that are packed as key files are, without being key files: configurations.
public enum SignedArchive {
    /// Both entries of an archive in memory, held to the shape of a key file and to so many bytes. Nothing is verified.
    public static func entries(
        _ bytes: [UInt8], maximumByteCount: Int
    ) throws(KeyExportError) -> (exportBin: [UInt8], exportSig: [UInt8]) {
        var limits = ExportLimits.standard
        limits.maximumExportBytes = UInt64(max(0, maximumByteCount))
        let archive = try ZipArchive(bytes: bytes)
        let entries = try archive.keyFileEntries(limits)
        return (try archive.content(entries.bin), try archive.content(entries.sig))
    }
}
