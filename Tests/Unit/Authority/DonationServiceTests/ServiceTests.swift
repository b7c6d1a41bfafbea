// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
import HTTPService
import JSON
import PrivacyPass
import RandomValues
import TestKit
import Testing

@testable import DonationService

/// Both servers behind libmicrohttpd, over the loopback.
@Suite struct ServiceTests {
    private let noon = DonationScene.noon

    private func code(_ answer: WireAnswer) -> String? { (try? JSON(parsing: answer.body))?["errorCode"]?.string }

    /// A board's whole way.
    @Test func fromTheNonceToTheDonation() throws {
        let scene = try DonationScene()
        let board = scene.boards[0]
        let now = noon
        let issuer = try DonationService(scene.issuer(), address: "127.0.0.1", port: 0, now: { now })
        let server = try DonationService(
            scene.server(), address: "127.0.0.1", port: 0, slotMilliseconds: 0, now: { now })
        func ask(_ body: [UInt8], _ headers: [String: String] = [:]) throws -> WireAnswer {
            try WireAnswer.post(
                IssuerHTTP.requestPath, body, type: "application/private-token-request", headers: headers, port: issuer.port
            )
        }
        let pending = try scene.pending(board)
        let body = pending.request.encoded
        let first = try ask(body)
        #expect(first.status == 401)
        #expect(code(first) == "EVIDENCE_REQUIRED")
        #expect(first.body.count == 256)
        let nonce = try #require(
            EvidenceScheme.nonce(inWWWAuthenticate: first.headers["www-authenticate"] ?? ""))
        #expect(first.headers["www-authenticate"]?.contains("max-age=600") == true)
        let second = try ask(body, ["Authorization": board.evidence(nonce: nonce, body: body, now: noon)])
        #expect(second.status == 200)
        #expect(second.headers["content-type"] == "application/private-token-response")
        let token = try pending.finished(by: second.body)
        // The nonce in the answer serves the next day's request.
        let tomorrow = UTCDay(number: DonationScene.today.number + 1)
        let next = try scene.pending(board, day: tomorrow).request.encoded
        let nextNonce = try #require(EvidenceScheme.nonce(inNextNonce: second.headers["vigil-next-nonce"] ?? ""))
        let third = try ask(next, ["Authorization": board.evidence(nonce: nextNonce, body: next, now: noon)])
        #expect(third.status == 200)
        #expect(third.body.count == second.body.count)
        // A second token of the day.
        let other = try scene.pending(board, index: 1).request.encoded
        let lastNonce = try #require(EvidenceScheme.nonce(inNextNonce: third.headers["vigil-next-nonce"] ?? ""))
        let fourth = try ask(other, ["Authorization": board.evidence(nonce: lastNonce, body: other, now: noon)])
        #expect(fourth.status == 429)
        #expect(code(fourth) == "DEVICE_QUOTA_EXCEEDED")
        #expect(fourth.bytes.count == second.bytes.count)

