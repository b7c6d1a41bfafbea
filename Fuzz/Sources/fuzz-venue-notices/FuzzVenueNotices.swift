// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FuzzSupport
import VenueNotices

/// Codes of official posters, lists of venues and what the operators answer: read, or refused with words that can be shown.
///
/// The first byte chooses: a code, the content of a token that is signed first, the header of one, a list, answers one after the other.
@_cdecl("LLVMFuzzerTestOneInput")
public func testVenueNotices(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    _ = tables
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch choice % 5 {
    case 0:
        // Nobody can sign here but the fuzzer itself, and its own tokens are not in the seeds.
        claim(refusal(String(decoding: bytes, as: UTF8.self)) != nil, "a poster that nobody signed")
    case 1: _ = refusal(signed(header: Array(#"{"alg":"ES256","kid":"fuzz"}"#.utf8), content: bytes))
    case 2:
        let code = refusal(signed(header: bytes, content: Array(#"{"id":"fuzz","opn":"x"}"#.utf8)))
        claim(code != .wrongSignature, "signed, and not believed")
        claim(code != .malformedVenue, "a venue that is none because of the header")
    case 3: checkList(bytes)
    default: checkAnswers(bytes)
    }
    return 0
}

private let keys = [VenuePoster.Key(id: "fuzz", key: TestKeys.export.verificationKey)]

private func signed(header: [UInt8], content: [UInt8]) -> String {
    let text = Base64URL.string(header) + "." + Base64URL.string(content)
    let signature = needed("a signature") {
        P256.RawSignature.raw(try TestKeys.export.sign(SHA256.digest(of: Array(text.utf8))))
    }
    return "UKC19TRACING:1:\(text).\(Base64URL.string(signature))"
}

private func refusal(_ text: String) -> VenueNoticesError.Code? {
    do throws(VenueNoticesError) {
        let poster = try VenuePoster(text, keys: keys)
        claim(text.utf8.count <= VenuePoster.maximumBytes, "a code longer than any")
        claim((1...64).contains(poster.id.utf8.count) && poster.version >= 1, "a venue without an id")
        claim("\(poster)" == "VenuePoster", "printing tells the place")
        return nil
    } catch {
        claim(isShowable(error.description), "a refusal that cannot be shown")
        return error.code
    }
}

private func checkList(_ bytes: [UInt8]) {
    do throws(VenueNoticesError) {
        let list = try RiskyVenueList(decoding: bytes)
        for venue in list.venues {
            claim(venue.from < venue.until && !venue.id.isEmpty, "a venue without a time")
            func meets(_ from: Int64, _ to: Int64) -> Bool {
                venue.meets(PosterVisit(number: 1, venueID: venue.id, from: from, to: to))
            }
            claim(
                meets(venue.from, venue.until) && meets(venue.from, venue.from) && meets(venue.until - 1, venue.until + 9),
                "missed")
            claim(!meets(venue.until, venue.until + 9) && !meets(venue.from - 9, venue.from), "told for nothing")
        }
        let visits = list.venues.enumerated().map {
            PosterVisit(number: $0.offset, venueID: $0.element.id, from: $0.element.from, to: $0.element.until)
        }
        claim(list.matches(visits).map(\.visit) == visits, "a visit that is not told")
    } catch {
        claim(isShowable(error.description), "a refusal that cannot be shown")
    }
}

private func checkAnswers(_ bytes: [UInt8]) {
    var notice = HeldNotice(visit: 1, advice: .inform)
    for answer in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(20) {
        let outcome = notice.take(answer.isEmpty ? nil : Array(answer))
        let (method, path) = notice.call
        claim((method == "GET") == (notice.token != nil), "a call of another kind")
        claim(
            path.utf8.allSatisfy {
                $0 == 0x2D || $0 == 0x2F || (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
            },
            "a path that leads away")
        if outcome != .wait { return }
    }
}

// Tables of the libraries live to the end, where LeakSanitizer does not find them.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let tables: Bool = {
    lookAway()
    defer { lookAgain() }
    _ = refusal(
        signed(header: Array(#"{"alg":"ES256","kid":"fuzz"}"#.utf8), content: Array(#"{"id":"fuzz","opn":"x"}"#.utf8)))
    checkList(Array(#"{"venues":[]}"#.utf8))
    checkAnswers(Array(#"{"approval":"pending"}"#.utf8))
    return true
}()
