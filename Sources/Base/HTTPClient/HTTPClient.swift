// SPDX-License-Identifier: Apache-2.0

import CCurl
import Cryptography
import Glibc

/// An HTTPS client that sends one request at a time and blocks its caller. At most two connections are kept for
/// further requests to the same servers. It speaks HTTP/1.1 over TLS 1.2 or later, and takes no proxy from the
/// environment.
///
/// Not thread-safe: one owner, one thread at a time. Another thread may end a request through ``HTTPCancellation``.
public final class HTTPClient {
    private let configuration: HTTPConfiguration
    private let handle: UnsafeMutableRawPointer
    // libcurl wants to be set up once before any thread uses it.
    private static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Creates a client with these settings, without connecting. Throws `badConfiguration` if there are more than 16 pins,
    /// if a pin is not 32 bytes in Base64, if the file of certificate authorities cannot be read, or if libcurl does not
    /// start.
    public init(_ configuration: HTTPConfiguration) throws(HTTPError) {
        guard configuration.publicKeyPins.count <= 16 else {
            throw HTTPError(.badConfiguration, "more than 16 pins")
        }
        for (index, pin) in configuration.publicKeyPins.enumerated() where !HTTPConfiguration.isPin(pin) {
            throw HTTPError(.badConfiguration, "pin \(index + 1) is not 32 bytes in Base64")
        }
        if let file = configuration.authorityFile, access(file, R_OK) != 0 {
            throw HTTPError(.badConfiguration, "the file of certificate authorities cannot be read")
        }
        guard Self.isReady, let handle = curl_easy_init() else {
            throw HTTPError(.badConfiguration, "libcurl does not start")
        }
        self.configuration = configuration
        self.handle = handle
    }

    deinit { curl_easy_cleanup(handle) }

    /// Sends a request and waits for the complete answer, at most as long as the request's limits allow or until
    /// `cancellation` is triggered. Returns an answer with status 200 to 299, and with
    /// ``HTTPRequest/keepsRefusals`` also one of 400 or more. Follows redirects of GET only, to the same host and
    /// port, or from `http` to `https` of the same host, so that ``HTTPRequest/headers`` reach no other server.
    ///
    /// The client sends no cookies or tags of earlier answers and resumes no TLS session. Throws ``HTTPError`` for
    /// everything else, a 304 included; ``HTTPError/Code`` says when each code is thrown.
    public func send(
        _ request: HTTPRequest, cancellation: HTTPCancellation? = nil
    ) throws(HTTPError) -> HTTPResponse {
        let start = Self.now()
        var url = request.url
        var redirects = 0
        while true {
            let host = try checked(url, request, isFirst: redirects == 0)
            var limits = request.limits
            limits.totalSeconds -= Int(Self.now() - start)
            guard limits.totalSeconds > 0 else { throw HTTPError(.timeout, host) }
            switch try attempt(request, url, host, limits, cancellation) {
            case .answer(let response): return response
            case .redirect(let target):
                redirects += 1
                guard redirects <= request.limits.maximumRedirects else { throw HTTPError(.tooManyRedirects, host) }
                guard request.method == .get else {
                    throw HTTPError(.redirectNotPermitted, "\(host), a request that sends")
                }
                url = target
            }
        }
    }

    private enum Outcome {
        case answer(HTTPResponse)
        case redirect(String)
    }

