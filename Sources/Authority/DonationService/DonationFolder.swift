// SPDX-License-Identifier: Apache-2.0

package import Donation
import Glibc
package import JSON
import SystemCalls

/// The folder of an issuer or of a donation server: a file that says whose it is, the settings, a database. The two never share one:
/// whoever has both folders' content has addresses and donations at one place.
package struct DonationFolder: Sendable {
    /// Whose a folder is.
    package enum Role: String, Sendable, CaseIterable {
        /// It signs tokens and knows the devices.
        case issuer
        /// It takes donations.
        case server
    }

    /// The path, without a slash at its end.
    package let path: String
    /// Whose it is.
    package let role: Role

    /// The longest file of an operator that is read.
    static let maximumFileBytes = 65_536

    /// Makes a folder with rights for its owner only, unless it is there and is this role's or empty. `isNew` is `false` if it was this role's
    /// already. Throws `wrongFolder` if it is the other's, or has any other files, and `storageUnusable`.
    package static func make(
        _ path: String, role: Role
    ) throws(DonationServiceError) -> (folder: DonationFolder, isNew: Bool) {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        if access("\(path)/role", F_OK) == 0 { return (try DonationFolder(path, role: role), false) }
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw DonationServiceError(.storageUnusable, "\(path): \(String(cString: strerror(errno)))")
        }
        guard try names(path).allSatisfy({ $0.hasPrefix("role.") }) else {
            throw DonationServiceError(.wrongFolder, "\(path): there are files of something else in it")
        }
        try write(Array("\(role.rawValue)\n".utf8), to: "\(path)/role")
        return (try DonationFolder(path, role: role), true)
    }

    /// Opens a folder that ``make(_:role:)`` made. Throws `wrongFolder` unless it is this role's.
    package init(_ path: String, role: Role) throws(DonationServiceError) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        self.role = role
        guard let bytes = try? WholeFile.read("\(self.path)/role", limit: 64) else {
            throw DonationServiceError(
                .wrongFolder, "\(path): make it with `donations init-\(role.rawValue)`")
        }
        guard bytes == Array("\(role.rawValue)\n".utf8) else {
            throw DonationServiceError(.wrongFolder, "\(path): it is not one of \(role.name)")
        }
    }

    /// The path of the database.
    package var database: String { "\(path)/\(role.rawValue).db" }

    /// The name of the document about data donation: the last one that the issuer made, or the one that the donation server follows.
    package static let termsName = "terms.json"

    /// That document; `nil` if there is none yet. Throws `storageUnusable`, or `invalidTerms` if it is not one.
    package func terms() throws(DonationServiceError) -> DonationTerms? {
        guard access("\(path)/\(Self.termsName)", F_OK) == 0 else { return nil }
        guard let terms = try DonationTerms(decoding: bytes(Self.termsName)) else {
            throw DonationServiceError(.invalidTerms, "\(path)/\(Self.termsName)")
        }
        return terms
    }

    /// The JSON of a file of this folder, as an operator left it. Throws `storageUnusable` or `invalidSettings`.
    package func json(_ name: String) throws(DonationServiceError) -> JSON {
        let bytes = try bytes(name)
        do { return try JSON(parsing: bytes) } catch { throw DonationServiceError(.invalidSettings, "\(name): no JSON") }
    }

    /// The bytes of a file of this folder. Throws `storageUnusable`.
    package func bytes(_ name: String) throws(DonationServiceError) -> [UInt8] {
        do throws(SystemError) { return try WholeFile.read("\(path)/\(name)", limit: Self.maximumFileBytes) } catch {
            throw DonationServiceError(.storageUnusable, "\(path)/\(name): \(error.text)")
        }
    }

    /// Replaces a file of this folder, whole or not at all. Throws `storageUnusable`.
    package func write(_ bytes: [UInt8], to name: String) throws(DonationServiceError) {
        try Self.write(bytes, to: "\(path)/\(name)")
    }

    /// Replaces a file that everybody may read, whole or not at all. Throws `storageUnusable`.
    package static func writePublic(_ bytes: [UInt8], to path: String) throws(DonationServiceError) {
        try write(bytes, to: path, mode: 0o644)
    }

    private static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) throws(DonationServiceError) {
        do throws(SystemError) { try WholeFile.replace(path, with: bytes, mode: mode) } catch {
            throw DonationServiceError(.storageUnusable, "\(path): \(error.text)")
        }
    }

    private static func names(_ path: String) throws(DonationServiceError) -> [String] {
        guard let directory = opendir(path) else {
            throw DonationServiceError(.storageUnusable, "\(path): \(String(cString: strerror(errno)))")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

extension DonationFolder.Role {
    /// For sentences.
    var name: String { self == .issuer ? "an issuer" : "a donation server" }
}
