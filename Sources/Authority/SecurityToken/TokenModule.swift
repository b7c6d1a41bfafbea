// SPDX-License-Identifier: Apache-2.0

import CPKCS11
import Cryptography
import Glibc

/// A PKCS#11 module and one session with one of its tokens. What it returns is checked: counts and lengths against what was asked for. A module is
/// code in this process all the same. Used by one thread at a time; calls block for as long as the token does.
final class TokenModule {
    private let functions: CK_FUNCTION_LIST
    private let label: [UInt8]
    private var session: CK_SESSION_HANDLE?
    private var hasBeenOpen = false
    /// The most slots that are looked at.
    private static let mostSlots: CK_ULONG = 256

    /// Loads the module at `path`, which is the shared library of the token's maker. Throws `moduleUnusable`.
    init(path: String, label: String) throws(TokenError) {
        guard path.hasPrefix("/"), let list = vigil_pkcs11_load(path) else {
            throw TokenError(.moduleUnusable, path)
        }
        functions = list.pointee
        self.label = Array(label.utf8)
        guard (1...32).contains(self.label.count) else { throw TokenError(.noToken, "a label has 1 to 32 bytes") }
        try initialize()
    }

    private func initialize() throws(TokenError) {
        var arguments = CK_C_INITIALIZE_ARGS()
        arguments.flags = CKF_OS_LOCKING_OK
        let result = try call("C_Initialize", functions.C_Initialize)(&arguments)
        guard [CKR_OK, CKR_CRYPTOKI_ALREADY_INITIALIZED].contains(result) else {
            throw TokenError(.moduleUnusable, "C_Initialize: CKR 0x\(String(result, radix: 16))")
        }
    }

    deinit { if let session { _ = functions.C_CloseSession?(session) } }

    private func call<Function>(_ name: String, _ function: Function?) throws(TokenError) -> Function {
        guard let function else { throw TokenError(.moduleUnusable, "it has no \(name)") }
        return function
    }

    private func check(_ result: CK_RV, _ action: String) throws(TokenError) {
        guard result == CKR_OK else { throw TokenError(result, action) }
    }

    /// The slot of the one token with the label. Throws `noToken` and `twoTokens`.
    private func slot() throws(TokenError) -> CK_SLOT_ID {
        let list = try call("C_GetSlotList", functions.C_GetSlotList)
        var count: CK_ULONG = 0
        try check(list(1, nil, &count), "slots")
        guard count <= Self.mostSlots else { throw TokenError(.badAnswer, "\(count) slots") }
        var slots = [CK_SLOT_ID](repeating: 0, count: Int(count) + 1)
        var filled = count + 1
        try check(list(1, &slots, &filled), "slots")
        guard filled <= count + 1 else { throw TokenError(.badAnswer, "\(filled) slots where \(count) were") }
        let information = try call("C_GetTokenInfo", functions.C_GetTokenInfo)
        var found: [CK_SLOT_ID] = []
        for slot in slots.prefix(Int(filled)) {
            var info = CK_TOKEN_INFO()
            guard information(slot, &info) == CKR_OK, info.flags & CKF_TOKEN_INITIALIZED != 0 else { continue }
            let name = withUnsafeBytes(of: info.label) { Array($0) }
            // Filled up with blanks, or with zeros by some.
            if name.starts(with: label), name.dropFirst(label.count).allSatisfy({ $0 == 32 || $0 == 0 }) {
                found.append(slot)
            }
        }
        guard found.count < 2 else { throw TokenError(.twoTokens) }
        guard let slot = found.first else { throw TokenError(.noToken) }
        return slot
    }

    /// The slot with the token. Some modules take no notice of a token that has come back until they are started anew.
    private func place() throws(TokenError) -> CK_SLOT_ID {
        defer { hasBeenOpen = true }
        do throws(TokenError) { return try slot() } catch {
            guard hasBeenOpen, [.noToken, .tokenRemoved, .sessionLost].contains(error.code) else { throw error }
            _ = try call("C_Finalize", functions.C_Finalize)(nil)
            do throws(TokenError) { try initialize() } catch { throw TokenError(.noToken, "\(error.detail)") }
            return try slot()
        }
    }

    /// Opens a session and logs in, for the first time or anew. Throws `noToken`, `wrongPIN`, `pinLocked` and so on.
    func logIn(pin: SecretBytes) throws(TokenError) {
        if let session { _ = try call("C_CloseSession", functions.C_CloseSession)(session) }
        session = nil
        let slot = try place()
        var opened: CK_SESSION_HANDLE = 0
        try check(
            call("C_OpenSession", functions.C_OpenSession)(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, nil, nil, &opened),
            "session")
        session = opened
        let login = try call("C_Login", functions.C_Login)
        let result = pin.withBytes { bytes in
            var copy = Array(bytes)
            defer { for index in copy.indices { copy[index] = 0 } }
            return login(opened, CKU_USER, &copy, CK_ULONG(copy.count))
        }
        guard result != CKR_USER_ALREADY_LOGGED_IN else { return }
        try check(result, "login")
    }

    private func opened() throws(TokenError) -> CK_SESSION_HANDLE {
        guard let session else { throw TokenError(.sessionLost) }
        return session
    }