    private func attempt(
        _ request: HTTPRequest, _ url: String, _ host: String, _ limits: HTTPLimits, _ cancellation: HTTPCancellation?
    ) throws(HTTPError) -> Outcome {
        let handle = handle
        let transfer = HTTPTransfer(
            sink: request.sink, limits: limits, answerHeaders: request.answerHeaders, keepsRefusals: request.keepsRefusals,
            isSentOnce: request.method != .get, cancellation: cancellation
        ) {
            Self.long(handle, CURLINFO_RESPONSE_CODE)
        }
        if cancellation?.isCancelled == true { throw HTTPError(.cancelled, host) }
        let lines = try setUp(request, url, limits)
        defer {
            curl_slist_free_all(lines)
            forgetIdentity()
        }
        let result: CURLcode = withExtendedLifetime(transfer) {
            let pointer = Unmanaged.passUnretained(transfer).toOpaque()
            setCallbacks(pointer)
            return request.body.withUnsafeBufferPointer { body in
                if request.method != .get {
                    _ = vigil_curl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
                    // An empty body has no address; libcurl would read one from a file then.
                    let empty = UnsafeMutableRawPointer(mutating: StaticString("").utf8Start)
                    let base = body.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) } ?? empty
                    _ = vigil_curl_set_pointer(handle, CURLOPT_POSTFIELDS, base)
                }
                return curl_easy_perform(handle)
            }
        }
        let received = Self.offset(handle, CURLINFO_SIZE_DOWNLOAD_T) + Self.long(handle, CURLINFO_HEADER_SIZE)
        let status = Self.long(handle, CURLINFO_RESPONSE_CODE)
        let isRefusal = result == CURLE_WRITE_ERROR && transfer.failure == nil && !(200...299).contains(status)
        guard result == CURLE_OK || isRefusal else {
            var code =
                transfer.failure
                ?? CurlFailure.code(
                    result, verifyResult: Self.long(handle, CURLINFO_SSL_VERIFYRESULT),
                    proxyError: Self.long(handle, CURLINFO_PROXY_ERROR),
                    elapsedSeconds: Double(Self.offset(handle, CURLINFO_TOTAL_TIME_T)) / 1_000_000,
                    connected: Self.offset(handle, CURLINFO_PRETRANSFER_TIME_T) > 0, limits: limits)
            // A connection that was kept has ended without an answer, and the new one that libcurl wanted for a repetition failed: the request
            // has left all the same.
            if transfer.requests > 0, code.isBeforeSending { code = .connectionLost }
            throw HTTPError(code, host, receivedByteCount: received)
        }
        let headers = transfer.headers
        guard headers.isComplete else { throw HTTPError(.truncated, host, receivedByteCount: received) }
        let answer = HTTPResponse(
            status: status, body: transfer.body, bodyByteCount: transfer.bodyByteCount,
            entityTag: headers.entityTag, date: headers.date, maximumAge: headers.maximumAge,
            headers: headers.headers, retryAfter: headers.retryAfter(now: Int64(time(nil))), receivedByteCount: received)
        switch status {
        case 200...299: return .answer(answer)
        case 301, 302, 303, 307, 308:
            guard let target = Self.text(handle, CURLINFO_REDIRECT_URL) else { throw HTTPError(.badAnswer, host) }
            return .redirect(target)
        case 400... where request.keepsRefusals: return .answer(answer)
        default:
            throw HTTPError(
                .status, host, status: status, retryAfter: headers.retryAfter(now: Int64(time(nil))), date: headers.date,
                receivedByteCount: received)
        }
    }

    private func setUp(
        _ request: HTTPRequest, _ url: String, _ limits: HTTPLimits
    ) throws(HTTPError) -> UnsafeMutablePointer<curl_slist>? {
        // Forgets every option; keeps connections.
        curl_easy_reset(handle)
        let schemes = configuration.allowsPlainHTTP ? "https,http" : "https"
        let pins = configuration.publicKeyPins.map { "sha256//" + $0 }.joined(separator: ";")
        let proxy = configuration.socksProxy.map(Self.parsedProxy)
        let texts: [(CURLoption, String?)] = [
            (CURLOPT_URL, url), (CURLOPT_PROTOCOLS_STR, schemes), (CURLOPT_USERAGENT, configuration.userAgent),
            // An empty proxy also keeps libcurl from taking one out of the environment.
            (CURLOPT_PROXY, proxy.map { "socks5h://\($0.address)" } ?? ""), (CURLOPT_NOPROXY, ""),
            (CURLOPT_PROXYUSERNAME, proxy?.user), (CURLOPT_PROXYPASSWORD, proxy?.password),
            (CURLOPT_INTERFACE, configuration.localAddress.map { "host!\($0)" }),
            (CURLOPT_CAINFO, configuration.authorityFile), (CURLOPT_PINNEDPUBLICKEY, pins.isEmpty ? nil : pins),
        ]
        for case (let option, let value?) in texts {
            guard vigil_curl_set_string(handle, option, value) == CURLE_OK else {
                throw HTTPError(.badConfiguration, "libcurl refuses option \(option.rawValue)")
            }
        }
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_NOPROGRESS, 0), (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_DISALLOW_USERNAME_IN_URL, 1), (CURLOPT_HTTP09_ALLOWED, 0),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)), (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            (CURLOPT_SSL_VERIFYPEER, request.ignoresCertificate ? 0 : 1),
            (CURLOPT_SSL_VERIFYHOST, request.ignoresCertificate ? 0 : 2),
            (CURLOPT_CONNECTTIMEOUT, max(1, min(limits.connectSeconds, limits.totalSeconds))),
            // A resumed session would tell the server that this is the board of before.
            (CURLOPT_SSL_SESSIONID_CACHE, 0),
            (CURLOPT_TIMEOUT, limits.totalSeconds), (CURLOPT_LOW_SPEED_LIMIT, limits.slowBytesPerSecond),
            (CURLOPT_LOW_SPEED_TIME, limits.slowSeconds), (CURLOPT_MAXCONNECTS, 2),
            (CURLOPT_POST, request.method == .get ? 0 : 1),
        ]
        for (option, value) in numbers { _ = vigil_curl_set_long(handle, option, value) }
        // PUT with a body in memory is POST by another name.
        if request.method == .put { _ = vigil_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, "PUT") }
        if request.method == .get { _ = vigil_curl_set_long(handle, CURLOPT_HTTPGET, 1) }
        try showIdentity()
        return try headerLines(request)
    }

    /// libcurl copies both, so that the key is in memory once more until ``forgetIdentity()``, which frees it: libcurl overwrites nothing, nor does
    /// its TLS library everywhere. So only processes that live for a moment show an identity.
    private func showIdentity() throws(HTTPError) {
        guard let identity = configuration.identity else { return }
        let shown = identity.certificate.withUnsafeBytes {
            vigil_curl_set_blob(handle, CURLOPT_SSLCERT_BLOB, $0.baseAddress, $0.count)
        }
        let proven = identity.key.withBytes { vigil_curl_set_blob(handle, CURLOPT_SSLKEY_BLOB, $0.baseAddress, $0.count) }
        guard shown == CURLE_OK, proven == CURLE_OK else {
            forgetIdentity()
            throw HTTPError(.badConfiguration, "this libcurl takes no certificate from memory")
        }
    }

    private func forgetIdentity() {
        _ = vigil_curl_set_blob(handle, CURLOPT_SSLCERT_BLOB, nil, 0)
        _ = vigil_curl_set_blob(handle, CURLOPT_SSLKEY_BLOB, nil, 0)
    }

    private func headerLines(_ request: HTTPRequest) throws(HTTPError) -> UnsafeMutablePointer<curl_slist>? {
        // libcurl leaves a header without a value out, unless it is written so.
        var lines = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        // No waiting for permission to send a body.
        if request.method != .get { lines.append("Expect:") }
        guard lines.allSatisfy({ $0.utf8.allSatisfy { $0 >= 32 && $0 != 127 } }) else {
            throw HTTPError(.badURL, "a header with control characters")
        }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) }
        _ = vigil_curl_set_pointer(handle, CURLOPT_HTTPHEADER, list)
        return list
    }

    private func setCallbacks(_ transfer: UnsafeMutableRawPointer) {
        _ = vigil_curl_set_data_function(handle, CURLOPT_HEADERFUNCTION) { data, size, count, context in
            guard let data, let context else { return 0 }
            let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
            let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.take(header: bytes) ? bytes.count : 0
        }
        _ = vigil_curl_set_pointer(handle, CURLOPT_HEADERDATA, transfer)
        _ = vigil_curl_set_data_function(handle, CURLOPT_WRITEFUNCTION) { data, size, count, context in
            guard let data, let context else { return 0 }
            let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
            let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.take(body: bytes) ? bytes.count : 0
        }
        _ = vigil_curl_set_pointer(handle, CURLOPT_WRITEDATA, transfer)
        _ = vigil_curl_set_request_function(handle) { context, _, _, _, _ in
            guard let context else { return CURL_PREREQFUNC_ABORT }
            let mayGo = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue().requestGoes()
            return mayGo ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        _ = vigil_curl_set_pointer(handle, CURLOPT_PREREQDATA, transfer)
        _ = vigil_curl_set_progress_function(handle) { context, _, _, _, _ in
            guard let context else { return 1 }
            return Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue().shouldStop ? 1 : 0
        }
        _ = vigil_curl_set_pointer(handle, CURLOPT_XFERINFODATA, transfer)
    }

    /// Checks scheme and host; gives the host.
    private func checked(_ url: String, _ request: HTTPRequest, isFirst: Bool) throws(HTTPError) -> String {
        guard let address = WebAddress(url) else { throw HTTPError(isFirst ? .badURL : .redirectNotPermitted) }
        guard address.isSecure || configuration.allowsPlainHTTP else {
            throw HTTPError(isFirst ? .badURL : .redirectNotPermitted, "\(address.host): only https is permitted")
        }
        if !isFirst, let original = WebAddress(request.url) {
            let isSamePort = address.port == original.port && address.isSecure == original.isSecure
            guard address.host == original.host, isSamePort || (address.isSecure && !original.isSecure) else {
                throw HTTPError(
                    .redirectNotPermitted, "from \(original.host):\(original.port) to \(address.host):\(address.port)")
            }
        }
        return address.host
    }

    private static func parsedProxy(_ text: String) -> (address: String, user: String?, password: String?) {
        guard let at = text.lastIndex(of: "@") else { return (text, nil, nil) }
        let address = String(text[text.index(after: at)...])
        let login = text[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (address, login[0], login.count == 2 ? login[1] : "")
    }

    /// Seconds since the board was switched on.
    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func long(_ handle: UnsafeMutableRawPointer, _ info: CURLINFO) -> Int {
        var value = 0
        return vigil_curl_get_long(handle, info, &value) == CURLE_OK ? value : 0
    }

    private static func offset(_ handle: UnsafeMutableRawPointer, _ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        return vigil_curl_get_offset(handle, info, &value) == CURLE_OK ? Int(value) : 0
    }

    private static func text(_ handle: UnsafeMutableRawPointer, _ info: CURLINFO) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard vigil_curl_get_string(handle, info, &value) == CURLE_OK, let value else { return nil }
        return String(cString: value)
    }
}
