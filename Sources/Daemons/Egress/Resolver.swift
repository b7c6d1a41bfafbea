// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Socks
import Synchronization
import SystemCalls

/// Resolves a name; the system's resolver, or a test's. It is called on threads of its own, at most two at a time
/// and one for the same caller, our choice, and may take any time; at most 128 names wait. Returns at least one
/// address, or a refusal by ``Refusal/Rule/nameNotFound`` or ``Refusal/Rule/resolverFailed``.
public typealias NameLookup = @Sendable (String) -> Result<[Candidate], Refusal>

/// Looks names up on at most two threads, which are there only while there is something to look up. Whoever asked goes on meanwhile.
///
/// One caller never has both threads: names whose servers do not answer keep the others waiting only when two callers have some.
final class Resolver {
    static let threadLimit = 2
    /// Names that may wait; more are told that the resolver cannot be asked.
    static let queueLimit = 128

    /// A name that is being looked up, or waits for it.
    private struct Query {
        let name: String
        var requesters: [(caller: String, session: Session)]
        /// The caller whose turn it is.
        var runsFor: String?
    }

    private struct Answer: Sendable {
        let name: String
        let result: Result<[Candidate], Refusal>
    }

    /// What the threads and the loop share.
    private final class Inbox: Sendable {
        let answers = Mutex<[Answer]>([])
        let writer: Int32
        let lookup: NameLookup

        init(writer: Int32, lookup: @escaping NameLookup) {
            self.writer = writer
            self.lookup = lookup
        }

        // The last thread may outlive the resolver.
        deinit { close(writer) }
    }

    /// What a thread is started with.
    private final class Job {
        let inbox: Inbox
        let name: String

        init(_ inbox: Inbox, _ name: String) {
            self.inbox = inbox
            self.name = name
        }
    }

    /// Readable when there are answers.
    let descriptor: Int32
    private let inbox: Inbox
    private var queries: [Query] = []

    /// `nil` when the system has no descriptors left.
    init?(_ lookup: @escaping NameLookup) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        descriptor = ends[0]
        inbox = Inbox(writer: ends[1], lookup: lookup)
    }

    deinit { close(descriptor) }

    /// Asks for a name on behalf of a session; the same name at the same time is asked once. `false` when too many wait.
    func ask(_ name: String, for session: Session) -> Bool {
        let requester = (caller: session.caller.name, session: session)
        if let index = queries.firstIndex(where: { $0.name == name }) {
            queries[index].requesters.append(requester)
        } else {
            guard queries.count < Self.queueLimit else { return false }
            queries.append(Query(name: name, requesters: [requester], runsFor: nil))
        }
        startWhatMayStart()
        return true
    }

    /// The session does not want to know any more.
    func forget(_ session: Session) {
        for index in queries.indices { queries[index].requesters.removeAll { $0.session === session } }
        queries.removeAll { $0.requesters.isEmpty && $0.runsFor == nil }
    }

    /// What has been found out, and who wants to know.
    func takeAnswers() -> [(Result<[Candidate], Refusal>, [Session])] {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
        let answers = inbox.answers.withLock { answers in
            defer { answers = [] }
            return answers
        }
        let told: [(Result<[Candidate], Refusal>, [Session])] = answers.compactMap { answer in
            guard let index = queries.firstIndex(where: { $0.name == answer.name && $0.runsFor != nil }) else { return nil }
            return (answer.result, queries.remove(at: index).requesters.map(\.session))
        }
        startWhatMayStart()
        return told
    }

    private func startWhatMayStart() {
        for index in queries.indices where queries[index].runsFor == nil {
            let running = queries.compactMap(\.runsFor)
            guard running.count < Self.threadLimit else { return }
            guard let caller = queries[index].requesters.first(where: { !running.contains($0.caller) })?.caller else {
                continue
            }
            queries[index].runsFor = caller
            start(queries[index].name)
        }
    }

    private func start(_ name: String) {
        let job = Unmanaged.passRetained(Job(inbox, name))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // The resolver of the C library keeps answers of up to 64 KiB on the stack.
        pthread_attr_setstacksize(&attributes, 512 * 1024)
        var thread = pthread_t()
        let error = pthread_create(&thread, &attributes, { Resolver.work($0) }, job.toOpaque())
        guard error != 0 else { return }
        job.release()
        Self.tell(inbox, Answer(name: name, result: .failure(Refusal(.resolverFailed))))
    }

    private static func work(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let pointer else { return nil }
        // The loop may be gone by the time of the answer.
        SystemCall.blockBrokenPipe()
        let job = Unmanaged<Job>.fromOpaque(pointer).takeRetainedValue()
        tell(job.inbox, Answer(name: job.name, result: job.inbox.lookup(job.name)))
        return nil
    }

    private static func tell(_ inbox: Inbox, _ answer: Answer) {
        inbox.answers.withLock { $0.append(answer) }
        var byte: UInt8 = 1
        // A full pipe is as readable as one can be.
        _ = write(inbox.writer, &byte, 1)
    }
}

/// The system's resolver, `getaddrinfo(3)`, which blocks and is therefore called on threads of its own.
public enum SystemResolver {
    /// Addresses of one name that are tried.
    static let addressLimit = 16

    /// The function that asks the C library's resolver (hosts file, name servers, as nsswitch.conf says). It blocks, and
    /// returns 1 to 16 addresses, each once, in the resolver's order; `nameNotFound` if the name or an address of it does
    /// not exist, `resolverFailed` for all other failures.
    public static let lookup: NameLookup = { name in
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_family = AF_UNSPEC
        var list: UnsafeMutablePointer<addrinfo>?
        let error = getaddrinfo(name, nil, &hints, &list)
        guard error == 0 else {
            return .failure(Refusal(error == EAI_NONAME || error == noAddress ? .nameNotFound : .resolverFailed))
        }
        defer { freeaddrinfo(list) }
        var candidates: [Candidate] = []
        var next = list
        while let entry = next, candidates.count < addressLimit {
            if let address = entry.pointee.ai_addr, let candidate = Candidate(address), !candidates.contains(candidate) {
                candidates.append(candidate)
            }
            next = entry.pointee.ai_next
        }
        return candidates.isEmpty ? .failure(Refusal(.nameNotFound)) : .success(candidates)
    }

    /// Makes the system's resolver look up exactly the given names, without search domains, because an exact name is
    /// granted; and give up within seconds instead of half a minute, unless the operator set it otherwise (`RES_OPTIONS`).
    /// It sets environment variables, so call it before there are threads; cannot fail.
    public static func prepare() {
        setenv("LOCALDOMAIN", ".", 1)
        setenv("RES_OPTIONS", "timeout:2 attempts:2", 0)
    }

    /// EAI_NODATA, which the C library declares with extensions only: the name is there and has no address.
    private static let noAddress: Int32 = -5
}
