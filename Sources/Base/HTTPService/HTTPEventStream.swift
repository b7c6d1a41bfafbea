// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD

/// Server-sent events (HTML Standard, 9.2) on their way to one reader. Used on the thread of the server's loop only.
package final class HTTPEventStream {
    /// Called once when the stream has ended, whoever ended it, on the loop's thread; `nil` afterwards.
    package var onEnd: (() -> Void)?
    /// Whether events still go anywhere; once false it stays so.
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

    /// Sends an event; does nothing after the end. `data` may have several lines; other characters of control are left out. A reader who is so slow
    /// that more than ``HTTPLimits/streamBytes`` wait is dropped.
    package func send(event: String, data: String) {
        let lines = data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \(Self.line($0))\n" }
            .joined()
        add("event: \(Self.line(event[...]))\n\(lines)\n")
    }

    /// Has the browser come back after so many milliseconds when the stream ends. 0 or more.
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

    /// Ends the stream, after what is waiting was sent, and calls ``onEnd``. A second call does nothing.
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
