// SPDX-License-Identifier: Apache-2.0

/// Limits of one request, in time and bytes. Values of 0 or less are not meant: a request without time left fails with `timeout`.
public struct HTTPLimits: Sendable, Hashable {
    /// Seconds until the connection must stand, TLS included, 1 or more; then the request fails with `connectTimeout`.
    public var connectSeconds: Int
    /// Seconds that the whole request may last, redirects included, 1 or more; then it fails with `timeout`.
    public var totalSeconds: Int
    /// A transfer slower than so many bytes per second for ``slowSeconds`` is cut; 1 or more.
    public var slowBytesPerSecond: Int
    /// Seconds for which a transfer may be slower than ``slowBytesPerSecond``, 1 or more; then it fails with `tooSlow`.
    public var slowSeconds: Int
    /// Most bytes of the body, 1 or more; a longer one is refused while it comes, with `bodyTooLarge`.
    public var maximumBodyBytes: Int
    /// Most bytes of all header lines together, line ends included, 1 or more; more is refused with `headersTooLarge`.
    public var maximumHeaderBytes: Int
    /// Redirects that are followed, 0 or more; one more is refused with `tooManyRedirects`.
    public var maximumRedirects: Int

    /// The defaults suit small answers of a server: a minute, and 1 MiB. Cannot fail.
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

/// One request, as ``HTTPClient/send(_:cancellation:)`` takes it.
public struct HTTPRequest: Sendable {
    /// The method, by its name on the wire.
    public enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT" }

    /// The place for the body of an answer of 2xx, and with ``keepsRefusals`` for that of 400 and more. Bodies of other answers are counted and
    /// dropped.
    public enum Sink: Sendable, Hashable {
        /// ``HTTPResponse/body``, as far as the limits of the request allow.
        case memory
        /// A descriptor open for writing, which stays the caller's. After an error there may be bytes in it.
        case descriptor(Int32)
    }

    /// Longest line of ``answerHeaders`` that is kept, in bytes, its name and end included; a longer one is as if it had
    /// not been sent. Our own bound.
    public static let maximumAnswerHeaderByteCount = 4_200

    /// The method. Only GET is repeated or follows redirects.
    public var method: Method
    /// The absolute URL, `https` or, if the client allows it, `http`; see ``WebAddress``. Anything else is refused with
    /// `badURL`.
    public var url: String
    /// Names and values of further header lines, in order. Control characters are refused with `badURL`.
    public var headers: [(name: String, value: String)]
    /// The bytes to send with POST and PUT, as they are; none is allowed. Ignored with GET.
    public var body: [UInt8]
    /// The place for the body of the answer.
    public var sink: Sink
    /// Limits in time and bytes; a minute and 1 MiB by default.
    public var limits: HTTPLimits
    /// Hosts beside the URL's own that a redirect may lead to, as ``WebAddress/host`` has them: in lower case, IPv6 addresses in brackets. Empty for
    /// none.
    public var redirectHosts: Set<String>
    /// Names of headers of the answer that the caller wants, in any case, four at most; one line of each, of ``maximumAnswerHeaderByteCount`` bytes
    /// at most. Only the initialiser cuts at four.
    public var answerHeaders: [String]
    /// Whether answers of 400 and more are given back with their bodies, instead of being thrown without: for servers that say in the body why they
    /// refuse. Redirects and other answers of 3xx are thrown all the same.
    public var keepsRefusals = false
    /// Whether the server's certificate is not judged: for content that carries its own signature and must be had even when
    /// this board's clock is wrong (the signed time). Pins are judged all the same.
    public var ignoresCertificate: Bool

    /// A request with defaults for all but the URL, which is judged when it is sent. Of `answerHeaders` the first four are
    /// taken. Cannot fail.
    public init(
        _ url: String, method: Method = .get, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        sink: Sink = .memory, limits: HTTPLimits = HTTPLimits(), redirectHosts: Set<String> = [],
        answerHeaders: [String] = [], ignoresCertificate: Bool = false
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.sink = sink
        self.limits = limits
        self.redirectHosts = redirectHosts
        self.answerHeaders = Array(answerHeaders.prefix(4))
        self.ignoresCertificate = ignoresCertificate
    }
}
