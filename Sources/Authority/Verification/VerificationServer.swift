// SPDX-License-Identifier: Apache-2.0

/// The verification server's rules (`cwa-protocols` section 4), without sockets, clock and randomness of its own.
///
/// What is answered is durable. A request that names itself (`request`, a UUID) may be repeated as long as its answer is kept: it gets the
/// same token or TAN again, so that an answer lost on the way loses no warning. Not thread-safe.
public final class VerificationServer {
    /// Counts of refusals and acts since the start, for an operator's metrics; nothing of it says who.
    public struct Counters: Hashable, Sendable {
        /// The number of registration tokens given since the start, each counted once; 0 or more.
        public var registrations = 0
        /// The number of requests since the start that named themselves and got an earlier token or TAN again; 0 or
        /// more.
        public var repeatedAnswers = 0
        /// The number of TANs given since the start, each counted once, without the second ones for the rest of a day;
        /// 0 or more.
        public var tans = 0
        /// The number of TANs confirmed since the start, repeated questions among them; 0 or more.
        public var confirmedTANs = 0
        /// The number of teleTANs issued since the start, 0 or more.
        public var teleTANs = 0
        /// The number of teleTANs since the start that somebody tried to register with and that were unknown, used or
        /// over; 0 or more.
        public var wrongTeleTANs = 0
        /// The number of errors thrown since the start, by code; those of ``clean(now:)`` and ``key(_:type:birth:)``
        /// are not counted. Each number is above 0; a code that did not occur is absent.
        public var refused: [VerificationError.Code: Int] = [:]

        /// Counters of a server that has done nothing yet.
        public init() {}
    }

    /// The numbers that the server goes by.
    public let rules: VerificationRules
    /// The counts since the start of this object; read them on the thread that uses the server.
    public internal(set) var counters = Counters()
    let store: any VerificationStore
    let results: any TestResultSource
    let secret: VerificationSecret
    var generator: any RandomNumberGenerator

    /// A server over its own storage and secret. `results` may ask another process, and may block. `generator` must be
    /// cryptographically secure outside of tests. Nothing is read yet.
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

    /// The proof that a board registers with.
    public enum Key: Hashable, Sendable {
        /// A test's identity, and the same test as reported for the date of birth; `nil` when the board gave none.
        case test(TestIdentity, birth: TestIdentity?)
        /// The teleTAN, which says "positive" by itself: 13 characters as ``TeleTANIssuing`` makes them;
        /// ``key(_:type:birth:)`` checks that, this case does not.
        case teleTAN(String)
    }

    /// Reads what boards send. `type` is `GUID` or `TELETAN`; `key` a test's 64 hexadecimal digits in any case, or a
    /// teleTAN in capital letters. `birth` is for tests only: the key for the date of birth, as
    /// ``TestIdentity/init(birthKey:)`` reads it, and of another test than `key`; `nil` when the board gave none.
    ///
    /// Throws `malformedRequest` for anything else; its detail names the field (`key`, `keyType`, `keyDob`), not its
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

    /// The registration token, a UUID in lower case, for a key that has none yet, at `now` (Unix seconds); durable when
    /// this returns. With `request`, a UUID in any case, the same key and request get the same token again as long as
    /// the registration is kept; with `nil` the token is random. However many wrong teleTANs others try, a good one is
    /// taken.
    ///
    /// Throws `keyAlreadyUsed` when the test, the date of birth or the teleTAN has a registration or had one,
    /// `unknownTeleTAN`, `teleTANExpired` (for a used one too), `malformedRequest` for a `request` that is no UUID,
    /// `cryptography`, or what ``VerificationStore`` throws.
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

    /// The test result of `token`, a UUID in any case, at `now` (Unix seconds); of a registration by teleTAN positive,
    /// with the hour of the registration as its time. Throws `malformedRequest` for a token that is no UUID,
    /// `unknownToken` also for one older than ``VerificationRules/registrationSeconds``, `birthMismatch`,
    /// `cryptography`, or what ``VerificationStore`` and ``TestResultSource`` throw.
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

    /// Gives the one TAN of `token` (a UUID in any case) as a UUID in lower case, when the result is positive at `now`
    /// (Unix seconds); durable when this returns. With `request`, a UUID in any case, the same request gets the same TAN
    /// again, whatever the result is then; with `nil` the TAN is random, and there is no second answer.
    ///
    /// `remainder` is a UUID that the board has drawn, `nil` for none: it becomes a second TAN, for the rest of the day
    /// (``WarningType/remainder``), in the same step and only then, so that a positive result has at most one. For an
    /// event, or when somebody has that UUID already, it is left out without an error. It is stored as others are: as a
    /// code, with an end that says the hour, and without a word of the first. In this process's memory the two are
    /// together for as long as this call takes.
    ///
    /// Throws `unknownToken` (as ``result(token:now:)``), `notPositive`, `birthMismatch`, `tanAlreadyIssued` for
    /// another request than the first or none, `malformedRequest` when one of the three is no UUID, `cryptography`, or
    /// what ``VerificationStore`` and ``TestResultSource`` throw.
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

    /// Forgets what is over at `now` (Unix seconds) by ``rules``, and counts it; durable when this returns. To be called
    /// every hour. Throws `storageUnusable`, `storageDamaged`, `storageInUse` or `full`.
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
