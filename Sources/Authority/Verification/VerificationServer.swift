// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The rules of the verification server (`cwa-protocols` section 4), without sockets, clock and randomness of its own.
///
/// Every answer is durable. A request that carries a name (`request`, a UUID) may be repeated for as long as its answer is
/// stored, and gets the same token or TAN again, so that no warning is lost with an answer. Not thread-safe.
public final class VerificationServer {
    /// Counts of what the server has done and refused since its start, for metrics; they identify nobody.
    public struct Counters: Hashable, Sendable {
        /// The number of registration tokens given, each counted once; 0 or more.
        public var registrations = 0
        /// The number of named requests that got an earlier token or TAN again; 0 or more.
        public var repeatedAnswers = 0
        /// The number of TANs given, each counted once, without the second TANs for the rest of a day; 0 or more.
        public var tans = 0
        /// The number of confirmed TANs, repeated requests included; 0 or more.
        public var confirmedTANs = 0
        /// The number of issued teleTANs, 0 or more.
        public var teleTANs = 0
        /// The number of registrations that were tried with an unknown, used or expired teleTAN; 0 or more.
        public var wrongTeleTANs = 0
        /// The number of errors thrown, by code, except those of ``clean(now:)`` and ``key(_:type:birth:)``. Each number is
        /// 1 or more; a code that did not occur is absent.
        public var refused: [VerificationError.Code: Int] = [:]

        /// Creates counters of 0.
        public init() {}
    }

    /// The rules that the server follows.
    public let rules: VerificationRules
    /// The counts since this object was created. Read them on the thread that uses the server.
    public internal(set) var counters = Counters()
    let store: any VerificationStore
    let results: any TestResultSource
    let secret: VerificationSecret
    var generator: any RandomNumberGenerator

    /// Creates a server over its own storage and secret. `results` may ask another process, and may block. `generator` must
    /// be cryptographically secure outside of tests. Nothing is read yet.
    public init(
        store: any VerificationStore, results: any TestResultSource, secret: VerificationSecret,
        rules: VerificationRules = VerificationRules(), generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.store = store
        self.results = results
        self.secret = secret
        self.rules = rules
        self.generator = generator
    }

    /// The key that a board registers with.
    public enum Key: Hashable, Sendable {
        /// The identity of a test, and the identity of the same test as reported with the date of birth; `birth` is `nil`
        /// if the board gave none.
        case test(TestIdentity, birth: TestIdentity?)
        /// A teleTAN, which by itself stands for a positive result: 13 characters as ``TeleTANIssuing`` makes them. This is
        /// checked by ``key(_:type:birth:)``, not here.
        case teleTAN(String)
    }

    /// Reads the key that a board sends. `type` is `GUID` or `TELETAN`; `key` is the 64 hexadecimal digits of a test in any
    /// case, or a teleTAN in capital letters. `birth`, only for tests, is the key with the date of birth, as
    /// ``TestIdentity/init(birthKey:)`` reads it, which must differ from `key`; `nil` if the board gave none.
    ///
    /// Throws `malformedRequest` for anything else; the detail names the wrong field (`key`, `keyType`, `keyDob`), not its
    /// value.
    public static func key(_ key: String, type: String, birth: String?) throws(VerificationError) -> Key {
        switch type {
        case "GUID":
            guard let test = TestIdentity(key: key) else { throw VerificationError(.malformedRequest, "key") }
            guard let birth else { return .test(test, birth: nil) }
            guard let birthTest = TestIdentity(birthKey: birth), birthTest != test else {
                throw VerificationError(.malformedRequest, "keyDob")
            }
            return .test(test, birth: birthTest)
        case "TELETAN":
            guard birth == nil else { throw VerificationError(.malformedRequest, "keyDob is for tests") }
            guard TeleTANIssuing.isValid(key) else { throw VerificationError(.malformedRequest, "key") }
            return .teleTAN(key)
        default: throw VerificationError(.malformedRequest, "keyType")
        }
    }

