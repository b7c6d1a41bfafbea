// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Core
import ForeignText
import Glibc
import PluginManifest
import Supervisor
import WiFi

extension BoardCommand {
    /// For the image, before it takes a folder from the card; a technician can ask as well.
    struct Provision: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "provision", abstract: "Whether a board can start with what is on its card.",
            discussion: """
                Reads `vigil.json`, `grants.json`, `name`, `wifi`, and the profile, keys and authorities that `vigil.json` names, as a start does, and changes \
                nothing. A signed card is compared with its device file, by the operator's keys of --operator-keys if there are any, else of the card that holds (--held), else \
                by its own. Exit status: 0 it can; 1 it can, but grants, an authority, the name or the wireless network have faults and are not used; 2 it cannot. It says why.
                """)

        /// Where the image has the folder, and `vigil.json` its paths: `/data/provision`.
        private static let place = ["data", "provision"]

        @Argument(help: "The folder `provision`.", completion: .directory)
        var folder: String

        @OptionGroup var knowledge: Knowledge

        func run() throws {
            var configuration = SupervisorConfiguration()
            // What the signature is over is looked at before anything that it says is believed.
            let note = try knowledge.judge(folder)
            if let bytes = try read("vigil.json", limit: SupervisorConfiguration.maximumByteCount) {
                do throws(SupervisorConfiguration.Refusal) {
                    configuration = try SupervisorConfiguration(parsing: bytes)
                } catch { throw InputError(file: "vigil.json", "\(error)") }
            }
            let keys =
                configuration.exportKeys + configuration.timeKeys + configuration.configKeys + configuration.operatorKeys
            try requireNoPipe(configuration.profile)
            for key in keys { try requireNoPipe(VerificationKeys.parts(of: key).path) }
            do { _ = try ProfileFile.load(moved(configuration.profile)) } catch {
                throw InputError(file: configuration.profile, "\(error)")
            }
            _ = try VerificationKeys(
                arguments: configuration.exportKeys.map(movedKey), timeKeys: configuration.timeKeys.map(movedKey),
                configKeys: configuration.configKeys.map(movedKey),
                operatorKeys: configuration.operatorKeys.map(movedKey), anyKey: configuration.anyKey)
            let faults =
                (note.map { [$0] } ?? []) + grantsFaults + nameFaults + wirelessFaults + strayFaults
                + AuthorityFiles.load(configuration.authorities.map(moved)).faults
            for fault in faults { Terminal.error("vigil: \(fault)\n") }
            if !faults.isEmpty { throw ExitStatus.refused }
        }

        /// What a start logs about `grants.json` before it goes on without it, or without the entry; a sentence each.
        private var grantsFaults: [String] {
            do {
                guard let bytes = try read("grants.json", limit: PluginManifest.Limits.grantsByteCount) else { return [] }
                return try GrantsFile(parsing: bytes).allProblems.map { "grants.json: \($0)" }
            } catch let fault as InputError { return ["\(fault)"] } catch { return ["grants.json: \(error)"] }
        }

        /// Why the name on the network is none.
        private var nameFaults: [String] {
            do {
                // A byte more, so that what is too long is seen to be.
                guard let bytes = try read("name", limit: LocalName.maximumByteCount + 1) else { return [] }
                _ = try LocalName(parsing: bytes)
                return []
            } catch let fault as InputError { return ["\(fault)"] } catch { return ["name: \(error)"] }
        }

        /// Why the wireless network cannot be joined. The board itself has taken the file away before it asks.
        private var wirelessFaults: [String] {
            do {
                guard let bytes = try read("wifi", limit: Wireless.limit) else { return [] }
                // Zeros are what is left of it on a card that a board has read.
                if !bytes.isEmpty, bytes.allSatisfy({ $0 == 0 }) { return [] }
                _ = try WiFiNetwork(parsing: bytes)
                return []
            } catch let fault as InputError { return ["\(fault)"] } catch { return ["wifi: \(error)"] }
        }

        /// Files that somebody seems to have meant as the wireless network's. The image copies none of them, so only a person who asks has any here.
        private var strayFaults: [String] {
            guard let handle = opendir(folder) else { return [] }
            defer { closedir(handle) }
            var faults: [String] = []
            while let entry = readdir(handle) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                guard let problem = WiFiNetwork.strayProblem(ofFileNamed: name) else { continue }
                faults.append("\(ForeignText.line(name, limit: 200)): \(problem)")
            }
            return faults.sorted()
        }

        /// `nil` when there is none.
        private func read(_ name: String, limit: Int) throws -> [UInt8]? {
            let path = "\(folder)/\(name)"
            return access(path, F_OK) == 0 ? try Files.read(path, limit: limit, isOrdinary: true) : nil
        }

        /// A card can have pipes and devices in the place of files, and a start would wait for them.
        private func requireNoPipe(_ path: String) throws {
            var status = stat()
            guard stat(moved(path), &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return }
            throw InputError(file: path, "this is no ordinary file")
        }

        /// A path below the folder's place, in the folder; any other as it is.
        private func moved(_ path: String) -> String { Self.moved(path, to: folder) }

        static func moved(_ path: String, to folder: String) -> String { below(path).map { "\(folder)/\($0)" } ?? path }

        /// A path below the folder's place, from there; `nil` for any other.
        static func below(_ path: String) -> String? {
            guard path.utf8.first == UInt8(ascii: "/") else { return nil }
            // Repeated slashes and dots mean nothing. Bytes, as the kernel divides it.
            let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
            guard names.starts(with: Self.place), names.count > Self.place.count else { return nil }
            return names.dropFirst(Self.place.count).joined(separator: "/")
        }

        /// The same for a key, which may have a name: `NAME=PATH`.
        private func movedKey(_ argument: String) -> String {
            let (name, path) = VerificationKeys.parts(of: argument)
            return (name.map { "\($0)=" } ?? "") + moved(path)
        }
    }
}