    /// The objects of a class with this name: three at most.
    func objects(_ kind: CK_OBJECT_CLASS, named name: String) throws(TokenError) -> [CK_OBJECT_HANDLE] {
        let session = try opened()
        var kind = kind
        var text = Array(name.utf8)
        var type = CK_KEY_TYPE(CKK_EC)
        let start = try call("C_FindObjectsInit", functions.C_FindObjectsInit)
        let result = withUnsafeMutablePointer(to: &kind) { kind in
            withUnsafeMutablePointer(to: &type) { type in
                text.withUnsafeMutableBytes { text in
                    var template = [
                        CK_ATTRIBUTE(
                            type: CKA_CLASS, pValue: kind, ulValueLen: CK_ULONG(MemoryLayout<CK_OBJECT_CLASS>.size)),
                        CK_ATTRIBUTE(
                            type: CKA_KEY_TYPE, pValue: type, ulValueLen: CK_ULONG(MemoryLayout<CK_KEY_TYPE>.size)),
                        CK_ATTRIBUTE(type: CKA_LABEL, pValue: text.baseAddress, ulValueLen: CK_ULONG(text.count)),
                    ]
                    return start(session, &template, CK_ULONG(template.count))
                }
            }
        }
        try check(result, "search")
        var handles = [CK_OBJECT_HANDLE](repeating: 0, count: 3)
        var count: CK_ULONG = 0
        let found = try call("C_FindObjects", functions.C_FindObjects)(session, &handles, 3, &count)
        _ = try call("C_FindObjectsFinal", functions.C_FindObjectsFinal)(session)
        try check(found, "search")
        guard count <= 3 else { throw TokenError(.badAnswer, "\(count) objects where 3 fit") }
        return Array(handles.prefix(Int(count)))
    }

    /// An attribute of an object, of at most `limit` bytes; `nil` if the token does not tell it.
    func attribute(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE, limit: Int) throws(TokenError) -> [UInt8]? {
        let session = try opened()
        let get = try call("C_GetAttributeValue", functions.C_GetAttributeValue)
        var bytes = [UInt8](repeating: 0, count: limit)
        let (result, count) = bytes.withUnsafeMutableBytes { buffer in
            var wanted = CK_ATTRIBUTE(type: type, pValue: buffer.baseAddress, ulValueLen: CK_ULONG(limit))
            let result = get(session, object, &wanted, 1)
            return (result, wanted.ulValueLen)
        }
        if [CKR_ATTRIBUTE_SENSITIVE, CKR_ATTRIBUTE_TYPE_INVALID].contains(result) { return nil }
        try check(result, "attribute")
        guard count <= CK_ULONG(limit) else { throw TokenError(.badAnswer, "an attribute of \(count) bytes") }
        return Array(bytes.prefix(Int(count)))
    }

    /// Makes a pair of keys on P-256 in the token: the private one never leaves it.
    func makeKeys(named name: String, identifier: [UInt8]) throws(TokenError) {
        let session = try opened()
        var (text, identifier, curve) = (Array(name.utf8), identifier, TokenKey.curve)
        var (yes, no): (CK_BBOOL, CK_BBOOL) = (1, 0)
        var mechanism = CK_MECHANISM(mechanism: CKM_EC_KEY_PAIR_GEN, pParameter: nil, ulParameterLen: 0)
        let make = try call("C_GenerateKeyPair", functions.C_GenerateKeyPair)
        var (open, secret): (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) = (0, 0)
        func attribute(_ type: CK_ATTRIBUTE_TYPE, _ buffer: UnsafeMutableRawBufferPointer) -> CK_ATTRIBUTE {
            CK_ATTRIBUTE(type: type, pValue: buffer.baseAddress, ulValueLen: CK_ULONG(buffer.count))
        }
        let result = text.withUnsafeMutableBytes { text in
            identifier.withUnsafeMutableBytes { identifier in
                curve.withUnsafeMutableBytes { curve in
                    withUnsafeMutableBytes(of: &yes) { yes in
                        withUnsafeMutableBytes(of: &no) { no in
                            var forOpen = [
                                attribute(CKA_TOKEN, yes), attribute(CKA_VERIFY, yes), attribute(CKA_EC_PARAMS, curve),
                                attribute(CKA_LABEL, text), attribute(CKA_ID, identifier),
                            ]
                            var forSecret = [
                                attribute(CKA_TOKEN, yes), attribute(CKA_PRIVATE, yes), attribute(CKA_SENSITIVE, yes),
                                attribute(CKA_EXTRACTABLE, no), attribute(CKA_SIGN, yes), attribute(CKA_LABEL, text),
                                attribute(CKA_ID, identifier),
                            ]
                            return make(
                                session, &mechanism, &forOpen, CK_ULONG(forOpen.count), &forSecret,
                                CK_ULONG(forSecret.count), &open, &secret)
                        }
                    }
                }
            }
        }
        try check(result, "new key")
    }

    /// ECDSA of a digest: the two numbers, 64 bytes. Throws `badAnswer` for any other length.
    func sign(_ digest: [UInt8], by object: CK_OBJECT_HANDLE) throws(TokenError) -> [UInt8] {
        let session = try opened()
        var mechanism = CK_MECHANISM(mechanism: CKM_ECDSA, pParameter: nil, ulParameterLen: 0)
        try check(call("C_SignInit", functions.C_SignInit)(session, &mechanism, object), "signature")
        var digest = digest
        // More than a signature needs: a module that writes what it says stays inside.
        var signature = [UInt8](repeating: 0, count: 512)
        var count = CK_ULONG(signature.count)
        try check(
            call("C_Sign", functions.C_Sign)(session, &digest, CK_ULONG(digest.count), &signature, &count), "signature")
        guard count == 64 else { throw TokenError(.badAnswer, "a signature of \(count) bytes") }
        return Array(signature.prefix(64))
    }
}
