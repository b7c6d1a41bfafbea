// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
public import ProcessLink

/// The core's side of the supervisor's files: reads the state of the board, and leaves orders for the supervisor
/// (docs/supervisor.md). Reads small files in memory; never waits for the supervisor. One thread at a time.
public final class SupervisorClient {
    /// Orders that have no answer yet.
    private static let mostOpen = 8
    /// Bytes of any of the supervisor's files.
    static let fileByteCount = 1 << 20

    /// How long an answer is waited for. A change of the network is answered when the system has read it; a configuration when a disk has remembered a dozen steps, which
    /// on a slow one takes ten seconds.
    static func timeout(for action: SupervisorRequest.Action) -> Duration {
        switch action {
        case .tryNetwork, .configure, .keepConfiguration: .seconds(30)
        default: .seconds(10)
        }
    }

    private struct Open {
        let due: Duration
        let answer: (SupervisorAnswer.Outcome) -> Void
    }

    /// Where the supervisor writes.
    private let folder: String
    /// Where the core writes what does not fit a message.
    private let wishes: String
    private let send: (ControlMessage) -> Bool
    private var open: [UInt32: Open] = [:]
    /// Begins anywhere: an answer to a former life of the core is nobody's.
    private var next = UInt32.random(in: 1 ... .max)
    let log: SupervisorLog

    /// Creates a client without open orders, and removes files that an earlier process left for the supervisor, as far as
    /// possible; cannot fail.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of the folder with the supervisor's files for the core.
    ///   - runFolder: The absolute path of the core's own run folder.
    ///   - send: Sends a message to the supervisor; returns `false` if it is not accepted.
    public init(folder: String, runFolder: String, send: @escaping (ControlMessage) -> Bool) {
        self.folder = folder
        wishes = "\(runFolder)/\(SupervisorRequest.folder)"
        self.send = send
        log = SupervisorLog(folder: folder)
        removeLeft()
    }

    /// What a former life left for a supervisor that did not take it.
    private func removeLeft() {
        guard let directory = opendir(wishes) else { return }
        defer { closedir(directory) }
        var count = 0
        while count < 64, let entry = readdir(directory) {
            count += 1
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            unlink("\(wishes)/\(name)")
        }
    }

    /// Asks for it. `answer` is called once: when the supervisor has answered, or has not in time.
    func order(
        _ action: SupervisorRequest.Action, body: [UInt8]? = nil, at now: Duration,
        answer: @escaping (SupervisorAnswer.Outcome) -> Void
    ) {
        guard open.count < Self.mostOpen else {
            return answer(.notPossible("Too much is being changed at once; try again in a moment."))
        }
        let number = next
        next = next &+ 1
        if let body, let problem = leave(body, as: "\(number)") { return answer(.notPossible(problem)) }
        open[number] = Open(due: now + Self.timeout(for: action), answer: answer)
        guard !send(SupervisorRequest(number: number, action: action).message) else { return }
        open[number] = nil
        unlink("\(wishes)/\(number)")
        answer(.notPossible("The supervisor does not take this now; try again, and look into the log if it stays so."))
    }

    /// Takes an answer of the supervisor, and passes it to the giver of the order; an answer to no open order is ignored.
    public func take(_ answer: SupervisorAnswer) { open.removeValue(forKey: answer.number)?.answer(answer.outcome) }

    /// The time at which the oldest open order is given up, and ``expire(at:)`` has something to do, on the clock of the
    /// calls; `nil` if none is open.
    public var due: Duration? { open.values.map(\.due).min() }

    /// Gives up every order that was not answered by `now`, on the clock of the calls: 10 seconds after it was given, or 30
    /// for a change of the network and a configuration. The giver of each is told that it may still have been carried out.
    public func expire(at now: Duration) {
        for (number, entry) in open where entry.due <= now {
            open[number] = nil
            unlink("\(wishes)/\(number)")
            entry.answer(
                .notPossible(
                    "The supervisor has not answered in time; it may be done all the same. Look at the processes and the log."
                ))
        }
    }

    private func leave(_ body: [UInt8], as name: String) -> String? {
        if mkdir(wishes, 0o700) != 0, errno != EEXIST {
            return "\(wishes) cannot be made: \(String(cString: strerror(errno)))"
        }
        let path = "\(wishes)/\(name)"
        unlink(path)
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return "\(path) cannot be made: \(String(cString: strerror(errno)))" }
        defer { close(file) }
        let count = body.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        return count == body.count ? nil : "\(path) cannot be written"
    }

    // MARK: Reading

    /// A file of the supervisor's; `nil` when it is not there.
    func read(_ name: String) -> [UInt8]? {
        let file = Glibc.open("\(folder)/\(name)", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            (0...Self.fileByteCount).contains(Int(status.st_size))
        else { return nil }
        let size = Int(status.st_size)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, pread(file, buffer.baseAddress, size, 0))
        }
    }

    /// The board's own line and one for each process, as JSON that is read when it is needed.
    func processes() -> (board: JSON.Object, lines: [ArraySlice<UInt8>])? {
        guard let bytes = read("processes") else { return nil }
        var lines = bytes.split(separator: 10)
        guard !lines.isEmpty, case .object(let board)? = try? JSON(parsing: Array(lines.removeFirst())) else { return nil }
        return (board, lines)
    }

    /// A plugin's file; `nil` when there is none of this name.
    func plugin(_ name: String) -> JSON? {
        guard (1...64).contains(name.utf8.count), !name.hasPrefix("."), !name.utf8.contains(UInt8(ascii: "/")),
            !name.utf8.contains(0), let bytes = read("plugins/\(name)")
        else { return nil }
        return try? JSON(parsing: bytes)
    }

    /// Which configurations of its fleet the board holds, tries, and took back.
    func configuration() -> JSON.Object? { read("configuration").flatMap { try? JSON(parsing: $0) }?.object }

    func network() -> JSON.Object? { read("network").flatMap { try? JSON(parsing: $0) }?.object }
}
