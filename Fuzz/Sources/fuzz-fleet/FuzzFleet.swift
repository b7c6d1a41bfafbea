// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import FuzzSupport
import Interfaces
import JSON
import PluginManifest
import Trust

/// What a board reads of its fleet's operator: a card's device file, a signed configuration, and the document in it.
///
/// The first byte chooses: a device file; a device file that is signed first, and judged with its card; a card that nobody has signed (device file, a zero, its
/// signature); a signed configuration; a configuration.
@_cdecl("LLVMFuzzerTestOneInput")
public func testFleet(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch choice % 5 {
    case 0: checkDevice(bytes)
    case 1: checkCard(bytes)
    case 2: checkForeignCard(bytes)
    case 3: checkSigned(bytes)
    default: checkConfiguration(bytes)
    }
    return 0
}

private let key = TestKeys.operator
private let held = FleetSeeds.device()
private let heldSignature = needed("a signature") { try key.sign(SHA256.digest(of: held)) }
private let knownDocuments = Set(FleetSeeds.configurations.map(\.document))

private func checkDevice(_ bytes: [UInt8]) {
    guard let device = try? DeviceFile(parsing: bytes) else { return }
    claim(bytes.count <= DeviceFile.maximumByteCount, "a device file that is too long")
    claim(device.issued.map { $0 >= 0 } ?? true, "a number below zero")
    claim(BoardName(device.serial.text) == device.serial, "a serial number that is none")
}

private func judge(_ files: [String: [UInt8]]) -> CardJudge.Verdict? {
    let judge = CardJudge(keys: [key.verificationKey], held: held, heldSignature: heldSignature, boardType: "pi")
    do throws(DeviceFileFault) { return try judge.verdict(files) } catch {
        claim(isShowable(error.description), "a refusal that cannot be shown")
        return nil
    }
}

private func checkCard(_ bytes: [UInt8]) {
    var files = FleetSeeds.cardFiles
    files[DeviceFile.name] = bytes
    files[DeviceFile.signatureName] = needed("a signature") { try key.sign(SHA256.digest(of: bytes)) }
    guard case .verified(let device)? = judge(files) else { return }
    claim(device.serial.text == "vg-7k3m-q0r1x", "the card of another board")
    claim(device.boardType ?? "pi" == "pi", "the card of another kind of board")
    claim(bytes == held || device.issued.map { $0 > 100 } ?? false, "an older card")
    let text = needed("the device file as JSON") { try JSON(parsing: bytes) }
    for (path, content) in FleetSeeds.cardFiles {
        claim(text["files"]?[path]?.string == DeviceFile.hash(content), "a file that is not the one that was signed")
    }
}

private func checkForeignCard(_ bytes: [UInt8]) {
    let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
    var files = FleetSeeds.cardFiles
    files[DeviceFile.name] = Array(bytes[..<end])
    files[DeviceFile.signatureName] = Array(bytes[end...].dropFirst())
    guard case .verified? = judge(files) else { return }
    claim(Array(bytes[..<end]) == held, "a card that nobody has signed")
}

private func checkSigned(_ bytes: [UInt8]) {
    do throws(TrustError) {
        let signed = try SignedConfiguration(file: bytes)
        claim((1...SignedConfiguration.maximumSignatures).contains(signed.signatures.count), "signatures without end")
        let again = needed("the file read again") { try SignedConfiguration(file: signed.file) }
        claim(again == signed, "written it is another one")
        claim(
            !signed.isSigned(by: TestKeys.trust, at: nil) || knownDocuments.contains(signed.document),
            "a configuration that nobody has signed")
    } catch { claim(isShowable(error.description), "a refusal that cannot be shown") }
}

private let granted = needed("grants") {
    try JSON(parsing: Array(#"{"plugins":{"sync":{"enabled":false,"calls":{"org.vigil.device1":["Enable"]}}}}"#.utf8))
        .object
}

private func checkConfiguration(_ bytes: [UInt8]) {
    for known in [nil, granted] {
        do throws(FleetConfigurationError) {
            check(try FleetConfiguration(parsing: bytes, granted: known), known)
        } catch {
            claim(isShowable(error.description), "a refusal that cannot be shown")
        }
    }
}

private func check(_ wish: FleetConfiguration, _ known: JSON.Object?) {
    claim(wish.version >= 1 && FleetConfiguration.trialSeconds.contains(wish.trial), "a number out of range")
    var former: FleetConfiguration.Change?
    for lot in [99, 50, 0] {
        let change = wish.change(board: "vg-7k3m-q0r1x", group: "libraries", lot: lot)
        if let former {
            claim(Set(former.plugins.keys).isSubset(of: change.plugins.keys), "a share that shrinks")
        }
        former = change
        claim(change.plugins["core"] == nil && change.plugins["egress"] == nil, "a part of the board is changed")
        let grants = change.applied(to: granted)
        claim(change.applied(to: grants) == grants, "applied twice it is something else")
        for (name, plugin) in change.plugins {
            let had = known?["plugins"]?[name]?["calls"]
            for member in plugin.calls.members {
                for method in (member.value.array ?? []).compactMap(\.string) {
                    let isFree = InterfaceTexts.method(method, of: member.name)?.law.isForFleets == true
                    claim(isFree || had?[member.name]?.array?.contains(.string(method)) == true, "a card's to grant")
                }
            }
            for field in ["listens", "devices", "lines", "quotas", "metered"] {
                claim(
                    JSON.object(grants)["plugins"]?[name]?[field] == JSON.object(granted)["plugins"]?[name]?[field],
                    "\(field) are changed")
            }
        }
        for (name, network) in change.networks {
            claim(name == network.interface && (1...15).contains(name.utf8.count), "an interface of another name")
            claim(isShowable((network.addresses + network.nameServers).joined(separator: " ")), "an address that is none")
        }
    }
}
