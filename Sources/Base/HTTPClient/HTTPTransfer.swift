// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What comes back while libcurl works on one request: header lines, the body, and whether to go on.
final class HTTPTransfer {
    private let sink: HTTPRequest.Sink
    private let limits: HTTPLimits
    private let cancellation: HTTPCancellation?
    private(set) var headers: HeaderCollector
    private(set) var body: [UInt8] = []
    private(set) var bodyByteCount = 0
    /// The reason why a callback stopped the transfer.
    private(set) var failure: HTTPError.Code?
    /// Whether the body is one the caller wants; set from the status before the first byte of it.
    private var keepsBody: Bool?
    private let status: () -> Int

    private let keepsRefusals: Bool
    private let isSentOnce: Bool
    /// Requests that have gone out, or were about to.
    private(set) var requests = 0

    init(
        sink: HTTPRequest.Sink, limits: HTTPLimits, answerHeaders: [String] = [], keepsRefusals: Bool = false,
        isSentOnce: Bool = false, cancellation: HTTPCancellation?, status: @escaping () -> Int
    ) {
        self.isSentOnce = isSentOnce
        headers = HeaderCollector(wanted: answerHeaders, now: Int64(time(nil)))
        self.keepsRefusals = keepsRefusals
        self.sink = sink
        self.limits = limits
        self.cancellation = cancellation
        self.status = status
    }

    /// Called before the request goes out; `false` stops the transfer. libcurl repeats a request by itself when a connection that was kept ends
    /// without an answer: one that changes something at the server may have arrived, and whoever sent it decides.
    func requestGoes() -> Bool {
        requests += 1
        guard isSentOnce, requests > 1 else { return true }
        failure = .connectionLost
        return false
    }

    /// `false` stops the transfer.
    func take(header line: UnsafeRawBufferPointer) -> Bool {
        headers.take(line)
        guard headers.byteCount <= limits.maximumHeaderBytes else {
            failure = .headersTooLarge
            return false
        }
        return true
    }

    /// `false` stops the transfer.
    func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        bodyByteCount += bytes.count
        if keepsBody == nil {
            let status = status()
            keepsBody = (200...299).contains(status) || keepsRefusals && status >= 400
        }
        guard keepsBody == true else {
            // The text of an error page is of no use; a long one is no reason to wait.
            return bodyByteCount <= 65_536
        }
        guard bodyByteCount <= limits.maximumBodyBytes else {
            failure = .bodyTooLarge
            return false
        }
        switch sink {
        case .memory: body += bytes
        case .descriptor(let descriptor):
            guard Self.write(bytes, to: descriptor) else {
                failure = .cannotWrite
                return false
            }
        }
        return true
    }

    var shouldStop: Bool { cancellation?.isCancelled ?? false }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }
}
