// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import SystemCalls

/// The file that says who may sign in, `access/secrets` in the core's data folder: a folder of its own, because a reset erases every file
/// beside the vault, and the card with the secret is still the card.
///
/// Written as a whole: a cut leaves what was there before.
struct AccessFile {
    static let folderName = "access"
    static let name = "secrets"
    static let damagedName = "secrets.damaged"
    static let firstName = "first-secrets"
    private static let mostBytes = 65_536

    /// Why it cannot be kept, in words.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The core's data folder; `nil` where nothing outlives the program.
    let data: String?

    private var folder: String { "\(data ?? "")/\(Self.folderName)" }
    private var path: String { "\(folder)/\(Self.name)" }

    /// What was kept, and what is wrong with it: a damaged file is set aside, and nobody can sign in until new secrets are made.
    func load() -> (records: AccessRecords, finding: String?) {
        guard data != nil else { return (AccessRecords(), nil) }
        let bytes: [UInt8]
        do throws(Failure) {
            guard let found = try Self.read(path) else { return (AccessRecords(), nil) }
            bytes = found
        } catch {
            return (AccessRecords(), "Who may sign in cannot be read: \(error). Nobody can until it can.")
        }
        if let records = AccessRecords(bytes) { return (records, nil) }
        let aside = "\(folder)/\(Self.damagedName)"
        _ = rename(path, aside)
        return (
            AccessRecords(),
            "The file of who may sign in was damaged and is set aside as \(Self.folderName)/\(Self.damagedName): nobody can sign in until new secrets are made at the console (vigil ctl access make)."
        )
    }

    /// Durable when it returns.
    func store(_ records: AccessRecords) throws(Failure) {
        guard data != nil else { return }
        let bytes: [UInt8]
        do { bytes = try records.bytes() } catch { throw Failure(description: "\(error)") }
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Self.failure("make the folder") }
        do throws(SystemError) { try WholeFile.replace(path, with: bytes, mode: 0o600) } catch {
            throw Failure(description: "cannot write it: \(error.text)")
        }
        if let data { Self.sync(data) }
    }

    /// Whether a file was set aside, now or at an earlier start.
    var wasDamaged: Bool { data != nil && access("\(folder)/\(Self.damagedName)", F_OK) == 0 }

    /// The name of the device's present life, as the core wrote it; empty where it could not.
    var life: String {
        guard let data, let bytes = try? Self.read("\(data)/life") else { return "" }
        return String(decoding: bytes.prefix(64), as: UTF8.self)
    }

    // MARK: The first secrets

    /// What provisioning has left in the data folder; `nil` without it.
    func firstSecrets() throws(Failure) -> [UInt8]? {
        guard let data else { return nil }
        return try Self.read("\(data)/\(Self.firstName)")
    }

    func eraseFirstSecrets() {
        guard let data else { return }
        Self.erase("\(data)/\(Self.firstName)", in: data)
    }

    /// Removes a file that was set aside; nothing happens where there is none.
    func eraseDamaged() {
        guard wasDamaged else { return }
        Self.erase("\(folder)/\(Self.damagedName)", in: folder)
    }

    /// Overwritten before it is deleted: a name that is gone leaves the bytes where they were.
    private static func erase(_ path: String, in folder: String) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor >= 0 {
            let size = lseek(descriptor, 0, SEEK_END)
            let zeros = [UInt8](repeating: 0, count: min(max(Int(size), 0), mostBytes))
            _ = zeros.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
            fsync(descriptor)
            close(descriptor)
        }
        unlink(path)
        sync(folder)
    }

    // MARK: The system

    private static func read(_ path: String) throws(Failure) -> [UInt8]? {
        do throws(SystemError) { return try WholeFile.read(path, limit: mostBytes, .noLink) } catch {
            switch error.number {
            case ENOENT: return nil
            // Nothing of ours is as long: it is damaged.
            case EFBIG: return []
            default: throw Failure(description: "cannot read it: \(error.text)")
            }
        }
    }

    private static func sync(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func failure(_ action: String) -> Failure {
        Failure(description: "cannot \(action): \(String(cString: strerror(errno)))")
    }
}
