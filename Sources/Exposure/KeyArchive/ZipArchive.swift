// SPDX-License-Identifier: Apache-2.0

import CZip
import Glibc
import KeyExport

/// Owns one archive opened for reading; nobody else sees libzip's pointer. Not thread-safe.
///
/// Opening reads the directory at the end and checks its shape: which entries there are, how large they say they are, how they
/// are packed. No entry is inflated before all that is as a key file has it.
final class ZipArchive {
    /// An entry as the archive's directory describes it; the description may lie, the bytes are counted.
    struct Entry {
        let index: UInt64
        let byteCount: UInt64
        let packedByteCount: UInt64
    }

    private let handle: OpaquePointer
    // libzip reads from here when the archive is in memory.
    private let memory: UnsafeMutableRawPointer?

    init(path: String) throws(KeyExportError) {
        var status: Int32 = 0
        guard let handle = zip_open(path, ZIP_RDONLY, &status) else {
            var error = zip_error_t()
            zip_error_init_with_code(&error, status)
            throw Self.refusal(&error)
        }
        self.handle = handle
        memory = nil
    }

    init(bytes: [UInt8]) throws(KeyExportError) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
        bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: $0.count) }
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard let source = zip_source_buffer_create(memory, UInt64(bytes.count), 0, &error) else {
            memory.deallocate()
            throw Self.refusal(&error)
        }
        guard let handle = zip_open_from_source(source, ZIP_RDONLY, &error) else {
            zip_source_free(source)
            memory.deallocate()
            throw Self.refusal(&error)
        }
        self.handle = handle
        self.memory = memory
    }

    /// The file open at `descriptor`, of which the first `byteCount` bytes count; the descriptor stays the caller's.
    init(descriptor: Int32, byteCount: UInt64) throws(KeyExportError) {
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard let source = DescriptorSource(descriptor: descriptor, size: byteCount).makeSource(&error) else {
            throw Self.refusal(&error)
        }
        guard let handle = zip_open_from_source(source, ZIP_RDONLY, &error) else {
            zip_source_free(source)
            throw Self.refusal(&error)
        }
        self.handle = handle
        memory = nil
    }

    deinit {
        zip_discard(handle)
        memory?.deallocate()
    }

    private static func refusal(_ error: inout zip_error_t) -> KeyExportError {
        defer { zip_error_fini(&error) }
        switch zip_error_code_zip(&error) {
        case ZIP_ER_NOENT: return KeyExportError(.unreadableFile, "there is no such file")
        case ZIP_ER_OPEN, ZIP_ER_READ, ZIP_ER_SEEK: return KeyExportError(.unreadableFile, words(&error))
        default: return KeyExportError(.notAZipArchive, words(&error))
        }
    }

    /// Finds export.bin and export.sig and refuses an archive that holds anything else.
    func keyFileEntries(_ limits: ExportLimits) throws(KeyExportError) -> (bin: Entry, sig: Entry) {
        let count = zip_get_num_entries(handle, 0)
        // libzip takes a file of no bytes for an archive of no entries.
        guard count > 0 else { throw KeyExportError(.notAZipArchive, "it is empty") }
        var bin: Entry?
        var sig: Entry?
        // Two entries are right; the first stranger among more is named, the rest is never looked at.
        for index in 0..<UInt64(min(count, 3)) {
            var stat = zip_stat_t()
            zip_stat_init(&stat)
            guard zip_stat_index(handle, index, 0, &stat) == 0, let name = stat.name else {
                throw KeyExportError(.damagedArchive, "entry \(index) has no description")
            }
            let entry = Entry(index: index, byteCount: stat.size, packedByteCount: stat.comp_size)
            // By their bytes: a name is as long as a stranger likes (`StreamSafe`).
            switch name {
            case _ where strcmp(name, "export.bin") == 0:
                guard bin == nil else { throw KeyExportError(.duplicateEntry, "export.bin") }
                bin = entry
            case _ where strcmp(name, "export.sig") == 0:
                guard sig == nil else { throw KeyExportError(.duplicateEntry, "export.sig") }
                sig = entry
            case _ where strpbrk(name, "/\\") != nil:
                throw KeyExportError(.illegalEntryName, "entry \(index)")
            default: throw KeyExportError(.unexpectedEntry, "entry \(index)")
            }
            try check(entry, stat, limits)
        }
        guard let bin else { throw KeyExportError(.missingExport) }
        guard let sig else { throw KeyExportError(.missingSignature) }
        guard count == 2 else { throw KeyExportError(.wrongEntryCount, "\(count) entries") }
        guard bin.byteCount <= limits.maximumExportBytes else {
            throw KeyExportError(.entryTooLarge, "export.bin says \(bin.byteCount) bytes")
        }
        guard sig.byteCount <= limits.maximumSignatureBytes else {
            throw KeyExportError(.entryTooLarge, "export.sig says \(sig.byteCount) bytes")
        }
        return (bin, sig)
    }

    /// An entry of an archive that need not be a key file.
    func entry(named name: String, _ limits: ExportLimits) throws(KeyExportError) -> Entry {
        var stat = zip_stat_t()
        zip_stat_init(&stat)
        guard zip_stat(handle, name, 0, &stat) == 0 else { throw KeyExportError(.missingExport, name) }
        let entry = Entry(index: stat.index, byteCount: stat.size, packedByteCount: stat.comp_size)
        try check(entry, stat, limits)
        return entry
    }

    private func check(_ entry: Entry, _ stat: zip_stat_t, _ limits: ExportLimits) throws(KeyExportError) {
        guard stat.encryption_method == ZIP_EM_NONE else { throw KeyExportError(.encryptedEntry) }
        guard [ZIP_CM_STORE, ZIP_CM_DEFLATE].contains(Int32(stat.comp_method)) else {
            throw KeyExportError(.unsupportedCompression, "method \(stat.comp_method)")
        }
        let (allowed, overflow) = entry.packedByteCount.multipliedReportingOverflow(by: limits.maximumRatio)
        guard entry.byteCount <= limits.ratioFreeBytes || overflow || entry.byteCount <= allowed else {
            throw KeyExportError(.suspiciousRatio, "\(entry.packedByteCount) bytes say they become \(entry.byteCount)")
        }
    }

    /// What libzip says of it.
    static func words(_ error: UnsafeMutablePointer<zip_error_t>?) -> String {
        // Newer headers promise that there is one, and want one; older ones do neither.
        let text: UnsafePointer<CChar>? = if let error { zip_error_strerror(error) } else { nil }
        return text.map { String(cString: $0) } ?? "libzip does not say why"
    }

    /// Inflates `entry` into `buffer` again and again and hands over what came; refuses more than was announced, less than
    /// was announced, and anything whose checksum is wrong.
    func stream(
        _ entry: Entry, through buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard let file = zip_fopen_index(handle, entry.index, 0) else {
            throw KeyExportError(.damagedArchive, Self.words(zip_get_error(handle)))
        }
        defer { zip_fclose(file) }
        var total: UInt64 = 0
        while true {
            let count = zip_fread(file, buffer.baseAddress!, UInt64(buffer.count))
            if count < 0 {
                throw KeyExportError(
                    .damagedArchive, at: total, Self.words(zip_file_get_error(file)))
            }
            if count == 0 { break }
            total += UInt64(count)
            guard total <= entry.byteCount else {
                throw KeyExportError(.damagedArchive, at: total, "an entry is larger than announced")
            }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
        }
        guard total == entry.byteCount else {
            throw KeyExportError(.damagedArchive, at: total, "an entry is shorter than announced")
        }
    }

    /// All of an entry whose announced size was found small enough.
    func content(_ entry: Entry) throws(KeyExportError) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            try withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
                try stream(entry, through: buffer) { bytes += $0 }
            }
        } catch let error as KeyExportError {
            throw error
        } catch {
            throw KeyExportError(.damagedArchive)
        }
        return bytes
    }
}
