// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Authority
import CSQLite
import Cryptography
import FoundationEssentials
import KeyArchive
import KeyExport
import Testing
import Trust

extension Scene {
    /// The content of a signed document, once its signature was verified.
    func document(_ path: String, at now: Int64 = start) throws -> [UInt8] {
        let bytes = try #require(file(path), "\(path)")
        let name = self.path + "/document.zip"
        try #require(FileManager.default.createFile(atPath: name, contents: Data(bytes)))
        let bin = try UnsignedKeyFile.exportBin(path: name)
        let sig = try UnsignedKeyFile.entry("export.sig", path: name)
        #expect(SignedConfiguration.isSigned(exportBin: bin, exportSig: sig, trust: try trust(at: now), time: nil))
        return bin
    }

    /// The signatures beside it, as a board gets them.
    func signatures(_ path: String) throws -> [UInt8] {
        let name = self.path + "/document.zip"
        try #require(FileManager.default.createFile(atPath: name, contents: Data(#require(file(path), "\(path)"))))
        return try UnsignedKeyFile.entry("export.sig", path: name)
    }

    /// As Sync reads it.
    func configuration() throws -> AppConfiguration {
        try #require(AppConfiguration(document("/version/v2/app_config_android")))
    }

    /// What somebody with write access would do.
    func tamper(_ statement: String) throws {
        var handle: OpaquePointer?
        try #require(sqlite3_open(path + "/authority.db", &handle) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        try #require(sqlite3_exec(handle, statement, nil, nil, nil) == SQLITE_OK)
    }
}

extension [UInt8] {
    var md5: String { (try? Hex.string(MD5.digest(of: self))) ?? "" }
}
