// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BoardFile
import CommandFiles
import Cryptography
import Enrolment
import ForeignText
import Glibc
import Supervisor

extension BoardCommand {
    /// What a board knows before it reads a card: whose signature counts, which card holds, and what it is.
    struct Knowledge: ParsableArguments {
        /// In the folder of the image's keys: this image takes signed cards only.
        static let onlySigned = "signed-cards-only"
        /// The most keys that are read of an image.
        private static let mostKeys = 32
        private static let longestKey = 16 << 10
        /// A board takes no more of a card (docs/image.md).
        private static let longestCard = 4 << 20
        private static let mostFiles = 1_000

        @Option(help: "The folder of the card that holds now.", completion: .directory)
        var held: String?

        @Option(
            help: "The image's folder of operators' public keys, *.pem: then no card can name others.",
            completion: .directory)
        var operatorKeys: String?

        @Option(name: .customLong("board-file"), help: "The board's file, which says what kind it is.", completion: .file())
        var boardFile: String?

        /// Judges the card in `folder` by its device file. Returns a sentence for the journal if it is signed and nobody can verify it; throws
        /// `InputError` for a card that is not to be taken.
        func judge(_ folder: String) throws -> String? {
            let files = try Self.files(in: folder)
            let isSigned = files[DeviceFile.name] != nil || files[DeviceFile.signatureName] != nil
            let keys = isSigned ? try keys(card: files) : []
            let judge = CardJudge(
                keys: keys, held: heldFile(DeviceFile.name, DeviceFile.maximumByteCount),
                heldSignature: heldFile(DeviceFile.signatureName, DeviceFile.maximumSignatureByteCount),
                boardType: try kind(), takesSignedOnly: takesSignedOnly)
            let verdict: CardJudge.Verdict
            do throws(DeviceFileFault) { verdict = try judge.verdict(paths: files) } catch {
                throw InputError(file: DeviceFile.name, error.description)
            }
            switch verdict {
            case .unsigned: return nil
            case .unverified:
                return
                    "\(DeviceFile.name): it is not verified, because neither this board nor the card's vigil.json names a key of its operator (operatorKeys)"
            case .verified(let device):
                // Whoever signed it has mixed up two boards: configurations for the one would come to the other.
                let place = files["vigil.json"].flatMap { try? SupervisorConfiguration(parsing: $0) }?.fleet
                guard let place, place.board != device.serial.text else { return nil }
                throw InputError(
                    file: "vigil.json",
                    "it says that this board is \(ForeignText.line(place.board, limit: 80)), and \(DeviceFile.name) says \(device.serial.text); make the card anew"
                )
            }
        }

        private func heldFile(_ name: String, _ limit: Int) -> [UInt8]? {
            held.flatMap { try? Self.read("\($0)/\(name)", limit) }
        }

        /// Told by the image, or by the card that holds.
        var takesSignedOnly: Bool {
            if let operatorKeys, access("\(operatorKeys)/\(Self.onlySigned)", F_OK) == 0 { return true }
            return held.flatMap { Self.configuration(in: $0) }?.fleet?.takesSignedOnly == true
        }

        /// The image's keys; without any those of the card that holds; without any those of the card itself, which is believed once.
        private func keys(card files: [[UInt8]: [UInt8]]) throws -> [P256.VerificationKey] {
            if let operatorKeys {
                let names = (Self.names(in: operatorKeys) ?? []).map { String(decoding: $0, as: UTF8.self) }.filter {
                    $0.hasSuffix(".pem")
                }.sorted()
                guard names.count <= Self.mostKeys else {
                    throw InputError(file: operatorKeys, "has more than \(Self.mostKeys) keys")
                }
                let keys = try names.map { try Self.key(Self.read("\(operatorKeys)/\($0)", Self.longestKey), $0) }
                if !keys.isEmpty { return keys }
            }
            if let held {
                let keys = try (Self.configuration(in: held)?.operatorKeys ?? []).map { argument in
                    let path = VerificationKeys.parts(of: argument).path
                    return try Self.key(Self.read(Provision.moved(path, to: held), Self.longestKey), path)
                }
                if !keys.isEmpty { return keys }
            }
            guard let bytes = files["vigil.json"], let own = try? SupervisorConfiguration(parsing: bytes) else { return [] }
            return try own.operatorKeys.compactMap { argument in
                let path = VerificationKeys.parts(of: argument).path
                guard let below = Provision.below(path) else { return nil }
                guard let bytes = files[below] else {
                    throw InputError(file: path, "vigil.json names this key (operatorKeys), and the card does not have it")
                }
                return try Self.key(bytes, path)
            }
        }

        private func kind() throws -> String? {
            guard let boardFile, access(boardFile, F_OK) == 0 else { return nil }
            // A board whose own file is damaged knows not what it is, and starts all the same.
            return (try? BoardFile(parsing: Self.read(boardFile, BoardFile.maximumByteCount)))?.name
        }

        static func configuration(in folder: String) -> SupervisorConfiguration? {
            (try? read("\(folder)/vigil.json", SupervisorConfiguration.maximumByteCount)).flatMap {
                try? SupervisorConfiguration(parsing: $0)
            }
        }