        func donate(_ body: [UInt8], _ headers: [String: String]) throws -> WireAnswer {
            try WireAnswer.post(
                DonationHTTP.path, body, type: "application/x-protobuf", headers: headers, port: server.port)
        }
        let header = ["Authorization": PrivateTokenScheme.authorization(token)]
        let donation = try DonationScene.donation(.high)
        let without = try donate(donation, [:])
        #expect(without.status == 401)
        #expect(code(without) == "TOKEN_REQUIRED")
        #expect(
            PrivateTokenScheme.challenges(inWWWAuthenticate: without.headers["www-authenticate"] ?? "").count == 1)
        let taken = try donate(donation, header)
        #expect(taken.status == 200)
        let repeated = try donate(donation, header)
        #expect(repeated.status == 200)
        #expect(repeated.body == taken.body)
        let changed = try donate(DonationScene.donation(.low), header)
        #expect(changed.status == 403)
        #expect(code(changed) == "TOKEN_REDEEMED")
        #expect(Set([without, taken, repeated, changed].map(\.bytes.count)).count == 1)
        var count = 0
        try scene.donations.forEachDonation { _, _ in count += 1 }
        #expect(count == 1)
    }

    @Test func theDirectoryHasTheKeysOfTheTerms() throws {
        let scene = try DonationScene()
        let now = noon
        let issuer = try DonationService(scene.issuer(), address: "127.0.0.1", port: 0, now: { now })
        let answer = try WireAnswer.exchange(
            Array("GET \(IssuerHTTP.directoryPath) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8),
            port: issuer.port)
        #expect(answer.status == 200)
        #expect(answer.headers["content-type"] == IssuerDirectory.mediaType)
        let directory = try IssuerDirectory(
            decoding: answer.body, directoryURL: "https://issuer.example\(IssuerHTTP.directoryPath)")
        #expect(directory.requestURL == "https://issuer.example/token-request")
        #expect(try directory.entries.map(\.key) == scene.terms().keys.map(\.key))
        #expect(directory.key(at: noon) == (try scene.key().publicKey))
    }

    /// A client that takes the first key takes the one of today, as its challenge is; the day before is still there, and last.
    @Test func theDirectoryBeginsWithToday() throws {
        let scene = try DonationScene()
        let tomorrow = noon + 86_400
        let issuer = try DonationService(scene.issuer(), address: "127.0.0.1", port: 0, now: { tomorrow })
        let answer = try WireAnswer.exchange(
            Array("GET \(IssuerHTTP.directoryPath) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8),
            port: issuer.port)
        let directory = try IssuerDirectory(
            decoding: answer.body, directoryURL: "https://issuer.example\(IssuerHTTP.directoryPath)")
        let days = directory.entries.map { UTCDay(containing: $0.notBefore ?? 0).number - DonationScene.today.number }
        #expect(days == [1, 2, 3, 0])
        #expect(directory.key(at: tomorrow) == directory.entries.first?.key)
    }

    @Test func whatIsNoRequestIsRefused() throws {
        let scene = try DonationScene()
        let now = noon
        let issuer = try DonationService(scene.issuer(), address: "127.0.0.1", port: 0, now: { now })
        let server = try DonationService(
            scene.server(), address: "127.0.0.1", port: 0, slotMilliseconds: 0, now: { now })
        let request = try scene.pending(scene.boards[0]).request.encoded
        let donation = try DonationScene.donation(.high)
        func get(_ path: String, _ port: UInt16) throws -> Int {
            try WireAnswer.exchange(
                Array("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8), port: port
            ).status
        }
        #expect(try get(IssuerHTTP.requestPath, issuer.port) == 405)
        #expect(try get(DonationHTTP.path, server.port) == 405)
        #expect(try get("/", issuer.port) == 404)
        #expect(try get("/version/v1/ios/dat", server.port) == 404)
        func status(_ path: String, _ body: [UInt8], _ type: String, _ port: UInt16) throws -> Int {
            try WireAnswer.post(path, body, type: type, port: port).status
        }
        let requestType = "application/private-token-request"
        #expect(try status(IssuerHTTP.requestPath, request, requestType, issuer.port) == 401)
        #expect(try status(IssuerHTTP.requestPath, request, "application/json", issuer.port) == 422)
        #expect(try status(IssuerHTTP.requestPath, request + [0], requestType, issuer.port) == 422)
        #expect(try status(IssuerHTTP.requestPath, [UInt8](repeating: 0, count: 500_000), requestType, issuer.port) == 422)
        let donationType = "application/x-protobuf"
        #expect(try status(DonationHTTP.path, donation, donationType, server.port) == 401)
        #expect(try status(DonationHTTP.path, donation, "application/json", server.port) == 415)
        #expect(try status(DonationHTTP.path, donation + [0], donationType, server.port) == 400)
        #expect(try status(DonationHTTP.path, Array(donation.dropLast()), donationType, server.port) == 400)
        // More than anybody reads: the answer comes before the body.
        let head = "POST \(DonationHTTP.path) HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n"
        #expect(try WireAnswer.exchange(Array(head.utf8), port: server.port).status == 400)
        let issuerHead = "POST \(IssuerHTTP.requestPath) HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n"
        #expect(try WireAnswer.exchange(Array(issuerHead.utf8), port: issuer.port).status == 422)
    }

    @Test func anAnswerWaitsForItsTime() throws {
        let scene = try DonationScene()
        let http = DonationHTTP(server: try scene.server(), now: { DonationScene.noon }, slotMilliseconds: 60_000)
        let answer = http.answer(.init(method: "GET", path: DonationHTTP.path))
        #expect((1...60_000).contains(answer.delayMilliseconds))
    }

    @Test func termsAreReadWhenTheyChange() throws {
        let scene = try DonationScene()
        let path = scene.folder.file("terms.json")
        let file = TermsFile(path: path)
        #expect(file.current() == nil)
        let first = try scene.terms(version: 2)
        try scene.folder.write(first.encoded, to: "terms.json")
        #expect(file.current() == first)
        // Neither what is none nor an older one takes their place.
        try scene.folder.write("{}", to: "terms.json")
        #expect(file.current() == first)
        try scene.folder.write(scene.terms(version: 1, dropping: DonationScene.today).encoded, to: "terms.json")
        #expect(file.current() == first)
        let third = try scene.terms(version: 3, dropping: DonationScene.today)
        try scene.folder.write(third.encoded, to: "terms.json")
        #expect(file.current() == third)
    }
}
