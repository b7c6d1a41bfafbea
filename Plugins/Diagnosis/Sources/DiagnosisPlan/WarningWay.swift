// SPDX-License-Identifier: Apache-2.0

/// The protocol through which tests and warnings reach an authority: its requests, the meaning of their answers, and the
/// fakes in their place. Stages, consent, power cuts and slots are the same for all ways (``TestRegistry``, ``Playbook``).
public enum WarningWay: Sendable, Hashable, CustomStringConvertible {
    /// The Corona-Warn-App's servers, or this project's, which use the same protocol: registration, TAN, submission.
    case cwa(ServerPromise)
    /// Google's servers: code, certificate over the keys, publication; with the authority's settings.
    case ens(ENSAuthority)
    /// NHS COVID-19's servers: code, result with a token, submission; with the credentials for them.
    case nhs(NHSAccess)

    /// The ways without their settings. Raw values are those of the plugin's settings.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The Corona-Warn-App's servers, or this project's.
        case cwa
        /// Google's exposure-notifications-server and its verification server.
        case ens
        /// The servers of NHS COVID-19.
        case nhs

        /// The calls of a slot, one for each step. For the Corona-Warn-App's way they are the calls of a slot without work:
        /// there a genuine call replaces one to the same server (``Playbook/init(_:)``).
        public var calls: [Playbook.Call] {
            switch self {
            case .cwa: [.tan, .tan, .submission]
            // A publication that the server could not take at once is repeated while its certificate is good.
            case .ens: [.registrationToken, .tan, .submission, .submission]
            case .nhs: [.testResult, .submission]
            }
        }
    }

    /// The kind of the way, without its settings.
    public var kind: Kind {
        switch self {
        case .cwa: .cwa
        case .ens: .ens
        case .nhs: .nhs
        }
    }

    /// The promise of the servers about repeated requests; ``ServerPromise/spendsFirst`` for ways other than
    /// ``cwa(_:)``.
    public var promise: ServerPromise {
        if case .cwa(let promise) = self { promise } else { .spendsFirst }
    }

    /// Whether the servers are this project's, which is known only from ``ServerPromise/exactlyOnce``: then requests may
    /// use what only these servers support, names and the rest of the day.
    public var isOurs: Bool { self == .cwa(.exactlyOnce) }

    /// The name of the way, without its settings, so never an API key.
    public var description: String { kind.rawValue }

    /// Makes the fake that replaces a genuine request of this call, of the same length and form; for the NHS's servers it
    /// is a GET whose length is drawn from the same range. Its answer must be discarded. Cannot fail.
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

/// An authority that runs Google's servers. Its values are configuration here; the authority's apps had them built in.
public struct ENSAuthority: Sendable, Hashable, CustomStringConvertible {
    /// The API key of the type DEVICE that the authority gives to its apps, sent with each call of the verification
    /// server: 1 to 500 printable ASCII characters, which the plugin's settings check. A secret.
    public let apiKey: String
    /// The authority's name on the key server, as the operator has set it: 1 to 200 characters by `plugin.json`.
    public let healthAuthority: String
    /// The region whose links are accepted, in upper case, such as `US-WA`, 2 to 6 characters by `plugin.json`;
    /// `nil` accepts links of every region. Compared with ``ENSCode/region``; not checked here.
    public let region: String?

    /// Creates the settings of an authority; nothing is checked.
    ///
    /// - Parameter region: The region whose links are accepted, in either case; `nil` accepts links of every region.
    public init(apiKey: String, healthAuthority: String, region: String? = nil) {
        self.apiKey = apiKey
        self.healthAuthority = healthAuthority
        self.region = region?.uppercased()
    }

    /// The authority's name, without the API key.
    public var description: String { healthAuthority }
}

/// The trouble in the last exchange of a test, for the person who waits for it.
public enum ExchangeTrouble: String, Sendable, Hashable, Codable, CaseIterable {
    /// No answer came, or only a part of one.
    case noAnswer
    /// The server answered that it does not work, or not at the moment.
    case serverFails
    /// The answer cannot be read.
    case unreadable
    /// The answer carries no valid signature of the authority.
    case notSigned
    /// The server asks for a wait, and is asked again later.
    case busy

    /// An English sentence for the wearer that says what happened and what comes next.
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
