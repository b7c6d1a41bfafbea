// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import TestKit
import Testing

@testable import DonationService

@Suite struct FolderTests {
    @Test func aFolderIsOfOneServerOnly() throws {
        let folder = try TemporaryFolder()
        for (role, other) in [(DonationFolder.Role.issuer, DonationFolder.Role.server), (.server, .issuer)] {
            let path = "\(folder.path)/\(role.rawValue)"
            #expect(throws: DonationServiceError(.wrongFolder)) { _ = try DonationFolder(path, role: role) }
            #expect(try DonationFolder.make(path, role: role).isNew)
            #expect(try !DonationFolder.make(path + "/", role: role).isNew)
            #expect(try DonationFolder(path, role: role).path == path)
            #expect(throws: DonationServiceError(.wrongFolder)) { _ = try DonationFolder(path, role: other) }
            #expect(throws: DonationServiceError(.wrongFolder)) { _ = try DonationFolder.make(path, role: other) }
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
        }
    }

    @Test func aFolderWithOtherFilesIsNotTaken() throws {
        let folder = try TemporaryFolder()
        try folder.write("x", to: "authority.db")
        #expect(throws: DonationServiceError(.wrongFolder)) { _ = try DonationFolder.make(folder.path, role: .issuer) }
        #expect(folder.names == ["authority.db"])
        try folder.write("nobody\n", to: "role")
        #expect(throws: DonationServiceError(.wrongFolder)) { _ = try DonationFolder(folder.path, role: .server) }
    }

    @Test func settingsOutsideOfTheirRangesAreRefused() throws {
        let good = try IssuerSettings(name: "issuer.example", address: "https://issuer.example", minimumFleet: 50)
        #expect(try IssuerSettings(good.json) == good)
        for (name, address, fleet) in [
            ("Issuer.example", "https://issuer.example", 50), ("", "https://issuer.example", 50),
            ("issuer.example", "https://issuer.example/", 50), ("issuer.example", "ftp://issuer.example", 50),
            ("issuer.example", "https://issuer.example", 1), ("issuer.example", "https://issuer.example", 1_000_001),
        ] {
            #expect(throws: DonationServiceError(.invalidSettings)) {
                _ = try IssuerSettings(name: name, address: address, minimumFleet: fleet)
            }
        }
        #expect(throws: DonationServiceError(.invalidSettings)) { _ = try IssuerSettings([:]) }
    }
}
