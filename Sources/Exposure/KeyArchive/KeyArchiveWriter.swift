// SPDX-License-Identifier: Apache-2.0

import CZip
public import KeyExport

/// Packs export.bin and export.sig into the zip that is published.
public enum KeyArchiveWriter {
    // 2020-01-01 in the format of zip. A real time would make equal content differ byte by byte.
    private static let date: UInt16 = (2020 - 1980) << 9 | 1 << 5 | 1

    /// Returns the archive's bytes, made in memory; equal input results in equal bytes. Throws `damagedArchive`, with
    /// the reason as its detail, when the archive cannot be made, and no other error.
    public static func archive(exportBin: [UInt8], exportSig: [UInt8]) throws(KeyExportError) -> [UInt8] {
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard let target = zip_source_buffer_create(nil, 0, 0, &error) else { throw failure(&error) }
        // Kept beyond closing the archive, to read the result from.
        zip_source_keep(target)
        defer { zip_source_free(target) }
        guard let handle = zip_open_from_source(target, ZIP_TRUNCATE, &error) else {
            zip_source_free(target)
            throw failure(&error)
        }
        // libzip reads the entries' bytes when it closes the archive.
        let status = exportBin.withUnsafeBytes { bin in
            exportSig.withUnsafeBytes { sig -> Int32 in
                guard add(handle, "export.bin", bin), add(handle, "export.sig", sig) else {
                    zip_discard(handle)
                    return -1
                }
                return zip_close(handle)
            }
        }
        guard status == 0 else { throw KeyExportError(.damagedArchive, "the archive could not be written") }
        return try contents(of: target)
    }

    private static func add(_ handle: OpaquePointer, _ name: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let source = zip_source_buffer(handle, bytes.baseAddress, UInt64(bytes.count), 0) else { return false }
        let index = zip_file_add(handle, name, source, 0)
        guard index >= 0 else {
            zip_source_free(source)
            return false
        }
        return zip_file_set_dostime(handle, UInt64(index), 0, date, 0) == 0
    }

    private static func contents(of source: OpaquePointer) throws(KeyExportError) -> [UInt8] {
        var stat = zip_stat_t()
        zip_stat_init(&stat)
        guard zip_source_stat(source, &stat) == 0, zip_source_open(source) == 0 else {
            throw KeyExportError(.damagedArchive, "the archive could not be read back")
        }
        defer { zip_source_close(source) }
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(stat.size)) { buffer, count in
            var total = 0
            while total < buffer.count {
                let step = zip_source_read(source, buffer.baseAddress! + total, UInt64(buffer.count - total))
                guard step > 0 else { break }
                total += Int(step)
            }
            count = total
        }
        guard bytes.count == Int(stat.size) else {
            throw KeyExportError(.damagedArchive, "the archive could not be read back")
        }
        return bytes
    }

    private static func failure(_ error: inout zip_error_t) -> KeyExportError {
        KeyExportError(.damagedArchive, ZipArchive.words(&error))
    }
}