    /// Registers a key that has no token yet, at `now` (Unix seconds), and returns the registration token, a UUID
    /// in lower case; durable when this returns. With `request`, a UUID in any case, the same key and request get
    /// the same token again for as long as the registration is stored; with `nil` the token is random. Wrong
    /// teleTANs that others try never delay a valid one.
    ///
    /// Throws `keyAlreadyUsed` when the test, the date of birth or the teleTAN was registered within
    /// ``VerificationRules/spentKeySeconds``, `unknownTeleTAN` when the teleTAN was not issued, `teleTANExpired`
    /// when it has expired (used or not), `malformedRequest` for a `request` that is not a UUID, `cryptography`
    /// when the library refuses, and what ``VerificationStore`` throws.
    public func register(_ key: Key, request: String? = nil, now: Int64) throws(VerificationError) -> String {
        try counted { () throws(VerificationError) in
            var registration = Registration(
                token: [], test: nil, birthTest: nil, teleTAN: nil, type: .test, created: now - now % 3_600, tan: nil)
            let content: [UInt8]
            switch key {
            case .test(let test, let birth):
                registration.test = test
                registration.birthTest = birth
                content = test.bytes + (birth?.bytes ?? [])
            case .teleTAN(let text):
                registration.teleTAN = try secret.code(.storedTeleTAN, [Array(text.utf8)])
                content = Array(text.utf8)
            }
            let token = try derived(.token, content, request)
            registration.token = try secret.code(.storedToken, [Array(token.utf8)])
            switch try store.register(registration, now: now) {
            case .stored:
                counters.registrations += 1
                return token
            case .known(let known):
                // Only who names the same request can have made the same token.
                guard request != nil, known == registration.token else {
                    countGuess(of: key)
                    throw VerificationError(.keyAlreadyUsed)
                }
                counters.repeatedAnswers += 1
                return token
            case .unknownTeleTAN:
                countGuess(of: key)
                throw VerificationError(.unknownTeleTAN)
            case .expiredTeleTAN:
                countGuess(of: key)
                throw VerificationError(.teleTANExpired)
            }
        }
    }

    /// One that is used up counts too: who has it by guessing learns that it was one.
    private func countGuess(of key: Key) {
        guard case .teleTAN = key else { return }
        counters.wrongTeleTANs += 1
    }

    /// Returns the test result for `token`, a UUID in any case, at `now` (Unix seconds). For a registration by teleTAN it
    /// is positive, with the hour of the registration as its time. Throws `malformedRequest` for a token that is not a
    /// UUID, `unknownToken` for one that does not exist or is older than ``VerificationRules/registrationSeconds``,
    /// `birthMismatch` when the result for the date of birth differs, `cryptography` when the library refuses, and what
    /// ``VerificationStore`` and ``TestResultSource`` throw.
    public func result(token: String, now: Int64) throws(VerificationError) -> TestResult {
        try counted { () throws(VerificationError) in try currentResult(of: registration(token, now: now), now: now) }
    }

    private func currentResult(of registration: Registration, now: Int64) throws(VerificationError) -> TestResult {
        guard let test = registration.test else { return TestResult(.positive, sampleTime: registration.created) }
        let result = try results.result(of: test, now: now)
        if let birth = registration.birthTest {
            guard try results.result(of: birth, now: now).code == result.code else {
                throw VerificationError(.birthMismatch)
            }
        }
        return result
    }

    private func registration(_ token: String, now: Int64) throws(VerificationError) -> Registration {
        guard RandomUUID.bytes(token) != nil else { throw VerificationError(.malformedRequest, "registrationToken") }
        let code = try secret.code(.storedToken, [Array(token.lowercased().utf8)])
        // Its time is over when it is over, not when somebody cleans.
        guard let found = try store.registration(token: code), found.created > now - rules.registrationSeconds else {
            throw VerificationError(.unknownToken)
        }
        return found
    }

