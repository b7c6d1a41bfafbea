// SPDX-License-Identifier: Apache-2.0

/// The protocol by which an authority is told of tests and warnings: its requests, the meaning of their answers, and the
/// fake requests in their place. Stages, consent, power cuts and slots are the same for all ways (``TestRegistry``,
/// ``Playbook``).
public enum WarningWay: Sendable, Hashable, CustomStringConvertible {
    /// The Corona-Warn-App's servers, or ours, which speak it: registration, TAN, submission.
    case cwa(ServerPromise)
    /// The way of Google's servers: code, certificate over the keys, publication; with the authority's settings.
    case ens(ENSAuthority)
    /// The way of NHS COVID-19's servers: code, result with a token, submission; with the access to them.
    case nhs(NHSAccess)

    /// The ways without what belongs to them. Raw values are those of the settings.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The servers of the Corona-Warn-App.
        case cwa
        /// Google's exposure-notifications-server and its verification server.
        case ens
        /// The servers of NHS COVID-19.
        case nhs

        /// The calls that a slot has, one for each step. At the Corona-Warn-App's servers those of a slot without work: there a genuine call takes
        /// the place of one to the same server (``Playbook/init(_:)``).
        public var calls: [Playbook.Call] {
            switch self {
            case .cwa: [.tan, .tan, .submission]
            // A publication that the server could not take at once is repeated while its certificate is good.
            case .ens: [.registrationToken, .tan, .submission, .submission]
            case .nhs: [.testResult, .submission]
            }
        }
    }

    /// The way's kind, without what belongs to it.
    public var kind: Kind {
        switch self {
        case .cwa: .cwa
        case .ens: .ens
        case .nhs: .nhs
        }
    }

    /// The promise of the servers about repetitions; ``ServerPromise/spendsFirst`` for ways other than ``cwa(_:)``.
    public var promise: ServerPromise {
        if case .cwa(let promise) = self { promise } else { .spendsFirst }
    }

    /// Whether the servers are ours, which only ``ServerPromise/exactlyOnce`` tells, so that what they know besides may be used: names of requests,
    /// the rest of the day.
    public var isOurs: Bool { self == .cwa(.exactlyOnce) }

    /// The way's name alone, never an API key.
    public var description: String { kind.rawValue }

    /// The request that stands in for a genuine one of that call, of the same length and shape; at the NHS's servers a GET whose length is drawn as
    /// that of the others is. What comes back must be thrown away. Cannot fail.
    public func fake(_ call: Playbook.Call, using random: inout some RandomNumberGenerator) -> ExchangeRequest {
        switch self {
        case .cwa(let promise):
            let name = ExchangeRequest.requestName(using: &random)
            let request: ExchangeRequest =
                call == .submission ? .fakeSubmission(using: &random) : .fakeVerification(using: &random)
            return promise == .exactlyOnce ? request.named(name) : request.asPhonesDo()
        case .ens(let authority):
            let endpoint: ENSAnswer.Endpoint =
                switch call {
                case .registrationToken, .testResult: .verify
                case .tan: .certificate
                case .submission: .publish
                }
            return ENSRequest.fake(endpoint, apiKey: authority.apiKey, using: &random)
        case .nhs(let access): return NHSRequest.empty(access, using: &random)
        }
    }

    /// How long tokens are good from when they were given, seconds; `nil` where the server says nothing.
    var tokenSeconds: Int64? {
        switch self {
        case .cwa: nil
        case .ens: ENSCertificate.tokenSeconds
        case .nhs: NHSResult.tokenSeconds
        }
    }
}

/// An authority that runs Google's servers: configuration, since the apps had it built in.
public struct ENSAuthority: Sendable, Hashable, CustomStringConvertible {
    /// The key of the type DEVICE that the authority gives its apps; sent with each verification. A secret.
    public let apiKey: String
    /// The authority's name at the key server, as the operator has set it.
    public let healthAuthority: String
    /// The region whose links are taken, in upper case like `US-WA`; any if `nil`. Not checked.
    public let region: String?

    /// An authority with these settings, as they are.
    ///
    /// - Parameter region: In any case; `nil` takes links of every region.
    public init(apiKey: String, healthAuthority: String, region: String? = nil) {
        self.apiKey = apiKey
        self.healthAuthority = healthAuthority
        self.region = region?.uppercased()
    }

    /// The authority's name, never the API key.
    public var description: String { healthAuthority }
}

/// The trouble that hindered the last exchange of a test, to be told to whoever waits.
public enum ExchangeTrouble: String, Sendable, Hashable, Codable, CaseIterable {
    /// No answer came, or half of one.
    case noAnswer
    /// The server answers that it does not work, or cannot now.
    case serverFails
    /// The answer cannot be read.
    case unreadable
    /// The answer is not signed by the authority.
    case notSigned
    /// The server asks to wait, so it is asked again later.
    case busy

    /// An English sentence for the wearer that tells what happened and what follows.
    public var sentence: String {
        switch self {
        case .noAnswer: "At the last exchange no answer came from the health authority's server; it is asked again."
        case .serverFails:
            "The health authority's server does not work at the moment; it is asked again at the next exchange."
        case .unreadable:
            "What the health authority's server answered cannot be read; it is asked again at the next exchange."
        case .notSigned:
            "What was answered is not signed by the health authority, and was not believed; it is asked again at the next exchange."
        case .busy: "The health authority's server is busy and has asked to wait; it is asked again later."
        }
    }
}

extension ExchangeRequest {
    /// As the Corona-Warn-App's phones send it to servers that are not ours: without the characters that we add to its padding. Where nothing is
    /// left of that, a blank makes up for the one that libcurl leaves out after the name.
    func asPhonesDo() -> ExchangeRequest {
        var request = self
        var isEmpty = false
        request.headers = headers.map { header in
            guard header.name == "cwa-header-padding" else { return header }
            let value = String(header.value.dropLast(Self.additionalHeaderCharacters))
            isEmpty = value.isEmpty
            return Header(name: header.name, value: value)
        }
        if isEmpty {
            request.headers = request.headers.map {
                $0.name == "cwa-fake" ? Header(name: $0.name, value: " \($0.value)") : $0
            }
        }
        return request
    }
}
