// SPDX-License-Identifier: Apache-2.0

package import Cryptography
package import Enrolment
import Glibc
import JSON
package import SecurityToken
import SystemCalls

/// How long certificates are good.
package struct RegistrySettings: Sendable, Hashable {
    /// The lifetime of a board's certificate in seconds, 2 to ten years. 397 days unless the operator says otherwise.
    package let lifetime: Int64
    /// How long after its end a certificate may still be renewed, in seconds, 0 to ten years: boards lie in drawers. 90 days unless the
    /// operator says otherwise.
    package let grace: Int64

    /// Ten years of 365 days.
    package static let longest: Int64 = 315_360_000

    /// Throws `invalidSettings` for a number out of its range.
    package init(lifetime: Int64 = 397 * 86_400, grace: Int64 = 90 * 86_400) throws(RegistryError) {
        guard (2...Self.longest).contains(lifetime), (0...Self.longest).contains(grace) else {
            throw RegistryError(.invalidSettings, "a lifetime has 2 s to 3650 days, a time of grace up to 3650 days")
        }
        (self.lifetime, self.grace) = (lifetime, grace)
    }
}

/// The folder of a registration authority: its key or where that is, its certificate, its settings, its database. Only its owner can read it.
package struct RegistryFolder {
    /// The path, without a slash at its end.
    package let path: String
    /// The settings.
    package let settings: RegistrySettings
    /// The key that certifies boards, with its certificate. Of a key in a token whose PIN was not given it signs nothing.
    package let signer: CertificateSigner
    /// The token that the key is in; `nil` for a key in the folder.
    package let token: TokenKey.Place?

    /// The path of the database.
    package var database: String { "\(path)/registry.db" }

    /// The authority's own lifetime in seconds: ten years.
    private static let authorityLifetime = RegistrySettings.longest

    /// Makes a folder with a new key, its certificate and an empty database. After a power cut the same call goes on, until the settings, which are
    /// written last, are there: a key, a certificate and a database that are there already stay as they are. `title` is the common name of the
    /// authority's certificate, 1 to 64 bytes; `now` is in Unix seconds. With `token` that key certifies, and the folder has none.
    ///
    /// Throws `wrongFolder` when one is there already, or a part of one that has lost its key; `invalidSettings` for a title that is none,
    /// `storageUnusable`, and `cryptography`.
    package static func make(
        _ path: String, title: String, settings: RegistrySettings, now: Int64, token: TokenKey? = nil
    ) throws(RegistryError) -> RegistryFolder {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard (1...64).contains(title.utf8.count), title.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }) else {
            throw RegistryError(.invalidSettings, "a title has 1 to 64 bytes")
        }
        guard !isThere("\(path)/settings.json") else {
            throw RegistryError(.wrongFolder, "there is a registration authority in it already")
        }
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw RegistryError(.storageUnusable, "\(path): \(String(cString: strerror(errno)))")
        }
        if try !isBegun(path, token) { try begin(path, title: title, now: now, token: token) }
        _ = try RegistryStore(making: "\(path)/registry.db")
        try writeSettings(settings, token?.place, path)
        return try RegistryFolder(path, key: token)
    }

    /// Makes a new certificate of the authority itself, of the same name and key, that is good for ten years from `now` in Unix seconds. A service
    /// that runs has the former one until it is started again. Throws `storageUnusable` and `cryptography`.
    package func renewAuthority(now: Int64) throws(RegistryError) -> RegistryFolder {
        let renewed: CertificateSigner
        do throws(EnrolmentError) {
            renewed = try signer.renewed(
                serial: Registrar.serial(),
                validity: CertificateValidity(notBefore: now - 300, notAfter: now + Self.authorityLifetime))
        } catch { throw RegistryError(.cryptography, error.description) }
        try Self.write(Array(renewed.certificate.pem.utf8), "\(path)/authority.pem", 0o644)
        return RegistryFolder(path: path, settings: settings, signer: renewed, token: token)
    }

    /// Copies the folder into a new one, readable by its owner only, while a service may go on. The settings are written last: without them a copy was cut off. A
    /// key in a token stays there. Throws `wrongFolder` if `copy` is there already, and `storageUnusable`.
    package func backUp(to copy: String) throws(RegistryError) {
        guard mkdir(copy, 0o700) == 0 else {
            if errno == EEXIST { throw RegistryError(.wrongFolder, "\(copy) is there already; a copy gets a new folder") }
            throw RegistryError(.storageUnusable, "\(copy): \(String(cString: strerror(errno)))")
        }
        // It gets the rights of the file that is there.
        let file = Glibc.open("\(copy)/registry.db", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw RegistryError(.storageUnusable, "\(copy): \(String(cString: strerror(errno)))") }
        close(file)
        try RegistryStore(path: database).copy(to: "\(copy)/registry.db")
        for name in (token == nil ? ["authority.key"] : []) + ["authority.pem", "settings.json"] {
            do throws(SystemError) {
                var bytes = try WholeFile.read("\(path)/\(name)", limit: 65_536)
                defer { for index in bytes.indices { bytes[index] = 0 } }
                try WholeFile.replace("\(copy)/\(name)", with: bytes, mode: name == "authority.pem" ? 0o644 : 0o600)
            } catch { throw RegistryError(.storageUnusable, "\(name): \(error.text)") }
        }
        // The folder's own name lies in the one above.
        do throws(SystemError) { try WholeFile.syncFolder(of: copy) } catch {
            throw RegistryError(.storageUnusable, "\(copy): \(error.text)")
        }
    }

    private init(path: String, settings: RegistrySettings, signer: CertificateSigner, token: TokenKey.Place?) {
        (self.path, self.settings, self.signer, self.token) = (path, settings, signer, token)
    }

    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 || errno != ENOENT }

    /// Whether key and certificate are there, and fit: of a run that was interrupted, or of a used folder that has lost its settings. Boards may
    /// have certificates by this key, so it stays. Throws `wrongFolder` for anything else that is there.
    private static func isBegun(_ path: String, _ token: TokenKey?) throws(RegistryError) -> Bool {
        let there = ["authority.key", "authority.pem", "registry.db"].filter { isThere("\(path)/\($0)") }
        switch (there.filter { $0 != "registry.db" }, token) {
        case (["authority.key", "authority.pem"], nil): _ = try signer(in: path)
        case (["authority.pem"], let token?): _ = try signer(in: path, token)
        case (["authority.key"], nil) where there.count == 1: return false
        case ([], _) where there.isEmpty: return false
        default:
            throw RegistryError(
                .wrongFolder,
                "it has \(there.joined(separator: " and ")), and not what belongs to it. Take the folder back from its last copy, or choose another; nothing was changed"
            )
        }
        return true
    }

    /// Writes key and certificate. A key that is there stays.
    private static func begin(_ path: String, title: String, now: Int64, token: TokenKey?) throws(RegistryError) {
        var generator = SystemRandomNumberGenerator()
        do {
            let own = try token == nil ? (isThere("\(path)/authority.key") ? readKey(path) : makeKey(path)) : nil
            guard let key: any P256Signer = token ?? own else { throw RegistryError(.cryptography) }
            let signer = try CertificateSigner(
                key: key, title: title, serial: (0..<16).map { _ in .random(in: 0...255, using: &generator) },
                validity: CertificateValidity(notBefore: now - 300, notAfter: now + authorityLifetime))
            try write(Array(signer.certificate.pem.utf8), "\(path)/authority.pem", 0o644)
        } catch let error as RegistryError {
            throw error
        } catch { throw RegistryError(.cryptography, "\(error)") }
    }

    private static func makeKey(_ path: String) throws -> P256.SigningKey {
        let key = try P256.SigningKey.generate()
        let encoded = key.withEncoded { bytes in Array(bytes.prefix { $0 != 0 }) }
        try write(encoded, "\(path)/authority.key", 0o600)
        return key
    }

    private static func readKey(_ path: String) throws -> P256.SigningKey {
        var key = try WholeFile.read("\(path)/authority.key", limit: 4_096)
        defer { for index in key.indices { key[index] = 0 } }
        return try P256.SigningKey(pemOrDER: SecretBytes(copying: key))
    }

    private static func writeSettings(
        _ settings: RegistrySettings, _ place: TokenKey.Place?, _ path: String
    ) throws(RegistryError) {
        var json: JSON.Object = ["format": 1, "lifetime": .int(settings.lifetime), "grace": .int(settings.grace)]
        if let place {
            // A release that knows no tokens must not take this for a folder with a key.
            json["format"] = 2
            json["token"] = [
                "module": .string(place.module), "label": .string(place.label), "key": .string(place.name),
            ]
        }
        try write(JSON.object(json).bytes, "\(path)/settings.json", 0o600)
    }

    /// Opens a folder that ``make(_:title:settings:now:token:)`` made.
    ///
    /// - Parameters:
    ///   - pin: The PIN of the token with the key; `nil` if nothing is to be signed, or the key is in the folder.
    ///   - report: As ``TokenKey`` has it.
    /// Throws `wrongFolder`, `invalidSettings`, `storageUnusable` and `tokenUnusable`.
    package init(
        _ path: String, pin: SecretBytes? = nil, report: @escaping @Sendable (TokenError?) -> Void = { _ in }
    ) throws(RegistryError) {
        try self.init(path, key: nil, pin: pin, report: report)
    }

    private init(
        _ path: String, key: TokenKey?, pin: SecretBytes? = nil,
        report: @escaping @Sendable (TokenError?) -> Void = { _ in }
    ) throws(RegistryError) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let bytes = try? WholeFile.read("\(self.path)/settings.json", limit: 4_096) else {
            throw RegistryError(.wrongFolder, "\(path)/settings.json cannot be read")
        }
        guard let json = try? JSON(parsing: bytes), let format = json["format"]?.int, let lifetime = json["lifetime"]?.int,
            let grace = json["grace"]?.int
        else { throw RegistryError(.invalidSettings, "settings.json") }
        settings = try RegistrySettings(lifetime: lifetime, grace: grace)
        switch format {
        case 1: token = nil
        case 2:
            guard let place = json["token"], let module = place["module"]?.string, let label = place["label"]?.string,
                let name = place["key"]?.string
            else { throw RegistryError(.invalidSettings, "settings.json names no token") }
            token = TokenKey.Place(module: module, label: label, name: name)
        default: throw RegistryError(.invalidSettings, "settings.json has format \(format)")
        }
        if let token {
            let opened = if let key { key } else { try Self.open(token, pin, report) }
            signer = try Self.signer(in: self.path, opened)
            return
        }
        signer = try Self.signer(in: self.path)
    }

    /// The signer by the key in the folder.
    private static func signer(in path: String) throws(RegistryError) -> CertificateSigner {
        do {
            let pem = try WholeFile.read("\(path)/authority.pem", limit: 65_536)
            return try CertificateSigner(
                key: readKey(path), certificate: DeviceCertificate(pem: String(decoding: pem, as: UTF8.self)))
        } catch { throw RegistryError(.wrongFolder, "authority.key and authority.pem do not fit: \(error)") }
    }

    private static func open(
        _ place: TokenKey.Place, _ pin: SecretBytes?, _ report: @escaping @Sendable (TokenError?) -> Void
    ) throws(RegistryError) -> TokenKey? {
        guard let pin else { return nil }
        do throws(TokenError) { return try TokenKey(place, pin: pin, report: report) } catch {
            throw RegistryError(.tokenUnusable, error.description)
        }
    }

    /// The signer by a key in a token; without it one that signs nothing.
    private static func signer(in path: String, _ key: TokenKey?) throws(RegistryError) -> CertificateSigner {
        do {
            let pem = try WholeFile.read("\(path)/authority.pem", limit: 65_536)
            let certificate = try DeviceCertificate(pem: String(decoding: pem, as: UTF8.self))
            return try CertificateSigner(key: key ?? ClosedKey(verificationKey: certificate.key), certificate: certificate)
        } catch { throw RegistryError(.wrongFolder, "authority.pem does not fit the key in the token: \(error)") }
    }

    private static func write(_ bytes: [UInt8], _ path: String, _ mode: mode_t) throws(RegistryError) {
        do throws(SystemError) { try WholeFile.replace(path, with: bytes, mode: mode) } catch {
            throw RegistryError(.storageUnusable, "\(path): \(error.text)")
        }
    }
}

/// A key in a token that nobody has opened: the PIN was not given.
private struct ClosedKey: P256Signer {
    let verificationKey: P256.VerificationKey
    func signature(of digest: [UInt8]) throws(EnrolmentError) -> [UInt8] {
        throw EnrolmentError(.cryptography, "the authority's key is in a token, whose PIN was not given")
    }
}
