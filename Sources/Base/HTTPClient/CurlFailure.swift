// SPDX-License-Identifier: Apache-2.0

import CCurl

/// What libcurl's numbers mean in our words.
enum CurlFailure {
    // X.509 verification results as OpenSSL numbers them (x509_vfy.h): stable since 1998.
    private static let notYetValid = 9
    private static let expired = 10
    private static let hostMismatch = 62
    private static let addressMismatch = 64
    private static let untrusted: Set<Int> = [2, 18, 19, 20, 21, 24, 27]

    /// `elapsed` and `connected` tell the kinds of time-out apart.
    static func code(
        _ result: CURLcode, verifyResult: Int, proxyError: Int, elapsedSeconds: Double, connected: Bool, limits: HTTPLimits
    ) -> HTTPError.Code {
        switch result {
        case CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED: return .badURL
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ENGINE_NOTFOUND, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION,
            CURLE_NOT_BUILT_IN:
            return .badConfiguration
        case CURLE_COULDNT_RESOLVE_PROXY: return .proxyUnreachable
        case CURLE_COULDNT_RESOLVE_HOST: return .nameNotResolved
        case CURLE_COULDNT_CONNECT: return .connectionRefused
        case CURLE_PROXY: return proxy(proxyError)
        case CURLE_PEER_FAILED_VERIFICATION:
            switch verifyResult {
            case notYetValid: return .certificateNotYetValid
            case expired: return .certificateExpired
            // libcurl compares the name itself when OpenSSL is content with the chain, and leaves 0 or 1 (unspecified); where it
            // leaves the name to OpenSSL there are numbers for it.
            case 0, 1, hostMismatch, addressMismatch: return .wrongName
            case let number where untrusted.contains(number): return .unknownIssuer
            default: return .certificateInvalid
            }
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: return .pinMismatch
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_INVALIDCERTSTATUS:
            return .tlsFailed
        case CURLE_OPERATION_TIMEDOUT:
            if !connected { return .connectTimeout }
            return elapsedSeconds < Double(limits.totalSeconds) - 0.5 ? .tooSlow : .timeout
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING: return .truncated
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_SSL_SHUTDOWN_FAILED: return .connectionLost
        case CURLE_FILESIZE_EXCEEDED: return .bodyTooLarge
        // CURLE_TOO_LARGE, since libcurl 8.6.
        case CURLcode(100): return .headersTooLarge
        case CURLE_WRITE_ERROR: return .cannotWrite
        case CURLE_ABORTED_BY_CALLBACK: return .cancelled
        default: return .badAnswer
        }
    }

    /// Replies of a SOCKS server (RFC 1928 6) and failures on the way to it.
    private static func proxy(_ error: Int) -> HTTPError.Code {
        switch CURLproxycode(UInt32(clamping: error)) {
        case CURLPX_REPLY_NOT_ALLOWED, CURLPX_NO_AUTH, CURLPX_USER_REJECTED: return .refusedByRule
        case CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_RESOLVE_HOST: return .nameNotResolved
        case CURLPX_REPLY_CONNECTION_REFUSED: return .connectionRefused
        case CURLPX_REPLY_NETWORK_UNREACHABLE, CURLPX_REPLY_TTL_EXPIRED, CURLPX_REPLY_GENERAL_SERVER_FAILURE:
            return .unreachable
        case CURLPX_CLOSED, CURLPX_SEND_CONNECT, CURLPX_RECV_CONNECT, CURLPX_RECV_REQACK, CURLPX_SEND_REQUEST:
            return .proxyUnreachable
        default: return .unreachable
        }
    }
}
