// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Cryptography
import FuzzSupport
import KeyExport
import Matching
import Trust

/// Text that people and operators hand in: tables of sightings and of keys, and, when it begins with a brace, successions, files of them, and lists of
/// files.
@_cdecl("LLVMFuzzerTestOneInput")
public func testTables(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if bytes.first == UInt8(ascii: "{") {
        checkSuccession(bytes)
        checkFile(bytes)
        checkList(bytes)
    } else {
        check(bytes, read: SightingsFile.read, write: SightingsFile.text)
        check(bytes, read: KeysFile.read, write: KeysFile.text)
    }
    return 0
}

/// A table reads the same however slowly it comes, and what was read can be written and read again.
private func check<Row: Equatable>(
    _ bytes: [UInt8], read: (String) throws(InputError) -> [Row], write: ([Row]) -> String
) {
    func table(_ path: String) -> Result<[Row], Refusal> {
        do throws(InputError) {
            return .success(try read(path))
        } catch {
            claim(error.line >= 0 && !error.description.isEmpty, "a refusal without words")
            return .failure(Refusal(line: error.line, message: error.message))
        }
    }
    let whole = InputFiles.whole(bytes, table)
    // Another table, most often this one's sibling; cutting up its first line again shows nothing.
    if case .failure(let refusal) = whole, refusal.line <= 1 { return }
    claim(InputFiles.pieces(bytes, table) == whole, "in pieces it reads differently")
    guard case .success(let rows) = whole else { return }
    claim(InputFiles.whole(Array(write(rows).utf8), table) == whole, "written and read, the table differs")
}

/// An `InputError` without the path, which is another each time.
private struct Refusal: Error, Equatable {
    let line: Int
    let message: String
}

private let time: Int64 = 1_606_003_200
private let operatorName = needed("operator") { TestKeys.trust.keys(for: .operator, at: time).first?.name }

/// What is read of a file is written and read again as the same, and counts only as its document does.
private func checkFile(_ bytes: [UInt8]) {
    guard let file = try? Succession(file: bytes) else { return }
    let again = needed("file") { try Succession(file: file.file()) }
    claim(again.document == file.document, "written and read, the document differs")
    claim(
        again.signatures.map(\.signature) == file.signatures.map(\.signature)
            && again.signatures.map(\.name) == file.signatures.map(\.name), "written and read, the signatures differ")
    // Only the operator's key, or the role's, could have signed it; neither is at hand here unless the seed was made with it.
    if case .success(let next) = apply(file.document, to: TestKeys.trust, by: file.signatures) {
        claim(!file.signatures.isEmpty && next != TestKeys.trust, "unsigned, and accepted")
    }
}

private func checkList(_ bytes: [UInt8]) {
    guard let list = try? SuccessionList(parsing: bytes) else { return }
    claim(list.files.count <= SuccessionList.maximumCount, "a list is longer than allowed")
    if let written = try? list.bytes() {
        claim((try? SuccessionList(parsing: written)) == list, "written and read, the list differs")
    }
    for file in list.files { checkFile(Array(file.utf8)) }
}

/// Nothing unsigned changes a key; a role's own signature changes that role only; a document counts once.
private func checkSuccession(_ document: [UInt8]) {
    let unsigned = apply(document, to: TestKeys.trust, by: [])
    // Signing takes a millisecond: only what is a document at all gets so far.
    guard case .failure(let refusal) = unsigned else { fatalError("property violated: unsigned, and accepted") }
    guard refusal.code == .notSigned else { return }

    let operatorSignature = signature(document, .operator, operatorName, TestKeys.operator)
    guard case .success(let next) = apply(document, to: TestKeys.trust, by: [operatorSignature]) else { return }
    check(next, signedBy: .operator, changing: KeyRole.allCases)
    let again = apply(document, to: next, by: [operatorSignature])
    // Where it takes away the key that it was signed with, its signature counts no more either.
    guard case .failure(let refusal) = again, refusal.code == .notNewer || refusal.code == .notSigned else {
        fatalError("property violated: a document counts twice: \(again)")
    }

    let exportSignature = signature(document, .export, TestKeys.exportName, TestKeys.export)
    if case .success(let next) = apply(document, to: TestKeys.trust, by: [exportSignature]) {
        check(next, signedBy: .export, changing: [.export])
    }
    // A good signature under a name or role it does not belong to.
    let misnamed = [
        Succession.Signature(role: .export, name: TestKeys.exportName, signature: operatorSignature.signature),
        Succession.Signature(role: .operator, name: TestKeys.exportName, signature: exportSignature.signature),
        Succession.Signature(role: .operator, name: operatorName, signature: exportSignature.signature),
    ]
    guard case .failure = apply(document, to: TestKeys.trust, by: misnamed) else {
        fatalError("property violated: signed by the wrong key, and accepted")
    }
}

private func apply(
    _ document: [UInt8], to store: TrustStore, by signatures: [Succession.Signature]
) -> Result<TrustStore, TrustError> {
    do throws(TrustError) {
        return .success(try store.applying(Succession(document: document, signatures: signatures), at: time))
    } catch {
        claim(!error.description.isEmpty, "a refusal without words")
        return .failure(error)
    }
}

private func signature(
    _ document: [UInt8], _ role: KeyRole, _ name: KeyName, _ key: P256.SigningKey
) -> Succession.Signature {
    let signature = needed("signature") { try key.sign(Succession.digest(of: document)) }
    return Succession.Signature(role: role, name: name, signature: signature)
}

private func check(_ next: TrustStore, signedBy signer: KeyRole, changing roles: [KeyRole]) {
    for role in KeyRole.allCases {
        let former = TestKeys.trust.sequences[role] ?? 0, number = next.sequences[role] ?? 0
        claim(role == signer ? number > former : number == former, "\(role)'s sequence is \(number) after \(former)")
        let before = TestKeys.trust.keys.filter { $0.role == role }
        let after = next.keys.filter { $0.role == role }
        claim(roles.contains(role) || after == before, "\(role) changed without a signature of its own")
        claim(before.isEmpty || !next.keys(for: role, at: time).isEmpty, "\(role) was left without a valid key")
    }
}
