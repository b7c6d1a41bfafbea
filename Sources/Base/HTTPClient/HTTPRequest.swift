// SPDX-License-Identifier: Apache-2.0

/// What one request may cost.
public struct HTTPLimits: Sendable, Hashable {
    /// Until the connection stands, TLS included.
    public var connectSeconds: Int
    /// For everything, redirects included.
    public var totalSeconds: Int
    /// A transfer slower than so many bytes per second for ``slowSeconds`` is cut.
    public var slowBytesPerSecond: Int
    public var slowSeconds: Int
    /// Of the body; a longer one is refused while it comes.
    public var maximumBodyBytes: Int
    /// Of all header lines together.
    public var maximumHeaderBytes: Int
    public var maximumRedirects: Int

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

/// One request.
public struct HTTPRequest: Sendable {
    public enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT" }

    /// Where the body of a 200 goes. Bodies of other answers are counted and dropped.
    public enum Sink: Sendable, Hashable {
        case memory
        /// A descriptor open for writing, which stays the caller's. After an error there may be bytes in it.
        case descriptor(Int32)
    }

    /// Longest line of ``answerHeaders`` that is kept, its name and end included; a longer one is as if it had not been sent.
    public static let maximumAnswerHeaderByteCount = 4_200

    public var method: Method
    public var url: String
    /// Names and values of further header lines.
    public var headers: [(name: String, value: String)]
    /// Sent with POST and PUT.
    public var body: [UInt8]
    public var sink: Sink
    public var limits: HTTPLimits
    /// Hosts beside the URL's own that a redirect may lead to.
    public var redirectHosts: Set<String>
    /// Names of headers of the answer that the caller wants, four at most; one line of each, of ``maximumAnswerHeaderByteCount`` bytes at most.
    public var answerHeaders: [String]
    /// Whether answers of every status are given back with their bodies, instead of being thrown without: for servers that say in the body why they
    /// refuse. Redirects are thrown all the same.
    public var keepsRefusals = false
    /// For content that carries its own signature and must be had even when this board's clock is wrong (the signed time): the certificate is
    /// not judged. Pins are.
    public var ignoresCertificate: Bool

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
