// SPDX-License-Identifier: Apache-2.0

import Cryptography
package import Enrolment
import Glibc
import SQLiteFile

/// A board as the registration authority knows it.
package struct RegisteredBoard: Sendable, Hashable {
    /// What a board may do. The raw values are in the database.
    package enum State: Int64, Sendable, CaseIterable {
        /// It is on a list, and its operator has not approved it yet.
        case held = 0
        /// It may enrol.
        case approved = 1
        /// It has a certificate.
        case enrolled = 2
        /// It gets no certificate any more; what it has is not renewed.
        case revoked = 3
        /// It is out of use; it is told so.
        case retired = 4

        /// The word for lists.
        package var word: String { "\(self)" }
    }

    /// The board's name.
    package let name: BoardName
    /// Its state.
    package let state: State
    /// Its key as SubjectPublicKeyInfo; `nil` until it has enrolled.
    package let key: [UInt8]?
    /// The end of its last certificate in Unix seconds; `nil` if it has none.
    package let notAfter: Int64?
    /// How often somebody has asked with the claim of its present card and another key than the one that is enrolled, and when last (Unix seconds,
    /// a minute late at most); `nil` if nobody has.
    package let usedClaim: UsedClaim?

    /// See ``RegisteredBoard/usedClaim``.
    package struct UsedClaim: Sendable, Hashable {
        /// How often.
        package let count: Int64
        /// When last.
        package let last: Int64
    }
}

/// What a registration authority counts; the raw values are in the database.
package enum RegistryEvent: String, Sendable, CaseIterable {
    case issued, issuedAgain, renewed, evidence, evidenceAgain, tooManyKeys, pending, wrongClaim, usedClaim, otherSubject,
        otherKey, keyOfAnotherBoard, revoked,
        retired,
        unknownCertificate, expired, restored
}

