// SPDX-License-Identifier: Apache-2.0

import CLinux
import Cryptography
import Glibc
import Trust

/// Signs the time for boards without a clock: a document with the board's nonce and the time (`SignedTime`).
public struct TimeService: Sendable {
    private let folder: StateFolder
    private let settings: AuthoritySettings
    private let rules: AuthoritySettings.TimeRules
    private let clock: AuthorityClock

    /// Creates a service that signs with the *time* key in force, which it reads for each signature. Throws when that key
    /// cannot be read now: `stateUnusable` when its file is missing, unreadable or readable by others than its owner,
    /// `stateDamaged` when the list of signers is unreadable, `cryptography` when the file holds no P-256 key.
    public init(folder: StateFolder, settings: AuthoritySettings, clock: AuthorityClock) throws(AuthorityError) {
        // A key that is missing is a reason not to start.
        _ = try folder.signer(.time, settings, now: clock.seconds())
        self.folder = folder
        self.settings = settings
        rules = settings.time
        self.clock = clock
    }

    /// The nonce that `text` is: 32 lower-case hexadecimal digits; `nil` for anything else.
    static func nonce(_ text: some StringProtocol) -> [UInt8]? {
        let text = String(text)
        guard let bytes = Hex.bytes(text), bytes.count == SignedTime.nonceByteCount, Hex.string(bytes) == text else {
            return nil
        }
        return bytes
    }

    /// Returns the signed document for `nonce` (16 bytes, not checked), a text of some 200 bytes. Throws `clockUnknown`
    /// while the kernel does not call the machine's clock synchronised and the settings require that; otherwise as the
    /// initialiser does, and `cryptography` when the library does not sign.
    public func document(nonce: [UInt8]) throws(AuthorityError) -> [UInt8] {
        let uncertainty = try uncertaintyMilliseconds()
        // Asked each time: a change of keys comes into force by itself.
        let (name, key, _) = try folder.signer(.time, settings, now: clock.seconds())
        do {
            let text = try SignedTime.text(
                key: name, nonce: nonce, milliseconds: clock.milliseconds(), uncertainty: uncertainty
            ) { try key.sign(SHA256.digest(of: $0)) }
            return Array(text.utf8)
        } catch {
            throw AuthorityError(.cryptography, "\(error)")
        }
    }

    /// What the kernel says its clock may be off by, and at least what the settings say.
    private func uncertaintyMilliseconds() throws(AuthorityError) -> Int64 {
        var state = vigil_kernel_clock()
        let isRead = vigil_kernel_clock_read(&state) == 0
        // <linux/timex.h>: TIME_ERROR 5, STA_UNSYNC 0x40, STA_CLOCKERR 0x1000.
        let isSynchronised = isRead && state.state != 5 && state.status & 0x1040 == 0
        guard isSynchronised || !rules.requireSynchronisedClock else { throw AuthorityError(.clockUnknown) }
        guard isSynchronised else { return rules.uncertaintyMilliseconds }
        return max(rules.uncertaintyMilliseconds, state.maximum_error / 1_000 + 1)
    }
}

/// The clock of the service: the machine's, or in trials one with an offset.
public struct AuthorityClock: Sendable {
    private let offsetMilliseconds: Int64

    /// Creates the machine's clock if `start` is `nil`; otherwise a clock for trials that shows `start` (Unix seconds) now
    /// and runs on from there.
    public init(startingAt start: Int64? = nil) {
        offsetMilliseconds = start.map { $0 * 1_000 - Self.machine() } ?? 0
    }

    private static func machine() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Returns the clock's time in milliseconds since 1970, UTC; it follows steps of the machine's clock. Cannot fail.
    public func milliseconds() -> Int64 { Self.machine() + offsetMilliseconds }
    /// Returns the clock's time in seconds since 1970, UTC, rounded towards 0. Cannot fail.
    public func seconds() -> Int64 { milliseconds() / 1_000 }
}
