// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Cryptography
import KeyArchive
import Testing

extension Scene {
    /// The content of a signed document, once its signature was verified.
    func document(_ path: String) throws -> [UInt8] {
        let bytes = try #require(file(path), "\(path)")
        let name = self.path + "/document.zip"
        try bytes.write(to: name)
        let content = try SignedDocument.content(path: name)
        let key = try #require(trust().keys(for: .config, at: nil).first)
        #expect(content.signatures.contains { key.key.isValid(signature: $0, over: SHA256.digest(of: content.bin)) })
        return content.bin
    }

    func configText() throws -> String {
        String(decoding: try document("/version/v2/app_config_android").map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self)
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