        static func read(_ path: String, _ limit: Int) throws -> [UInt8] {
            try Files.read(path, limit: limit, isOrdinary: true)
        }

        private static func key(_ bytes: [UInt8], _ name: String) throws -> P256.VerificationKey {
            do throws(CryptographyError) { return try P256.VerificationKey(pemOrDER: bytes) } catch {
                throw InputError(file: name, "this is no public key on P-256: \(error)")
            }
        }

        private static func names(in folder: String) -> [[UInt8]]? {
            guard let handle = opendir(folder) else { return nil }
            defer { closedir(handle) }
            var names: [[UInt8]] = []
            while let entry = readdir(handle) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
                if name != [46], name != [46, 46] { names.append(name) }
            }
            return names
        }

        /// All files of a card by path, but the secrets, whose hashes are compared when they are taken, and what resembles `wifi`, which is never
        /// copied. What is no ordinary file counts as one that was added, and so does what has a name that is no text. By the bytes of the
        /// paths: two names that look alike are two files.
        private static func files(in folder: String) throws -> [[UInt8]: [UInt8]] {
            var files: [[UInt8]: [UInt8]] = [:]
            var total = 0
            func add(_ below: String, _ depth: Int) throws {
                let found = names(in: below.isEmpty ? folder : "\(folder)/\(below)") ?? []
                for bytes in found.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                    guard files.count < mostFiles else {
                        throw InputError(file: folder, "has more than \(mostFiles) files")
                    }
                    guard let name = String(validating: bytes, as: UTF8.self) else {
                        files[Array(below.utf8) + [47] + bytes] = []
                        continue
                    }
                    let path = below.isEmpty ? name : "\(below)/\(name)"
                    let key = Array(path.utf8)
                    let small = name.lowercased()
                    if below.isEmpty, ["first-secrets", "enrolment-claim"].contains(small) || small.hasPrefix("wifi") {
                        continue
                    }
                    var status = stat()
                    guard lstat("\(folder)/\(path)", &status) == 0 else { continue }
                    switch status.st_mode & S_IFMT {
                    case S_IFDIR where depth < 8: try add(path, depth + 1)
                    case S_IFREG:
                        files[key] = try read("\(folder)/\(path)", longestCard)
                        total += files[key]?.count ?? 0
                        guard total <= longestCard else { throw InputError(file: folder, "has more than 4 MiB") }
                    default: files[key] = []
                    }
                }
            }
            try add("", 0)
            return files
        }
    }

    /// For the image, before it takes one of the two secrets from a card.
    struct Secret: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "secret", abstract: "Whether a secret of a card is the one that its device file was signed with.",
            discussion: """
                Only a board that takes signed cards only asks; on any other the answer is yes. Nothing of the secret is shown. Exit status: 0 it is; 1 it is not, or for another role than the card's; 3 it is, and was taken from this card before, so it is to be erased only.
                """)

        @Argument(help: "The file first-secrets or enrolment-claim.", completion: .file())
        var file: String

        @Option(
            help: "File with the SHA-256 of the device file whose first-secrets was taken before, as sha256sum writes it.",
            completion: .file())
        var spent: String?

        @OptionGroup var knowledge: Knowledge

        /// The status for what was taken before.
        private static let taken = ExitCode(3)

        func run() throws {
            guard knowledge.takesSignedOnly else { return }
            let name = String(file.split(separator: "/").last ?? "")
            let held = knowledge.held.flatMap {
                try? Knowledge.read("\($0)/\(DeviceFile.name)", DeviceFile.maximumByteCount)
            }
            let device = held.flatMap { try? DeviceFile(parsing: $0) }
            let isCode = name.lowercased() == "first-secrets"
            var bytes = try Files.read(file, limit: CardSecretFile.maximumByteCount, isOrdinary: true)
            let secret = SecretBytes(copying: bytes)
            for index in bytes.indices { bytes[index] = 0 }
            let shown = ForeignText.line(name, limit: 40)
            guard let digest = CardSecretFile.digest(secret), digest == (isCode ? device?.labelCodeHash : device?.claimHash)
            else { throw refusal(.otherSecret(shown), ExitStatus.refused) }
            guard isCode else { return }
            // A code alone is no proof of the role that it is for: whoever has a label could ask for another one.
            if let use = device?.use, CardSecretFile.role(secret) != (use == "place" ? "technician" : "wearer") {
                throw refusal(.otherRole(shown), ExitStatus.refused)
            }
            if let held, let spent, let line = try? Knowledge.read(spent, 256),
                line.starts(with: Hex.string(SHA256.digest(of: held)).utf8)
            {
                throw refusal(.spent(shown), Self.taken)
            }
        }

        private func refusal(_ fault: DeviceFileFault, _ status: ExitCode) -> ExitCode {
            Terminal.error("\(fault)\n")
            return status
        }
    }
}

extension [[UInt8]: [UInt8]] {
    /// The content of the file at this path of a card.
    fileprivate subscript(path: String) -> [UInt8]? { self[Array(path.utf8)] }
}
