// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD

/// A stream of server-sent events (HTML Standard, 9.2) to one client. For the thread of the server's loop only.
package final class HTTPEventStream {
    /// Called one time, on the loop's thread, when the stream ends, no matter which side ended it. `nil` after that.
    package var onEnd: (() -> Void)?
    /// Whether events are still sent. Never returns to `true`.
    package private(set) var isOpen = true
    private var bytes: [UInt8] = []
    private let limit: Int
    private weak var server: HTTPLoopServer?
    /// While libmicrohttpd sends it.
    var connection: OpaquePointer?
    private var isSuspended = false

    init(limit: Int, server: HTTPLoopServer) {
        self.limit = limit
        self.server = server
    }

    /// Sends an event; does nothing after the stream has ended. `data` may have several lines, separated by line
    /// feeds; other characters below U+0020 are left out, in `event` line feeds too. The stream ends if more than
    /// ``HTTPLimits/streamBytes`` are waiting for a slow client.
    package func send(event: String, data: String) {
        let lines = data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \(Self.line($0))\n" }
            .joined()
        add("event: \(Self.line(event[...]))\n\(lines)\n")
    }

    /// Tells the browser to reconnect after so many milliseconds (0 or more) when the stream ends.
    package func retry(milliseconds: Int) { add("retry: \(milliseconds)\n\n") }

    /// A sign of life.
    func beat() { add(":\n\n") }

    private static func line(_ text: Substring) -> String {
        String(text.unicodeScalars.filter { $0.value >= 32 }.map(Character.init))
    }

    private func add(_ text: String) {
        guard isOpen else { return }
        bytes += Array(text.utf8)
        if bytes.count > limit { return end() }
        resume()
    }

    /// Ends the stream after the waiting bytes are sent, and calls ``onEnd``. A second call does nothing.
    package func end() {
        guard isOpen else { return }
        isOpen = false
        onEnd?()
        onEnd = nil
        resume()
    }

    private func resume() {
        guard isSuspended, let connection else { return }
        isSuspended = false
        MHD_resume_connection(connection)
        server?.wantsRun()
    }

    /// What libmicrohttpd asks: bytes, or 0 while there are none, or the end.
    func next(into buffer: UnsafeMutablePointer<CChar>, room: Int) -> Int {
        guard !bytes.isEmpty else {
            guard isOpen, let connection else { return vigil_http_end() }
            isSuspended = true
            MHD_suspend_connection(connection)
            return 0
        }
        let count = min(room, bytes.count)
        bytes.withUnsafeBytes {
            UnsafeMutableRawPointer(buffer).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(buffer), byteCount: count)
        }
        bytes.removeFirst(count)
        return count
    }

    /// The connection is gone.
    func didClose() {
        connection = nil
        isSuspended = false
        end()
    }
}
