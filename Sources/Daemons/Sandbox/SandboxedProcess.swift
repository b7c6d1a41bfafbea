// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
import SystemCalls

/// A process that vigil-jail confines and then becomes. May be used by one thread at a time; the process ends with the
/// thread that started it.
public final class SandboxedProcess {
    /// One stage of the start, reported when it is reached.
    public enum News: Sendable, Hashable {
        /// vigil-jail is confined, and will start the program. ``takeSocksListener()`` and ``denials`` are available from
        /// now on.
        case confined(SandboxReport)
        /// The program runs: vigil-jail has become it.
        case running
        /// A required primitive is missing or not in force: vigil-jail has ended without starting the program.
        case refused(SandboxReport)
        /// The process is confined, but the system refused to start the program, for this reason.
        case notExecutable(reason: String)
        /// vigil-jail ended without a report, or reported what this version does not understand.
        case broken(reason: String)
    }

    /// The way in which the process ended: with an exit status, or by a signal.
    public enum End: Sendable, Hashable {
        /// The process exited with this status, 0 to 255.
        case status(Int32)
        /// A signal with this number ended the process.
        case signal(Int32)
    }

    /// The process number, in the supervisor's own process namespace; after ``takeEnd()`` has returned the end, it may
    /// belong to another process.
    public let processNumber: Int32
    /// The descriptor to poll for the end: it is readable once the process has ended. Closed with this object.
    public let processDescriptor: Int32
    /// The descriptor to poll for news: it is readable when ``takeNews()`` has something to return, and at the
    /// report's end; -1 once ``takeNews()`` has found that end. Closed with this object.
    public private(set) var reportDescriptor: Int32
    /// The listener inside its network namespace, for egress. The caller takes it over by ``takeSocksListener()``.
    private var socksListener: Int32 = -1
    /// The queue of refused system calls, with ``SandboxPlan/Denials/notify``; `nil` for all other plans, and before the
    /// process is confined.
    public private(set) var denials: DenialListener?
    private var report: SandboxReport?
    /// What the report will name.
    private var listeners: [Int32] = []

    private init(_ child: vigil_jail_child) {
        processNumber = child.process
        processDescriptor = child.descriptor
        reportDescriptor = child.report
    }

    deinit {
        for descriptor in [processDescriptor, reportDescriptor, socksListener] + listeners where descriptor >= 0 {
            close(descriptor)
        }
    }

    /// Starts `plan`, and returns while vigil-jail is still at work.
    ///
    /// - Parameters:
    ///   - plan: The plan of the process.
    ///   - jail: The absolute path of vigil-jail.
    ///   - control: An open descriptor, which becomes descriptor 3 of the process. The caller keeps and closes its own
    ///     copy, as of `log` and `extra`.
    ///   - log: An open descriptor, which becomes standard error.
    ///   - extra: Open descriptors, at most 8, which become descriptors 4 and following.
    /// - Throws: `SandboxFailure`: `planInvalid` if the plan has more than 32 KiB as text, more than 40 binds and
    ///   devices together, more than 64 arguments or variables, control characters, or an optional bind that is
    ///   writable; `jailMissing` if `jail` is not absolute or not executable; `startFailed` if the system refuses,
    ///   or there are more than 8 `extra` descriptors. No process is started then. vigil-jail reports other faults
    ///   of the plan through ``takeNews()``.
    public static func start(
        _ plan: SandboxPlan, jail: String, control: Int32, log: Int32 = 2, extra: [Int32] = []
    ) throws(SandboxFailure) -> SandboxedProcess {
        let text = try plan.text(extraDescriptors: extra.count)
        return try start(
            text: text, usesNamespaces: plan.usesNamespaces, jail: jail, control: control, log: log, extra: extra)
    }