    /// Returns the only TAN of `token` (a UUID in any case), a UUID in lower case, if the result is positive at `now` (Unix
    /// seconds); durable when this returns. With `request`, a UUID in any case, the same request gets the same TAN again,
    /// whatever the result is then; with `nil` the TAN is random and is not given a second time.
    ///
    /// `remainder` is a UUID that the board has drawn, or `nil`. It becomes a second TAN, for the rest of the day
    /// (``WarningType/remainder``), in the same step as the first and never later, so that a positive result has at most
    /// one. It is ignored, without an error, for an event and when the UUID is in use already. It is stored like any TAN,
    /// as a code; its expiry is a full hour, and nothing stored connects it with the first TAN. Only in this process's
    /// memory are the two together, during this call.
    ///
    /// Throws `malformedRequest` when `token`, `request` or `remainder` is not a UUID, `unknownToken` and `birthMismatch`
    /// as ``result(token:now:)`` does, `notPositive` when the result is not positive, `tanAlreadyIssued` when the TAN was
    /// given to another request, or to one without a name, `cryptography` when the library refuses, and what
    /// ``VerificationStore`` and ``TestResultSource`` throw.
    public func tan(
        token: String, request: String? = nil, remainder: String? = nil, now: Int64
    ) throws(VerificationError) -> String {
        try counted { () throws(VerificationError) in
            let registration = try registration(token, now: now)
            let tan = try derived(.tan, registration.token, request)
            let code = try secret.code(.storedTAN, [Array(tan.utf8)])
            var second: Remainder?
            if let remainder {
                guard RandomUUID.bytes(remainder) != nil else { throw VerificationError(.malformedRequest, "remainder") }
                // Whole hours: its end must not tell which TAN was given in the same second.
                second = Remainder(
                    tan: try secret.code(.storedTAN, [Array(remainder.lowercased().utf8)]),
                    expiry: (now + rules.remainderSeconds) / 3_600 * 3_600 + 3_600,
                    warning: try maskedHandle(of: registration, tan: remainder))
            }
            if let known = registration.tan { return try repeated(tan, code: code, known: known, request: request) }
            guard try currentResult(of: registration, now: now).finding == .positive else {
                throw VerificationError(.notPositive)
            }
            // Counted from the full hour: the second would say who had just been told that they are infected.
            switch try store.issueTAN(
                code, token: registration.token, type: registration.type, expiry: now - now % 3_600 + rules.tanSeconds,
                warning: try maskedHandle(of: registration, tan: tan),
                remainder: registration.type == .test ? second : nil)
            {
            case .stored:
                counters.tans += 1
                return tan
            case .known(let known): return try repeated(tan, code: code, known: known, request: request)
            case .unknownToken: throw VerificationError(.unknownToken)
            }
        }
    }

    private func repeated(
        _ tan: String, code: [UInt8], known: [UInt8], request: String?
    ) throws(VerificationError) -> String {
        guard request != nil, known == code else { throw VerificationError(.tanAlreadyIssued) }
        counters.repeatedAnswers += 1
        return tan
    }

    /// A UUID nobody can foresee: by chance, or by the secret from what was asked and who asks.
    private func derived(
        _ purpose: VerificationSecret.Purpose, _ content: [UInt8], _ request: String?
    ) throws(VerificationError) -> String {
        guard let request else { return RandomUUID.text(using: &generator) }
        guard let name = RandomUUID.bytes(request) else { throw VerificationError(.malformedRequest, "the request's name") }
        return RandomUUID.text(try secret.code(purpose, [content, name]))
    }

    /// Deletes everything that has reached its age limit in ``rules`` at `now` (Unix seconds), and returns how much it was;
    /// durable when this returns. To be called every hour. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or
    /// `full` when the storage fails.
    public func clean(now: Int64) throws(VerificationError) -> RetentionReport { try store.clean(now: now, rules: rules) }

    func counted<Result>(
        _ body: () throws(VerificationError) -> Result
    ) throws(VerificationError) -> Result {
        do throws(VerificationError) { return try body() } catch {
            counters.refused[error.code, default: 0] += 1
            throw error
        }
    }
}
