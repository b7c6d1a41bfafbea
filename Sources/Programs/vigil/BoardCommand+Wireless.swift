// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Glibc
import WiFi

extension BoardCommand {
    /// For the image, which lets iwd join what the card names.
    struct Wireless: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "wifi", abstract: "Whether a card's file wifi names a network that a board can join.",
            discussion: """
                With `--to` it also writes what iwd reads: its settings into the folder, and the network's file, with the password, into the \
                folder networks in it. Nothing of the file is shown. Exit status: 0 it does; 1 it does not, and why.
                """)

        /// What is read of a file, so that one that is too long has its sentence: a card's whole folder has no more.
        static let limit = 4 << 20

        @Argument(help: "The file wifi of a folder provision.", completion: .file())
        var file: String

        @Option(help: "Folder to write into, made if it is not there.", completion: .directory)
        var to: String?

        func run() throws {
            let bytes = try Files.read(file, limit: Self.limit, isOrdinary: true)
            let network: WiFiNetwork
            do throws(WiFiNetwork.Fault) { network = try WiFiNetwork(parsing: bytes) } catch {
                Terminal.error("wifi: \(error)\n")
                throw ExitStatus.refused
            }
            guard let to else { return }
            for folder in [to, "\(to)/networks"] where mkdir(folder, 0o700) != 0 && errno != EEXIST {
                throw InputError(file: folder, "cannot make it")
            }
            try Files.write(Array(network.settings.utf8), to: "\(to)/main.conf", mode: 0o600)
            try Files.write(Array(network.profile.utf8), to: "\(to)/networks/\(network.profileName)", mode: 0o600)
        }
    }
}
