// SPDX-License-Identifier: Apache-2.0

import Authority
import Glibc
import Verification
import VerificationClients

/// The servers that `tests serve` was asked for. Each has its own thread, and connections of its own.
struct TestServices {
    /// Name and port of each that listens.
    private(set) var ports: [(String, UInt16)] = []
    private var services: [VerificationService] = []
    private var cleaner: VerificationServer?
    private var results: TestResultServer?

    init(_ command: TestsServeCommand) throws {
        let metrics = ServiceMetrics()
        func runs(_ server: TestsServeCommand.Server) -> Bool { command.only == nil || command.only == server }
        // The submission has no storage of its own; and it makes the folder of which the others' is a part.
        let taker = runs(.submission) ? try Self.taker(command) : nil
        let folder = command.only == .submission ? "" : try TestsFolder.make(in: command.options.state)
        let secrets = Secrets(given: command.secrets, own: folder)
        func verification() throws -> VerificationServer {
            let source = try command.resultsURL.map { url in
                RemoteResults(
                    try InternalClient(url, secret: secrets.client("results"), authority: command.partnerAuthority))
            }
            return try TestsFolder.verification(folder, results: source)
        }
        if runs(.verification) {
            cleaner = try verification()
            add(
                "verification",
                try VerificationService(
                    verification(), address: command.address, port: command.verificationPort, metrics: metrics))
        }
        if runs(.results), command.resultsURL == nil { results = try TestsFolder.results(folder) }
        if let taker {
            let tans: any TANConfirming =
                try command.verificationURL.map { url in
                    RemoteTANs(
                        try InternalClient(url, secret: secrets.client("submission"), authority: command.partnerAuthority))
                } ?? verification()
            let uploads = try Self.uploadSecret(command, secrets).map {
                UserUploadServer(secret: $0, tans: tans, taker: taker)
            }
            add(
                "submission",
                try VerificationService(
                    SubmissionServer(rules: SubmissionRules(), tans: tans, taker: taker), uploads: uploads,
                    address: command.address, port: command.submissionPort, metrics: metrics))
        }
        guard let port = command.internalPort else { return }
        let isVerifying = runs(.verification)
        let hasResults = results != nil
        add(
            "internal",
            try VerificationService(
                internalFor: isVerifying ? verification() : nil, results: hasResults ? TestsFolder.results(folder) : nil,
                portal: isVerifying ? secrets.server("portal") : nil,
                submission: isVerifying ? secrets.server("submission") : nil,
                laboratory: hasResults ? secrets.server("laboratory") : nil,
                verificationSecret: hasResults ? secrets.server("results") : nil, address: command.internalAddress,
                port: port, metrics: metrics))
    }

    private mutating func add(_ name: String, _ service: VerificationService) {
        services.append(service)
        ports.append((name, service.port))
    }

    /// Where hours at venues are taken: if the authority's settings have SwissCovid, or, of an authority elsewhere, if there is the secret.
    private static func uploadSecret(_ command: TestsServeCommand, _ secrets: Secrets) throws -> VerificationSecret? {
        if command.publisherURL == nil, try command.options.open().settings.swissCovid == nil { return nil }
        // The submission apart makes no secret: the verification must have the same.
        guard command.only == nil || command.secrets != nil else { return nil }
        return try secrets.server("check-in")
    }

    private static func taker(_ command: TestsServeCommand) throws -> any KeyTaking & VenueHoursTaking {
        guard let url = command.publisherURL else { return SubmissionIntake(authority: try command.options.authority()) }
        let path = "\(command.secrets ?? command.options.state)/admin-token"
        return RemoteKeys(try InternalClient(url, bearer: Secrets.token(path), authority: command.partnerAuthority))
    }

    /// Removes what is too old to keep.
    func clean(now: Int64) throws(VerificationError) {
        _ = try cleaner?.clean(now: now)
        _ = try results?.clean(now: now)
    }
}

/// Where secrets of routes are.
struct Secrets {
    /// The operator's folder; nothing is made there.
    let given: String?
    let own: String

    private func path(_ name: String) -> String { "\(given ?? own)/\(name)-secret" }

    /// To check who asks; `nil` when the operator gave none.
    func server(_ name: String) throws(VerificationError) -> VerificationSecret? {
        guard given != nil else { return try VerificationSecret.load(path: path(name)) }
        return access(path(name), F_OK) == 0 ? try VerificationSecret.existing(path: path(name)) : nil
    }

    /// To ask with.
    func client(_ name: String) throws(VerificationError) -> VerificationSecret {
        try VerificationSecret.existing(path: path(name))
    }

    /// One line of printable characters, as `StateFolder` makes it.
    static func token(_ path: String) throws(VerificationError) -> String {
        var bytes = [UInt8](repeating: 0, count: 257)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw VerificationError(.storageUnusable, "\(path): it cannot be opened") }
        defer { close(descriptor) }
        try VerificationSecret.requirePrivate(descriptor, path)
        let count = read(descriptor, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).filter { !$0.isWhitespace }
        guard (1...256).contains(count), !text.isEmpty, text.utf8.allSatisfy({ (33...126).contains($0) }) else {
            throw VerificationError(.storageUnusable, "\(path): it is no token")
        }
        return text
    }
}
