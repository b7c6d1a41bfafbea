// SPDX-License-Identifier: Apache-2.0

/// The limits of one request in time and bytes. All but ``maximumRedirects`` must be 1 or more; without time left, a
/// request fails with `timeout`.
public struct HTTPLimits: Sendable, Hashable {
    /// The seconds allowed for connecting, TLS included, 1 or more (less counts as 1), and at most
    /// ``totalSeconds``; after that the request fails with `connectTimeout`.
    public var connectSeconds: Int
    /// The seconds allowed for the whole request, redirects included, 1 or more; after that it fails with `timeout`.
    public var totalSeconds: Int
    /// The lowest permitted speed in bytes per second, 1 or more. A transfer that is slower for ``slowSeconds`` is
    /// cut off.
    public var slowBytesPerSecond: Int
    /// The seconds for which a transfer may be slower than ``slowBytesPerSecond``, 1 or more; after that it fails with
    /// `tooSlow`.
    public var slowSeconds: Int
    /// The most bytes that a body may have, 1 or more. A longer one is cut off while it arrives, and the request fails with
    /// `bodyTooLarge`.
    public var maximumBodyBytes: Int
    /// The most bytes of all header lines together, line ends included, 1 or more; beyond that the request fails with
    /// `headersTooLarge`.
    public var maximumHeaderBytes: Int
    /// The number of redirects that are followed, 0 or more; the next one makes the request fail with `tooManyRedirects`.
    public var maximumRedirects: Int

    /// Creates limits. The defaults suit small answers: one minute and 1 MiB. Cannot fail.
    public init(
        connectSeconds: Int = 20, totalSeconds: Int = 60, slowBytesPerSecond: Int = 64, slowSeconds: Int = 20,
        maximumBodyBytes: Int = 1 << 20, maximumHeaderBytes: Int = 16_384, maximumRedirects: Int = 2
    ) {
        self.connectSeconds = connectSeconds
        self.totalSeconds = totalSeconds
        self.slowBytesPerSecond = slowBytesPerSecond
        self.slowSeconds = slowSeconds
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumHeaderBytes = maximumHeaderBytes
        self.maximumRedirects = maximumRedirects
    }
}

/// A request for ``HTTPClient/send(_:cancellation:)``.
public struct HTTPRequest: Sendable {
    /// The HTTP methods that the client sends; the raw value is the name in the protocol (RFC 9110, section 9).
    public enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT" }

    /// The destination for the body of an answer with status 200 to 299, and with ``keepsRefusals`` also of one of
    /// 400 or more. The bodies of other answers are counted and discarded, and cut off after 64 KiB (our own
    /// bound).
    public enum Sink: Sendable, Hashable {
        /// The body is stored in ``HTTPResponse/body``, up to the limits of the request.
        case memory
        /// The body is written to a descriptor that is open for writing and stays the caller's. After an error it may
        /// contain a part of the body.
        case descriptor(Int32)
    }

    /// The longest line of ``answerHeaders`` that is kept, in bytes, with its name and line end. A longer one is
    /// ignored. Our own bound. Without ``answerHeaders`` all header lines of more than 1,024 bytes are ignored.
    public static let maximumAnswerHeaderByteCount = 4_200

    /// The method. Only GET is repeated and follows redirects.
    public var method: Method
    /// The absolute URL, `https` or, if the client permits it, `http`; see ``WebAddress``. Any other URL is refused with
    /// `badURL`.
    public var url: String
    /// The names and values of additional header lines, in order; they are sent again after a redirect, which stays
    /// with the host. Control characters are refused with `badURL`.
    public var headers: [(name: String, value: String)]
    /// The bytes to send with POST and PUT; may be empty. Ignored with GET.
    public var body: [UInt8]
    /// The destination for the body of the answer.
    public var sink: Sink
    /// The limits in time and bytes; by default one minute and 1 MiB.
    public var limits: HTTPLimits
    /// The names of up to four headers of the answer that the caller wants, in either case. One line of each is kept, of at
    /// most ``maximumAnswerHeaderByteCount`` bytes. Only the initialiser enforces the limit of four.
    public var answerHeaders: [String]
    /// Whether answers of 400 and more are returned with their bodies instead of thrown: for servers that give the reason
    /// for a refusal in the body. Answers of 3xx that are not followed are still thrown.
    public var keepsRefusals = false
    /// Whether the server's certificate is not verified: for signed content that must be available even if this board's
    /// clock is wrong (the signed time). Pins are still checked.
    public var ignoresCertificate: Bool

    /// Creates a request, by default a GET without a body, into memory, and with the certificate verified. The URL
    /// and the headers are checked when the request is sent. Only the first four of `answerHeaders` are used. Cannot
    /// fail.
    public init(
        _ url: String, method: Method = .get, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        sink: Sink = .memory, limits: HTTPLimits = HTTPLimits(), answerHeaders: [String] = [],
        ignoresCertificate: Bool = false
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.sink = sink
        self.limits = limits
        self.answerHeaders = Array(answerHeaders.prefix(4))
        self.ignoresCertificate = ignoresCertificate
    }
}
