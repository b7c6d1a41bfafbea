// SPDX-License-Identifier: Apache-2.0

import Glibc
public import KeyExport
public import KeyStream

/// The work of the unzip program on its two descriptors after it is confined: it reads a key file and writes a stream
/// of frames, or the reverse.
///
/// Every function ends the process with status 1, without a message, when the stream can no longer be written.
public enum ArchiveService {
    /// Reads the key file open at `input`, of which only the first `byteCount` bytes count, and writes its stream
    /// without the `hello` frame to `output`; blocks. Returns `true` for a complete file; otherwise writes a
    /// `failure` frame and returns `false`. Both descriptors stay open.
    public static func unpack(
        from input: Int32, byteCount: UInt64, to output: Int32, limits: ExportLimits = .standard
    ) -> Bool {
        do {
            let archive = try ZipArchive(descriptor: input, byteCount: byteCount)
            let entries = try archive.keyFileEntries(limits)
            let signatures = try archive.content(entries.sig)
            send(KeyStreamFrame.opening(contentByteCount: entries.bin.byteCount, companion: signatures), to: output)
            try sendContent(of: archive, entries.bin, to: output)
            send(KeyStreamFrame.end, to: output)
            return true
        } catch {
            send(KeyStreamFrame.failure(error as? KeyExportError ?? KeyExportError(.damagedArchive)), to: output)
            return false
        }
    }

    /// Reads export.bin and export.sig from the stream at `input` and writes their archive as the content of a stream
    /// without the `hello` frame to `output`; blocks. Holds both files in memory. Returns `true` for a complete
    /// archive; otherwise, also when the input breaks the rules of streams or ends early, writes a `failure` frame
    /// and returns `false`.
    public static func pack(from input: Int32, to output: Int32, limits: ExportLimits = .standard) -> Bool {
        do {
            var bin: [UInt8] = []
            var sig: [UInt8] = []
            var decoder = KeyStreamDecoder()
            try withUnsafeTemporaryAllocation(byteCount: KeyStreamFrame.maximumContentBytes, alignment: 16) { buffer in
                while true {
                    let count = Glibc.read(input, buffer.baseAddress, buffer.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { break }
                    try decoder.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { event in
                        switch event {
                        case .opening(let announced, let companion):
                            guard announced <= limits.maximumExportBytes else {
                                throw KeyExportError(.entryTooLarge, "export.bin says \(announced) bytes")
                            }
                            bin.reserveCapacity(Int(announced))
                            sig = companion
                        case .content(let bytes): bin += bytes
                        // Whoever made the stream has no file to pack.
                        case .failure(let error): throw error
                        case .hello, .end: break
                        }
                    }
                }
            }
            try decoder.checkEnd()
            let zip = try KeyArchiveWriter.archive(exportBin: bin, exportSig: sig)
            send(KeyStreamFrame.opening(contentByteCount: UInt64(zip.count), companion: []), to: output)
            for start in stride(from: 0, to: zip.count, by: KeyStreamFrame.maximumContentBytes) {
                let end = min(start + KeyStreamFrame.maximumContentBytes, zip.count)
                send(KeyStreamFrame.head(.content, byteCount: end - start) + zip[start..<end], to: output)
            }
            send(KeyStreamFrame.end, to: output)
            return true
        } catch {
            send(KeyStreamFrame.failure(error as? KeyExportError ?? KeyExportError(.damagedArchive)), to: output)
            return false
        }
    }

    /// Writes the first frame of the stream, with the confinement of this process, to the descriptor `output`. Blocks;
    /// ends the process when it cannot be written.
    public static func greet(_ confinement: Confinement, on output: Int32) {
        send(KeyStreamFrame.hello(confinement), to: output)
    }

    private static func sendContent(of archive: ZipArchive, _ entry: ZipArchive.Entry, to output: Int32) throws {
        // Head and content lie side by side, so that a frame is one call.
        let headCount = KeyStreamFrame.headByteCount
        let frame = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 16 + KeyStreamFrame.maximumContentBytes, alignment: 16)
        defer { frame.deallocate() }
        let content = UnsafeMutableRawBufferPointer(rebasing: frame[16...])
        try archive.stream(entry, through: content) { bytes in
            let start = 16 - headCount
            UnsafeMutableRawBufferPointer(rebasing: frame[start..<16])
                .copyBytes(from: KeyStreamFrame.head(.content, byteCount: bytes.count))
            send(UnsafeRawBufferPointer(rebasing: frame[start..<(16 + bytes.count)]), to: output)
        }
    }

    private static func send(_ bytes: [UInt8], to output: Int32) { bytes.withUnsafeBytes { send($0, to: output) } }

    private static func send(_ bytes: UnsafeRawBufferPointer, to output: Int32) {
        var total = 0
        while total < bytes.count {
            let count = Glibc.write(output, bytes.baseAddress! + total, bytes.count - total)
            if count < 0, errno == EINTR { continue }
            // Who started this program has gone, and with it the reason for going on.
            guard count > 0 else { _exit(1) }
            total += count
        }
    }
}
