// SPDX-License-Identifier: Apache-2.0

import BoardEnrolment
import Cryptography
import Enrolment
import FleetRegistry
import Glibc
import HTTPClient
import JSON
import RandomValues
import Synchronization
import TestKit

/// A clock that a test sets; the authority's thread reads it.
final class Clock: Sendable {
    private let moment = Atomic<Int64>(World.now)
    var now: Int64 {
        get { moment.load(ordering: .sequentiallyConsistent) }
        set { moment.store(newValue, ordering: .sequentiallyConsistent) }
    }
}

/// A registration authority that listens, and the card of one board.
struct World {
    static let now: Int64 = 1_795_000_000
    static let day: Int64 = 86_400
    let clock = Clock()
    let name = BoardName("vg-7k3m-q0r1x")!
    let carrier: Web
    private let folder: TemporaryFolder
    private let service: RegistryService
    private let registry: RegistryFolder
    private let operatorKey: P256.SigningKey

    init() throws {
        folder = try TemporaryFolder()
        operatorKey = try .generate()
        registry = try RegistryFolder.make(
            "\(folder.path)/registry", title: "Fleet", settings: RegistrySettings(), now: Self.now)
        let clock = clock
        service = try RegistryService(
            Registrar(store: RegistryStore(path: registry.database), signer: registry.signer, settings: registry.settings),
            address: "127.0.0.1", port: 0
        ) { clock.now }
        carrier = Web(port: service.port)
        try makeCard(name, claim: "7H2K9D3KHT6W4Q7P")
        var random = SeededGenerator(seed: 24)
        let claim = EnrolmentClaim(SecretBytes(copying: "7H2K9D3KHT6W4Q7P".utf8))!
        _ = try store().take(ClaimList.parse(Array("\(name) \(claim.digest)\n".utf8)), held: false, using: &random)
    }

    func makeCard(_ name: BoardName, claim: String) throws {
        let digest = EnrolmentClaim(SecretBytes(copying: claim.utf8))!.digest
        let file: JSON = [
            "serial": .string(name.text), "claimHash": .string(digest),
            "enrolment": [
                "address": "https://ra.example/.well-known/est", "anchor": .string(registry.signer.certificate.pem),
            ],
        ]
        try write("device.json", file.bytes)
        try write("device.sig", operatorKey.sign(SHA256.digest(of: file.bytes)))
        try write("claim", Array("\(claim)\n".utf8))
    }

    var claim: String { path("claim") }
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    func board(_ state: String = "state") throws -> BoardEnrolment {
        try BoardEnrolment(
            card: folder.path, claim: claim, folder: path(state), operatorKey: operatorKey.verificationKey)
    }

    /// The same board, by what its card says and with a sealed key.
    func sealedBoard(
        _ state: String = "sealed", seal: SecretBytes, claim text: String = "7H2K9D3KHT6W4Q7P"
    ) throws -> BoardEnrolment {
        let order = try EnrolmentOrder(
            name: name, address: "https://ra.example/.well-known/est", anchor: registry.signer.certificate.pem,
            claimDigest: EnrolmentClaim(SecretBytes(copying: text.utf8))!.digest)
        return try BoardEnrolment(order: order, claim: claim, folder: path(state), seal: seal)
    }

    func store() throws -> RegistryStore { try RegistryStore(path: registry.database) }

    func count(_ event: RegistryEvent) throws -> Int64 {
        try store().counts().first { $0.event == event.rawValue }?.count ?? 0
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        guard let file = fopen(path(name), "w") else { throw EnrolmentError(.storage) }
        defer { fclose(file) }
        fwrite(bytes, 1, bytes.count, file)
    }

    func file(_ name: String) -> [UInt8]? {
        guard let file = fopen(path(name), "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }
}

/// HTTP to the authority, and in the place of the web server with TLS: it hands on the certificate that is shown.
struct Web: EnrolmentCarrier {
    let port: UInt16

    func carry(_ request: ESTRequest) throws(EnrolmentError) -> ESTAnswer {
        var headers: [(name: String, value: String)] = []
        if let authorization = request.authorization { headers.append(("Authorization", authorization)) }
        if let identity = request.identity {
            let text = identity.certificate.pem.utf8.map { "%" + Hex.string([$0]) }.joined()
            headers.append(("X-Client-Certificate", text))
        }
        let path = request.address.dropFirst("https://ra.example".count)
        do throws(HTTPError) {
            var question = HTTPRequest(
                "http://127.0.0.1:\(port)\(path)", method: .post, headers: headers, body: request.body)
            question.keepsRefusals = true
            let answer = try HTTPClient(HTTPConfiguration(allowsPlainHTTP: true)).send(question)
            return ESTAnswer(status: answer.status, body: answer.body, retryAfter: answer.retryAfter)
        } catch { throw EnrolmentError(.unreachable, "\(error.code)") }
    }
}

/// The request arrives, and its answer is lost.
struct Deaf: EnrolmentCarrier {
    let other: Web
    func carry(_ request: ESTRequest) throws(EnrolmentError) -> ESTAnswer {
        _ = try other.carry(request)
        throw EnrolmentError(.unreachable)
    }
}

/// Nobody is there: fails the test's call if anything is asked.
struct Silent: EnrolmentCarrier {
    func carry(_ request: ESTRequest) throws(EnrolmentError) -> ESTAnswer { throw EnrolmentError(.unreachable) }
}

/// A server that does wrong.
struct Fixed: EnrolmentCarrier {
    let answer: ESTAnswer
    func carry(_ request: ESTRequest) throws(EnrolmentError) -> ESTAnswer { answer }
}
