// SPDX-License-Identifier: Apache-2.0

public import Interfaces
public import KeyIntake
import Varlink

/// A caller of the core, identified by the socket on which its call arrived, never by anything that it says.
public struct Caller {
    /// The results that a caller may read from the core. They decide how often it may provide files, because a caller that
    /// reads results could find out who was met by providing made-up files.
    public enum Reading: Sendable, Equatable {
        /// The caller may read no results. Only its calls with refused files are limited, to 200 per UTC day, our
        /// choice; signed content is compared once, and only authorities can make more.
        case nothing
        /// The caller may read results of the first generation, and provide files 20 times a day (gaen-core section 10).
        case summaries
        /// The caller may read exposure windows, daily summaries or the risk that follows from them, and provide files 6
        /// times per UTC day (gaen-core section 10).
        case windows
    }

    /// The name of the caller's socket, without `.sock`: 1 to 32 small letters, digits and dashes, not checked here.
    public let name: String
    /// The results that the caller may read, which decide how often it may provide files.
    public private(set) var reading: Reading
    /// The folder of the caller's files; `nil` for a caller without files.
    public let spool: Spool?
    /// The proof of a person's presence at this socket, in a word for the record of a consent: `console`, `caller`
    /// (no proof), `signedIn` or `button`; `operator`, `board` or `signed document` if there is no call.
    public private(set) var presence: String
    /// Whether the caller acts for people who sign in: then it may do only what their role may (``Law/roles``).
    public let isBoundToSessions: Bool
    /// Whether the caller was granted a method that concerns consents, and may therefore learn of them (``mayLearn(_:)``).
    public let isPartyToConsents: Bool
    /// Whether the caller is a program that was granted to take codes that a held button has collected. The console does not
    /// count: nobody waits there.
    public let takesDoorCodes: Bool
    /// The session that the caller acts for with this call; `nil` for none, and always if it is not bound to sessions.
    public private(set) var session: Session?

    /// The session of a person or script that has signed in.
    public struct Session: Sendable, Equatable {
        /// The role that the person or script signed in for.
        public let role: Access1.Role
        /// The name of a script's token; `nil` for a person.
        public let token: String?
        let digest: [UInt8]
    }

    /// The ``presence`` of the operator's console, also the supervisor's word for it: the one caller that acts for nobody
    /// else and may do everything.
    public static let console = "console"

    /// Creates a caller of these values, unchecked. `spool` is `nil` for a caller without a folder for files. The console
    /// is never bound to sessions, whatever `isBoundToSessions` says.
    public init(
        name: String, reading: Reading, spool: Spool?, presence: String, isBoundToSessions: Bool = false,
        isPartyToConsents: Bool = false, takesDoorCodes: Bool = false
    ) {
        self.name = name
        self.reading = reading
        self.spool = spool
        self.presence = presence
        self.isBoundToSessions = isBoundToSessions && presence != Self.console
        self.isPartyToConsents = isPartyToConsents
        self.takesDoorCodes = takesDoorCodes && presence != Self.console
    }

    /// Creates a caller whose rights follow from its grants: `isGranted` says whether it may call the given
    /// `interface.Method`. `spool` is `nil` for a caller without a folder for files.
    public init(name: String, spool: Spool?, presence: String, isGranted: (String) -> Bool) {
        self.init(
            name: name, reading: Self.reading(isGranted: isGranted), spool: spool, presence: presence,
            isBoundToSessions: Self.isBoundToSessions(isGranted: isGranted),
            isPartyToConsents: CoreMethod.allCases.contains { $0.law.isAboutConsents && isGranted($0.path) },
            takesDoorCodes: isGranted(Door1.Method.takeCode.path))
    }

    /// Returns whether a caller acts for people, because it was granted a method of access1 that people may call;
    /// `isGranted` says whether it may call the given `interface.Method`. The console was granted everything and does not.
    public static func isBoundToSessions(isGranted: (String) -> Bool) -> Bool {
        Access1.Method.allCases.contains { !$0.law.roles.isEmpty && isGranted($0.path) }
    }

    /// The same for one call in somebody's name, or in nobody's. Results are for the wearer alone.
    func acting(for session: Session?) -> Caller {
        var caller = self
        caller.session = session
        if session?.role != .wearer { caller.reading = .nothing }
        if session != nil { caller.presence = Self.signedIn }
        return caller
    }

    /// To whom open consents are counted: at a page, to each role that signs in there, so that a technician uses up none of the wearer's.
    var account: String { session.map { "\(name) \($0.role.rawValue)" } ?? name }

    /// ``presence`` of whoever has signed in.
    static let signedIn = "signedIn"

    /// Returns which results a caller may read; `isGranted` says whether it may call the given `interface.Method`. One
    /// granted method is enough, and the strictest class counts. Cannot fail.
    public static func reading(isGranted: (String) -> Bool) -> Reading {
        let told = CoreMethod.allCases.filter { isGranted($0.path) }.map(\.law.results).max() ?? .nothing
        return switch told {
        case .nothing: .nothing
        case .summaries: .summaries
        case .windows: .windows
        }
    }
}