/// The database of a registration authority. Used by one thread; several processes may have the file open. Every method throws
/// `storageUnusable`, `storageTooNew`, `storageDamaged`, `storageInUse` or `full` if the database fails.
package final class RegistryStore {
    let database: SQLiteDatabase<RegistryError>

    private static let schema = SQLiteSchema(steps: [
        [
            // A claim is kept as SHA-256 of the salt and the claim's own digest.
            """
            CREATE TABLE board (name TEXT PRIMARY KEY, salt BLOB NOT NULL, claim BLOB NOT NULL, state INTEGER NOT NULL, spki BLOB UNIQUE)
            STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE certificate (sequence INTEGER PRIMARY KEY, serial BLOB NOT NULL UNIQUE, board TEXT NOT NULL, spki BLOB NOT NULL,
            der BLOB NOT NULL, not_after INTEGER NOT NULL) STRICT
            """,
            "CREATE INDEX certificates ON certificate (board, sequence)",
            "CREATE INDEX keys ON certificate (spki)",
            "CREATE TABLE count (event TEXT PRIMARY KEY, count INTEGER NOT NULL, last INTEGER NOT NULL) STRICT, WITHOUT ROWID",
        ],
        [
            // Keys for evidence. One of a board is current; `counts` is 1 for those that it has entered since its last card.
            """
            CREATE TABLE evidence (spki BLOB PRIMARY KEY, board TEXT NOT NULL, current INTEGER NOT NULL, counts INTEGER NOT NULL)
            STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX evidence_of ON evidence (board)",
        ],
        [
            // The claims of a board's cards of before: a list with one of them is an old one.
            """
            CREATE TABLE former_claim (board TEXT NOT NULL, salt BLOB NOT NULL, claim BLOB NOT NULL, PRIMARY KEY (board, claim))
            STRICT, WITHOUT ROWID
            """,
            // 1 for the keys of a board that was revoked or retired, and came back with a new card.
            "ALTER TABLE evidence ADD COLUMN revoked INTEGER NOT NULL DEFAULT 0",
        ],
        [
            // How often a board's claim was used with another key since its last card, and when last.
            """
            CREATE TABLE used_claim (board TEXT PRIMARY KEY, count INTEGER NOT NULL, last INTEGER NOT NULL) STRICT, WITHOUT ROWID
            """
        ],
    ])

    /// Opens the file at `path`. A missing or empty one throws `storageUnusable`: a new one in its place would know no board.
    package convenience init(path: String) throws(RegistryError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 || access("\(path)-wal", F_OK) == 0 else {
            throw RegistryError(
                .storageUnusable,
                "\(path) is missing or empty. Take the folder back from its last copy; nothing was changed")
        }
        try self.init(making: path)
    }

    /// Opens the file at `path`, or makes it: for a new authority.
    ///
    /// Its log is moved into the file after a megabyte: a registry that is killed every few seconds still gets on.
    init(making path: String) throws(RegistryError) {
        database = try SQLiteDatabase(path: path, schema: Self.schema, logPages: 256)
    }

    /// Copies the database as it is now into the file at `path`, which must be empty; a service may go on meanwhile. On the disk when this returns.
    func copy(to path: String) throws(RegistryError) {
        try database.run("VACUUM INTO ?", [.text(path)])
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        guard file >= 0, fsync(file) == 0 else { throw RegistryError(.storageUnusable, "\(path) is not on the disk") }
    }

    /// What ``take(_:held:using:)`` has done.
    package struct Taken: Sendable, Hashable {
        /// Boards that were not known.
        package var added = 0
        /// Boards that have a new card: they enrol anew.
        package var replaced = 0
        /// Boards that were known with the same claim.
        package var unchanged = 0
    }

    /// Takes a list of boards, all of it or nothing. A known board with another claim has a new card: it may enrol again, and its old key is
    /// no longer its key. With the same claim nothing changes.
    ///
    /// - Parameters:
    ///   - held: Whether new ones wait until ``approve(_:)``.
    ///   - returning: The revoked and retired boards that may come back with a new card.
    /// Throws `invalidList` if a claim is one of a board's card of before, and `wrongState` for a new card of a revoked or retired board that
    /// is not in `returning`.
    package func take(
        _ list: [ClaimList.Entry], held: Bool, returning: Set<BoardName> = [],
        using generator: inout some RandomNumberGenerator
    ) throws(RegistryError) -> Taken {
        var random = generator
        defer { generator = random }
        return try database.transaction { () throws(RegistryError) in
            var taken = Taken()
            let state = held ? RegisteredBoard.State.held : .approved
            for entry in list {
                let known = try secret(of: entry.name)
                if let known, known.claim == Self.salted(known.salt, entry.digest) {
                    taken.unchanged += 1
                    continue
                }
                try checkIsNew(entry, returning: returning)
                try endCard(of: entry.name)
                let salt = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
                try database.run(
                    """
                    INSERT INTO board VALUES (?1, ?2, ?3, ?4, NULL)
                    ON CONFLICT (name) DO UPDATE SET salt = ?2, claim = ?3, state = ?4, spki = NULL
                    """,
                    [
                        .text(entry.name.text), .blob(salt), .blob(Self.salted(salt, entry.digest)),
                        .integer(state.rawValue),
                    ])
                if known == nil { taken.added += 1 } else { taken.replaced += 1 }
            }
            return taken
        }
    }

    /// Refuses an old claim: it would revive a void card, and end the key of the board that has the new one. And a new one for a board that
    /// was taken out of use on purpose.
    private func checkIsNew(_ entry: ClaimList.Entry, returning: Set<BoardName>) throws(RegistryError) {
        var isFormer = false
        try database.run("SELECT salt, claim FROM former_claim WHERE board = ?", [.text(entry.name.text)]) {
            isFormer = isFormer || $0[1].blob == Self.salted($0[0].blob ?? [], entry.digest)
        }
        guard !isFormer else {
            throw RegistryError(
                .invalidList,
                "it is older than what is known here: it has \(entry.name) with the claim of a former card. Write it anew with `vigil-fleet claims`"
            )
        }
        guard let state = try board(entry.name)?.state, state == .revoked || state == .retired,
            !returning.contains(entry.name)
        else { return }
        throw RegistryError(
            .wrongState,
            "\(entry.name) is \(state.word), and the list has a new card for it. Nothing was taken; if it may come back, add --return \(entry.name)"
        )
    }

    /// A board's card is void: its claim, and the keys for evidence that were entered with it. Nothing happens to a board that is not known.
    private func endCard(of name: BoardName) throws(RegistryError) {
        try database.run(
            "INSERT OR IGNORE INTO former_claim SELECT name, salt, claim FROM board WHERE name = ?", [.text(name.text)])
        try database.run("DELETE FROM used_claim WHERE board = ?", [.text(name.text)])
        // The issuer still has to be told of keys that were revoked.
        try database.run(
            """
            UPDATE evidence SET current = 0, counts = 0,
            revoked = max(revoked, (SELECT b.state IN (?2, ?3) FROM board b WHERE b.name = evidence.board)) WHERE board = ?1
            """,
            [
                .text(name.text), .integer(RegisteredBoard.State.revoked.rawValue),
                .integer(RegisteredBoard.State.retired.rawValue),
            ])
    }

    /// Lets a held board enrol. Throws `unknownBoard`, and `wrongState` if it is not held.
    package func approve(_ name: BoardName) throws(RegistryError) { try change(name, to: .approved, from: [.held]) }

    /// Gives a board no more certificates. Throws `unknownBoard`, and `wrongState` if it is retired.
    package func revoke(_ name: BoardName) throws(RegistryError) {
        try change(name, to: .revoked, from: [.held, .approved, .enrolled, .revoked])
    }

    /// Takes a board out of use. Throws `unknownBoard`.
    package func retire(_ name: BoardName) throws(RegistryError) {
        try change(name, to: .retired, from: RegisteredBoard.State.allCases)
    }

    /// Takes a revocation back: a board that had enrolled is so again, with its key; one that had not waits until ``approve(_:)``, as nobody knows any more
    /// whether it was held. Returns its state then.
    /// The claim is the one of its last card, so a void card stays void. `now` is in Unix seconds. Throws `unknownBoard`, and `wrongState`
    /// unless it is revoked.
    package func restore(_ name: BoardName, now: Int64) throws(RegistryError) -> RegisteredBoard.State {
        try database.transaction { () throws(RegistryError) in
            guard let board = try board(name) else { throw RegistryError(.unknownBoard, name.text) }
            let state = board.key == nil ? RegisteredBoard.State.held : .enrolled
            try set(name, to: state, from: [.revoked])
            try count([.restored: 1], at: now)
            return state
        }
    }

    private func change(
        _ name: BoardName, to state: RegisteredBoard.State, from allowed: [RegisteredBoard.State]
    ) throws(RegistryError) {
        try database.transaction { () throws(RegistryError) in try set(name, to: state, from: allowed) }
    }

    /// Within a transaction.
    private func set(
        _ name: BoardName, to state: RegisteredBoard.State, from allowed: [RegisteredBoard.State]
    ) throws(RegistryError) {
        guard let board = try board(name) else { throw RegistryError(.unknownBoard, name.text) }
        guard allowed.contains(board.state) else { throw RegistryError(.wrongState, "\(name) is \(board.state.word)") }
        try database.run("UPDATE board SET state = ? WHERE name = ?", [.integer(state.rawValue), .text(name.text)])
    }

    /// A board; `nil` if there is none.
    package func board(_ name: BoardName) throws(RegistryError) -> RegisteredBoard? {
        var found: RegisteredBoard?
        try database.run("\(Self.select) WHERE name = ?", [.text(name.text)]) { found = Self.board($0) }
        return found
    }

    /// All boards by their names.
    package func boards() throws(RegistryError) -> [RegisteredBoard] {
        var all: [RegisteredBoard] = []
        try database.run("\(Self.select) ORDER BY name") { if let board = Self.board($0) { all.append(board) } }
        return all
    }

    private static let select = """
        SELECT name, state, spki, (SELECT not_after FROM certificate WHERE board = name ORDER BY sequence DESC LIMIT 1),
        (SELECT count FROM used_claim WHERE board = name), (SELECT last FROM used_claim WHERE board = name) FROM board
        """

    private static func board(_ row: [SQLiteValue]) -> RegisteredBoard? {
        guard let name = row[0].text.flatMap({ BoardName($0) }),
            let state = row[1].integer.flatMap(RegisteredBoard.State.init)
        else { return nil }
        let used = row[4].integer.map { RegisteredBoard.UsedClaim(count: $0, last: row[5].integer ?? 0) }
        return RegisteredBoard(name: name, state: state, key: row[2].blob, notAfter: row[3].integer, usedClaim: used)
    }

    /// The keys for evidence of which the issuer is to know, and whether each is good. They name no board.
    ///
    /// Good is the current key of an enrolled board. Revoked are those of revoked and retired boards, and those of a board's cards of before, once it
    /// has entered one by its new card. An issuer bars a revoked key for good, so a key of a board whose new card is on its way is neither: most likely the
    /// board will enter it again. Of a board that has entered two keys with one card none is new to the issuer: one of them may be that of a plugin
    /// that was taken over, or of a copy of its card, and nobody knows which (``contested()``).
    package func deviceKeys() throws(RegistryError) -> [(key: [UInt8], isGood: Bool)] {
        var all: [(key: [UInt8], isGood: Bool)] = []
        try database.run(
            """
            SELECT e.spki, e.current AND b.state = ?1 FROM evidence e JOIN board b ON b.name = e.board
            WHERE e.revoked OR b.state IN (?2, ?3)
            OR (e.current AND b.state = ?1 OR EXISTS (SELECT 1 FROM evidence o WHERE o.board = e.board AND o.current))
            AND (SELECT count(*) FROM evidence c WHERE c.board = e.board AND c.counts = 1) < 2 ORDER BY e.spki
            """,
            [RegisteredBoard.State.enrolled, .revoked, .retired].map { .integer($0.rawValue) }
        ) { row in if let key = row[0].blob { all.append((key, row[1].integer == 1)) } }
        return all
    }

    /// The enrolled boards that have entered more than one key for evidence with their present card, by their names. A board's core has one until it is reset, and
    /// then the board needs a new card; or until its disk was damaged.
    package func contested() throws(RegistryError) -> [BoardName] {
        var found: [BoardName] = []
        try database.run(
            """
            SELECT name FROM board WHERE state = ?
            AND (SELECT count(*) FROM evidence WHERE board = name AND counts = 1) > 1 ORDER BY name
            """, [.integer(RegisteredBoard.State.enrolled.rawValue)]
        ) { if let name = $0[0].text.flatMap({ BoardName($0) }) { found.append(name) } }
        return found
    }

    /// How often what has happened, and when last (Unix seconds).
    package func counts() throws(RegistryError) -> [(event: String, count: Int64, last: Int64)] {
        var all: [(event: String, count: Int64, last: Int64)] = []
        try database.run("SELECT event, count, last FROM count ORDER BY event") {
            all.append(($0[0].text ?? "", $0[1].integer ?? 0, $0[2].integer ?? 0))
        }
        return all
    }

    /// Adds to the counts, within a transaction.
    func count(_ events: [RegistryEvent: Int64], at now: Int64) throws(RegistryError) {
        for (event, number) in events {
            try database.run(
                "INSERT INTO count VALUES (?1, ?2, ?3) ON CONFLICT (event) DO UPDATE SET count = count + ?2, last = ?3",
                [.text(event.rawValue), .integer(number), .integer(now)])
        }
    }

    /// As ``count(_:at:)`` of events; and adds to what is known of each board's claim.
    func count(_ counts: RefusalCounts.Counts, at now: Int64) throws(RegistryError) {
        try count(counts.events, at: now)
        for (name, number) in counts.usedClaims {
            try database.run(
                "INSERT INTO used_claim VALUES (?1, ?2, ?3) ON CONFLICT (board) DO UPDATE SET count = count + ?2, last = ?3",
                [.text(name.text), .integer(number), .integer(now)])
        }
    }

    func secret(of name: BoardName) throws(RegistryError) -> (salt: [UInt8], claim: [UInt8])? {
        var found: (salt: [UInt8], claim: [UInt8])?
        try database.run("SELECT salt, claim FROM board WHERE name = ?", [.text(name.text)]) {
            found = ($0[0].blob ?? [], $0[1].blob ?? [])
        }
        return found
    }

    static func salted(_ salt: [UInt8], _ digest: String) -> [UInt8] { SHA256.digest(of: salt + Array(digest.utf8)) }
}
