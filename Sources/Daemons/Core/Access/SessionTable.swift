// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Interfaces

/// Who is signed in. In memory only: a restart ends all sessions. Of what a browser holds only the hash is here.
struct SessionTable {
    struct Session {
        let digest: [UInt8]
        let role: Access1.Role
        let made: Duration
        var used: Duration
    }

    /// Of all roles together.
    static let most = 32
    static let valueByteCount = 32

    private(set) var sessions: [Session] = []

    /// Seconds without a call after which a session ends, and seconds after which it ends in any case: technicians leave laptops in
    /// strange rooms, the wearer's telephone is their own.
    static func limits(of role: Access1.Role) -> (idle: Int, total: Int) {
        switch role {
        case .wearer: (24 * 3_600, 30 * 86_400)
        case .technicianReadOnly, .technician: (20 * 60, 8 * 3_600)
        }
    }

    /// 256 random bits in hexadecimal digits.
    static func makeValue(using generator: inout some RandomNumberGenerator) -> String {
        Hex.string((0..<valueByteCount).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// What is kept of a session's or token's value; `nil` if it can be none.
    static func digest(of value: String) -> [UInt8]? {
        guard value.utf8.count == 2 * valueByteCount, let bytes = Hex.bytes(value) else { return nil }
        return SHA256.digest(of: bytes)
    }

    /// A new session; the oldest goes where there are too many, of the same role if it has any.
    mutating func add(_ digest: [UInt8], _ role: Access1.Role, at now: Duration) {
        expire(at: now)
        if sessions.count >= Self.most {
            sessions.remove(at: sessions.firstIndex { $0.role == role } ?? 0)
        }
        sessions.append(Session(digest: digest, role: role, made: now, used: now))
    }

    /// Whose session it is, if it has not ended; using it keeps it from ending.
    mutating func role(of digest: [UInt8], at now: Duration, isUse: Bool) -> Access1.Role? {
        guard let index = sessions.firstIndex(where: { $0.digest == digest }) else { return nil }
        guard Self.isAlive(sessions[index], at: now) else {
            sessions.remove(at: index)
            return nil
        }
        if isUse { sessions[index].used = now }
        return sessions[index].role
    }

    /// When a session ends if nobody uses it; `nil` for none.
    func end(of digest: [UInt8]) -> Duration? {
        sessions.first { $0.digest == digest }.map { session in
            let limits = Self.limits(of: session.role)
            return min(session.used + .seconds(limits.idle), session.made + .seconds(limits.total))
        }
    }

    mutating func end(_ digest: [UInt8]) { sessions.removeAll { $0.digest == digest } }
    mutating func endAll(of role: Access1.Role) { sessions.removeAll { $0.role == role } }
    private mutating func expire(at now: Duration) { sessions.removeAll { !Self.isAlive($0, at: now) } }

    private static func isAlive(_ session: Session, at now: Duration) -> Bool {
        let limits = limits(of: session.role)
        return now - session.used < .seconds(limits.idle) && now - session.made < .seconds(limits.total)
    }
}