    static func start(
        text: String, usesNamespaces: Bool, jail: String, control: Int32, log: Int32, extra: [Int32]
    ) throws(SandboxFailure) -> SandboxedProcess {
        guard jail.hasPrefix("/"), access(jail, X_OK) == 0 else {
            throw SandboxFailure(
                .jailMissing, "\(jail): \(jail.hasPrefix("/") ? SystemCall.text(errno) : "not an absolute path")")
        }
        let planDescriptor = vigil_plan_descriptor(text, UInt64(text.utf8.count))
        guard planDescriptor >= 0 else { throw SandboxFailure(.startFailed, SystemCall.text(-planDescriptor)) }
        defer { close(planDescriptor) }
        var child = vigil_jail_child(process: -1, descriptor: -1, report: -1)
        let result = jail.withCString { path in
            extra.withUnsafeBufferPointer { extra in
                var request = vigil_jail_request(
                    jail: path, control: control, plan: planDescriptor, log: log, extra: extra.baseAddress,
                    extra_count: Int32(extra.count),
                    without_namespaces: usesNamespaces ? 0 : 1)
                return vigil_jail_start(&request, &child)
            }
        }
        guard result == 0 else { throw SandboxFailure(.startFailed, SystemCall.text(-result)) }
        return SandboxedProcess(child)
    }

    /// Returns the next news, without waiting; `nil` if there is none yet, or no more. Never throws: a report that cannot
    /// be understood becomes ``News/broken(reason:)``.
    public func takeNews() -> News? {
        guard reportDescriptor >= 0 else { return nil }
        var packet = [UInt8](repeating: 0, count: SandboxReport.packetByteCount)
        var descriptors: (Int32, Int32) = (-1, -1)
        var descriptorCount: Int32 = 0
        let count = packet.withUnsafeMutableBytes { bytes in
            withUnsafeMutableBytes(of: &descriptors) { places in
                vigil_jail_receive(
                    reportDescriptor, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
                    places.baseAddress?.assumingMemoryBound(to: Int32.self), &descriptorCount)
            }
        }
        if count == -Int64(EAGAIN) { return nil }
        let received = [descriptors.0, descriptors.1].prefix(Int(descriptorCount))
        if count > 0 { return read(Array(packet.prefix(Int(count))), descriptors: Array(received)) }
        endReport()
        if count < 0 { return .broken(reason: "its report cannot be read: \(SystemCall.text(Int32(-count)))") }
        guard let report else { return .broken(reason: "vigil-jail ended before it reported") }
        return report.refusal == nil ? .running : nil
    }

    /// Returns the descriptor of the proxy's listener inside the program's network namespace, once ``News/confined(_:)``
    /// was reported; the caller has to close it. `nil` before that, if there is no such listener, and if it was taken
    /// already.
    public func takeSocksListener() -> Int32? {
        guard socksListener >= 0 else { return nil }
        defer { socksListener = -1 }
        return socksListener
    }

    /// Ends the process at once (SIGKILL), and with it all processes that it started, if it has a process namespace
    /// (otherwise use ``ControlGroup/killAll()``). Does not wait, and has no effect if the process has ended.
    public func kill() { _ = vigil_jail_kill(processDescriptor) }

    /// Returns how the process ended, without waiting; `nil` while it runs, and after the end was returned once.
    public func takeEnd() -> End? {
        var status: Int32 = 0, signal: Int32 = 0
        guard vigil_jail_wait(processDescriptor, &status, &signal) == 1 else { return nil }
        return signal == 0 ? .status(status) : .signal(signal)
    }

    /// `nil` if the packet is not the last one of its news.
    private func read(_ packet: [UInt8], descriptors: [Int32]) -> News? {
        if report == nil, listeners.isEmpty, packet == SandboxReport.listeners {
            listeners = descriptors
            return nil
        }
        if report != nil, descriptors.isEmpty, let error = SandboxReport.parseExecFailure(packet) {
            endReport()
            return .notExecutable(reason: SystemCall.text(error))
        }
        do throws(SandboxReport.Malformation) {
            guard report == nil else { throw SandboxReport.Malformation(text: "a second report") }
            let (parsed, attachments) = try SandboxReport.parse(packet)
            guard descriptors.isEmpty, attachments.count == listeners.count else {
                throw SandboxReport.Malformation(text: "descriptors are missing")
            }
            for (kind, descriptor) in zip(attachments, listeners) {
                switch kind {
                case .socks: socksListener = descriptor
                case .denials: denials = DenialListener(descriptor)
                }
            }
            listeners = []
            report = parsed
            return parsed.refusal == nil ? .confined(parsed) : .refused(parsed)
        } catch {
            for descriptor in descriptors { close(descriptor) }
            endReport()
            return .broken(reason: "its report is not understood (\(error.text)); are vigil and vigil-jail of one version?")
        }
    }

    private func endReport() {
        close(reportDescriptor)
        reportDescriptor = -1
    }
}
